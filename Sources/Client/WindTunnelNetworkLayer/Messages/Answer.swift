public import Foundation

/// The response that a call returned, which satisfies the endpoint's rules.
public struct CallResponse: Sendable, Hashable {
  /// The response's status code.
  public var status: Int
  /// The response's header fields.
  public var headers: Headers
  /// The content, without content coding.
  public var body: Data
  /// The number of attempts, including the last one.
  public var attempts: Int
  /// The source of the response.
  public var source: Source
  /// The history of the call; `nil` if the response was not created by a client.
  ///
  /// Responses are compared without it.
  public var record: CallRecord? {
    get { history.record }
    set { history = History(record: newValue, error: standsInFor) }
  }

  /// The error in whose place a stale response is used; `nil` in every other response.
  ///
  /// A screen may want to show it with the response. Responses are compared without it.
  public var standsInFor: NetworkError? { history.error }

  private var history = History(record: nil, error: nil)

  /// A record and an error that are not part of a response's value and enlarge it by one reference
  /// only.
  private final class History: Sendable, Hashable {
    let record: CallRecord?
    let error: NetworkError?

    init(record: CallRecord?, error: NetworkError?) { (self.record, self.error) = (record, error) }
    static func == (one: History, other: History) -> Bool { true }
    func hash(into hasher: inout Hasher) {}
  }

  /// The source of a response.
  public enum Source: String, Sendable, Hashable, Codable {
    /// The server, for this call.
    case network
    /// The cache, with a fresh response.
    case cache
    /// The cache, with a response that the server confirmed.
    case revalidated
    /// The cache, with a stale response: a newer one is being fetched, or could not be fetched.
    case stale
  }

  /// Creates a response from its parts.
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

  /// Returns the response, marked as used in place of an error.
  func standing(inFor error: NetworkError) -> CallResponse {
    var answer = self
    answer.history = History(record: record, error: error)
    return answer
  }

  /// Whether the response may be out of date, as a screen should show.
  public var isStale: Bool { source == .stale }
}

/// The response of a server, with any status.
public struct ServerResponse: Sendable, Hashable {
  /// The response's status code.
  public var status: Int
  /// The header fields. `URLSession` returns them sorted by name.
  public var headers: Headers
  /// The content, without content coding; empty if it was written elsewhere.
  public var body: Data
  /// The number of bytes that were passed to a file or a reader instead of ``body``; `nil` for
  /// none.
  public var bytesElsewhere: Int64?
  /// The durations of the exchange's stages; `nil` if the transport does not measure them.
  public var stages: StageTimings?
  /// Whether a redirect led the transport to another URL than the requested one (RFC 9110 §15.4).
  public var isRedirected = false

  /// The number of bytes of content, in ``body`` or elsewhere.
  package var bytes: Int { bytesElsewhere.map { Int(clamping: $0) } ?? body.count }

  /// Creates a response from its parts.
  public init(
    status: Int,
    headers: Headers = [:],
    body: Data = Data(),
    stages: StageTimings? = nil
  ) {
    (self.status, self.headers, self.body, self.stages) = (status, headers, body, stages)
  }
}

/// The result of one attempt: a response of any status, or an error.
public typealias AttemptOutcome = Result<ServerResponse, TransportError>

/// The durations of one exchange's stages. Skipped stages are `nil`, as on a reused connection.
///
/// For a call with its content in memory, a `URLSession` measures stages on Apple platforms only.
/// On Linux it collects no metrics (swift-corelibs-foundation #4988). `SocketTransport` measures
/// them on any platform, with TLS as a part of the connection. For uploads, downloads and streams
/// the client measures ``head`` and ``receive`` itself, on any platform.
public struct StageTimings: Sendable, Hashable, Codable {
  /// The lookup of the host's address.
  public var nameLookup: Duration?
  /// The opening of the connection, TLS included.
  public var connect: Duration?
  /// The TLS handshake, which is a part of ``connect``.
  public var secureConnection: Duration?
  /// The sending of the request.
  public var send: Duration?
  /// The time from the end of the request to the first byte of the response.
  public var wait: Duration?
  /// The time from the first byte of the response to the last.
  ///
  /// For an upload or a download it begins with the head, as measured by the client.
  public var receive: Duration?
  /// The time from the beginning of the attempt to the response's head, if measured by the client.
  ///
  /// It then replaces the stages before the head.
  public var head: Duration?

  /// Creates timings from their parts.
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

  /// The known stages by name, in milliseconds, rounded to the microsecond.
  var milliseconds: [String: Double] {
    let stages = [
      "nameLookup": nameLookup, "connect": connect, "secureConnection": secureConnection,
      "send": send, "wait": wait, "receive": receive, "head": head,
    ]
    return stages.compactMapValues { $0 }.mapValues { ($0.seconds * 1e6).rounded() / 1e3 }
  }
}
