// Keys that providers give out, by what they begin with.

extension Shapes {
  /// A key of a provider: what it begins with, and what follows.
  struct Key {
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

  static let keys: [Key] = {
    let upper: @Sendable (UInt8) -> Bool = { 0x41...0x5A ~= $0 || 0x30...0x39 ~= $0 }
    let word: @Sendable (UInt8) -> Bool = { $0.isWord || $0 == UInt8(ascii: "_") }
    let dashed: @Sendable (UInt8) -> Bool = { word($0) || $0 == UInt8(ascii: "-") }
    let dotted: @Sendable (UInt8) -> Bool = { dashed($0) || $0 == UInt8(ascii: ".") }
    let hexadecimal: @Sendable (UInt8) -> Bool = { 0x30...0x39 ~= $0 || 0x61...0x66 ~= $0 }
    let letter = word
    func all(
      _ marks: [String],
      _ kind: String,
      _ count: ClosedRange<Int>,
      _ isLetter: @escaping @Sendable (UInt8) -> Bool
    ) -> [Key] {
      marks.map { Key($0, kind, count, isLetter) }
    }
    return all(["AKIA", "ASIA"], "aws-key", 16...16, upper)
      + all(["ghp_", "gho_", "ghu_", "ghs_", "ghr_"], "github-token", 30...255, letter)
      + all(["github_pat_"], "github-token", 40...255, letter)
      + all(["glpat-"], "gitlab-token", 20...64, dashed)
      + all(
        ["xoxa-", "xoxb-", "xoxp-", "xoxr-", "xoxs-", "xoxe-"],
        "slack-token",
        10...255,
        dashed
      )
      + all(["AIza"], "google-key", 35...35, dashed)
      + all(["sk_live_", "rk_live_", "sk_test_"], "stripe-key", 16...255, letter)
      + all(["sk-"], "api-key", 32...255, dashed) + all(["hf_"], "api-key", 30...64, letter)
      + all(["npm_"], "npm-token", 36...36, letter)
      + all(["SG."], "sendgrid-key", 60...80, dotted)
      + all(["shpat_", "shpss_", "shpca_", "shppa_"], "shopify-token", 32...32, hexadecimal)
      + all(["dop_v1_", "doo_v1_", "dor_v1_"], "digitalocean-token", 64...64, hexadecimal)
      + all(["pypi-"], "pypi-token", 50...255, dashed)
      + all(["SK"], "twilio-key", 32...32, hexadecimal)
  }()

  /// The key of a provider that begins at a place; `nil` and where none can begin before, if none
  /// does.
  static func key(at place: Int, in bytes: [UInt8]) -> Found? {
    for key in keys where bytes[place...].starts(with: key.mark) {
      let start = place + key.mark.count
      // One letter more than there may be is looked at, not the rest of the text.
      let count = bytes[start...].prefix(key.count.upperBound + 1).prefix { key.isLetter($0) }.count
      if key.count.contains(count) { return Found(range: place..<start + count, kind: key.kind) }
    }
    return nil
  }

  /// `123456789:AA…`, a bot's number and its token, around the colon.
  static func bot(around colon: Int, in bytes: [UInt8]) -> Found? {
    guard colon >= 6, bytes[(colon + 1)...].starts(with: "AA".utf8) else { return nil }
    let token = bytes[(colon + 1)...].prefix(40)
      .prefix { $0.isWord || $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "_") }
    var start = colon
    while start > 0, colon - start < 13, 0x30...0x39 ~= bytes[start - 1] { start -= 1 }
    guard token.count == 35, 6...12 ~= colon - start else { return nil }
    return Found(range: start..<token.endIndex, kind: "bot-token")
  }
}
