/// The parts of a request that decide whether a recording answers it.
///
/// ```swift
/// var matcher = Matcher.url
/// matcher.paths = ["/users/{id}"]
/// matcher.ignoredQuery = ["utm_*"]
/// matcher.body = .json(ignoring: "timestamp")
/// ```
///
/// Keys are computed from the parts when a cassette is loaded and never stored, so another matcher
/// needs no new recording.
public struct Matcher: Sendable, Hashable {
  /// The significance of the recorded scheme, host and port.
  public enum Authority: String, Sendable, Hashable, CaseIterable {
    /// Scheme, host and port must be those of the request.
    case required
    /// Scheme, host and port only decide between recordings that are otherwise equal.
    case breaksTies
  }

  /// The parts of an origin (RFC 6454 §4).
  public struct OriginParts: OptionSet, Sendable, Hashable {
    /// The parts as bits, one for each.
    public let rawValue: Int
    /// Makes a set of parts from its bits.
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
  /// Whether paths are compared byte by byte, as they are spelled. Otherwise `/a%3Ab` and `/a:b`
  /// are one; an escaped slash and a plus sign are never others.
  public var isPathExact = false
  /// The query parameters that are ignored.
  public var ignoredQuery: [NamePattern] = []
  /// Whether query parameters are compared byte by byte, as they are spelled. Otherwise all are one
  /// that a form's parser takes for the same (WHATWG URL §5.1): `+` and `%20`, `e` and `e=`. Their
  /// order never counts.
  public var isQueryExact = false
  /// The paths at which no part of the query is compared, such as that of a probe.
  package var pathsWithoutQuery: Set<String> = []
  /// The names of the header fields whose values must be equal; all other fields are ignored.
  public var headers: [String] = []
  /// The rule by which bodies are compared.
  public var body: BodyRule = .ignored
  /// The conditions that must hold, beside equal keys, between a recording and a request.
  public var filters: [Filter] = []
  /// The names of values that are no secrets, and JSON paths to such values: recordings keep them,
  /// so that requests which differ in them can be told apart.
  public var kept: [String] = []
  /// The JSON paths to values by which the messages of a conversation belong together: what a
  /// server says answers the newest message of the client's with the same value. They count before
  /// `id`, `ref`, `requestId`, `subscription`, `channel` and `topic`, which always do.
  public var correlated: [JSONPath] = []
  /// Whether a command that is run against its recording must send its requests, and print its
  /// lines, in the recorded order. Which recording answers a request does not depend on it.
  public var comparesOrder = true
  /// The lines of such a command's output that are not compared.
  public var ignoredOutput: [LinePattern] = []

  /// Tells whether bodies are compared at all; setting it compares their bytes.
  public var comparesBodies: Bool {
    get { body.reading != .ignored }
    set { body = newValue ? (comparesBodies ? body : .bytes) : .ignored }
  }

  /// Makes a matcher. Method, path and query always count, the query in any order.
  public init(authority: Authority, comparesBodies: Bool = false) {
    self.authority = authority
    body = comparesBodies ? .bytes : .ignored
  }

  /// The matcher of method and URL, for tests.
  public static let url = Matcher(authority: .required)
  /// The matcher of method, path and query, for a server on another host and port.
  public static let pathAndQuery = Matcher(authority: .breaksTies)

  /// Returns the key of a request. Requests of one key are answered by its recordings, one after
  /// the other.
  ///
  /// Ignored parts are not in the key, and neither are header fields.
  public func key(_ request: Request) -> RequestKey {
    let path = path(request)
    // Every request has one made, so it is made at once.
    var text = String(request.method, path)
    let rest = rest(request)
    if !rest.isEmpty { text += rest }
    return RequestKey(text: text)
  }

  /// Returns the canonical path, or the template that makes it like others.
  func path(_ request: Request) -> String {
    // What a client's braces are recorded as.
    let path =
      isPathExact ? (request.url.literal ?? request.url).path : request.url.path.canonicalPath
    return paths.first { $0.fits(path) }?.description ?? path
  }

  /// Returns the part of a key behind the path: the canonical query and the body's hash, where they
  /// count.
  private func rest(_ request: Request) -> String {
    if request.url.query?.isEmpty ?? true, body.reading == .ignored { return "" }
    let query = canonicalQuery(request.url)
    let digest = ComparedBody(request, body).digest
    return (query.isEmpty ? "" : "?\(query)") + (digest.isEmpty ? "" : " \(digest)")
  }
}

/// The method, the path, the canonical query and, where bodies are compared, the body's hash; never
/// a host or a port, so that draws and sequences are the same on every stage.
public struct RequestKey: Sendable, Hashable, CustomStringConvertible {
  /// The key as text, such as `GET /users?page=2`.
  public let text: String

