#if canImport(Darwin)
  internal import Foundation

  extension StreamListener {
    /// Makes a task that this hears, and what is to be done when it needs no more hearing.
    ///
    /// The app's own session carries it, and hears of what this does not answer: a task's delegate
    /// goes before the session's, call by call.
    func task(for request: URLRequest) -> (URLSessionDataTask, isOver: () -> Void) {
      let task = session.dataTask(with: request)
      task.delegate = self
      return (task, {})
    }
  }
#endif
