#if canImport(FoundationNetworking)
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

  /// Creates an event from its parts.
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
    /// The call must wait for this reason.
    case waiting(Wait)
    /// The cache has a response with this freshness.
    case foundInCache(CacheFreshness)
    /// The *n*-th attempt, from 1, is about to send a request with this engine.
    case attemptStarted(Int, URLRequest, engine: String)
    /// The *n*-th attempt has ended.
    case attemptEnded(Int, AttemptOutcome)
    /// Another attempt will follow the *n*-th one, after a delay.
    case retryScheduled(after: Int, delay: Duration)
    /// Another attempt would follow the *n*-th one, but the retry budget is exhausted.
    case retryNotPaid(after: Int)
    /// The server refused the credential of the *n*-th attempt, which was then renewed.
    case credentialRenewed(after: Int)
    /// The call has ended with this result, after this number of attempts.
    case callEnded(Result<CallResponse, NetworkError>, attempts: Int)
  }

  /// The reason why a call waits.
  public enum Wait: Sendable, Hashable {
    /// The previous call in the ordered queue.
    case order
    /// A free slot within the caps.
    case slot
    /// The resumption of a call that its caller has suspended.
    case pause
    /// An equal call in flight, whose response the call shares.
    case sharedResponse
    /// The time for which the server limits the rate of the endpoint's calls.
    case retryAfter
    /// A network that the endpoint may use.
    case network
  }
}
