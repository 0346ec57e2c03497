// What of the words behind a name is a secret, and what is only said about one.

extension ProseDetector {
  /// The secret that begins at a place; `nil` for what is none.
  func value(at start: Int, _ kind: Kind) -> Range<Int>? {
    var value = bytes[start...].prefix(200).prefix { $0 > 0x20 && !"<>\"'`,;()".utf8.contains($0) }
    let rest = bytes[value.endIndex...].prefix(40)
    while let last = value.last, ".:!?]}".utf8.contains(last) { value.removeLast() }
    guard value.count >= 4, !CodeText.isPlaceholder(value), !CodeText.beginsReference(value),
      !value.starts(with: "REDACTED-".utf8), !Self.isTerm(value)
    else { return nil }
    let digits = value.count { 0x30...0x39 ~= $0 }
    let isSecret =
      switch kind {
      case .word:
        digits == value.count ? !isAmount(rest) : digits > 0 || Self.isOdd(value)
      case .code: isCode(value, digits) && !isAmount(rest)
      case .key: value.count >= 8 && digits > 0 && digits < value.count
      }
    return isSecret ? value.startIndex..<value.endIndex : nil
  }

  /// Letters with a sign that no word has, or with a capital behind a small letter.
  private static func isOdd(_ value: ArraySlice<UInt8>) -> Bool {
    if value.contains(where: { "!@#$%^&*+=~?|".utf8.contains($0) }) {
      return value.contains(where: \.isASCIILetter)
    }
    return zip(value, value.dropFirst()).contains { 0x61...0x7A ~= $0 && 0x41...0x5A ~= $1 }
  }

  private func isCode(_ value: ArraySlice<UInt8>, _ digits: Int) -> Bool {
    (4...12).contains(value.count) && digits > 0
      && value.allSatisfy {
        0x30...0x39 ~= $0 || 0x41...0x5A ~= $0 || $0 == UInt8(ascii: "-")
      }
  }

  /// Whether a number is one of something: `1024 characters`.
  private func isAmount(_ rest: ArraySlice<UInt8>) -> Bool {
    guard rest.first == 0x20 else { return false }
    let next = lowercased(word(at: rest.startIndex + 1))
    return Self.units.contains { next.hasPrefix($0) }
  }

  private static let units = [
    "char", "byte", "bit", "digit", "letter", "time", "second", "minute", "hour", "day", "week",
    "month", "year", "or", "to", "percent", "word",
  ]

  /// `base64`, `SHA-256`, `8-character`: what is said of a secret and has digits.
  private static func isTerm(_ value: ArraySlice<UInt8>) -> Bool {
    let parts = value.split { "-_/".utf8.contains($0) }
    if parts.count == 2, parts[0].allSatisfy({ 0x30...0x39 ~= $0 }),
      parts[1].allSatisfy({ 0x61...0x7A ~= $0 })
    {
      return true
    }
    let whole = FieldName.normalised(String(decoding: value, as: UTF8.self))
    return terms.contains(whole)
      || parts.contains {
        terms.contains(FieldName.normalised(String(decoding: $0, as: UTF8.self)))
      }
  }

  private static let terms: Set<String> = [
    "base64", "base32", "base16", "base58", "md5", "sha1", "sha2", "sha3", "sha224", "sha256",
    "sha384", "sha512", "utf8", "utf16", "iso88591", "argon2", "argon2id", "argon2i", "pbkdf2",
    "oauth", "oauth1", "oauth2", "ed25519", "x509", "pkcs1", "pkcs8", "aes128", "aes256",
    "hs256", "hs384", "hs512", "rs256", "rs384", "rs512", "es256", "es384", "es512", "p256",
    "rfc6749", "rfc6750", "rfc7519", "javascript",
  ]
}
