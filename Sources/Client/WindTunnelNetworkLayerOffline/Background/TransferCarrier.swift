public import Foundation
public import WindTunnelNetworkLayer
internal import WindTunnelSymptoms

/// A transfer as its carrier receives it.
public struct TransferOrder: Sendable {
  /// The id of the transfer, which identifies it after a relaunch.
  public let id: String
  /// The direction of the transfer.
  public let kind: BackgroundTransfer.Kind
  /// The request, without content.
  public let request: URLRequest
  /// The file whose bytes are the content of an upload; `nil` for a download.
  public let file: URL?
  /// The folder for incomplete files, which the next process cleans up.
  let folder: URL
}

/// A receiver of transfer results. It must store a result on disk before it returns.
public protocol TransferListener: AnyObject, Sendable {
  /// Receives a downloaded file and the response's head. The file may be removed when this returns.
  func downloaded(_ id: String, to file: URL, _ answer: ServerResponse)
  /// Receives any other result. It has no effect if a file was received before.
  func ended(_ id: String, _ outcome: AttemptOutcome)
}

/// The engine that carries transfers, in this process or in another.
public protocol TransferCarrier: Sendable {
  /// The name of the engine, for records.
  var name: String { get }
  /// Sets the listener. It is called once, before all other methods.
  func connect(_ listener: any TransferListener)
  /// Starts to carry a transfer.
  func start(_ order: TransferOrder)
  /// Cancels a transfer, whose result need not be reported any more.
  func cancel(_ id: String)
  /// Returns the ids of the transfers in progress, including those from earlier launches.
  ///
  /// Before it returns, it reports the transfers that have ended, as far as it can. A transfer
  /// whose end was not reported is started again, and the first of its two results counts.
  func transfersInProgress() async -> Set<String>
}

/// A carrier in the app's own process, for systems without background transfers.
///
/// The next process starts the transfers again that were in progress when the process ended.
public final class InProcessCarrier: TransferCarrier {
  /// The maximum number of concurrent transfers.
  public static let mostAtOnce = 4

  private struct State {
    weak var listener: (any TransferListener)?
    /// The unfinished transfers, with a closure that cancels each.
    var carried: [String: @Sendable () -> Void] = [:]
  }

  private let transport: any Transport
  private let state = Locked(State())
  private let orders: AsyncStream<TransferOrder>
  private let ordering: AsyncStream<TransferOrder>.Continuation

  /// Creates a carrier with a transport, such as `URLSessionTransport`.
  public init(_ transport: any Transport) {
    self.transport = transport
    (orders, ordering) = AsyncStream.makeStream()
  }

  /// The name of the transport's type.
  public var name: String { "\(type(of: transport))" }

  /// Sets the listener of its transfers.
  public func connect(_ listener: any TransferListener) {
    state.withLock { $0.listener = listener }
  }

  /// Queues a transfer, which starts as soon as ``run()`` has room for it.
  public func start(_ order: TransferOrder) {
    state.withLock { $0.carried[order.id] = {} }
    ordering.yield(order)
  }

  /// Cancels a transfer without reporting its result.
  public func cancel(_ id: String) { state.withLock { $0.carried.removeValue(forKey: id) }?() }

  /// Returns the ids of the transfers that were started and have not ended.
  public func transfersInProgress() async -> Set<String> { state.withLock { Set($0.carried.keys) } }

  /// Performs transfers until the task is cancelled.
  ///
  /// Run it once, in a task with the app's lifetime.
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
    let begun = state.withLock { state -> Task<FetchResult, Never>? in
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
    // The end of the process itself is not reported, so that the next process starts the transfer
    // again.
    guard !Task.isCancelled else {
      if case .file(let file, _) = came { try? FileManager.default.removeItem(at: file) }
      return
    }
    let listener = state.withLock { state in state.carried[order.id] == nil ? nil : state.listener }
    switch came {
    case .file(let file, let answer):
      listener?.downloaded(order.id, to: file, answer)
      // A file that the listener did not move is not needed.
      try? FileManager.default.removeItem(at: file)
    case .other(let outcome): listener?.ended(order.id, outcome)
    }
    state.withLock { $0.carried[order.id] = nil }
  }

  /// The result of a transfer in this process.
  private enum FetchResult: Sendable {
    /// A file, with the head of its response.
    case file(URL, ServerResponse)
    case other(AttemptOutcome)
  }

  private func fetch(_ order: TransferOrder) async -> FetchResult {
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
