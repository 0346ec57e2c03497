internal import WindTunnel

/// A kind of response field whose URLs a client may request next.
enum URLField {
  /// The value is one URL.
  case url
  /// `<URL>; rel="next", <URL>; rel="last"` (RFC 8288 §3).
  case links
  /// `5; url=URL` (HTML, "shared declarative refresh steps").
  case refresh

  private static let kinds: [(name: String, kind: URLField)] = [
    ("Location", .url), ("Content-Location", .url), ("Operation-Location", .url),
    ("Azure-AsyncOperation", .url), ("Link", .links), ("Refresh", .refresh),
  ]

  /// Returns the kind of a field; `nil` if clients do not follow URLs in it.
  ///
  /// Vendors have fields of their own, such as `X-Next`, whose values are absolute URLs. An origin
  /// without a path is a value of CORS.
  init?(_ field: HeaderField) {
    let kind = Self.kinds.first { field.isNamed($0.name) }?.kind
    let isURL =
      field.value.utf8.starts(with: "http".utf8)
      && field.value.wholeMatch(of: /https?:\/\/[^\s\/",;]+\/[^\s",;<>]*/) != nil
    guard let kind = kind ?? (isURL ? .url : nil) else { return nil }
    self = kind
  }

  /// Returns the value with each URL replaced.
  func replacing(in value: String, _ replacement: (String) -> String) -> String {
    switch self {
    case .url: return replacement(value)
    case .links:
      let parts = value.split(separator: "<", omittingEmptySubsequences: false)
      return parts[0]
        + parts.dropFirst().map { part in
          let end = part.firstIndex(of: ">") ?? part.endIndex
          return "<\(replacement(String(part[..<end])))\(part[end...])"
        }.joined()
    case .refresh:
      let start = value.prefixMatch(of: /[^;,]*[;,]\s*(?i:url)\s*=\s*["']?/)?.range.upperBound
      guard let start else { return value }
      let end = value[start...].firstIndex { "\"'".contains($0) } ?? value.endIndex
      return value[..<start] + replacement(String(value[start..<end])) + value[end...]
    }
  }
}
