/// How a header field's value is treated, which its name tells.
enum FieldKind {
  /// A scheme and what proves somebody's identity by it (RFC 9110 §11.4).
  case credentials
  case cookies
  case setCookie
  /// A value that goes as a whole.
  case secret(SecretNames.Sort)
  /// An address, whole or in part.
  case link
  /// Made of the content, the clock or by lot, and long enough to look like a secret.
  case made
  /// The same, and there may be a secret in it, too: it is read like a text, and its words may look
  /// drawn by lot.
  case drawn
  /// What the protocol itself reads: its words and numbers.
  case syntax
  case text

  init(_ name: String, _ names: SecretNames) {
    switch FieldName.normalised(name) {
    case "authorization", "proxyauthorization", "authentication", "xauthentication":
      self = .credentials
    case "cookie", "cookie2": self = .cookies
    case "setcookie": self = .setCookie
    default: self = names.sort(of: name, in: .header).map { .secret($0) } ?? Self.harmless(name)
    }
  }

  private static func harmless(_ name: String) -> FieldKind {
    let name = name.lowercased()
    if linkNames.contains(name) { return .link }
    if madeNames.contains(name) { return .made }
    if drawnNames.contains(name) { return .drawn }
    return syntaxNames.contains(name) ? .syntax : .text
  }

  private static let linkNames: Set<String> = ["location", "content-location", "referer"]

  private static let madeNames: Set<String> = [
    "etag", "if-none-match", "if-match", "date", "sec-websocket-key", "sec-websocket-accept",
    "x-request-id", "x-amz-request-id", "x-amz-id-2", "x-amz-cf-id", "x-client-data", "traceparent",
  ]

  /// Digests of a body (RFC 1864, RFC 3230, RFC 9530), and where a browser sends its reports (Reporting
  /// API, Network Error Logging): such an address bears an id of the answer.
  private static let drawnNames: Set<String> = [
    "content-md5", "digest", "content-digest", "repr-digest", "x-goog-hash", "x-ms-content-md5",
    "report-to", "reporting-endpoints", "nel",
  ]

  private static let syntaxNames: Set<String> = [
    "content-type", "content-length", "content-encoding", "content-range", "content-language",
    "transfer-encoding", "connection", "upgrade", "host", "accept", "accept-encoding",
    "accept-language", "accept-ranges", "range", "cache-control", "vary", "allow", "expires",
    "last-modified", "if-modified-since", "age", "retry-after", "te", "trailer", "via",
  ]
}
