internal import Foundation
internal import WindTunnelNetworkLayer

/// Keys derived from keys: HKDF with SHA-256 (RFC 5869).
enum KeyDerivation {
  private static let blockBytes = 64

  /// Returns a derived key of at most 8,160 bytes, which reveals nothing about the original key.
  static func hkdf(_ key: Data, salt: Data, info: Data, bytes: Int) -> Data {
    let pseudorandom = hmac(key, key: salt)
    var (output, block) = (Data(), Data())
    for number in 1...255 where output.count < bytes {
      block = hmac(block + info + [UInt8(number)], key: pseudorandom)
      output += block
    }
    return output.prefix(bytes)
  }

  /// Returns the HMAC-SHA-256 of a message (RFC 2104 §2).
  static func hmac(_ message: Data, key: Data) -> Data {
    var key = key.count > blockBytes ? key.sha256 : Data(key)
    key += Data(count: blockBytes - key.count)
    let inner = (Data(key.map { $0 ^ 0x36 }) + message).sha256
    return (Data(key.map { $0 ^ 0x5C }) + inner).sha256
  }
}
