#if canImport(Darwin)
  internal import Foundation

  /// A task delegate that receives the durations of a task's stages, just before the task ends.
  final class StageWatch: NSObject, URLSessionTaskDelegate, Sendable {
    private let kept = Locked<StageTimings?>(nil)

    /// The stages of the task's last exchange; `nil` if they have not been reported yet.
    var timings: StageTimings? { kept.withLock { $0 } }

    /// Observes a task before it is started. The task retains this delegate.
    func watch(_ task: URLSessionTask) { task.delegate = self }

    func urlSession(
      _ session: URLSession,
      task: URLSessionTask,
      didFinishCollecting metrics: URLSessionTaskMetrics
    ) {
      guard let last = metrics.transactionMetrics.last else { return }
      let timings = StageTimings(
        nameLookup: Self.time(last.domainLookupStartDate, last.domainLookupEndDate),
        connect: Self.time(last.connectStartDate, last.connectEndDate),
        secureConnection: Self.time(last.secureConnectionStartDate, last.secureConnectionEndDate),
        send: Self.time(last.requestStartDate, last.requestEndDate),
        wait: Self.time(last.requestEndDate, last.responseStartDate),
        receive: Self.time(last.responseStartDate, last.responseEndDate)
      )
      kept.withLock { $0 = timings }
    }

    private static func time(_ start: Date?, _ end: Date?) -> Duration? {
      guard let start, let end else { return nil }
      return .nanoseconds(Int64((end.timeIntervalSince(start) * 1e9).rounded()))
    }
  }

  extension URLSessionTask {
    /// Cancels the task, which is always safe on this platform.
    func end() { cancel() }
  }

  /// The way in which a `URLSession` uses a request's time-out.
  enum SessionTimeout {
    /// Returns the effective time-out in seconds: any value is supported.
    static func honoured(_ seconds: TimeInterval) -> TimeInterval { seconds }
  }

  extension StreamListener {
    /// Creates a task with this listener as its delegate, and a closure to call when it is
    /// finished.
    ///
    /// The task belongs to the app's own session. The session's delegate receives the calls that
    /// this listener does not implement, because a task's delegate takes precedence for each
    /// method.
    func task(
      for request: URLRequest,
      uploading file: URL?
    ) -> (URLSessionTask, isOver: () -> Void) {
      let task: URLSessionTask =
        if let file {
          session.uploadTask(with: request, fromFile: file)
        } else {
          session.dataTask(with: request)
        }
      task.delegate = self
      return (task, {})
    }
  }
#endif
