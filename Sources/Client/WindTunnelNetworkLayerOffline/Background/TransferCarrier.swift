public import Foundation
public import WindTunnelNetworkLayer
internal import WindTunnelSymptoms

#if canImport(FoundationNetworking)
  public import FoundationNetworking
#endif

/// A transfer as it is handed to what carries it.
public struct TransferOrder: Sendable {
  /// The id of the transfer, by which the carrier knows it after a relaunch.
  public let id: String
  /// The direction of the transfer.
  public let kind: BackgroundTransfer.Kind
  /// The request, without content.
  public let request: URLRequest
  /// The file whose bytes are the content of an upload; `nil` for a download.
  public let file: URL?
  /// The folder for what has not come whole, in which the next process clears up.
  let folder: URL
}

/// The one who hears how transfers end. What it has heard is on the disk when it returns.
public protocol TransferListener: AnyObject, Sendable {
  /// Takes the file of a download, which is gone when this returns, with the answer's head.
  func downloaded(_ id: String, to file: URL, _ answer: ServerResponse)
  /// Takes any other end, or none where it has taken a file.
  func ended(_ id: String, _ outcome: AttemptOutcome)
}

/// The engine that carries transfers, in this process or in another.
public protocol TransferCarrier: Sendable {
  /// The name of the engine, for records.
  var name: String { get }
  /// Takes the listener, once and before all else.
  func connect(_ listener: any TransferListener)
  /// Begins to carry a transfer.
  func start(_ order: TransferOrder)
  /// Ends a transfer, of which nobody has to hear any more.
  func cancel(_ id: String)
  /// Returns the ids of the transfers that it carries, those of earlier launches included.
  ///
  /// Of a transfer that has ended it has told the listener before, as far as it can: one that it
  /// has not is begun anew, and of its two ends the first one counts.
  func carried() async -> Set<String>
}

/// A carrier in the app's own process, for systems that have none which goes on without it: what is
/// under way when the process ends is begun anew by the next one.
public final class InProcessCarrier: TransferCarrier {
  /// The greatest number of transfers that it carries at once.
  public static let mostAtOnce = 4

  private struct State {
    weak var listener: (any TransferListener)?
    /// The transfers that have not ended, and what ends them.
    var carried: [String: @Sendable () -> Void] = [:]
  }

  private let transport: any Transport
  private let state = Locked(State())
  private let orders: AsyncStream<TransferOrder>
  private let ordering: AsyncStream<TransferOrder>.Continuation

  /// Makes a carrier by a transport, such as `URLSessionTransport`.
  public init(_ transport: any Transport) {
    self.transport = transport
    (orders, ordering) = AsyncStream.makeStream()
  }

  /// The name of the transport.
  public var name: String { "\(type(of: transport))" }

  /// Takes the listener of its transfers.
  public func connect(_ listener: any TransferListener) {
    state.withLock { $0.listener = listener }
  }

  /// Takes a transfer, which begins as soon as ``run()`` has room for it.
  public func start(_ order: TransferOrder) {
    state.withLock { $0.carried[order.id] = {} }
    ordering.yield(order)
  }

  /// Ends a transfer, of which nobody hears any more.
  public func cancel(_ id: String) { state.withLock { $0.carried.removeValue(forKey: id) }?() }

  /// Returns the ids of the transfers that were started and have not ended.
  public func carried() async -> Set<String> { state.withLock { Set($0.carried.keys) } }

  /// Carries what is started until the task is cancelled. It runs once, in a task as long-lived as
  /// the app.
  @concurrent
  public func run() async {
    await withTaskGroup(of: Void.self) { group in
      var count = 0
      for await order in orders {
        if count == Self.mostAtOnce {
          await group.next()
          count -= 1
        }
        count += 1
        group.addTask { await self.carry(order) }
      }
      group.cancelAll()
    }
  }

  private func carry(_ order: TransferOrder) async {
    let begun = state.withLock { state -> Task<Came, Never>? in
      guard state.carried[order.id] != nil else { return nil }
      let work = Task { await fetch(order) }
      state.carried[order.id] = { work.cancel() }
      return work
    }
    guard let work = begun else { return }
    let came = await withTaskCancellationHandler {
      await work.value
    } onCancel: {
      work.cancel()
    }
    // Of an end of the process itself nobody hears, so that the next one begins it anew.
    guard !Task.isCancelled else {
      if case .file(let file, _) = came { try? FileManager.default.removeItem(at: file) }
      return
    }
    let listener = state.withLock { state in state.carried[order.id] == nil ? nil : state.listener }
    switch came {
    case .file(let file, let answer):
      listener?.downloaded(order.id, to: file, answer)
      // What was not taken is of no use to anybody.
      try? FileManager.default.removeItem(at: file)
    case .other(let outcome): listener?.ended(order.id, outcome)
    }
    state.withLock { $0.carried[order.id] = nil }
  }

  /// The result of carrying a transfer.
  private enum Came: Sendable {
    /// A file, with the head of its answer.
    case file(URL, ServerResponse)
    case other(AttemptOutcome)
  }

  private func fetch(_ order: TransferOrder) async -> Came {
    do throws(TransportError) {
      let file = order.folder.appending(path: "\(UUID()).part")
      let receiver = FileReceiver(file, FileCheck(), nil) { Date() }
      let request = order.kind == .download ? receiver.asking(order.request) : order.request
      let answer = try await transport.open(request, Upload(file: order.file))
      guard order.kind == .download, (200...299).contains(answer.status) else {
        return .other(.success(try await answer.collected(to: StreamedResponse.otherBytesMax)))
      }
      let head = try await receiver.take(answer)
      do throws(NetworkError) {
        try receiver.finish(CallResponse(status: head.status, headers: head.headers))
      } catch {
        throw error == .cancelled ? .cancelled : .failed(.truncated, text: "\(error)")
      }
      return .file(file, head)
    } catch {
      return .other(.failure(error))
    }
  }
}
