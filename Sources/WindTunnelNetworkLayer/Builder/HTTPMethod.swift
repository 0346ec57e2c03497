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
