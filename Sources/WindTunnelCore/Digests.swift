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

/// A key in place of a text: two hashes of it, which take less room than the text.
///
/// It has 128 bits, so that of a million texts no two have the same one (but for one chance in
/// 10²⁶). The hashes are the process's own and never written.
@_spi(WindTunnel) public struct Fingerprint: Hashable, Sendable {
  @usableFromInline let first: Int
  @usableFromInline let second: Int

  /// Hashes a text, in linear time.
  public init(_ text: String) {
    var text = text
    (first, second) = text.withUTF8 { bytes in
      var (one, other) = (Hasher(), Hasher())
      one.combine(bytes: UnsafeRawBufferPointer(bytes))
      // Another beginning makes another hash.
      other.combine(UInt64(0x9E37_79B9_7F4A_7C15))
      other.combine(bytes: UnsafeRawBufferPointer(bytes))
      return (one.finalize(), other.finalize())
    }
  }

  /// Hashes the first hash, which is as good as any other.
  @inlinable public func hash(into hasher: inout Hasher) { hasher.combine(first) }

  /// Tells whether two fingerprints agree in both hashes.
  @inlinable public static func == (one: Fingerprint, other: Fingerprint) -> Bool {
    one.first == other.first && one.second == other.second
  }
}
