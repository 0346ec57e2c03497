internal import Dispatch
public import Foundation
public import WindTunnelNetworkLayer

/// A store of calls that need not be made now: they lie on the disk until there is a network, and
/// are sent in batches, one endpoint's in the order in which they came.
///
/// ```swift
/// let telemetry = OutboxEndpoint(Endpoint(.post, "/telemetry"), waitsFor: .unrestricted)
/// let outbox = try Outbox(at: folder, endpoints: [telemetry])
/// try await outbox.enqueue(Data(#"{"screen":"home"}"#.utf8), to: telemetry)
/// await outbox.send(by: client, until: .empty)
/// ```
///
/// Each call whose `enqueue` returned arrives whole at least once, whenever the process is killed,
/// unless it falls out by ``OutboxLimits``, which is told. Only a batch whose answer was not heard
/// is sent twice: the same bytes under the same `Idempotency-Key`, so that a server that keeps keys
/// applies it once. One process at a time holds the folder.
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

  /// The most bytes of bodies that are written at once.
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
  /// Calls of endpoints that are not given stay, and are sent when the outbox is opened with those.
  ///
  /// - Parameters:
  ///   - folder: The folder, which is made where it is not there, for this outbox alone.
  ///   - endpoints: The endpoints, each with a template of its own.
  ///   - limits: The bounds.
  ///   - time: The source of time.
  ///   - observe: Is told of each event, on whatever thread it happens.
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

  /// The number of calls that wait, those of batches under way included.
  public var count: Int { store.withLock { $0?.count ?? 0 } }

  /// The number of times that the disk was written to for new calls.
  var commits: Int { state.withLock { $0.commits } }

  /// Takes a call, and returns when it is on the disk for good. Calls that come while the disk is
  /// at work are written at once.
  ///
  /// - Parameters:
  ///   - body: The call's part of a batch.
  ///   - endpoint: The endpoint, with which the outbox was opened.
  ///   - key: The key of the call: the `Idempotency-Key` of a batch with this call alone, and the
  ///     call's name in dead letters.
  /// - Returns: The number of the call, and what fell out for it.
  /// - Throws: ``OutboxError``; the call was not taken then. After ``OutboxError/disk(_:)`` it may
  ///   still arrive, where what was written of it could not be taken back.
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
        defer { state.isCommitPlanned = true }
        return !state.isCommitPlanned
      }
      if isFirst { disk.async { self.commit() } }
    }.get()
  }

  /// Takes a value as JSON, as ``enqueue(_:to:key:)`` does.
  ///
  /// - Throws: ``OutboxError``; ``OutboxError/body(_:)`` where it cannot be encoded.
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

  /// Writes what has come since the last time, with one wait for the disk.
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
    // In their own order, so that what is sent beside each other is sent alike each time.
    for endpoint in endpoints where woken.contains(endpoint.name) { wake(endpoint.name) }
  }

  /// Returns the calls that servers refused, in the order in which they did.
  ///
  /// - Throws: ``OutboxError`` where the file cannot be read.
  @concurrent
  public func deadLetters() async throws(OutboxError) -> [DeadLetter] {
    try await onDisk { store, _ throws(OutboxError) in try store.deadLetters() }.get()
  }

  /// Removes all dead letters from the disk.
  @concurrent
  public func removeDeadLetters() async throws(OutboxError) {
    try await onDisk { store, _ throws(OutboxError) in try store.removeDeadLetters() }.get()
  }

  /// Closes the outbox, so that another one may open its folder; what waits stays on the disk.
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

  /// Does something where nobody else works with the disk, off the threads of tasks. Its events are
  /// told when the store is free again, since who hears them may ask it.
  func onDisk<Value: Sendable>(
    _ work:
      @escaping @Sendable (inout OutboxStore, inout [OutboxEvent]) throws(OutboxError) -> Value
  ) async -> Result<Value, OutboxError> {
    await withCheckedContinuation { done in
      disk.async {
        var events: [OutboxEvent] = []
        let result = self.store.withLock { store -> Result<Value, OutboxError> in
          guard var open = store else { return .failure(.closed) }
          // Two values of it would have what they share copied.
          store = nil
          defer { store = open }
          return Result { () throws(OutboxError) in try work(&open, &events) }
        }
        self.tell(events)
        done.resume(returning: result)
      }
    }
  }

  /// Tells of events, in order.
  func tell(_ events: [OutboxEvent]) { for event in events { observe(event) } }

  /// Begins to send; false where somebody sends already.
  func beginSending() -> Bool {
    state.withLock { state in
      defer { state.isSending = true }
      return !state.isSending
    }
  }

  /// Ends sending, so that it may begin again.
  func endSending() { state.withLock { $0.isSending = false } }

  /// The words that calls of an endpoint have come.
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
