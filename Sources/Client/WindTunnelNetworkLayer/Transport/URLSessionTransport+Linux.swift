#if !canImport(Darwin)
  internal import Foundation

  /// A task delegate that handles redirects. On Linux it cannot measure stages.
  struct StageWatch {
    /// Always `nil`, because sessions collect no metrics here.
    var timings: StageTimings? { nil }

    /// Sets a delegate that handles the task's redirects, if its request has credentials.
    func watch(_ task: URLSessionTask) {
      guard let request = task.originalRequest, RedirectGuard.isNeeded(for: request) else { return }
      task.delegate = RedirectGuard.shared
    }
  }

  /// Removes credentials from a redirected request to another host or without TLS (RFC 9110 §15.4).
  ///
  /// Sessions on Apple platforms do the same, but swift-corelibs-foundation 6.3 keeps the
  /// credentials. The app's delegate still decides about redirects, and receives the request
  /// without credentials. A task with a delegate must set the cookies of each URL itself; without a
  /// delegate the session does.
  final class RedirectGuard: NSObject, URLSessionTaskDelegate, Sendable {
    static let shared = RedirectGuard()
    private static let credentials = ["Authorization", "Cookie", "Proxy-Authorization"]

    /// Returns whether a request contains credentials for its host.
    static func isNeeded(for request: URLRequest) -> Bool {
      credentials.contains { request.value(forHTTPHeaderField: $0) != nil }
    }

    /// Returns the request that may follow a redirect.
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

    /// Lets the app's delegate, if there is one, decide whether a task may follow a redirect.
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

  /// A lock that prevents a cancellation while a task follows a redirect.
  ///
  /// The process crashes if a task of swift-corelibs-foundation receives a redirect decision after
  /// it was cancelled. Its message is "Received callback for HTTP redirection, but we're not
  /// waiting for it".
  private enum RedirectHops {
    private static let lock = NSLock()

    /// Returns a handler that does nothing for a task that has ended.
    static func guarded(
      _ task: URLSessionTask,
      _ handler: @escaping @Sendable (URLRequest?) -> Void
    ) -> @Sendable (URLRequest?) -> Void {
      { request in
        lock.withLock {
          // The task handles the decision on its own queue, and a cancellation on that queue is
          // later.
          if task.state == .running { handler(request) }
        }
      }
    }

    static func cancel(_ task: URLSessionTask) { lock.withLock { task.cancel() } }
  }

  extension URLSessionTask {
    /// Cancels the task, even while it follows a redirect.
    func end() { RedirectHops.cancel(self) }
  }

  extension URLSession {
    /// The app's own delegate, if it is a task delegate.
    fileprivate var taskDelegate: (any URLSessionTaskDelegate)? {
      delegate as? any URLSessionTaskDelegate
    }
  }

  /// The way in which a `URLSession` uses a request's time-out.
  enum SessionTimeout {
    /// Returns the effective time-out in seconds.
    ///
    /// It is rounded up, because the fraction is cut off here and a time-out below one second would
    /// fire at once.
    static func honoured(_ seconds: TimeInterval) -> TimeInterval { max(1, seconds.rounded(.up)) }
  }

  extension StreamListener {
    /// Creates a task with this listener as its delegate, and a closure to call when it is
    /// finished.
    ///
    /// The task belongs to a new session with the app's configuration, because only a session's
    /// delegate receives pieces on this platform. The app's delegate decides about redirects. It
    /// receives no authentication challenges: a challenge ends the response.
    func task(
      for request: URLRequest,
      uploading file: URL?
    ) -> (URLSessionTask, isOver: () -> Void) {
      let own = URLSession(configuration: configuration, delegate: self, delegateQueue: nil)
      // The session ends with its only task.
      let task: URLSessionTask =
        if let file {
          own.uploadTask(with: request, fromFile: file)
        } else {
          own.dataTask(with: request)
        }
      return (task, { own.finishTasksAndInvalidate() })
    }

    /// The app's configuration, without an empty credential storage.
    ///
    /// After a 401 with a Basic challenge, swift-corelibs-foundation 6.3 requests a credential from
    /// the storage instead of ending the task. It does not continue if the storage is empty.
    private var configuration: URLSessionConfiguration {
      let own = session.configuration.copy()
      guard let own = own as? URLSessionConfiguration else { return session.configuration }
      if own.urlCredentialStorage?.allCredentials.isEmpty == true { own.urlCredentialStorage = nil }
      return own
    }

    /// Treats a challenge without a stored credential as the end of the response.
    ///
    /// All bytes have arrived by then. The platform's error for the cancelled task arrives later
    /// and is ignored.
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
