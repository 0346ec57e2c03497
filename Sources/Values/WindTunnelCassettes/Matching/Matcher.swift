/// The parts of a request that must be equal for a recording to match it.
///
/// ```swift
/// var matcher = Matcher.url
/// matcher.paths = ["/users/{id}"]
/// matcher.ignoredQuery = ["utm_*"]
/// matcher.body = .json(ignoring: "timestamp")
/// ```
///
/// Keys are computed when a cassette is loaded and never stored, so another matcher needs no new
/// recording.
public struct Matcher: Sendable, Hashable {
  /// The significance of the recorded scheme, host and port.
  public enum Authority: String, Sendable, Hashable, CaseIterable {
    /// Scheme, host and port must equal the request's.
    case required
    /// Scheme, host and port only decide between recordings that are otherwise equal.
    case breaksTies
  }

  /// The parts of an origin (RFC 6454 §4).
  public struct OriginParts: OptionSet, Sendable, Hashable {
    /// The bits of the parts.
    public let rawValue: Int
    /// Creates a set of parts from its bits.
    public init(rawValue: Int) { self.rawValue = rawValue }
    /// The scheme, `http` or `https`.
    public static let scheme = OriginParts(rawValue: 1)
    /// The host's name or address.
    public static let host = OriginParts(rawValue: 2)
    /// The port, explicit or the scheme's default.
    public static let port = OriginParts(rawValue: 4)
    /// The scheme, the host and the port.
    public static let all: OriginParts = [.scheme, .host, .port]
  }

  /// The significance of the recorded scheme, host and port.
  public var authority: Authority
  /// The parts of the origin that are compared.
  public var origin: OriginParts = .all
  /// Whether the methods must be equal.
  public var comparesMethod = true
  /// The templates whose paths count as equal, such as `/users/{id}`.
  public var paths: [PathTemplate] = []
  /// Whether paths are compared byte by byte. Otherwise `/a%3Ab` and `/a:b` are equal, but an
  /// escaped slash or plus sign never equals an unescaped one.
  public var isPathExact = false
  /// The query parameters that are ignored.
  public var ignoredQuery: [NamePattern] = []
  /// Whether query parameters are compared byte by byte.
  ///
  /// Otherwise spellings are equal if a form parser reads them alike (WHATWG URL §5.1): `+` and
  /// `%20`, `e` and `e=`. Their order is always ignored.
  public var isQueryExact = false
  /// The paths for which the query is not compared, such as that of a probe.
  package var pathsWithoutQuery: Set<String> = []
  /// The names of the header fields whose values must be equal; all other fields are ignored.
  public var headers: [String] = []
  /// The rule for comparing bodies.
  public var body: BodyRule = .ignored
  /// Additional conditions that a recording and a request with equal keys must meet.
  public var filters: [Filter] = []
  /// The names of values that are not secret, and JSON paths to such values. Recordings keep them,
  /// so that requests can be distinguished by them.
  public var kept: [String] = []
  /// The JSON paths to values that correlate the messages of a WebSocket conversation.
  ///
  /// A server's message is the response to the client's newest message with the same value. These
  /// paths precede the built-in `id`, `ref`, `requestId`, `subscription`, `channel` and `topic`.
  public var correlated: [JSONPath] = []
  /// Whether a command that is run against its recording must send its requests and print its lines
  /// in the recorded order. It does not affect matching.
  public var comparesOrder = true
  /// The lines of such a command's output that are ignored.
  public var ignoredOutput: [LinePattern] = []

  /// Whether bodies are compared at all. Setting it to `true` compares their bytes.
  public var comparesBodies: Bool {
    get { body.reading != .ignored }
    set { body = newValue ? (comparesBodies ? body : .bytes) : .ignored }
  }

  /// Creates a matcher. Method, path and query are always compared, with the query in any order.
  public init(authority: Authority, comparesBodies: Bool = false) {
    self.authority = authority
    body = comparesBodies ? .bytes : .ignored
  }

  /// The matcher by method and URL, for tests.
  public static let url = Matcher(authority: .required)
  /// The matcher by method, path and query, for a server on another host and port.
  public static let pathAndQuery = Matcher(authority: .breaksTies)

  /// Returns the key of a request. Requests with equal keys are played the recordings with that key
  /// in order.
  ///
  /// The key contains neither ignored parts nor header fields.
  public func key(_ request: Request) -> RequestKey {
    let path = path(request)
    // Built in one step, because every request needs a key.
    var text = String(request.method, path)
    let rest = rest(request)
    if !rest.isEmpty { text += rest }
    return RequestKey(text: text)
  }

  /// Returns the canonical path, or the template that matches it.
  func path(_ request: Request) -> String {
    // A recorder escapes braces, so they are also escaped in the request.
    let path =
      isPathExact ? (request.url.literal ?? request.url).path : request.url.path.canonicalPath
    return paths.first { $0.fits(path) }?.description ?? path
  }

  /// Returns the part of a key after the path: the canonical query and the body's hash, if they are
  /// compared.
  private func rest(_ request: Request) -> String {
    if request.url.query?.isEmpty ?? true, body.reading == .ignored { return "" }
    let query = canonicalQuery(request.url)
    let digest = ComparedBody(request, body).digest
    return (query.isEmpty ? "" : "?\(query)") + (digest.isEmpty ? "" : " \(digest)")
  }

  /// Whether the result may depend on a request's content.
  package var looksAtContent: Bool { comparesBodies || !filters.isEmpty }

  /// Whether an index finds requests by the key alone.
  var looksUpByKey: Bool { comparesMethod && headers.isEmpty }

  /// Returns the key for look-up in an index: the request's key together with compared parts that
  /// it does not contain.
  func lookUpKey(_ request: Request, key: RequestKey) -> RequestKey {
    if looksUpByKey { return key }
    return RequestKey(text: "\(path(request)) \(leaf(request))")
  }

