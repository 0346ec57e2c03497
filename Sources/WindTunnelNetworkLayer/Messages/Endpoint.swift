public import Foundation

/// One request of an API, without the parts that all requests share.
public struct Endpoint: Sendable, Hashable {
  /// The verb of the request.
  public var method: HTTPMethod
  /// The path under the base URL; begins with `/` or is empty.
  ///
  /// Escapes are kept, and what cannot stand in a path is escaped.
  public var path: String
  /// The path without what changes from call to call, as in `/users/{id}`: what records and caps go
  /// by; by default the path itself.
  public var template: String
  /// The part after the `?`; `nil` where there is none.
  public var query: Query?
  /// Fields of this request alone; they replace common ones of the same name.
  public var headers: Headers
  /// The content; `nil` where there is none.
  public var body: Data?
  /// The call's rank where there is a queue.
  public var priority: CallPriority
  /// Calls with the same word are made one after the other, in the order in which they came, each
  /// with all its attempts; `nil`: this one may overtake and be overtaken.
  public var order: String?
  /// The rules that the answer has to keep to.
  public var rules: ResponseRules
  /// The use of the client's cache for the answer.
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

  /// The method that reads a resource.
  public static let get = HTTPMethod(rawValue: "GET")
  /// The method that reads what `GET` would say, without the content.
  public static let head = HTTPMethod(rawValue: "HEAD")
  /// The method that hands content to a resource to do with as it will.
  public static let post = HTTPMethod(rawValue: "POST")
  /// The method that replaces a resource.
  public static let put = HTTPMethod(rawValue: "PUT")
  /// The method that changes a part of a resource (RFC 5789).
  public static let patch = HTTPMethod(rawValue: "PATCH")
  /// The method that removes a resource.
  public static let delete = HTTPMethod(rawValue: "DELETE")
  /// The method that asks what can be done with a resource.
  public static let options = HTTPMethod(rawValue: "OPTIONS")
  /// The method that asks for the request as it arrived.
  public static let trace = HTTPMethod(rawValue: "TRACE")

  /// True where sending it twice means what sending it once does (RFC 9110 §9.2.2).
  public var isIdempotent: Bool {
    switch self {
    case .get, .head, .put, .delete, .options, .trace: true
    default: false
    }
  }

  /// True where content has a meaning in it.
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

/// The rank of a call where there is a queue.
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

/// The use of a client's cache for an answer.
public enum Caching: Sendable, Hashable {
  /// As the answers' own fields say.
  case byHeaders
  /// Neither read nor kept.
  case never
}
