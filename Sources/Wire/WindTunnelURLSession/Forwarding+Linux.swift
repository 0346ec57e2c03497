#if !canImport(Darwin)
  internal import Foundation
  internal import FoundationNetworking

  extension Forwarding {
    /// Takes a challenge for the end of the answer that it stands in.
    ///
    /// At the end of a 401 with a Basic challenge swift-corelibs-foundation 6.3 asks for a
    /// credential in place of ending the task, and without one it does neither for ever. All bytes
    /// have come by then. What the platform says of the cancelled task comes too late to count.
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
