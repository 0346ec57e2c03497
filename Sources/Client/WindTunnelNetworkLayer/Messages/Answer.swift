public import Foundation

/// The answer that a call returned, which satisfies the endpoint's rules.
public struct CallResponse: Sendable, Hashable {
  /// The answer's status code.
  public var status: Int
  /// The answer's header fields.
  public var headers: Headers
  /// The content, without content coding.
  public var body: Data
  /// The number of attempts that it took, the last one included.
  public var attempts: Int
  /// The source of the answer.
  public var source: Source
  /// The history of the call; `nil` in an answer that no client brought. Answers are compared
  /// without it.
  public var record: CallRecord? {
    get { history.record }
    set { history = History(record: newValue, error: standsInFor) }
  }

  /// The error that a stale answer stands in for, which a screen may want to show beside it; `nil`
  /// in every other answer. Answers are compared without it.
  public var standsInFor: NetworkError? { history.error }

  private var history = History(record: nil, error: nil)

  /// A record and an error that are no part of their answer's value, and take no room in it.
  private final class History: Sendable, Hashable {
    let record: CallRecord?
    let error: NetworkError?

    init(record: CallRecord?, error: NetworkError?) { (self.record, self.error) = (record, error) }
    static func == (one: History, other: History) -> Bool { true }
    func hash(into hasher: inout Hasher) {}
  }

  /// The source of an answer.
  public enum Source: String, Sendable, Hashable, Codable {
    /// The server, just now.
    case network
    /// The cache, with a fresh answer.
    case cache
    /// The cache, with an answer that the server confirmed.
    case revalidated
    /// The cache, with an answer that is no longer fresh: a newer one is being fetched, or could
    /// not be fetched.
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
    (self.status, self.headers, self.body, self.attempts) = (status, headers, body, attempts)
    self.source = source
  }

  /// Returns the answer as one that is shown in an error's place.
  func standing(inFor error: NetworkError) -> CallResponse {
    var answer = self
    answer.history = History(record: record, error: error)
    return answer
  }

  /// Tells whether the answer may be out of date, as a screen should show.
  public var isStale: Bool { source == .stale }
}

/// The answer of a server, whatever the status.
public struct ServerResponse: Sendable, Hashable {
  /// The answer's status code.
  public var status: Int
  /// The header fields; `URLSession` returns them in the order of their names.
  public var headers: Headers
  /// The content, without content coding; empty where it went elsewhere.
  public var body: Data
  /// The number of bytes of content that went to a file or a reader in place of ``body``, as far as
  /// they had come; `nil`: none did.
  public var bytesElsewhere: Int64?
  /// The durations of the exchange's stages; `nil` where the transport does not measure them.
  public var stages: StageTimings?
  /// True where another URL answered than the one that was asked, since the transport was led there
  /// by a redirect (RFC 9110 §15.4).
  public var isRedirected = false

  /// The number of bytes of content, wherever they went.
  package var bytes: Int { bytesElsewhere.map { Int(clamping: $0) } ?? body.count }

  /// Makes an answer of its parts.
  public init(
    status: Int,
    headers: Headers = [:],
    body: Data = Data(),
    stages: StageTimings? = nil
  ) {
    (self.status, self.headers, self.body, self.stages) = (status, headers, body, stages)
  }
}

/// The result of one attempt: an answer of any status, or an error.
public typealias AttemptOutcome = Result<ServerResponse, TransportError>

/// The durations of the stages of one exchange; `nil` for a stage that did not take place, as on a
/// connection that was already open.
///
/// Of a call whose content is in memory, sessions tell on Apple platforms alone: on Linux a
/// `URLSession` collects no metrics (swift-corelibs-foundation #4988). `SocketTransport` does, with
/// TLS as a part of the connection. Of uploads, downloads and streams the client tells ``head`` and
/// ``receive`` itself, on any platform.
public struct StageTimings: Sendable, Hashable, Codable {
  /// The look-up of the host's address.
  public var nameLookup: Duration?
  /// The opening of the connection, TLS included.
  public var connect: Duration?
  /// The part of the connection's opening that TLS took.
  public var secureConnection: Duration?
  /// The sending of the request.
  public var send: Duration?
  /// The time from the end of the request to the first byte of the answer.
  public var wait: Duration?
  /// The time from the first byte of the answer to the last; of an upload or a download from its
  /// head on, as the client saw it.
  public var receive: Duration?
  /// The time from the attempt's beginning to the answer's head, where the client measured it in
  /// place of the stages before that.
  public var head: Duration?

  /// Makes timings of their parts.
  public init(
    nameLookup: Duration? = nil,
    connect: Duration? = nil,
    secureConnection: Duration? = nil,
    send: Duration? = nil,
    wait: Duration? = nil,
    receive: Duration? = nil,
    head: Duration? = nil
  ) {
    (self.nameLookup, self.connect, self.secureConnection) = (nameLookup, connect, secureConnection)
    (self.send, self.wait, self.receive, self.head) = (send, wait, receive, head)
  }

  /// Those that there are by name, in milliseconds, to the microsecond.
  var milliseconds: [String: Double] {
    let stages = [
      "nameLookup": nameLookup, "connect": connect, "secureConnection": secureConnection,
      "send": send, "wait": wait, "receive": receive, "head": head,
    ]
    return stages.compactMapValues { $0 }.mapValues { ($0.seconds * 1e6).rounded() / 1e3 }
  }
}
