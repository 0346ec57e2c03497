#if canImport(Darwin)
  internal import Foundation

  /// Hears from the session how long the stages of a task took, just before the task is over.
  final class StageWatch: NSObject, URLSessionTaskDelegate, Sendable {
    private let kept = Locked<StageTimings?>(nil)

    /// Those of the last exchange of the task; `nil`: they are not there yet.
    var timings: StageTimings? { kept.withLock { $0 } }

    /// Watches a task that has not been started; the task keeps the watch.
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
    /// Cancels the task, in which nothing stands in the way.
    func end() { cancel() }
  }

  /// The use that a `URLSession` makes of a request's time-out.
  enum SessionTimeout {
    /// Returns the time-out in seconds that is honoured: any.
    static func honoured(_ seconds: TimeInterval) -> TimeInterval { seconds }
  }

  extension StreamListener {
    /// Makes a task that this hears, and what is to be done when it needs no more hearing.
    ///
    /// The app's own session carries it, and hears of what this does not answer: a task's delegate
    /// goes before the session's, call by call.
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