  /// The text of the key.
  public var description: String { text }
}

extension String {
  /// Two words with a space between, put together at once.
  fileprivate init(_ first: String, _ second: String) {
    var (first, second) = (first, second)
    self.init(unsafeUninitializedCapacity: first.utf8.count + 1 + second.utf8.count) { bytes in
      let end = first.withUTF8 { bytes.initialize(fromContentsOf: $0) }
      bytes.initializeElement(at: end, to: UInt8(ascii: " "))
      return second.withUTF8 { bytes[(end + 1)...].initialize(fromContentsOf: $0) }
    }
  }
}

extension Matcher {
  /// Tells whether a request's content can decide.
  package var looksAtContent: Bool { comparesBodies || !filters.isEmpty }

  /// Tells whether an index finds a request by its key alone.
  var looksUpByKey: Bool { comparesMethod && headers.isEmpty }

  /// Returns the key that an index finds a request by: its own, with what of it counts without
  /// being in that.
  func lookUpKey(_ request: Request, key: RequestKey) -> RequestKey {
    if looksUpByKey { return key }
    return RequestKey(text: "\(path(request)) \(leaf(request))")
  }

  /// Returns the text that an index finds a request by at the end of its path.
  func leaf(_ request: Request) -> String {
    let digest = headers.isEmpty ? "" : " \(RequestParts.digest(headerFields(request)))"
    return "\(comparesMethod ? request.method : "*") \(rest(request))\(digest)"
  }

  /// Returns the values of the header fields that count, by name in lower case, in the matcher's
  /// order.
  ///
  /// A multipart boundary is chosen anew for each message (RFC 2046 §5.1.1), so it never counts
  /// where bodies are read apart from it.
  func headerFields(_ request: Request) -> [RequestParts.Field] {
    headers.flatMap { name in
      request.headers.values(name).map { value in
        let isType = name.equalsIgnoringASCIICase("Content-Type")
        let type = isType && body.seesParts ? ContentType(value).withoutBoundary : value
        return RequestParts.Field(name: name.lowercased(), value: type)
      }
    }
  }

  /// Returns the part of a request's origin that counts; `nil` where it has no host.
  func originKey(_ url: RequestURL) -> String? {
    guard origin != .all, let host = url.host else { return url.origin }
    let scheme = origin.contains(.scheme) ? url.scheme ?? "http" : ""
    let port = origin.contains(.port) ? url.effectivePort.map { ":\($0)" } ?? "" : ""
    return "\(scheme)//\(origin.contains(.host) ? host : "")\(port)"
  }

  /// Tells whether what of a request's origin counts is this.
  func isOrigin(_ key: String, of url: RequestURL) -> Bool {
    origin == .all ? url.isOf(key) : originKey(url) == key
  }

  /// Returns the query without what is ignored, in canonical order.
  private func canonicalQuery(_ url: RequestURL) -> String {
    if ignoredQuery.isEmpty, pathsWithoutQuery.isEmpty, !isQueryExact {
      return Self.canonical(query: url.query ?? "")
    }
    return queryFields(url).map { $0.hasValue ? "\($0.name)=\($0.value)" : $0.name }
      .joined(separator: "&")
  }

  /// Returns the parameters sorted by name; those of one name keep their order, which may mean
  /// something.
  package static func canonical(query: String) -> String {
    // The text is ASCII and parted as it was, so bytes are looked at.
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

  /// Returns the parameters that count, in canonical order, and in canonical spelling unless that
  /// counts.
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

/// A condition written in Swift, evaluated only for recordings whose keys are the request's.
///
/// Filters of the same name are equal, since functions cannot be compared.
public struct Filter: Sendable, Hashable {
  /// The name of the filter in the explanation of a mismatch.
  public let name: String
  private let condition: @Sendable (_ recorded: Request, _ asked: Request) -> Bool

  /// Makes a filter of a name and a condition. The condition runs under the deck's lock, so that it
  /// must be quick and must not use the deck.
  public init(
    _ name: String,
    _ condition: @escaping @Sendable (_ recorded: Request, _ asked: Request) -> Bool
  ) {
    (self.name, self.condition) = (name, condition)
  }

  /// Tells whether a recording may answer a request.
  public func allows(_ recorded: Request, _ asked: Request) -> Bool { condition(recorded, asked) }

  /// Tells whether two filters have the same name.
  public static func == (left: Filter, right: Filter) -> Bool { left.name == right.name }

  /// Hashes the name of the filter.
  public func hash(into hasher: inout Hasher) { hasher.combine(name) }
}
