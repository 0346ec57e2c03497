#if !canImport(Darwin)
  internal import Foundation
  internal import FoundationNetworking

  extension StreamListener {
    /// Makes a task that this hears, and what is to be done when it needs no more hearing.
    ///
    /// A session of its own with the app's configuration carries it, since here only a session's
    /// delegate sees pieces. Whether to be led elsewhere, the app's delegate is asked. A challenge
    /// reaches nobody: an answer of 401 has been heard by then, and is the stream's.
    func task(for request: URLRequest) -> (URLSessionDataTask, isOver: () -> Void) {
      let own = URLSession(
        configuration: session.configuration,
        delegate: self,
        delegateQueue: nil
      )
      // It ends with its only task.
      return (own.dataTask(with: request), { own.finishTasksAndInvalidate() })
    }

    func urlSession(
      _: URLSession,
      task: URLSessionTask,
      willPerformHTTPRedirection response: HTTPURLResponse,
      newRequest request: URLRequest,
      completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
      guard let delegate = session.delegate as? any URLSessionTaskDelegate else {
        return completionHandler(request)
      }
      session.delegateQueue.addOperation { [session] in
        delegate.urlSession(
          session,
          task: task,
          willPerformHTTPRedirection: response,
          newRequest: request,
          completionHandler: completionHandler
        )
      }
    }
  }
#endif
