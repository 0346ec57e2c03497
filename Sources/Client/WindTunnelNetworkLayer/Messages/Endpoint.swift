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
  /// Existing escapes are kept, and characters that are not allowed in a path are escaped.
  public var path: String
  /// The path without the parts that differ between calls, such as `/users/{id}`.
  ///
  /// Records, caps and rate limits use it. By default it is the path itself.
  public var template: String
  /// The part after the `?`; `nil` if there is none.
  public var query: Query?
  /// The header fields of this request alone. They replace common fields with the same name.
  public var headers: Headers
  /// The content; `nil` if there is none.
  public var body: RequestBody?
  /// The queue priority of the call.
  public var priority: CallPriority
  /// The name of an ordered queue; `nil` if the order does not matter.
  ///
  /// The calls of a queue are performed one at a time, in order, each with all its attempts.
  public var order: String?
  /// The rules that the response must satisfy.
  public var rules: ResponseRules
  /// The use of the client's cache for the response.
  public var caching: Caching
  /// The limits of the call's duration; `nil` for the client's limits.
  public var limits: CallLimits?
  /// The maximum number of retries; `nil` for the maximum of the client's policy.
  ///
  /// A lower maximum of the policy still applies.
  public var mostRetries: Int?
  /// The networks that the call waits for, up to its deadline, if its client observes networks.
  ///
  /// `nil` tries at once, and fails with ``NetworkError/offline(text:)`` if there is no network.
  public var waitsForNetwork: NetworkNeed?
  /// The name of the engine that carries the call, if the client's transport is ``EngineShares``.
  ///
  /// If it is `nil` or unknown, the user's engine carries the call.
  public var engine: String?

  /// Creates an endpoint from its parts.
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

  /// Creates an endpoint with path and query in one string, as in a request line (RFC 9112 §3.2.1).
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
public struct HTTPMethod: Sendable, Hashable, RawRepresentable, ExpressibleByStringLiteral {
  /// The method as it is sent.
  public var rawValue: String

  /// Creates any method. The builder refuses one that is not a token.
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
  /// The method that requests the options of a resource.
  public static let options = HTTPMethod(rawValue: "OPTIONS")
  /// The method that returns the request as it arrived.
  public static let trace = HTTPMethod(rawValue: "TRACE")

  /// Whether repeating the request has the same effect as sending it once (RFC 9110 §9.2.2).
  public var isIdempotent: Bool {
    [.get, .head, .put, .delete, .options, .trace].contains(self)
  }

  /// Whether a request with this method may have content.
  ///
  /// URL loading systems refuse a `GET` with content. RFC 9110 §9.3 defines no meaning for content
  /// in a `HEAD` and forbids it in a `TRACE`.
  var mayCarryContent: Bool { ![.get, .head, .trace].contains(self) }

  /// Creates any method. The builder refuses one that is not a token.
  public init(stringLiteral value: String) { self.init(rawValue: value) }
}

/// The queue priority of a call.
public enum CallPriority: String, Sendable, Hashable, CaseIterable, Comparable, Codable {
  /// A call that a screen cannot be shown without.
  case critical
  /// A call that a user waits for.
  case standard
  /// A call that no user waits for.
  ///
  /// It starts only if there is spare capacity, and equal calls in flight share one response.
  case deferrable

  /// Returns whether one priority precedes another.
  public static func < (one: CallPriority, other: CallPriority) -> Bool {
    one != other && (one == .critical || other == .deferrable)
  }

  /// Decodes a priority from its name.
  public init(from decoder: any Decoder) throws {
    let value = try decoder.singleValueContainer()
    let name = try value.decode(String.self)
    guard let known = Self(rawValue: name) else {
      throw DecodingError.dataCorruptedError(
        in: value,
        debugDescription: "\"\(name)\" is not critical, standard or deferrable."
      )
    }
    self = known
  }
}

/// The use of a client's cache for a response.
public enum Caching: Sendable, Hashable {
  /// Responses are cached as their header fields specify, such as `Cache-Control` (RFC 9111).
  case byHeaders
  /// The cache is neither read nor written. A change still removes outdated responses from it.
  case never
  /// The times that the endpoint sets, regardless of header fields other than `no-store`.
  ///
  /// Use it for servers without `Cache-Control`.
  case kept(CacheTimes)
}

/// The times for which a cached response may be used.
public struct CacheTimes: Sendable, Hashable {
  /// The time for which it is fresh: it is used without contacting the server.
  public var fresh: Duration
  /// The time after its freshness for which it is used while a newer one is fetched.
  public var staleWhileRevalidate: Duration
  /// The time after its freshness for which it is used if the server is unreachable.
  public var staleIfError: Duration

  /// Creates cache times. Omitted values are zero.
  public init(
    fresh: Duration = .zero,
    staleWhileRevalidate: Duration = .zero,
    staleIfError: Duration = .zero
  ) {
    (self.fresh, self.staleWhileRevalidate) = (fresh, staleWhileRevalidate)
    self.staleIfError = staleIfError
  }

  /// Times that use a cached response of any age and renew it in the background: cache first.
  public static let cacheFirst = CacheTimes(
    staleWhileRevalidate: .seconds(10 * 365 * 86_400),
    staleIfError: .seconds(10 * 365 * 86_400)
  )
}
