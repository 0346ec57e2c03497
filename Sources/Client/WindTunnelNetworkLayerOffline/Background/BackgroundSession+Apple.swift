#if canImport(Darwin)
  public import Foundation
  internal import WindTunnelNetworkLayer
  internal import WindTunnelSymptoms

  /// A carrier with a background `URLSession`, whose transfers continue while the app does not run.
  ///
  /// The system launches the app when all transfers have ended. Create one carrier for each
  /// identifier at each launch, before the app has finished launching, so that it receives earlier
  /// results. On iOS the app delegate passes
  /// `application(_:handleEventsForBackgroundURLSession:completionHandler:)` on to
  /// ``handleEvents(completion:)``. If the user force-quits the app, its transfers end as
  /// cancelled.
  public final class BackgroundSession: NSObject, TransferCarrier, URLSessionDownloadDelegate,
    URLSessionDataDelegate, @unchecked Sendable
  {
    private struct State {
      weak var listener: (any TransferListener)?
      var session: URLSession?
      var completion: (@MainActor () -> Void)?
      /// The contents of responses to uploads, by the tasks' numbers.
      var bodies: [Int: Data] = [:]
    }

    private let configuration: URLSessionConfiguration
    private let queue = OperationQueue()
    private let state = Locked(State())

    /// Creates the carrier of an identifier.
    ///
    /// - Parameters:
    ///   - identifier: The identifier, unique to this session and the same at each launch.
    ///   - isDiscretionary: Whether the system may wait for power and Wi-Fi.
    ///   - sharedContainer: The app group whose container stores an extension's transfers.
    ///   - configure: Changes the session's configuration, such as `timeoutIntervalForResource`.
    public init(
      identifier: String,
      isDiscretionary: Bool = false,
      sharedContainer: String? = nil,
      configure: (URLSessionConfiguration) -> Void = { _ in }
    ) {
      configuration = .background(withIdentifier: identifier)
      configuration.isDiscretionary = isDiscretionary
      configuration.sharedContainerIdentifier = sharedContainer
      configure(configuration)
      queue.maxConcurrentOperationCount = 1
      super.init()
    }

    /// The name of the carrier's type.
    public var name: String { "BackgroundSession" }

    /// Sets the listener and creates the session, which immediately reports transfers that ended
    /// earlier.
    public func connect(_ listener: any TransferListener) {
      state.withLock { $0.listener = listener }
      let session = URLSession(configuration: configuration, delegate: self, delegateQueue: queue)
      state.withLock { $0.session = session }
    }

    /// Starts a transfer. Its task has the id as its description, which survives a relaunch.
    public func start(_ order: TransferOrder) {
      guard let session = state.withLock({ $0.session }) else { return }
      let task: URLSessionTask =
        if let file = order.file {
          session.uploadTask(with: order.request, fromFile: file)
        } else {
          session.downloadTask(with: order.request)
        }
      task.taskDescription = order.id
      task.resume()
    }

    /// Cancels the task of a transfer.
    public func cancel(_ id: String) {
      state.withLock { $0.session }?.getAllTasks { tasks in
        for task in tasks where task.taskDescription == id { task.cancel() }
      }
    }

    /// Returns the ids of unfinished tasks, after the session has reported the finished ones.
    public func transfersInProgress() async -> Set<String> {
      guard let session = state.withLock({ $0.session }) else { return [] }
      let ids = Set(await session.allTasks.compactMap(\.taskDescription))
      await withCheckedContinuation { told in queue.addOperation { told.resume() } }
      return ids
    }

    /// Stores the closure that the system expects after all events of the session were handled.
    ///
    /// An example is `session.handleEvents { completionHandler() }`.
    public func handleEvents(completion: @escaping @MainActor () -> Void) {
      state.withLock { $0.completion = completion }
    }

    // MARK: Session delegate

    /// Passes a downloaded file to the listener. The system removes the file when this method
    /// returns.
    public func urlSession(
      _ session: URLSession,
      downloadTask: URLSessionDownloadTask,
      didFinishDownloadingTo location: URL
    ) {
      guard let id = downloadTask.taskDescription,
        let response = downloadTask.response as? HTTPURLResponse
      else { return }
      listener?.downloaded(id, to: location, ServerResponse(response, body: Data()))
    }

    /// Stores the content of an upload's response, up to the limit.
    public func urlSession(
      _ session: URLSession,
      dataTask: URLSessionDataTask,
      didReceive data: Data
    ) {
      state.withLock { state in
        let kept = state.bodies[dataTask.taskIdentifier] ?? Data()
        let room = TransferEntry.Completion.bodyBytesMax - kept.count
        state.bodies[dataTask.taskIdentifier] = kept + data.prefix(room)
      }
    }

    /// Reports the end of a task, which has no effect if its file was stored before.
    public func urlSession(
      _ session: URLSession,
      task: URLSessionTask,
      didCompleteWithError error: (any Error)?
    ) {
      let body = state.withLock { $0.bodies.removeValue(forKey: task.taskIdentifier) } ?? Data()
      guard let id = task.taskDescription else { return }
      guard error == nil, let response = task.response as? HTTPURLResponse else {
        let error = error ?? URLError(.badServerResponse)
        let symptom = Symptom(error) ?? .unknown
        let failure: TransportError =
          symptom == .cancelled
          ? .cancelled : .failed(symptom, text: error.localizedDescription)
        listener?.ended(id, .failure(failure))
        return
      }
      listener?.ended(id, .success(ServerResponse(response, body: body)))
    }

    #if !os(macOS)
      /// Informs the system that all events were handled, on the main thread as it requires.
      public func urlSessionDidFinishEvents(forBackgroundURLSession session: URLSession) {
        if let completion = state.withLock({ $0.completion.take() }) {
          Task { @MainActor in completion() }
        }
      }
    #endif

    private var listener: (any TransferListener)? { state.withLock { $0.listener } }
  }
#endif
