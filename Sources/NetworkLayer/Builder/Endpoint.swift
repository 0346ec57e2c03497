public import Foundation

/// What a caller wants of an API: one request, without the parts that all requests share.
public struct Endpoint: Sendable, Hashable {
  /// How it is asked for.
  public var method: HTTPMethod
  /// Where it lies under the base URL; begins with `/` or is empty.
  ///
  /// Escapes are kept, and what cannot stand in a path is escaped.
  public var path: String
  /// What follows the `?`; `nil` where there is none.
  public var query: Query?
  /// Fields of this request alone; they replace common ones of the same name.
  public var headers: Headers
  /// The content; `nil` where there is none.
  public var body: Data?
  /// Whether a screen stays blank without the answer.
  ///
  /// Observers see it; nothing here acts on it.
  public var isCritical: Bool

  /// Names what is wanted by its parts.
  public init(
    _ method: HTTPMethod,
    _ path: String,
    query: Query? = nil,
    headers: Headers = [:],
    body: Data? = nil,
    isCritical: Bool = false
  ) {
    self.method = method
    self.path = path
    self.query = query
    self.headers = headers
    self.body = body
    self.isCritical = isCritical
  }

  /// Names what is wanted by path and query in one text, as in a request line (RFC 9112 §3.2.1).
  public init(
    _ method: HTTPMethod,
    target: String,
    headers: Headers = [:],
    body: Data? = nil,
    isCritical: Bool = false
  ) {
    let parts = target.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
    self.init(
      method,
      parts.first.map(String.init) ?? "",
      query: parts.count == 2 ? Query(encoded: String(parts[1])) : nil,
      headers: headers,
      body: body,
      isCritical: isCritical
    )
  }
}
