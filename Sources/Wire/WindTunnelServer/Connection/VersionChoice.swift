/// Chooses a connection's version of HTTP by its TLS handshake or its first bytes.
struct VersionChoice {
  /// A version of HTTP.
  enum Choice {
    case http1
    case http2
    /// Another version than the server speaks.
    case refused(ProtocolError)
  }

  /// The text in the first line of each request of HTTP/1.0 and 1.1.
  private static let http1Mark = Array("HTTP/1.".utf8)

  private let versions: HTTPVersions
  /// The earlier bytes, which are the beginning of the preface.
  private(set) var early: [UInt8] = []

  /// Creates the choice for a server that speaks more than HTTP/1.1; `nil` if there is no choice.
  init?(_ versions: HTTPVersions) {
    if versions == .http1 { return nil }
    self.versions = versions
  }

  /// Processes the next bytes. Returns `nil` if more bytes are needed.
  ///
  /// - Parameters:
  ///   - bytes: The bytes that arrived.
  ///   - name: The protocol that was negotiated by ALPN; `nil` if there was none.
  /// - Returns: The version, or a refusal.
  mutating func take(_ bytes: UnsafeRawBufferPointer, agreed name: String?) -> Choice? {
    if name == HTTPVersions.http2Name { return .http2 }
    if name == nil, zip(bytes, HTTP2Codec.preface.dropFirst(early.count)).allSatisfy({ $0 == $1 }) {
      if early.count + bytes.count >= HTTP2Codec.preface.count { return .http2 }
      early.append(contentsOf: bytes)
      return nil
    }
    guard versions == .http2 else { return .http1 }
    // Only a client of HTTP/1.1 can read the sentence; any other bytes are an invalid preface.
    guard bytes.contains(Self.http1Mark) else { return .http2 }
    return .refused(
      ProtocolError(.versionNotSupported, "This port speaks HTTP/2 alone; ask it over HTTP/2.")
    )
  }
}
