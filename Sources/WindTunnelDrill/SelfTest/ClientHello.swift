/// The beginning of a handshake, by hand: a client of TLS 1.2 (RFC 5246 §7.4.1.2) that has to do with
/// no library, so that a server's first records can be looked at as they are.
enum ClientHello {
  static let bytes: [UInt8] = record(22, [1] + length(body, bytes: 3) + body)

  private static let body: [UInt8] =
    [3, 3] + (0..<32).map { UInt8($0 * 7) } + [0]
    + listed(cipherSuites, bytes: 2)
    + [1, 0] + listed(extensions, bytes: 2)

  /// ECDHE with AES by GCM, as every server of the last ten years has them, and by CBC, as those of
  /// TLS 1.1 have (RFC 8422 §6, RFC 5289 §3.2).
  private static let cipherSuites: [UInt8] = [
    0xC0, 0x2F, 0xC0, 0x30, 0xC0, 0x2B, 0xC0, 0x2C, 0xC0, 0x13, 0xC0, 0x14, 0xC0, 0x09, 0xC0, 0x0A,
  ]

  private static let extensions: [UInt8] =
    // supported_groups: x25519, P-256, P-384 (RFC 8422 §5.1.1).
    [0, 10] + listed(listed([0, 29, 0, 23, 0, 24], bytes: 2), bytes: 2)
    // ec_point_formats: uncompressed.
    + [0, 11] + listed(listed([0], bytes: 1), bytes: 2)
    // signature_algorithms: ECDSA, RSA-PSS and RSA with SHA-256 to SHA-512, and SHA-1.
    + [0, 13]
    + listed(
      listed([4, 3, 8, 4, 4, 1, 5, 3, 8, 5, 5, 1, 8, 6, 6, 1, 2, 3, 2, 1], bytes: 2),
      bytes: 2
    )

  private static func record(_ type: UInt8, _ content: [UInt8]) -> [UInt8] {
    [type, 3, 1] + listed(content, bytes: 2)
  }

  private static func listed(_ content: [UInt8], bytes: Int) -> [UInt8] {
    length(content, bytes: bytes) + content
  }

  private static func length(_ content: [UInt8], bytes: Int) -> [UInt8] {
    (0..<bytes).reversed().map { UInt8(truncatingIfNeeded: content.count >> ($0 * 8)) }
  }
}
