public import Foundation

/// What a call brought: an answer that keeps to the endpoint's rules.
public struct Answer: Sendable, Hashable {
  /// The status code.
  public var status: Int
  /// The fields.
  public var headers: Headers
  /// The content, without content coding.
  public var body: Data
  /// How many times the request was sent for it, the last time included.
  public var attempts: Int
  /// Where it comes from.
  public var source: Source

  /// Where an answer comes from.
  public enum Source: Sendable, Hashable {
    /// From the server, just now.
    case network
    /// From the cache, where it was fresh.
    case cache
    /// From the cache, and the server said that it is still good.
    case revalidated
    /// From the cache although it is no longer fresh: a newer one is being fetched, or could not be
    /// had.
    case stale
  }

  /// Makes an answer of its parts.
  public init(
    status: Int,
    headers: Headers = [:],
    body: Data = Data(),
    attempts: Int = 1,
    source: Source = .network
  ) {
    self.status = status
    self.headers = headers
    self.body = body
    self.attempts = attempts
    self.source = source
  }

  /// Whether this may be out of date, and a screen should say so.
  public var isStale: Bool { source == .stale }
}

/// What a server said, whatever the status.
public struct HTTPAnswer: Sendable, Hashable {
  /// The status code.
  public var status: Int
  /// The fields; from `URLSession` in order of their names, since it keeps no other.
  public var headers: Headers
  /// The content, without content coding.
  public var body: Data
  /// How long its stages took; `nil`: whoever carried it does not say.
  public var stages: StageTimings?

  /// Makes an answer of its parts.
  public init(
    status: Int,
    headers: Headers = [:],
    body: Data = Data(),
    stages: StageTimings? = nil
  ) {
    self.status = status
    self.headers = headers
    self.body = body
    self.stages = stages
  }
}

/// How one attempt ended: an answer of any status, or none.
public typealias AttemptOutcome = Result<HTTPAnswer, TransportError>

/// How long the stages of one exchange took; `nil` where there was no such stage, as with a connection
/// that was there already.
///
/// Only Apple platforms tell: on Linux a `URLSession` collects no metrics (swift-corelibs-foundation
/// #4988).
public struct StageTimings: Sendable, Hashable {
  /// Finding the host's address.
  public var nameLookup: Duration?
  /// Making the connection, TLS included.
  public var connect: Duration?
  /// The part of that which TLS took.
  public var secureConnection: Duration?
  /// Sending the request.
  public var send: Duration?
  /// From the end of the request to the first byte of the answer.
  public var wait: Duration?
  /// From the first byte to the last.
  public var receive: Duration?

  /// Makes timings of their parts.
  public init(
    nameLookup: Duration? = nil,
    connect: Duration? = nil,
    secureConnection: Duration? = nil,
    send: Duration? = nil,
    wait: Duration? = nil,
    receive: Duration? = nil
  ) {
    self.nameLookup = nameLookup
    self.connect = connect
    self.secureConnection = secureConnection
    self.send = send
    self.wait = wait
    self.receive = receive
  }

  /// Those that there are by name, in milliseconds, to the microsecond.
  var milliseconds: [String: Double] {
    let stages = [
      "nameLookup": nameLookup, "connect": connect, "secureConnection": secureConnection,
      "send": send, "wait": wait, "receive": receive,
    ]
    return stages.compactMapValues { $0 }.mapValues { ($0.seconds * 1e6).rounded() / 1e3 }
  }
}
