/// The name of a header field for typed access: `headers[.contentType]`.
public struct HeaderName: Sendable {
  /// The name as it is sent.
  public let text: String

  /// Creates the name of a field that has no constant here.
  public init(_ text: String) { self.text = text }

  /// The name of the field `Accept`.
  public static let accept = HeaderName("Accept")
  /// The name of the field `Authorization`.
  public static let authorization = HeaderName("Authorization")
  /// The name of the field `Cache-Control`.
  public static let cacheControl = HeaderName("Cache-Control")
  /// The name of the field `Content-Length`.
  public static let contentLength = HeaderName("Content-Length")
  /// The name of the field `Content-Type`.
  public static let contentType = HeaderName("Content-Type")
  /// The name of the field `ETag`.
  public static let etag = HeaderName("ETag")
  /// The name of the field `Host`.
  public static let host = HeaderName("Host")
  /// The name of the field `Idempotency-Key`.
  public static let idempotencyKey = HeaderName("Idempotency-Key")
  /// The name of the field `If-Modified-Since`.
  public static let ifModifiedSince = HeaderName("If-Modified-Since")
  /// The name of the field `If-None-Match`.
  public static let ifNoneMatch = HeaderName("If-None-Match")
  /// The name of the field `Last-Modified`.
  public static let lastModified = HeaderName("Last-Modified")
  /// The name of the field `Location`.
  public static let location = HeaderName("Location")
  /// The name of the field `Retry-After`.
  public static let retryAfter = HeaderName("Retry-After")
  /// The name of the field `Set-Cookie`.
  public static let setCookie = HeaderName("Set-Cookie")
  /// The name of the field `User-Agent`.
  public static let userAgent = HeaderName("User-Agent")
}

extension HeaderFields {
  /// Accesses the first value of a name, like the subscript with a string.
  public subscript(name: HeaderName) -> String? {
    get { self[name.text] }
    set { self[name.text] = newValue }
  }

  /// Returns all values of a name, in order.
  public func values(_ name: HeaderName) -> [String] { values(name.text) }
}
