internal import Dispatch
public import Foundation
public import WindTunnelNetworkLayer

/// A store of calls that can wait. They are kept on disk until there is a network, then sent in
/// batches.
///
/// ```swift
/// let telemetry = OutboxEndpoint(Endpoint(.post, "/telemetry"), waitsFor: .unrestricted)
/// let outbox = try Outbox(at: folder, endpoints: [telemetry])
/// try await outbox.enqueue(Data(#"{"screen":"home"}"#.utf8), to: telemetry)
/// await outbox.send(by: client, until: .empty)
/// ```
///
/// Calls of one endpoint are sent in their order. Each call whose `enqueue` returned is delivered
/// completely at least once, even if the process is killed. The exception is a call that is dropped
/// because of ``OutboxLimits``, which is reported as an event.
///
/// A batch is sent again only if its response was lost. It then has the same bytes and the same
/// `Idempotency-Key`, so that a server that stores keys applies it once. One process at a time
/// holds the folder.
public final class Outbox: Sendable {
  private struct Pending {
    var call: OutboxStore.NewCall
    var waiter: CheckedContinuation<Result<OutboxReceipt, OutboxError>, Never>
  }

  private struct State {
    var pending: [Pending] = []
    var isCommitPlanned = false
    var isSending = false
    var commits = 0
    var wakers: [String: AsyncStream<Void>.Continuation] = [:]
  }

  /// The maximum number of bytes of bodies that are written at once.
  private static let commitBytes = 4 << 20

  let endpoints: [OutboxEndpoint]
  let limits: OutboxLimits
  let time: any TimeSource
  let draw: @Sendable () -> Double
  private let observe: @Sendable (OutboxEvent) -> Void
  private let names: [String: OutboxEndpoint]
  private let store: Locked<OutboxStore?>
  private let state = Locked(State())
  private let disk = DispatchQueue(label: "NetworkLayer.outbox")

  /// Opens an outbox, and finds the calls that wait in it.
  ///
  /// Calls of endpoints that are missing here are kept. They are sent when the outbox is opened
  /// with these endpoints.
  ///
  /// - Parameters:
  ///   - folder: The folder for this outbox alone, which is created if it is missing.
  ///   - endpoints: The endpoints, each with a unique template.
  ///   - limits: The limits of the outbox.
  ///   - time: The source of time.
  ///   - observe: Receives each event, on any thread.
  ///   - draw: The source of random numbers in 0..<1, for jitter.
  /// - Throws: ``OutboxError``.
  public init(
    at folder: URL,
    endpoints: [OutboxEndpoint],
    limits: OutboxLimits = OutboxLimits(),
    time: any TimeSource = SystemTime(),
    observe: @escaping @Sendable (OutboxEvent) -> Void = { _ in },
    draw: @escaping @Sendable () -> Double = { Double.random(in: 0..<1) }
  ) throws(OutboxError) {
    (self.endpoints, self.limits, self.time) = (endpoints, limits.bounded, time)
    (self.draw, self.observe) = (draw, observe)
    names = Dictionary(endpoints.map { ($0.name, $0) }) { first, _ in first }
    var events: [OutboxEvent] = []
    let opened = try OutboxStore(folder, endpoints.map(\.name), limits, time, &events)
    store = Locked(opened)
    for event in events { observe(event) }
  }

  /// The number of waiting calls, including calls of batches in progress.
  public var count: Int { store.withLock { $0?.count ?? 0 } }

  /// The number of disk writes for new calls.
  var commits: Int { state.withLock { $0.commits } }

  /// Stores a call, and returns when it is durable on disk.
  ///
  /// Calls that arrive during a write are written together.
  ///
  /// - Parameters:
  ///   - body: The call's part of a batch.
  ///   - endpoint: One of the endpoints of this outbox.
  ///   - key: The key of the call, which identifies it among dead letters. It is also the
  ///     `Idempotency-Key` of a batch that contains this call alone.
  /// - Returns: The number of the call, and the calls that were dropped for it.
  /// - Throws: ``OutboxError``; the call was not accepted then. After ``OutboxError/disk(_:)`` it
  ///   may still be delivered, if a partial write could not be undone.
  @concurrent
  @discardableResult
  public func enqueue(
    _ body: Data,
    to endpoint: OutboxEndpoint,
    key: String = UUID().uuidString
  ) async throws(OutboxError) -> OutboxReceipt {
    guard let known = names[endpoint.name] else { throw .unknownEndpoint(endpoint.name) }
    guard (1...255).contains(key.utf8.count), key.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
    else { throw .key(key) }
    guard body.count <= limits.mostCallBytes else {
      throw .tooLarge(bytes: body.count, most: limits.mostCallBytes)
    }
    if let reason = known.format.objection(body) { throw .body(reason) }
    let call = OutboxStore.NewCall(name: known.name, key: key, body: body)
    return try await withCheckedContinuation { waiter in
      let isFirst = state.withLock { state in
        state.pending.append(Pending(call: call, waiter: waiter))
        return !exchange(&state.isCommitPlanned, with: true)
      }
      if isFirst { disk.async { self.commit() } }
    }.get()
  }

