/// Secrets that are known by their looks, whatever they are called.
enum Shapes {
  /// One that was found.
  struct Found {
    var range: Range<Int>
    /// What it is, as it stands in a pseudonym.
    var kind: String
  }

  /// A key of a provider: what it begins with, and what follows.
  private struct Key {
    var mark: [UInt8]
    var kind: String
    var count: ClosedRange<Int>
    var isLetter: @Sendable (UInt8) -> Bool

    init(
      _ mark: String,
      _ kind: String,
      _ count: ClosedRange<Int>,
      _ isLetter: @escaping @Sendable (UInt8) -> Bool
    ) {
      (self.mark, self.kind, self.count, self.isLetter) = (Array(mark.utf8), kind, count, isLetter)
    }
  }

  private static let keys: [Key] = {
    let upper: @Sendable (UInt8) -> Bool = { 0x41...0x5A ~= $0 || 0x30...0x39 ~= $0 }
    let word: @Sendable (UInt8) -> Bool = { $0.isWord || $0 == UInt8(ascii: "_") }
    let dashed: @Sendable (UInt8) -> Bool = { word($0) || $0 == UInt8(ascii: "-") }
    return [
      Key("AKIA", "aws-key", 16...16, upper), Key("ASIA", "aws-key", 16...16, upper),
      Key("ghp_", "github-token", 30...255, word), Key("gho_", "github-token", 30...255, word),
      Key("ghu_", "github-token", 30...255, word), Key("ghs_", "github-token", 30...255, word),
      Key("ghr_", "github-token", 30...255, word),
      Key("github_pat_", "github-token", 40...255, word),
      Key("glpat-", "gitlab-token", 20...64, dashed),
      Key("xoxa-", "slack-token", 10...255, dashed), Key("xoxb-", "slack-token", 10...255, dashed),
      Key("xoxp-", "slack-token", 10...255, dashed), Key("xoxr-", "slack-token", 10...255, dashed),
      Key("xoxs-", "slack-token", 10...255, dashed), Key("xoxe-", "slack-token", 10...255, dashed),
      Key("AIza", "google-key", 35...35, dashed),
      Key("sk_live_", "stripe-key", 16...255, word), Key("rk_live_", "stripe-key", 16...255, word),
      Key("sk_test_", "stripe-key", 16...255, word), Key("sk-", "api-key", 32...255, dashed),
      Key("npm_", "npm-token", 36...36, word), Key("hf_", "api-key", 30...64, word),
    ]
  }()

  /// Whether anything that is known begins with a byte.
  private static let begins: [Bool] = {
    var begins = [Bool](repeating: false, count: 256)
    for byte in keys.compactMap(\.mark.first) + Array("e-Bb".utf8) { begins[Int(byte)] = true }
    return begins
  }()

  /// The secrets in a text, in their order.
  static func found(in bytes: [UInt8]) -> [Found] {
    var found: [Found] = []
    var place = 0
    while let start = beginning(from: place, in: bytes) {
      place = start + 1
      guard let next = shape(at: start, in: bytes) else { continue }
      found.append(next)
      place = max(next.range.upperBound, place)
    }
    return found
  }

  /// Where the next word begins as something that is known does.
  private static func beginning(from place: Int, in bytes: [UInt8]) -> Int? {
    bytes.withUnsafeBufferPointer { bytes in
      begins.withUnsafeBufferPointer { begins in
        (min(place, bytes.count)..<bytes.count).first { place in
          begins[Int(bytes[place])] && (place == 0 || !bytes[place - 1].isWord)
        }
      }
    }
  }

  private static func shape(at place: Int, in bytes: [UInt8]) -> Found? {
    switch bytes[place] {
    case UInt8(ascii: "e"): return webToken(at: place, in: bytes)
    case UInt8(ascii: "-"): return privateKey(at: place, in: bytes)
    case UInt8(ascii: "B"), UInt8(ascii: "b"): return credentials(at: place, in: bytes)
    default: break
    }
    for key in keys where bytes[place...].starts(with: key.mark) {
      let start = place + key.mark.count
      let count = bytes[start...].prefix { key.isLetter($0) }.count
      if key.count.contains(count) { return Found(range: place..<start + count, kind: key.kind) }
    }
    return nil
  }

