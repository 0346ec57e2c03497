#if canImport(FoundationNetworking)
  public import FoundationNetworking
#else
  public import Foundation
#endif

/// Something that happened to a call.
public struct CallEvent: Sendable, Hashable {
  /// The number of the call within its client, from 1 in the order of their starts.
  public var call: Int
  /// The time since the start of the call.
  public var elapsed: Duration
  /// The name of the environment that requests go to.
  public var environment: String
  /// The kind of event, with its details.
  public var kind: Kind

  /// Makes an event of its parts.
  public init(
    call: Int,
    elapsed: Duration,
    environment: String = production,
    kind: Kind
  ) {
    self.call = call
    self.elapsed = elapsed
    self.environment = environment
    self.kind = kind
  }

  /// The name of the environment that a client is built for, unless it is told another.
  public static let production = "production"

  /// The kinds of events of a call.
  public enum Kind: Sendable, Hashable {
    /// The caller asked for something.
    case callStarted(Endpoint)
    /// The call has to wait.
    case waiting(Wait)
    /// The cache holds an answer.
    case foundInCache(Freshness)
    /// A request is about to be sent, for the n-th time, from 1, by this engine.
    case attemptStarted(Int, URLRequest, engine: String)
    /// The n-th attempt is over.
    case attemptEnded(Int, AttemptOutcome)
    /// After the n-th attempt there will be another one, after a wait.
    case retryScheduled(after: Int, delay: Duration)
    /// After the n-th attempt there would be another one, and the retry budget is spent.
    case retryNotPaid(after: Int)
    /// After the n-th attempt, which was answered 401, there is a new credential.
    case credentialRenewed(after: Int)
    /// The caller gets this, after so many attempts.
    case callEnded(Result<Answer, NetworkError>, attempts: Int)
  }

  /// The reason for which a call waits.
  public enum Wait: Sendable, Hashable {
    /// The call before it in its ordered queue.
    case order
    /// A slot under the caps.
    case slot
    /// An equal call that is in flight already and whose answer it shares.
    case sharedAnswer
  }

  /// The freshness of an answer in the cache.
  public enum Freshness: Sendable, Hashable {
    /// It may be shown without asking.
    case fresh
    /// It may be shown while a newer one is fetched.
    case staleWhileRevalidating
    /// The server has to be asked first.
    case stale
  }
}
