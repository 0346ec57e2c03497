/// A request of an API, without the parts that all requests share.
///
/// ```swift
/// let endpoint = Endpoint(
///   .get,
///   "/users/7",
///   template: "/users/{id}",
///   priority: .critical,
///   rules: .json(requiring: "id")
/// )
/// ```
public struct Endpoint: Sendable, Hashable {
  /// The method of the request.
  public var method: HTTPMethod
  /// The path under the base URL, which begins with `/` or is empty.
  ///
  /// Escapes are kept, and what cannot stand in a path is escaped.
  public var path: String
  /// The path without the parts that change from call to call, as in `/users/{id}`, for records,
  /// caps, and the times for which servers want to be left alone; by default the path itself.
  public var template: String
  /// The part after the `?`; `nil` where there is none.
  public var query: Query?
  /// The header fields of this request alone; they replace common ones of the same name.
  public var headers: Headers
  /// The content; `nil` where there is none.
  public var body: RequestBody?
  /// The priority of the call in a queue.
  public var priority: CallPriority
  /// The name of an ordered queue: its calls are made one after the other, in their order, each
  /// with all its attempts; `nil`: the call may overtake others and be overtaken.
  public var order: String?
  /// The rules that the answer must satisfy.
  public var rules: ResponseRules
  /// The use of the client's cache for the answer.
  public var caching: Caching
  /// The limits of the call's duration; `nil`: the client's.
  public var limits: CallLimits?
  /// The most retries of the call; `nil`: as many as the client's policy allows. A policy that
  /// allows fewer is not overruled.
  public var mostRetries: Int?
  /// The networks that the call waits for, until its deadline, where its client knows of networks;
  /// `nil`: it is tried at once, and fails as ``NetworkError/offline(text:)`` where there is none.
  public var waitsForNetwork: NetworkNeed?
  /// The name of the engine that carries the call, where the client's transport is
  /// ``EngineShares``; `nil`, and one that is not there: the user's.
  public var engine: String?

  /// Makes an endpoint of its parts.
  public init(
    _ method: HTTPMethod,
    _ path: String,
    template: String? = nil,
    query: Query? = nil,
    headers: Headers = [:],
    body: RequestBody? = nil,
    priority: CallPriority = .standard,
    order: String? = nil,
    rules: ResponseRules = ResponseRules(),
    caching: Caching = .byHeaders,
    limits: CallLimits? = nil,
    mostRetries: Int? = nil,
    waitsForNetwork: NetworkNeed? = nil,
    engine: String? = nil
  ) {
    self.method = method
    self.path = path
    self.template = template ?? path
    (self.query, self.headers, self.body, self.priority) = (query, headers, body, priority)
    (self.order, self.rules, self.caching, self.limits) = (order, rules, caching, limits)
    (self.mostRetries, self.waitsForNetwork, self.engine) = (mostRetries, waitsForNetwork, engine)
  }

  /// Makes an endpoint of path and query in one text, as in a request line (RFC 9112 §3.2.1).
  public init(
    _ method: HTTPMethod,
    target: String,
    headers: Headers = [:],
    body: RequestBody? = nil,
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

/// The method of a request; case-sensitive (RFC 9110 §9.1).
public struct HTTPMethod: Sendable, Hashable, RawRepresentable {
  /// The method as it is sent.
  public var rawValue: String

  /// Makes any method; the builder refuses one that is not a token.
  public init(rawValue: String) { self.rawValue = rawValue }

  /// The method that reads a resource.
  public static let get = HTTPMethod(rawValue: "GET")
  /// The method that reads a resource without its content.
  public static let head = HTTPMethod(rawValue: "HEAD")
  /// The method that passes content to a resource for processing.
  public static let post = HTTPMethod(rawValue: "POST")
  /// The method that replaces a resource.
  public static let put = HTTPMethod(rawValue: "PUT")
  /// The method that changes a part of a resource (RFC 5789).
  public static let patch = HTTPMethod(rawValue: "PATCH")
  /// The method that removes a resource.
  public static let delete = HTTPMethod(rawValue: "DELETE")
  /// The method that asks for the options of a resource.
  public static let options = HTTPMethod(rawValue: "OPTIONS")
  /// The method that returns the request as it arrived.
  public static let trace = HTTPMethod(rawValue: "TRACE")

  /// Tells whether sending the request twice has the effect of sending it once (RFC 9110 §9.2.2).
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
  /// Makes any method; the builder refuses one that is not a token.
  public init(stringLiteral value: String) { self.init(rawValue: value) }
}

/// The priority of a call in a queue.
public enum CallPriority: Int, Sendable, Hashable, CaseIterable, Comparable, Codable {
  /// A call without whose answer a screen stays blank.
  case critical
  /// A call that a user waits for.
  case standard
  /// A call that no user waits for: it starts only where there is spare room, and equal ones in
  /// flight share one answer.
  case deferrable

  /// The names of priorities in a configuration.
  private static let names: KeyValuePairs = [
    "critical": critical, "standard": standard, "deferrable": deferrable,
  ]

  /// Tells whether one priority comes before another.
  public static func < (one: CallPriority, other: CallPriority) -> Bool {
    one.rawValue < other.rawValue
  }

  /// Decodes a priority from its name.
  public init(from decoder: any Decoder) throws {
    let value = try decoder.singleValueContainer()
    let name = try value.decode(String.self)
    guard let known = Self.names.first(where: { $0.key == name }) else {
      throw DecodingError.dataCorruptedError(
        in: value,
        debugDescription: "\"\(name)\" is none of critical, standard and deferrable."
      )
    }
    self = known.value
  }

  /// Encodes the priority as its name.
  public func encode(to encoder: any Encoder) throws {
    var value = encoder.singleValueContainer()
    try value.encode(Self.names.first { $0.value == self }?.key)
  }
}

/// The use of a client's cache for an answer.
public enum Caching: Sendable, Hashable {
  /// The use that the answers' own header fields ask for.
  case byHeaders
  /// The cache is neither read nor written; what a change makes old is removed from it as ever.
  case never
  /// The times that an endpoint gives its answers, whatever their header fields say, but for
  /// `no-store`: for servers without `Cache-Control`.
  case kept(CacheTimes)
}

/// The times for which an answer may be shown.
public struct CacheTimes: Sendable, Hashable {
  /// The time for which it is fresh: it is shown without asking the server.
  public var fresh: Duration
  /// The time after that for which it is shown while a newer one is fetched.
  public var staleWhileRevalidate: Duration
  /// The time after its freshness for which it is shown if the server cannot be had.
  public var staleIfError: Duration

  /// Makes times; what is not given is none.
  public init(
    fresh: Duration = .zero,
    staleWhileRevalidate: Duration = .zero,
    staleIfError: Duration = .zero
  ) {
    (self.fresh, self.staleWhileRevalidate) = (fresh, staleWhileRevalidate)
    self.staleIfError = staleIfError
  }

  /// Shows what there is and renews it behind, for good: cache first.
  public static let cacheFirst = CacheTimes(
    staleWhileRevalidate: .seconds(10 * 365 * 86_400),
    staleIfError: .seconds(10 * 365 * 86_400)
  )
}
