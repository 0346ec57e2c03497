public import Foundation

/// What a caller wants of an API: one request, without the parts that all requests share.
public struct Endpoint: Sendable, Hashable {
  /// How it is asked for.
  public var method: HTTPMethod
  /// Where it lies under the base URL; begins with `/` or is empty.
  ///
  /// Escapes are kept, and what cannot stand in a path is escaped.
  public var path: String
  /// The path without what changes from call to call, as in `/users/{id}`: what records and caps go
  /// by; by default the path itself.
  public var template: String
  /// What follows the `?`; `nil` where there is none.
  public var query: Query?
  /// Fields of this request alone; they replace common ones of the same name.
  public var headers: Headers
  /// The content; `nil` where there is none.
  public var body: Data?
  /// Who goes first where there is a queue.
  public var priority: CallPriority
  /// Calls with the same word are made one after the other, in the order in which they came, each
  /// with all its attempts; `nil`: this one may overtake and be overtaken.
  public var order: String?
  /// What the answer has to be.
  public var rules: ResponseRules
  /// Whether an answer may come out of the client's cache.
  public var caching: Caching

  /// Names what is wanted by its parts.
  public init(
    _ method: HTTPMethod,
    _ path: String,
    template: String? = nil,
    query: Query? = nil,
    headers: Headers = [:],
    body: Data? = nil,
    priority: CallPriority = .standard,
    order: String? = nil,
    rules: ResponseRules = ResponseRules(),
    caching: Caching = .byHeaders
  ) {
    self.method = method
    self.path = path
    self.template = template ?? path
    self.query = query
    self.headers = headers
    self.body = body
    self.priority = priority
    self.order = order
    self.rules = rules
    self.caching = caching
  }

  /// Names what is wanted by path and query in one text, as in a request line (RFC 9112 §3.2.1).
  public init(
    _ method: HTTPMethod,
    target: String,
    headers: Headers = [:],
    body: Data? = nil,
    priority: CallPriority = .standard
  ) {
    let parts = target.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
    self.init(
      method,
      parts.first.map(String.init) ?? "",
      query: parts.count == 2 ? Query(encoded: String(parts[1])) : nil,
      headers: headers,
      body: body,
      priority: priority
    )
  }
}

/// The verb of a request; case-sensitive (RFC 9110 §9.1).
public struct HTTPMethod: Sendable, Hashable, RawRepresentable {
  /// The verb as it is sent.
  public var rawValue: String

  /// Takes any verb; the builder refuses what is no token.
  public init(rawValue: String) { self.rawValue = rawValue }

  /// Reads a resource.
  public static let get = HTTPMethod(rawValue: "GET")
  /// Reads what `GET` would say, without the content.
  public static let head = HTTPMethod(rawValue: "HEAD")
  /// Hands content to a resource to do with as it will.
  public static let post = HTTPMethod(rawValue: "POST")
  /// Replaces a resource.
  public static let put = HTTPMethod(rawValue: "PUT")
  /// Changes a part of a resource (RFC 5789).
  public static let patch = HTTPMethod(rawValue: "PATCH")
  /// Removes a resource.
  public static let delete = HTTPMethod(rawValue: "DELETE")
  /// Asks what can be done with a resource.
  public static let options = HTTPMethod(rawValue: "OPTIONS")
  /// Asks for the request as it arrived.
  public static let trace = HTTPMethod(rawValue: "TRACE")

  /// Whether sending it twice means what sending it once does (RFC 9110 §9.2.2).
  public var isIdempotent: Bool {
    switch self {
    case .get, .head, .put, .delete, .options, .trace: true
    default: false
    }
  }

  /// Whether content has a meaning in it.
  ///
  /// URL loading systems refuse a `GET` with content, and RFC 9110 §9.3 gives content no meaning in
  /// a `HEAD` and forbids it in a `TRACE`.
  var mayCarryContent: Bool {
    switch self {
    case .get, .head, .trace: false
    default: true
    }
  }
}

extension HTTPMethod: ExpressibleByStringLiteral {
  /// Takes any verb; the builder refuses what is no token.
  public init(stringLiteral value: String) { self.init(rawValue: value) }
}

/// Who goes first where there is a queue.
public enum CallPriority: Int, Sendable, Hashable, CaseIterable, Comparable {
  /// A screen stays blank without the answer.
  case critical
  /// Somebody waits for it.
  case standard
  /// Nobody waits: it starts only where there is room to spare, and equal ones in flight share one
  /// answer.
  case deferrable

  /// The earlier case goes first.
  public static func < (one: CallPriority, other: CallPriority) -> Bool {
    one.rawValue < other.rawValue
  }
}

/// Whether an answer may come out of a client's cache.
public enum Caching: Sendable, Hashable {
  /// As the answers' own fields say.
  case byHeaders
  /// Neither read nor kept.
  case never
}
