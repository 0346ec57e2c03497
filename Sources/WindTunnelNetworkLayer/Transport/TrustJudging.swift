#if canImport(FoundationNetworking)
  public import FoundationNetworking
#else
  public import Foundation
#endif

/// A session's delegate that judges the certificates of servers, and remembers how.
///
/// A session says of a task whose server was refused by its delegate only that it was cancelled. A
/// transport on a session with such a delegate tells it from a cancellation.
public protocol TrustJudging: URLSessionDelegate {
  /// Tells whether its last judgement of a host's certificate was a refusal.
  func hasRefusedCertificate(of host: String) -> Bool
}
