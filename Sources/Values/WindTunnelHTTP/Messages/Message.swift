/// A request as the client meant it, equal in process and on the wire.
public struct Request: Sendable, Hashable {
  /// The method, such as `GET`; methods are case-sensitive (RFC 9110 §9.1).
  public var method: String
  /// The URL of the request: absolute in process and on a cassette, without scheme and host where
  /// the request line has only a path.
  public var url: RequestURL
  /// The header fields, in order.
  public var headers: HeaderFields
  /// The whole content, without transfer coding.
  public var body: Body

  /// Makes a request of its parts.
  public init(
    _ method: String,
    _ url: RequestURL,
    headers: HeaderFields = [:],
    body: Body = .empty
  ) {
    (self.method, self.url, self.headers, self.body) = (method, url, headers, body)
  }
}

/// The status line and fields of an answer.
public struct ResponseHead: Sendable, Hashable {
  /// The status code, 100 to 999. Another status has its usual reason phrase.
  public var status: Int { didSet { if status != oldValue, reason != nil { reason = nil } } }
  /// The header fields, in order.
  public var headers: HeaderFields
  /// The reason phrase (RFC 9112 §4); `nil` if it is the usual one of the status.
  public var reason: String? {
    get { seldom.first?.reason }
    set { edit { $0.reason = newValue } }
  }
  /// The trailer fields (RFC 9110 §6.5), in order. They are never part of ``headers``.
  public var trailers: HeaderFields {
    get { seldom.first?.trailers ?? [:] }
    set { edit { $0.trailers = newValue } }
  }
  /// The interim responses before this one (RFC 9110 §15.2), each of a status and fields.
  public var informational: [ResponseHead] {
    get { seldom.first?.informational ?? [] }
    set { edit { $0.informational = newValue } }
  }

  /// The parts that few heads have.
  private struct Seldom: Sendable, Hashable {
    var reason: String?
    var trailers: HeaderFields = [:]
    var informational: [ResponseHead] = []
  }

  /// A list of at most one element, so that most heads are small.
  private var seldom: [Seldom] = []

  private mutating func edit(_ change: (inout Seldom) -> Void) {
    var all = seldom.first ?? Seldom()
    change(&all)
    seldom = all == Seldom() ? [] : [all]
  }

  /// Makes a head of its parts.
  public init(status: Int = 200, headers: HeaderFields = [:]) {
    (self.status, self.headers) = (status, headers)
  }
}

/// A response as the server meant it.
public struct Response: Sendable, Hashable {
  /// The status line and fields.
  public var head: ResponseHead
  /// The whole content, without transfer coding.
  public var body: Body

  /// The status code of the head.
  public var status: Int { head.status }
  /// The header fields, in order.
  public var headers: HeaderFields { head.headers }
  /// The trailer fields, in order.
  public var trailers: HeaderFields { head.trailers }

  /// Makes a response of its parts.
  public init(status: Int = 200, headers: HeaderFields = [:], body: Body = .empty) {
    self.init(ResponseHead(status: status, headers: headers), body)
  }

  /// Creates a response from a head and a body.
  package init(_ head: ResponseHead, _ body: Body) { (self.head, self.body) = (head, body) }

  /// Tells whether the answer to a request has no content, whatever its fields announce (RFC 9112
  /// §6.3, rule 1).
  public static func hasNoContent(method: String, status: Int) -> Bool {
    method == "HEAD" || status == 204 || status == 304 || 100..<200 ~= status
      || (method == "CONNECT" && 200..<300 ~= status)
  }
}

extension Request {
  /// The method of a stub or an interaction that answers every method.
  package static let anyMethod = "*"

  /// Whether an interaction with this request may answer the method of another.
  package func isMethod(of other: Request) -> Bool {
    method == other.method || method == Self.anyMethod
  }

  /// Tells whether a server may meet it twice without harm: POST and PATCH are not idempotent (RFC
  /// 9110 §9.2.2, RFC 5789 §2) unless an `Idempotency-Key` lets the server tell.
  package var isRepeatable: Bool {
    // The most frequent case, and each request is asked: no copy of its method is made in capitals.
    if method == "GET" { return true }
    return switch method.uppercased() {
    case "POST", "PATCH": headers["Idempotency-Key"].map { !$0.isEmpty } ?? false
    default: true
    }
  }
}

// The mark of this module in programs, by which `check-release` finds it; the number is its own.
@section("__DATA_CONST,__wt_modules")
@used private let linkMark: (UInt64, UInt64, UInt64) =
  (0xF1D3_8A6C_57E2_94B0, 0x9C0E_B7A5_2D41_F863, 9)
