#if !canImport(Darwin)
  internal import Foundation
  internal import FoundationNetworking

  /// The delegate of a task, which on Linux cannot measure its stages. It follows redirects
  /// instead.
  struct StageWatch {
    /// Never any: no session collects metrics.
    var timings: StageTimings? { nil }

    /// Has the task ask where it is led, if it has something to lose there.
    func watch(_ task: URLSessionTask) {
      guard let request = task.originalRequest, RedirectGuard.isNeeded(for: request) else { return }
      task.delegate = RedirectGuard.shared
    }
  }

  /// Takes credentials out of a request that is led to another host or out of TLS (RFC 9110 §15.4),
  /// as sessions on Apple platforms do: those of swift-corelibs-foundation 6.3 send them along.
  ///
  /// The app's delegate is asked as ever, and by the request without them. A task with a delegate
  /// has to be given the cookies of each place; without one the session does that.
  final class RedirectGuard: NSObject, URLSessionTaskDelegate, Sendable {
    static let shared = RedirectGuard()
    private static let credentials = ["Authorization", "Cookie", "Proxy-Authorization"]

    /// Tells whether a request bears what is for its host alone.
    static func isNeeded(for request: URLRequest) -> Bool {
      credentials.contains { request.value(forHTTPHeaderField: $0) != nil }
    }

    /// Returns a request as it may follow from a place.
    static func guarded(
      _ request: URLRequest,
      from place: URL?,
      in configuration: URLSessionConfiguration
    ) -> URLRequest {
      var request = request
      let isElsewhere = request.url?.host?.lowercased() != place?.host?.lowercased()
      let isInClear = place?.scheme == "https" && request.url?.scheme != "https"
      if isElsewhere || isInClear {
        for name in credentials { request.setValue(nil, forHTTPHeaderField: name) }
      }
      if configuration.httpShouldSetCookies, let url = request.url,
        let cookies = configuration.httpCookieStorage?.cookies(for: url), !cookies.isEmpty,
        let field = HTTPCookie.requestHeaderFields(with: cookies)["Cookie"], !field.isEmpty
      {
        request.setValue(field, forHTTPHeaderField: "Cookie")
      }
      return request
    }

    func urlSession(
      _ session: URLSession,
      task: URLSessionTask,
      willPerformHTTPRedirection response: HTTPURLResponse,
      newRequest request: URLRequest,
      completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
      Self.follow(response, to: request, of: session, task, completionHandler) { $0() }
    }

    /// Asks the app's delegate, if there is one, whether a task may follow a redirect.
    static func follow(
      _ response: HTTPURLResponse,
      to request: URLRequest,
      of session: URLSession,
      _ task: URLSessionTask,
      _ completionHandler: @escaping @Sendable (URLRequest?) -> Void,
      asking ask: (_ question: @escaping @Sendable () -> Void) -> Void
    ) {
      let guarded = guarded(request, from: response.url, in: session.configuration)
      let goOn = RedirectHops.guarded(task, completionHandler)
      guard let delegate = session.taskDelegate else { return goOn(guarded) }
      ask {
        delegate.urlSession(
          session,
          task: task,
          willPerformHTTPRedirection: response,
          newRequest: guarded,
          completionHandler: goOn
        )
      }
    }

    func urlSession(
      _ session: URLSession,
      task: URLSessionTask,
      didReceive challenge: URLAuthenticationChallenge,
      completionHandler:
        @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
      guard let delegate = session.taskDelegate else {
        return completionHandler(.performDefaultHandling, nil)
      }
      delegate.urlSession(
        session,
        task: task,
        didReceive: challenge,
        completionHandler: completionHandler
      )
    }
  }

  /// A lock that keeps a cancellation out of the moment in which a task follows a redirect.
  ///
  /// A task of swift-corelibs-foundation that is told where to go on after it was cancelled ends
  /// the process ("Received callback for HTTP redirection, but we're not waiting for it").
  private enum RedirectHops {
    private static let lock = NSLock()

    /// Returns a handler that says nothing to a task which has ended.
    static func guarded(
      _ task: URLSessionTask,
      _ handler: @escaping @Sendable (URLRequest?) -> Void
    ) -> @Sendable (URLRequest?) -> Void {
      { request in
        lock.withLock {
          // The task hears of it in its own queue, in which what cancels it has to wait behind
          // this.
          if task.state == .running { handler(request) }
        }
      }
    }

    static func cancel(_ task: URLSessionTask) { lock.withLock { task.cancel() } }
  }

  extension URLSessionTask {
    /// Cancels the task, whether or not it is being led elsewhere.
    func end() { RedirectHops.cancel(self) }
  }

  extension URLSession {
    /// The app's own delegate, where that hears of tasks.
    fileprivate var taskDelegate: (any URLSessionTaskDelegate)? {
      delegate as? any URLSessionTaskDelegate
    }
  }

  /// The use that a `URLSession` makes of a request's time-out.
  enum SessionTimeout {
    /// Returns the time-out in seconds that is honoured.
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
    func task(
      for request: URLRequest,
      uploading file: URL?
    ) -> (URLSessionTask, isOver: () -> Void) {
      let own = URLSession(configuration: configuration, delegate: self, delegateQueue: nil)
      // It ends with its only task.
      let task: URLSessionTask =
        if let file {
          own.uploadTask(with: request, fromFile: file)
        } else {
          own.dataTask(with: request)
        }
      return (task, { own.finishTasksAndInvalidate() })
    }

    /// The app's configuration, without a storage that holds no credential.
    ///
    /// At the end of a 401 with a Basic challenge swift-corelibs-foundation 6.3 asks the storage
    /// for a credential in place of ending the task, and goes no further where there is none.
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
      RedirectGuard.follow(response, to: request, of: session, task, completionHandler) {
        session.delegateQueue.addOperation($0)
      }
    }
  }
#endif
