internal import Foundation

/// A search for words that look random.
///
/// Such a word has 24 to 200 characters of base64 with lower case, upper case and at least two
/// digits. Its entropy is at least 4.2 bits a character. A word of hexadecimal digits has at most 4
/// bits a character and is never reported, because it is an identifier as often as a secret.
enum Entropy {
  /// The minimum entropy of a reported word in bits a character.
  static let bitsMin = 4.2
  /// The lengths of reported words.
  static let lengths = 24...200

  static func runs(in bytes: Bytes) -> [Range<Int>] {
    let runs = Base64Text.runs(in: bytes, lengthMin: lengths.lowerBound).filter { run in
      let word = bytes[run]
      return lengths.contains(word.count) && !word.starts(with: "REDACTED-".utf8)
        && isMixed(word) && !isDigest(word) && !isData(bytes, run) && bits(word) >= bitsMin
        && !isPath(word) && !isText(word) && !sshKeys.contains { word.starts(with: $0.utf8) }
        && !TextShape.isPublished(word.text)
    }
    if runs.isEmpty { return [] }
    let keys = publicKeys(in: bytes)
    return runs.filter { run in !keys.contains { $0.contains(run.lowerBound) } }
  }

  private static func isMixed(_ word: ByteSlice) -> Bool {
    word.contains { 0x61...0x7A ~= $0 } && word.contains { 0x41...0x5A ~= $0 }
      && word.count { $0.isASCIIDigit } >= 2
  }

  /// Whether a word is a digest such as `sha384-…` in `integrity` (Subresource Integrity §3.1),
  /// which is public.
  private static func isDigest(_ word: ByteSlice) -> Bool {
    ["sha1-", "sha256-", "sha384-", "sha512-"].contains { word.starts(with: $0.utf8) }
  }

  /// Whether a run is part of a data URL with media, such as `data:image/png;base64,…` (RFC 2397
  /// §2).
  private static func isData(_ bytes: Bytes, _ run: Range<Int>) -> Bool {
    let before = bytes[max(0, run.lowerBound - 60)..<run.lowerBound]
    return before.suffix(8).elementsEqual(";base64,".utf8)
      && ["data:image/", "data:font/", "data:audio/", "data:video/"].contains {
        before.firstRange(of: Bytes($0.utf8)) != nil
      }
  }

  /// The beginnings of SSH's public keys in base64 (RFC 4253 §6.6): `ssh-rsa`, `ssh-ed25519` and
  /// `ecdsa-sha2-`.
  private static let sshKeys = ["AAAAB3NzaC1", "AAAAC3NzaC1", "AAAAE2VjZHNhLXNoYTIt"]

  /// Returns the first public keys and certificates in PEM (RFC 7468 §5 and §13).
  private static func publicKeys(in bytes: Bytes) -> [Range<Int>] {
    bytes.ranges(of: Bytes("-----BEGIN ".utf8)).prefix(keysMax).compactMap { begin in
      let rest = bytes[begin.upperBound...].prefix(keyBytesMax)
      let labels = ["PUBLIC KEY-", "RSA PUBLIC KEY-", "CERTIFICATE-"]
      guard labels.contains(where: { rest.starts(with: $0.utf8) }),
        let end = rest.firstRange(of: Bytes("-----END ".utf8)),
        // The end of another key is not the end of a truncated one.
        rest[..<end.lowerBound].firstRange(of: Bytes("-----BEGIN ".utf8)) == nil
      else { return nil }
      return begin.lowerBound..<end.lowerBound
    }
  }

  /// The maximum number of public keys in a text, and the maximum size of one in bytes.
  private static let (keysMax, keyBytesMax) = (64, 16 << 10)

  /// Whether a word is the base64 of a text, which was already searched.
  private static func isText(_ word: ByteSlice) -> Bool {
    guard let decoded = Base64Text.decoded(word) else { return false }
    return String(utf8: decoded) != nil && decoded.allSatisfy { $0 >= 0x20 || $0 == 0x0A }
  }

  /// Whether a word is a path or a name of several words, with frequent separators.
  private static func isPath(_ word: ByteSlice) -> Bool {
    let parts = word.split { "/-_".utf8.contains($0) }
    return parts.allSatisfy { $0.count < 16 } && parts.count > 2
  }

  /// Returns Shannon's entropy of the characters in bits a character.
  static func bits(_ word: some Collection<UInt8>) -> Double {
    var counts: [UInt8: Int] = [:]
    for byte in word { counts[byte, default: 0] += 1 }
    let total = Double(word.count)
    return counts.values.reduce(0) { sum, count in
      let share = Double(count) / total
      return sum - share * log2(share)
    }
  }
}
