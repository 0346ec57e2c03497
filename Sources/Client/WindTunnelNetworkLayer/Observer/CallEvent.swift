#if canImport(FoundationNetworking)
  public import FoundationNetworking
#else
  public import Foundation
#endif

/// An event of a call.
public struct CallEvent: Sendable, Hashable {
  /// The number of the call within its client, from 1 in the order of their starts.
  public var call: Int
  /// The time since the start of the call.
  public var elapsed: Duration
  /// The name of the requests' environment.
  public var environment: String
  /// The kind of event, with its details.
  public var kind: Kind

  /// Makes an event of its parts.
  public init(
    call: Int,
    elapsed: Duration,
    environment: String = CallRecord.production,
    kind: Kind
  ) {
    (self.call, self.elapsed, self.environment, self.kind) = (call, elapsed, environment, kind)
  }

  /// The kinds of events of a call.
  public enum Kind: Sendable, Hashable {
    /// The caller called an endpoint.
    case callStarted(Endpoint)
    /// The call has to wait.
    case waiting(Wait)
    /// The cache holds an answer.
    case foundInCache(CacheFreshness)
    /// The *n*-th attempt, from 1, is about to send a request by this engine.
    case attemptStarted(Int, URLRequest, engine: String)
    /// The *n*-th attempt has ended.
    case attemptEnded(Int, AttemptOutcome)
    /// The *n*-th attempt will be followed by another one, after a wait.
    case retryScheduled(after: Int, delay: Duration)
    /// The *n*-th attempt would be followed by another one, but the retry budget is spent.
    case retryNotPaid(after: Int)
    /// The *n*-th attempt, which was answered 401, led to a new credential.
    case credentialRenewed(after: Int)
    /// The call has ended with this result, after a number of attempts.
    case callEnded(Result<CallResponse, NetworkError>, attempts: Int)
  }

  /// The reason for which a call waits.
  public enum Wait: Sendable, Hashable {
    /// The preceding call in the ordered queue.
    case order
    /// A free slot under the caps.
    case slot
    /// The resumption of a call that its caller has suspended.
    case pause
    /// An equal call in flight, whose answer the call shares.
    case sharedResponse
    /// The time for which the server has asked the endpoint's calls to wait.
    case retryAfter
    /// A network that the endpoint may use.
    case network
  }
}