  private static func webToken(at place: Int, in bytes: [UInt8]) -> Found? {
    guard bytes[place...].starts(with: "eyJ".utf8) else { return nil }
    var text = bytes[place...].prefix { $0.isWord || "-_.".utf8.contains($0) }
    // The end of a sentence is none of a token's.
    while text.last == UInt8(ascii: ".") { text.removeLast() }
    guard WebToken(String(decoding: text, as: UTF8.self)) != nil else { return nil }
    return Found(range: place..<text.endIndex, kind: "jwt")
  }

  /// RFC 7468 §2: what stands between the two lines; the lines stay.
  private static func privateKey(at place: Int, in bytes: [UInt8]) -> Found? {
    let text = bytes[place...]
    guard text.starts(with: "-----BEGIN ".utf8) else { return nil }
    let line = text.prefix(80)
    guard let label = line.firstRange(of: Array("PRIVATE KEY-----".utf8)) else { return nil }
    let start = label.upperBound
    let end = bytes[start...].firstRange(of: Array("-----END".utf8))?.lowerBound ?? bytes.count
    let isSpace: (UInt8) -> Bool = { $0 <= 0x20 }
    let inner = bytes[start..<end]
    guard let first = inner.firstIndex(where: { !isSpace($0) }),
      let last = inner.lastIndex(where: { !isSpace($0) })
    else { return nil }
    return Found(range: first..<last + 1, kind: "private-key")
  }

  /// RFC 9110 §11.4: `Basic` and what decodes to a pair, `Bearer` and what is long enough.
  private static func credentials(at place: Int, in bytes: [UInt8]) -> Found? {
    let scheme = bytes[place...].prefix { $0.isWord }
    let name = String(decoding: scheme, as: UTF8.self).lowercased()
    guard name == "basic" || name == "bearer", scheme.endIndex < bytes.count,
      bytes[scheme.endIndex] == UInt8(ascii: " ")
    else { return nil }
    let start = scheme.endIndex + 1
    var token = bytes[start...].prefix { Base64Text.isLetter($0) || ".~=".utf8.contains($0) }
    while token.last == UInt8(ascii: ".") { token.removeLast() }
    if name == "basic" {
      guard token.count >= 4, let pair = Base64Text.decoded(token), let text = String(utf8: pair),
        text.contains(":"), text.unicodeScalars.allSatisfy({ $0.value >= 0x20 })
      else { return nil }
      return Found(range: start..<token.endIndex, kind: "basic")
    }
    guard token.count >= 16, token.contains(where: { 0x30...0x39 ~= $0 }) else { return nil }
    return Found(range: start..<token.endIndex, kind: "bearer")
  }

  // MARK: Personal data

  /// Whether a text is an e-mail address and nothing else.
  static func isMail(_ text: String) -> Bool {
    guard text.contains("@") else { return false }
    let bytes = Array(text.utf8)
    return mails(in: bytes).first?.range == 0..<bytes.count
  }

  /// The e-mail addresses in a text.
  static func mails(in bytes: [UInt8]) -> [Found] {
    bytes.indices.filter { bytes[$0] == UInt8(ascii: "@") }.compactMap { at in
      var (start, end) = (at, at + 1)
      while start > 0, isLocal(bytes[start - 1]) { start -= 1 }
      while end < bytes.count,
        bytes[end].isWord || bytes[end] == UInt8(ascii: "-")
          || bytes[end] == UInt8(ascii: ".")
      { end += 1 }
      while end > at + 1, !bytes[end - 1].isWord { end -= 1 }
      guard start < at, let dot = bytes[at..<end].lastIndex(of: UInt8(ascii: ".")),
        dot > at + 1, end - dot > 2
      else { return nil }
      return Found(range: start..<end, kind: "email")
    }
  }

  private static func isLocal(_ byte: UInt8) -> Bool {
    byte.isWord || "._+-".utf8.contains(byte)
  }

  /// International telephone numbers: a plus sign and 8 to 15 digits, with what sets them off.
  static func phones(in bytes: [UInt8]) -> [Found] {
    bytes.indices.filter { bytes[$0] == UInt8(ascii: "+") }.compactMap { start in
      let text = bytes[(start + 1)...].prefix { 0x30...0x39 ~= $0 || " -().".utf8.contains($0) }
      guard let last = text.lastIndex(where: { 0x30...0x39 ~= $0 }),
        0x30...0x39 ~= bytes[start + 1],
        8...15 ~= text.count(where: { 0x30...0x39 ~= $0 })
      else { return nil }
      return Found(range: start..<last + 1, kind: "phone")
    }
  }
}
