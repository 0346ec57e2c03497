#if !canImport(Darwin)
  internal import Foundation

  extension Forwarding {
    /// Treats a challenge as the end of its response.
    ///
    /// At the end of a 401 with a Basic challenge, swift-corelibs-foundation 6.3 requests a
    /// credential instead of ending the task. Without a credential the task never ends. All bytes
    /// have arrived by then. The platform's error for the cancelled task arrives later and is
    /// ignored.
    func urlSession(
      _ session: URLSession,
      task: URLSessionTask,
      didReceive challenge: URLAuthenticationChallenge,
      completionHandler:
        @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
      note(task.response)
      end(nil)
      completionHandler(.cancelAuthenticationChallenge, nil)
    }
  }
#endif
