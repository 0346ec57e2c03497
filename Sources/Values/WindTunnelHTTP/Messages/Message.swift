/// A request as the client intended it, independent of whether it is intercepted in process or
/// received by a server.
public struct Request: Sendable, Hashable {
  /// The method, such as `GET`; methods are case-sensitive (RFC 9110 §9.1).
  public var method: String
  /// The URL of the request: absolute in process and on a cassette; only path and query if the
  /// request line contains no more.
  public var url: RequestURL
  /// The header fields, in order.
  public var headers: HeaderFields
  /// The complete content, without transfer coding.
  public var body: Body

  /// Creates a request from its parts.
  public init(
    _ method: String,
    _ url: RequestURL,
    headers: HeaderFields = [:],
    body: Body = .empty
  ) {
    (self.method, self.url, self.headers, self.body) = (method, url, headers, body)
  }

  /// The method of a stub or an interaction that matches every method.
  package static let anyMethod = "*"

  /// Whether an interaction with this request matches the method of another request.
  package func isMethod(of other: Request) -> Bool {
    method == other.method || method == Self.anyMethod
  }

  /// Whether a server may receive the request twice without harm.
  ///
  /// POST and PATCH are not idempotent (RFC 9110 §9.2.2, RFC 5789 §2), unless an `Idempotency-Key`
  /// allows the server to detect the repetition.
  package var isRepeatable: Bool {
    // Fast path for the most frequent method, because this is checked for every request.
    if method == "GET" { return true }
    return switch method.uppercased() {
    case "POST", "PATCH": headers["Idempotency-Key"].map { !$0.isEmpty } ?? false
    default: true
    }
  }
}

/// The status line and fields of a response.
public struct ResponseHead: Sendable, Hashable {
  /// The status code, 100 to 999. Changing it resets the reason phrase to the usual one.
  public var status: Int {
    didSet { if status != oldValue, customReasonPhrase != nil { customReasonPhrase = nil } }
  }
  /// The header fields, in order.
  public var headers: HeaderFields
  /// The reason phrase (RFC 9112 §4) if it differs from the usual one of the status; otherwise
  /// `nil`.
  public var customReasonPhrase: String? {
    get { seldom.first?.customReasonPhrase }
    set { edit { $0.customReasonPhrase = newValue } }
  }
  /// The trailer fields (RFC 9110 §6.5), in order. They are never part of ``headers``.
  public var trailers: HeaderFields {
    get { seldom.first?.trailers ?? [:] }
    set { edit { $0.trailers = newValue } }
  }
  /// The preceding interim responses (RFC 9110 §15.2), each with a status and fields.
  public var informational: [ResponseHead] {
    get { seldom.first?.informational ?? [] }
    set { edit { $0.informational = newValue } }
  }

  /// The parts that few heads have.
  private struct Seldom: Sendable, Hashable {
    var customReasonPhrase: String?
    var trailers: HeaderFields = [:]
    var informational: [ResponseHead] = []
  }

  /// A list of at most one element. It keeps most heads small.
  private var seldom: [Seldom] = []

  private mutating func edit(_ change: (inout Seldom) -> Void) {
    var all = seldom.first ?? Seldom()
    change(&all)
    seldom = all == Seldom() ? [] : [all]
  }

  /// Creates a head from its parts.
  public init(status: Int = 200, headers: HeaderFields = [:]) {
    (self.status, self.headers) = (status, headers)
  }
}

/// A response as the server intended it.
public struct Response: Sendable, Hashable {
  /// The status line and header fields.
  public var head: ResponseHead
  /// The complete content, without transfer coding.
  public var body: Body

  /// The status code of the head.
  public var status: Int { head.status }
  /// The header fields, in order.
  public var headers: HeaderFields { head.headers }
  /// The trailer fields, in order.
  public var trailers: HeaderFields { head.trailers }

  /// Creates a response from its parts.
  public init(status: Int = 200, headers: HeaderFields = [:], body: Body = .empty) {
    self.init(ResponseHead(status: status, headers: headers), body)
  }

  /// Creates a response from a head and a body.
  package init(_ head: ResponseHead, _ body: Body) { (self.head, self.body) = (head, body) }

  /// Whether the response to a request has no content, regardless of its fields (RFC 9112 §6.3,
  /// rule 1).
  public static func hasNoContent(method: String, status: Int) -> Bool {
    method == "HEAD" || status == 204 || status == 304 || 100..<200 ~= status
      || (method == "CONNECT" && 200..<300 ~= status)
  }
}

// The mark of this module in programs, by which `check-release` finds it; the number is its own.
@section("__DATA_CONST,__wt_modules")
@used private let linkMark: (UInt64, UInt64, UInt64) =
  (0xF1D3_8A6C_57E2_94B0, 0x9C0E_B7A5_2D41_F863, 9)
