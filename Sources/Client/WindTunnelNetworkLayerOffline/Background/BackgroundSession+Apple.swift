#if canImport(Darwin)
  public import Foundation
  internal import WindTunnelNetworkLayer
  internal import WindTunnelSymptoms

  /// The carrier of a background `URLSession`: the system carries its transfers while the app is
  /// suspended or has ended, and launches the app when all of them are over.
  ///
  /// There is one for each identifier, made at each launch before the app has finished launching,
  /// so that what ended meanwhile is heard of. On iOS the app delegate hands
  /// `application(_:handleEventsForBackgroundURLSession:completionHandler:)` on to
  /// ``handleEvents(completion:)``. What a user ends by force comes back as cancelled.
  public final class BackgroundSession: NSObject, TransferCarrier, URLSessionDownloadDelegate,
    URLSessionDataDelegate, @unchecked Sendable
  {
    private struct State {
      weak var listener: (any TransferListener)?
      var session: URLSession?
      var completion: (@MainActor () -> Void)?
      /// The contents of answers to uploads, by the tasks' numbers.
      var bodies: [Int: Data] = [:]
    }

    private let configuration: URLSessionConfiguration
    private let queue = OperationQueue()
    private let state = Locked(State())

    /// Makes the carrier of an identifier.
    ///
    /// - Parameters:
    ///   - identifier: The identifier, the same at each launch and no other session's.
    ///   - isDiscretionary: Tells whether the system may wait for power and Wi-Fi.
    ///   - sharedContainer: The app group whose container an extension's transfers go to.
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

    /// The name of the type.
    public var name: String { "BackgroundSession" }

    /// Takes the listener, and makes the session, which tells at once what ended before.
    public func connect(_ listener: any TransferListener) {
      state.withLock { $0.listener = listener }
      let session = URLSession(configuration: configuration, delegate: self, delegateQueue: queue)
      state.withLock { $0.session = session }
    }

    /// Begins a transfer by a task that has its id for a description, which outlives the process.
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

    /// Returns the ids of the tasks that have not ended, after what the session had told by then.
    public func carried() async -> Set<String> {
      guard let session = state.withLock({ $0.session }) else { return [] }
      let ids = Set(await session.allTasks.compactMap(\.taskDescription))
      await withCheckedContinuation { told in queue.addOperation { told.resume() } }
      return ids
    }

    /// Takes what the system wants to hear when all events of the session have been handled, as in
    /// `session.handleEvents { completionHandler() }`.
    public func handleEvents(completion: @escaping @MainActor () -> Void) {
      state.withLock { $0.completion = completion }
    }

    // MARK: What the session tells

    /// Has a file taken, which the system removes when this returns.
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

    /// Keeps the content of an upload's answer, as far as it is kept at all.
    public func urlSession(
      _ session: URLSession,
      dataTask: URLSessionDataTask,
      didReceive data: Data
    ) {
      state.withLock { state in
        let kept = state.bodies[dataTask.taskIdentifier] ?? Data()
        let room = TransferEntry.Ending.bodyBytesMax - kept.count
        state.bodies[dataTask.taskIdentifier] = kept + data.prefix(room)
      }
    }

    /// Has the end noted, where no file was taken before.
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
      /// Tells the system that all events were handled, on the main thread, as it wants it.
      public func urlSessionDidFinishEvents(forBackgroundURLSession session: URLSession) {
        if let completion = state.withLock({ $0.completion.take() }) {
          Task { @MainActor in completion() }
        }
      }
    #endif

    private var listener: (any TransferListener)? { state.withLock { $0.listener } }
  }
#endif
