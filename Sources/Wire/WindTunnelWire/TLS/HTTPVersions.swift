/// The versions of HTTP that a server speaks.
public enum HTTPVersions: String, Sendable, Hashable, CaseIterable {
  /// HTTP/2 with clients that offer it by ALPN, or that begin with its preface in clear, and
  /// HTTP/1.1 with all others.
  case any
  /// HTTP/1.1 alone, with all clients.
  case http1
  /// HTTP/2 alone, with all clients.
  case http2

  /// The name of HTTP/2 over TLS (RFC 9113 §3.2).
  package static let http2Name = "h2"

  /// The names in ALPN (RFC 7301), the preferred one first.
  var protocolNames: [String] {
    switch self {
    case .any: [Self.http2Name, "http/1.1"]
    case .http1: ["http/1.1"]
    case .http2: [Self.http2Name]
    }
  }
}
