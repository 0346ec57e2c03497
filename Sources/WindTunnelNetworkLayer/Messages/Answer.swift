public import Foundation

/// The answer that a call brought, which keeps to the endpoint's rules.
public struct Answer: Sendable, Hashable {
  /// The answer's status code.
  public var status: Int
  /// The answer's header fields.
  public var headers: Headers
  /// The content, without content coding.
  public var body: Data
  /// The number of times that the request was sent for it, the last one included.
  public var attempts: Int
  /// The origin of the answer.
  public var source: Source

  /// The origin of an answer.
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

  /// True where this may be out of date, and a screen should say so.
  public var isStale: Bool { source == .stale }
}

/// The answer of a server, whatever the status.
public struct HTTPAnswer: Sendable, Hashable {
  /// The answer's status code.
  public var status: Int
  /// The fields; from `URLSession` in order of their names, since it keeps no other.
  public var headers: Headers
  /// The content, without content coding.
  public var body: Data
  /// The times of its stages; `nil`: the transport does not say.
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

/// The end of one attempt: an answer of any status, or none.
public typealias AttemptOutcome = Result<HTTPAnswer, TransportError>

/// The times of the stages of one exchange; `nil` where there was no such stage, as with a
/// connection that was there already.
///
/// Only Apple platforms tell: on Linux a `URLSession` collects no metrics
/// (swift-corelibs-foundation #4988).
public struct StageTimings: Sendable, Hashable {
  /// Finding the host's address.
  public var nameLookup: Duration?
  /// Making the connection, TLS included.
  public var connect: Duration?
  /// The part of that which TLS took.
  public var secureConnection: Duration?
  /// The time to send the request.
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
