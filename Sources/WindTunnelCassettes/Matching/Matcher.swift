/// Which parts of a request decide whether a recording answers it.
///
/// Keys are computed from the parts when a cassette is loaded and never stored, so another matcher
/// needs no new recording.
public struct Matcher: Sendable, Hashable {
  /// What the recorded scheme, host and port are for.
  public enum Authority: String, Sendable, Hashable, CaseIterable {
    /// They must be the request's.
    case required
    /// They only decide between recordings that are otherwise alike.
    case breaksTies
  }

  /// The parts of an origin (RFC 6454 §4).
  public struct OriginParts: OptionSet, Sendable, Hashable {
    /// The set as bits.
    public let rawValue: Int
    /// Makes a set of bits.
    public init(rawValue: Int) { self.rawValue = rawValue }
    /// `http` or `https`.
    public static let scheme = OriginParts(rawValue: 1)
    /// The name or address.
    public static let host = OriginParts(rawValue: 2)
    /// The port that is meant, written or not.
    public static let port = OriginParts(rawValue: 4)
    /// All three.
    public static let all: OriginParts = [.scheme, .host, .port]
  }

  /// What the recorded scheme, host and port are for.
  public var authority: Authority
  /// Which of scheme, host and port are looked at.
  public var origin: OriginParts = .all
  /// Whether the methods must be the same.
  public var comparesMethod = true
  /// Paths that are alike: those that one template fits, such as `/users/{id}`.
  public var paths: [PathTemplate] = []
  /// Query parameters that do not count.
  public var ignoredQuery: [NamePattern] = []
  /// The names of the header fields whose values must be the same; no other field counts.
  public var headers: [String] = []
  /// How bodies are compared.
  public var body: BodyRule = .ignored
  /// What else must hold between a recording and a request whose keys are the same.
  public var filters: [Filter] = []

  /// Whether bodies are compared at all; setting it compares their bytes.
  public var comparesBodies: Bool {
    get { body.reading != .ignored }
    set { body = newValue ? (comparesBodies ? body : .bytes) : .ignored }
  }

  /// Makes a matcher; method, path and query always count, the query in any order.
  public init(authority: Authority, comparesBodies: Bool = false) {
    self.authority = authority
    body = comparesBodies ? .bytes : .ignored
  }

  /// Method and URL: what a test means by the same request.
  public static let url = Matcher(authority: .required)
  /// Method, path and query: what a server on another host and port can compare.
  public static let pathAndQuery = Matcher(authority: .breaksTies)

  /// The key of a request: requests of one key are asked for one after the other.
  ///
  /// Ignored parts are not in it, and neither are header fields.
  public func key(_ request: Request) -> RequestKey {
    let path = path(request)
    // Every request has one made, so it is made at once.
    var text = String(request.method, path)
    let rest = rest(request)
    if !rest.isEmpty { text += rest }
    return RequestKey(text: text)
  }

  /// The canonical path, or the template that makes it like others.
  func path(_ request: Request) -> String {
    let path = request.url.path.canonicalPercentEncoding
    return paths.first { $0.fits(path) }?.description ?? path
  }

  /// What follows the path in a key: the canonical query and the body's hash, where they count.
  func rest(_ request: Request) -> String {
    let asked = request.url.query ?? ""
    if asked.isEmpty, body.reading == .ignored { return "" }
    let query = canonical(query: asked)
    let digest = ComparedBody(request, body).digest
    return (query.isEmpty ? "" : "?\(query)") + (digest.isEmpty ? "" : " \(digest)")
  }
}

/// Method, path, canonical query and, where bodies are compared, the body's hash; never a host or
/// a port, so that draws and sequences are the same on every stage.
public struct RequestKey: Sendable, Hashable, CustomStringConvertible {
  /// Such as `GET /users?page=2`.
  public let text: String

  /// The text.
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
