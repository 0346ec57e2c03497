internal import CWindTunnelSystem

/// The hash function SHA-256 (FIPS 180-4), which no system library has on every platform.
public struct SHA256: Sendable {
  private var digest = wt_sha256()

  /// Starts a digest of no bytes.
  public init() { wt_sha256_begin(&digest) }

  /// Adds bytes to the digest.
  public mutating func update(_ bytes: some Sequence<UInt8>) {
    let handled: Void? = bytes.withContiguousStorageIfAvailable { absorb($0) }
    if handled == nil { ContiguousArray(bytes).withUnsafeBufferPointer { absorb($0) } }
  }

  /// Adds a number to the digest, its highest byte first.
  mutating func update(_ number: UInt64) {
    withUnsafeBytes(of: number.bigEndian) { bytes in
      bytes.withMemoryRebound(to: UInt8.self) { absorb($0) }
    }
  }

  private mutating func absorb(_ bytes: UnsafeBufferPointer<UInt8>) {
    wt_sha256_update(&digest, bytes.baseAddress, bytes.count)
  }

  /// Returns the 32 bytes of the digest.
  public consuming func finalize() -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: 32) { bytes, count in
      wt_sha256_end(&digest, bytes.baseAddress)
      count = 32
    }
  }

  /// Returns the first eight bytes of the digest as a number.
  consuming func firstNumber() -> UInt64 {
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 32) { bytes in
      wt_sha256_end(&digest, bytes.baseAddress)
      return bytes.prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
    }
  }

  /// Returns the digest of bytes, in one call.
  public static func hash(_ bytes: some Sequence<UInt8>) -> [UInt8] {
    var digest = SHA256()
    digest.update(bytes)
    return digest.finalize()
  }

  /// Returns the digest as 64 hexadecimal digits.
  package consuming func hexadecimal() -> String {
    finalize().map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }

  /// Returns the digest of bytes as 64 hexadecimal digits.
  public static func hexadecimal(_ bytes: some Sequence<UInt8>) -> String {
    var digest = SHA256()
    digest.update(bytes)
    return digest.hexadecimal()
  }
}

/// The digests and checksums of bodies in HTTP header fields.
package enum BodyDigest: Sendable, CaseIterable {
  /// The CRC of gzip (RFC 1952 §8), and Castagnoli's (RFC 3720 §12.1).
  case crc32, crc32c
  case md5, sha1, sha256, sha512

  /// The size of a digest in bytes.
  package var byteCount: Int {
    switch self {
    case .crc32, .crc32c: 4
    case .md5: 16
    case .sha1: 20
    case .sha256: 32
    case .sha512: 64
    }
  }

  /// Returns the digest of bytes; a checksum has its highest byte first.
  package func hash(_ bytes: some Collection<UInt8>) -> [UInt8] {
    bytes.withContiguousStorageIfAvailable { hash(of: $0) } ?? hash(Array(bytes))
  }

  private func hash(of bytes: UnsafeBufferPointer<UInt8>) -> [UInt8] {
    let (start, count) = (bytes.baseAddress, bytes.count)
    if self == .sha256 { return SHA256.hash(bytes) }
    return [UInt8](unsafeUninitializedCapacity: byteCount) { out, written in
      written = byteCount
      switch self {
      case .md5: wt_md5(start, count, out.baseAddress)
      case .sha1: wt_sha1(start, count, out.baseAddress)
      case .sha512: wt_sha512(start, count, out.baseAddress)
      case .crc32, .crc32c, .sha256:
        let sum = wt_crc32(self == .crc32 ? 0xEDB8_8320 : 0x82F6_3B78, start, count)
        for place in 0..<4 { out[place] = UInt8(truncatingIfNeeded: sum >> (24 - 8 * place)) }
      }
    }
  }
}

/// A key that replaces a text: two hashes of it, which take less memory than the text.
///
/// It has 128 bits, so two of a million texts have the same key with a probability of 10⁻²⁶. The
/// hashes are only valid in this process and never stored.
@_spi(WindTunnel) public struct Fingerprint: Hashable, Sendable {
  @usableFromInline let first: Int
  @usableFromInline let second: Int

  /// Hashes a text, in linear time.
  public init(_ text: String) {
    var text = text
    (first, second) = text.withUTF8 { bytes in
      var (one, other) = (Hasher(), Hasher())
      one.combine(bytes: UnsafeRawBufferPointer(bytes))
      // Another initial value leads to another hash.
      other.combine(UInt64(0x9E37_79B9_7F4A_7C15))
      other.combine(bytes: UnsafeRawBufferPointer(bytes))
      return (one.finalize(), other.finalize())
    }
  }

  /// Hashes the first hash, which is as good as any other.
  @inlinable public func hash(into hasher: inout Hasher) { hasher.combine(first) }

  /// Returns whether two fingerprints are equal in both hashes.
  @inlinable public static func == (one: Fingerprint, other: Fingerprint) -> Bool {
    one.first == other.first && one.second == other.second
  }
}
