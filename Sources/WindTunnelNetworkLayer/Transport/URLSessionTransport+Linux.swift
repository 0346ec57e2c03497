#if !canImport(Darwin)
  internal import Foundation
  internal import FoundationNetworking

  /// Asks how long the stages of a task took; nobody here knows.
  struct StageWatch {
    /// Never any: no session collects metrics.
    var timings: StageTimings? { nil }

    /// Does nothing, since there is nothing to watch.
    func watch(_ task: URLSessionTask) {}
  }

  /// The use that a `URLSession` makes of a request's time-out.
  enum SessionTimeout {
    /// The time-out in seconds that is honoured.
    ///
    /// The fraction would be cut off here, and what is below one second would fire at once; so it
    /// is rounded up.
    static func honoured(_ seconds: TimeInterval) -> TimeInterval { max(1, seconds.rounded(.up)) }
  }

  extension StreamListener {
    /// Makes a task that this hears, and what is to be done when it needs no more hearing.
    ///
    /// A session of its own with the app's configuration carries it, since here only a session's
    /// delegate sees pieces. Whether to be led elsewhere, the app's delegate is asked. A challenge
    /// reaches nobody: it is the end of the answer that it stands in.
    func task(for request: URLRequest) -> (URLSessionDataTask, isOver: () -> Void) {
      let own = URLSession(
        configuration: configuration,
        delegate: self,
        delegateQueue: nil
      )
      // It ends with its only task.
      return (own.dataTask(with: request), { own.finishTasksAndInvalidate() })
    }

    /// The app's configuration, without a storage that holds no credential.
    ///
    /// At the end of a 401 with a Basic challenge swift-corelibs-foundation 6.3 asks the storage for a
    /// credential in place of ending the task, and goes no further where there is none.
    private var configuration: URLSessionConfiguration {
      let own = session.configuration.copy()
      guard let own = own as? URLSessionConfiguration else { return session.configuration }
      if own.urlCredentialStorage?.allCredentials.isEmpty == true { own.urlCredentialStorage = nil }
      return own
    }

    /// Takes a challenge that no stored credential answers for the end of the stream.
    ///
    /// All bytes have come by then. What the platform says of the cancelled task comes too late to
    /// count.
    func urlSession(
      _ session: URLSession,
      task: URLSessionTask,
      didReceive challenge: URLAuthenticationChallenge,
      completionHandler:
        @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
      if challenge.proposedCredential != nil, challenge.previousFailureCount == 0 {
        return completionHandler(.performDefaultHandling, nil)
      }
      if let response = task.response as? HTTPURLResponse { land(response) }
      urlSession(session, task: task, didCompleteWithError: nil)
      completionHandler(.cancelAuthenticationChallenge, nil)
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