  /// Returns the text by which an index finds a request at the end of its path.
  func leaf(_ request: Request) -> String {
    let digest = headers.isEmpty ? "" : " \(RequestParts.digest(headerFields(request)))"
    return "\(comparesMethod ? request.method : "*") \(rest(request))\(digest)"
  }

  /// Returns the values of the compared header fields, by name in lower case, in the matcher's
  /// order.
  ///
  /// A multipart boundary is new in each message (RFC 2046 §5.1.1), so it is ignored if bodies are
  /// compared without it.
  func headerFields(_ request: Request) -> [RequestParts.Field] {
    headers.flatMap { name in
      request.headers.values(name).map { value in
        let isType = name.equalsIgnoringASCIICase("Content-Type")
        let type = isType && body.seesParts ? ContentType(value).withoutBoundary : value
        return RequestParts.Field(name: name.lowercased(), value: type)
      }
    }
  }

  /// Returns the compared parts of a URL's origin; `nil` if it has no host.
  func originKey(_ url: RequestURL) -> String? {
    guard origin != .all, let host = url.host else { return url.origin }
    let scheme = origin.contains(.scheme) ? url.scheme ?? "http" : ""
    let port = origin.contains(.port) ? url.effectivePort.map { ":\($0)" } ?? "" : ""
    return "\(scheme)//\(origin.contains(.host) ? host : "")\(port)"
  }

  /// Whether the compared parts of a URL's origin equal a key.
  func isOrigin(_ key: String, of url: RequestURL) -> Bool {
    origin == .all ? url.isOf(key) : originKey(url) == key
  }

  /// Returns the query without ignored parameters, in canonical order.
  private func canonicalQuery(_ url: RequestURL) -> String {
    if ignoredQuery.isEmpty, pathsWithoutQuery.isEmpty, !isQueryExact {
      return Self.canonical(query: url.query ?? "")
    }
    return queryFields(url).map { $0.hasValue ? "\($0.name)=\($0.value)" : $0.name }
      .joined(separator: "&")
  }

  /// Returns the parameters sorted by name. Parameters with the same name keep their order, because
  /// it may be significant.
  package static func canonical(query: String) -> String {
    // The text is ASCII with unchanged separators, so it can be processed as bytes.
    let text = query.canonicalForm
    let items = text.utf8.split(separator: UInt8(ascii: "&"), omittingEmptySubsequences: false)
    let names = items.map { $0.prefix { $0 != UInt8(ascii: "=") } }
    let isInOrder = zip(names, names.dropFirst()).allSatisfy { !$1.lexicographicallyPrecedes($0) }
    if isInOrder, items.count == 1 || !items.contains(where: \.isEmpty) { return text }
    return items.indices.filter { !items[$0].isEmpty }
      .sorted { left, right in
        names[left].lexicographicallyPrecedes(names[right])
          || (left < right && !names[right].lexicographicallyPrecedes(names[left]))
      }
      .map { String(Substring(items[$0])) }.joined(separator: "&")
  }

  /// Returns the compared parameters in canonical order, and in canonical spelling unless the query
  /// is compared exactly.
  func queryFields(_ url: RequestURL) -> [RequestParts.Field] {
    if pathsWithoutQuery.contains(url.path) { return [] }
    let fields = (url.query ?? "").split(separator: "&").map { item in
      let parts = (isQueryExact ? String(item) : String(item).canonicalForm)
        .split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
      return RequestParts.Field(
        name: parts[0],
        value: parts.count > 1 ? parts[1] : "",
        hasValue: parts.count > 1
      )
    }
    return fields.filter { field in !ignoredQuery.contains { $0.fits(field.name) } }
      .stablySorted { $0.name < $1.name }
  }
}

/// The key of a request: the method, the path, the canonical query and, if bodies are compared, the
/// body's hash.
///
/// It never contains a host or a port, so that random draws and sequences do not depend on them.
public struct RequestKey: Sendable, Hashable, CustomStringConvertible {
  /// The key as text, such as `GET /users?page=2`.
  public let text: String

  /// The text of the key.
  public var description: String { text }
}

extension String {
  /// Joins two words with a space in a single allocation.
  fileprivate init(_ first: String, _ second: String) {
    var (first, second) = (first, second)
    self.init(unsafeUninitializedCapacity: first.utf8.count + 1 + second.utf8.count) { bytes in
      let end = first.withUTF8 { bytes.initialize(fromContentsOf: $0) }
      bytes.initializeElement(at: end, to: UInt8(ascii: " "))
      return second.withUTF8 { bytes[(end + 1)...].initialize(fromContentsOf: $0) }
    }
  }
}

/// A condition written in Swift, evaluated only for recordings with the request's key.
///
/// Filters with the same name are equal, because functions cannot be compared.
public struct Filter: Sendable, Hashable {
  /// The name of the filter in explanations of a mismatch.
  public let name: String
  private let condition: @Sendable (_ recorded: Request, _ asked: Request) -> Bool

  /// Creates a filter with a name and a condition. The condition runs under the deck's lock, so it
  /// must be fast and must not use the deck.
  public init(
    _ name: String,
    _ condition: @escaping @Sendable (_ recorded: Request, _ asked: Request) -> Bool
  ) {
    (self.name, self.condition) = (name, condition)
  }

  /// Whether a recording matches a request.
  public func allows(_ recorded: Request, _ asked: Request) -> Bool { condition(recorded, asked) }

  /// Whether two filters have the same name.
  public static func == (left: Filter, right: Filter) -> Bool { left.name == right.name }

  /// Hashes the name of the filter.
  public func hash(into hasher: inout Hasher) { hasher.combine(name) }
}