  /// Stores a value as JSON, like ``enqueue(_:to:key:)``.
  ///
  /// - Throws: ``OutboxError``; ``OutboxError/body(_:)`` if it cannot be encoded.
  @concurrent
  @discardableResult
  public func enqueue(
    json value: some Encodable & Sendable,
    to endpoint: OutboxEndpoint,
    key: String = UUID().uuidString
  ) async throws(OutboxError) -> OutboxReceipt {
    let body: Data
    do { body = try JSONEncoder.ofRequests.encode(value) } catch { throw .body("\(error)") }
    return try await enqueue(body, to: endpoint, key: key)
  }

  /// Writes the calls that are pending, with one disk synchronization.
  private func commit() {
    let group = state.withLock { state in
      var (count, bytes) = (0, 0)
      while count < state.pending.count, bytes < Self.commitBytes {
        bytes += state.pending[count].call.body.count
        count += 1
      }
      let group = Array(state.pending.prefix(count))
      state.pending.removeFirst(count)
      state.isCommitPlanned = !state.pending.isEmpty
      state.commits += 1
      return group
    }
    if state.withLock({ $0.isCommitPlanned }) { disk.async { self.commit() } }
    var events: [OutboxEvent] = []
    let results = store.withLock { store in store?.append(group.map(\.call), telling: &events) }
    tell(events)
    for (place, pending) in group.enumerated() {
      pending.waiter.resume(returning: results?[place] ?? .failure(.closed))
    }
    let woken = Set(group.map(\.call.name))
    // In the order of the endpoints, so that concurrent batches are sent in the same order each
    // time.
    for endpoint in endpoints where woken.contains(endpoint.name) { wake(endpoint.name) }
  }

  /// Returns the calls that servers refused, in the order of refusal.
  ///
  /// - Throws: ``OutboxError`` if the file cannot be read.
  @concurrent
  public func deadLetters() async throws(OutboxError) -> [DeadLetter] {
    try await onDisk { store, _ throws(OutboxError) in try store.letters.all() }.get()
  }

  /// Removes all dead letters from the disk.
  @concurrent
  public func removeDeadLetters() async throws(OutboxError) {
    try await onDisk { store, _ throws(OutboxError) in try store.letters.removeAll() }.get()
  }

  /// Closes the outbox, so that another one can open its folder. Waiting calls stay on disk.
  @concurrent
  public func close() async {
    await withCheckedContinuation { closed in
      disk.async {
        self.store.withLock { $0 = nil }
        closed.resume()
      }
    }
    for endpoint in endpoints { wake(endpoint.name) }
  }

  /// Runs work with exclusive access to the disk, not on the threads of tasks.
  ///
  /// Its events are reported after the store is released, because an observer may call the outbox.
  func onDisk<Value: Sendable>(
    _ work:
      @escaping @Sendable (inout OutboxStore, inout [OutboxEvent]) throws(OutboxError) -> Value
  ) async -> Result<Value, OutboxError> {
    await withCheckedContinuation { done in
      disk.async {
        var events: [OutboxEvent] = []
        let result = self.store.withLock { store -> Result<Value, OutboxError> in
          guard var open = store else { return .failure(.closed) }
          // A second value would copy the shared storage.
          store = nil
          defer { store = open }
          return Result { () throws(OutboxError) in try work(&open, &events) }
        }
        self.tell(events)
        done.resume(returning: result)
      }
    }
  }

  /// Reports events, in order.
  func tell(_ events: [OutboxEvent]) { for event in events { observe(event) } }

  /// Begins to send; `false` if sending is already in progress.
  func beginSending() -> Bool {
    state.withLock { !exchange(&$0.isSending, with: true) }
  }

  /// Ends sending, so that it may begin again.
  func endSending() { state.withLock { $0.isSending = false } }

  /// Returns a stream with an element when calls of an endpoint have arrived.
  func wakes(of name: String) -> AsyncStream<Void> {
    let (stream, waker) = AsyncStream.makeStream(
      of: Void.self,
      bufferingPolicy: .bufferingNewest(1)
    )
    state.withLock { $0.wakers[name] = waker }
    return stream
  }

  private func wake(_ name: String) { state.withLock { $0.wakers[name] }?.yield() }
}

// The mark of this module in programs, by which `check-release` finds it; the number is its own.
@section("__DATA_CONST,__wt_modules")
@used private let linkMark: (UInt64, UInt64, UInt64) =
  (0xF1D3_8A6C_57E2_94B0, 0x9C0E_B7A5_2D41_F863, 35)
