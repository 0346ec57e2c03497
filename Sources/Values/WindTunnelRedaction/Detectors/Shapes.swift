internal import Foundation

/// Secrets with a known format, independent of their names.
///
/// The cost is linear: a long word that is not a secret is not read again from its middle.
struct Shapes: Detector {
  private let bytes: Bytes
  /// The end of the last run of letters that tokens may contain.
  private var runEnd = 0
  private var keyRuns = KnownKey.Runs()
  /// No web token begins before this position.
  private var tokenStart = 0
  /// The number of attempts before one dot.
  private var tries = (dot: 0, count: 0)
  /// The position of the next private key's end, as far as it is known.
  private var keyEnd: (from: Int, place: Int?)?
  /// No truncated key begins before this position.
  private var keyStart = 0

  /// Where a byte may begin a known format.
  private enum Beginning { case nowhere, afterNoWord, anywhere }

  private static let begins: [Beginning] = (UInt8.min...UInt8.max).map {
    ":$".utf8.contains($0) ? .anywhere : $0.isWord || $0 == "-" ? .afterNoWord : .nowhere
  }

  /// Returns the secrets in a text, in order.
  static func findings(in passage: Passage) -> [Finding] {
    let bytes = passage.bytes
    var reader = Shapes(bytes: bytes)
    var found: [Finding] = []
    var place = 0
    while let start = beginning(from: place, in: bytes) {
      place = start + 1
      guard let next = reader.shape(at: start) else { continue }
      found.append(next)
      place = max(next.range.upperBound, place)
      if next.name == "aws-key" || next.name == "alibaba-key",
        let other = partner(of: next, in: bytes)
      {
        found.append(other)
        place = other.range.upperBound
      }
    }
    return found
  }

  /// Whether a word is within longer base64, in which any short text occurs by coincidence. The
  /// base64 is one word, or lines of equal length (RFC 2045 §6.8).
  private static func isWithinBase64(_ range: Range<Int>, of bytes: Bytes) -> Bool {
    let start = wordStart(range.lowerBound, in: bytes)
    let end = wordEnd(range.upperBound, in: bytes)
    if range.lowerBound - start + end - range.upperBound >= base64BytesMin { return true }
    // A word on its own line belongs to a list. A word with hyphens consists of names and keys.
    guard start..<end != range, end - start >= lineBytesMin,
      !bytes[start..<end].contains(where: { "-_".utf8.contains($0) })
    else { return false }
    let before = lineBefore(start, in: bytes)
    let next = end < bytes.count && bytes[end] == 0x0D ? end + 2 : end + 1
    let after = min(next, bytes.count)
    return before.count == end - start || wordEnd(after, in: bytes) - after == end - start
      || before.count >= end - start
        && lineBefore(before.lowerBound, in: bytes).count == before.count
  }

  /// Returns the letters at the end of the line before a position.
  private static func lineBefore(_ place: Int, in bytes: Bytes) -> Range<Int> {
    guard place > 1, bytes[place - 1] == 0x0A else { return place..<place }
    let end = bytes[place - 2] == 0x0D ? place - 2 : place - 1
    return wordStart(end, in: bytes)..<end
  }

  private static func wordStart(_ place: Int, in bytes: Bytes) -> Int {
    place
      - bytes[..<place].suffix(base64BytesMin).reversed().prefix(while: Base64Text.isLetter).count
  }

  private static func wordEnd(_ place: Int, in bytes: Bytes) -> Int {
    bytes.run(from: place, most: base64BytesMin, while: Base64Text.isLetter).endIndex
  }

  /// The minimum length of a line of base64.
  private static let lineBytesMin = 60

  /// The minimum number of surrounding letters of base64; shorter words may be paths or names.
  private static let base64BytesMin = 256

  /// Returns the secret after the identifier of a key: 30 or 40 letters of base64.
  private static func partner(of key: Finding, in bytes: Bytes) -> Finding? {
    let before = bytes.run(from: key.range.upperBound, most: 48) {
      !Base64Text.isLetter($0) || $0 == "-"
    }
    let word = bytes.run(from: before.endIndex, most: 41, while: Base64Text.isLetter)
    guard before.count < 48, word.count == 40 || word.count == 30, TextShape.isDrawn(word.text)
    else {
      return nil
    }
    return Finding(word.indices, "cloud-secret")
  }

  /// Returns the next position at which a word may begin with a known format, or a colon may
  /// separate a bot's number from its token.
  private static func beginning(from place: Int, in bytes: Bytes) -> Int? {
    bytes.withUnsafeBufferPointer { bytes in
      begins.withUnsafeBufferPointer { begins in
        var place = place
        while place < bytes.count {
          switch begins[Int(bytes[place])] {
          case .nowhere: break
          case .afterNoWord: if place == 0 || !bytes[place - 1].isWord { return place }
          case .anywhere: return place
          }
          place += 1
        }
        return nil
      }
    }
  }

  private mutating func shape(at place: Int) -> Finding? {
    if bytes[place] == ":" { return Self.bot(around: place, in: bytes) }
    guard place == 0 || !bytes[place - 1].isWord else { return nil }
    switch bytes[place] {
    case "e": if let token = webToken(at: place) { return token }
    case "-": return privateKey(at: place)
    case "B", "b":
      if let found = credentials(at: place) { return found }
    default: break
    }
    if let key = KnownKey.found(at: place, in: bytes, &keyRuns),
      !Self.isWithinBase64(key.range, of: bytes)
    {
      return key
    }
    if let key = azureKey(at: place) { return key }
    // The other formats need a long word.
    if place >= runEnd {
      runEnd = bytes.run(from: place, while: KnownKey.Letters.dotted.contains).endIndex
    }
    guard runEnd - place >= 28 else { return nil }
    if let key = Self.oddKey(at: place, in: bytes) { return key }
    // A word with hyphens is checked only once, from its beginning.
    if place > 0, KnownKey.Letters.dashed.contains(bytes[place - 1]) { return nil }
    return KnownKey.named(at: place, in: bytes)
  }

  /// The marks of Microsoft's identifiable keys, with their position and the number of letters.
  private static let azureMarks = [
    (76, 86...88, "APIM ACDb +ABa +AMC +ASt"), (44, 54...58, "AzFu"),
    (42, 52...52, "AzSe +ACR"), (33, 41...44, "AzCa AIoT +ASb +AEh +ARm"),
  ].map { (place: $0.0, count: $0.1, marks: $0.2.utf8.split(separator: 0x20).map(Bytes.init)) }

  private mutating func azureKey(at place: Int) -> Finding? {
    let end = keyRuns.end(of: .base64, place, in: bytes)
    guard end - place > 40,
      let row = Self.azureMarks.first(where: { $0.count.contains(end - place) }),
      row.marks.contains(where: { bytes[(place + row.place)...].starts(with: $0) })
    else { return nil }
    return Finding(place..<end, "azure-secret")
  }

  /// Returns a web token: three parts separated by dots, or five if it is encrypted (RFC 7516
  /// §7.1), of which the second may be empty.
  private mutating func webToken(at place: Int) -> Finding? {
    guard place >= tokenStart, bytes.has("eyJ", at: place) else { return nil }
    let first = tokenEnd(place)
    var (last, ends) = (first, [first])
    while ends.count < 5, bytes.has(".", at: last) {
      last = tokenEnd(last + 1)
      ends.append(last)
    }
    guard ends.count > 2 else {
      tokenStart = first
      return nil
    }
    if ends.count == 5, ends[3] > ends[2] + 1, last > ends[3] + 1, last - place >= 60 {
      return Finding(place..<last, "jwe")
    }
    tries = tries.dot == first ? (first, tries.count + 1) : (first, 1)
    if ends[2] > ends[1] + 1, ends[1] > first + 1,
      WebToken(bytes[place..<ends[2]].text) != nil
    {
      return Finding(place..<ends[2], "jwt")
    }
    // A token may begin after a hyphen, but the number of attempts is limited.
    if tries.count >= 4 { tokenStart = first }
    return nil
  }

  private func tokenEnd(_ start: Int) -> Int {
    bytes.run(from: start, while: KnownKey.Letters.dashed.contains).endIndex
  }

  /// Returns the content of a private key between its two lines, which are kept (RFC 7468 §2). If
  /// the second line is missing, returns text that may be a part of a key.
  private mutating func privateKey(at place: Int) -> Finding? {
    guard bytes.has("-----BEGIN ", at: place),
      let label = bytes[place...].prefix(80).firstRange(of: Bytes("PRIVATE KEY".utf8)),
      let dashes = bytes[label.upperBound...].prefix(12).firstRange(of: Bytes("-----".utf8))
    else { return nil }
    let start = dashes.upperBound
    var inner = bytes[start..<(keyEnd(from: start) ?? start)]
    if inner.isEmpty {
      guard start >= keyStart else { return nil }
      inner = bytes[start...].prefix { $0 <= 0x20 || Base64Text.isLetter($0) || $0 == 0x3D }
      guard inner.split(whereSeparator: { $0 <= 0x20 }).contains(where: { $0.count >= 32 }) else {
        // A key that begins within this text would have the same end and no longer words.
        keyStart = inner.endIndex
        return nil
      }
    }
    guard let first = inner.firstIndex(where: { $0 > 0x20 }),
      let last = inner.lastIndex(where: { $0 > 0x20 })
    else { return nil }
    return Finding(first..<last + 1, "private-key")
  }

  private mutating func keyEnd(from start: Int) -> Int? {
    if let known = keyEnd, known.from <= start, known.place.map({ $0 >= start }) ?? true {
      return known.place
    }
    let place = bytes[start...].firstRange(of: Bytes("-----END".utf8))?.lowerBound
    keyEnd = (start, place)
    return place
  }

  /// Returns credentials (RFC 9110 §11.4): `Basic` with a text that decodes to a pair, or `Bearer`
  /// with a text of sufficient length.
  private func credentials(at place: Int) -> Finding? {
    let scheme = bytes.run(from: place, most: 7, while: \.isWord)
    let name = scheme.lowercasedText
    guard name == "basic" || name == "bearer", bytes.has(" ", at: scheme.endIndex) else {
      return nil
    }
    var token = bytes.run(from: scheme.endIndex + 1) {
      Base64Text.isLetter($0) || ".~=".utf8.contains($0)
    }
    while token.last == "." { token.removeLast() }
    if name == "basic" {
      guard token.count >= 4, let pair = Base64Text.decoded(token).flatMap({ String(utf8: $0) }),
        pair.contains(":"), pair.utf8.allSatisfy({ $0 >= 0x20 })
      else { return nil }
    } else if token.count < 16 || !token.contains(where: \.isASCIIDigit) {
      return nil
    }
    return Finding(token.indices, name)
  }

  /// Returns a bot's number and token around a colon: `123456789:AA…`.
  static func bot(around colon: Int, in bytes: Bytes) -> Finding? {
    let isDashed = KnownKey.Letters.dashed.contains
    if colon >= 11, bytes.has("APA91b", at: colon + 1) {
      let key = bytes.run(from: colon + 1, most: 200, while: isDashed)
      let id = bytes[..<colon].suffix(64).reversed().prefix(while: isDashed).count
      return key.count < 130 || id < 11 ? nil : Finding(colon - id..<key.endIndex, "fcm-key")
    }
    guard colon >= 6, bytes.has("AA", at: colon + 1) else { return nil }
    let token = bytes.run(from: colon + 1, most: 40, while: isDashed)
    let number = bytes[..<colon].suffix(13).reversed().prefix(while: \.isASCIIDigit).count
    return token.count == 35 && 6...12 ~= number
      ? Finding(colon - number..<token.endIndex, "bot-token") : nil
  }

  /// Returns a key with a mark in its middle or at its end.
  ///
  /// The keys are a Discord bot's (`MTk4….Gabc12.…`), Mailchimp's (`…-us12`) and a client secret of
  /// Entra ID (`abc8Q~…`).
  static func oddKey(at place: Int, in bytes: Bytes) -> Finding? {
    let word = bytes.run(from: place, most: 90, while: KnownKey.Letters.dotted.contains)
    guard 34..<90 ~= word.count else { return nil }
    let parts = word.split { $0 == "." }
    let counts = parts.map(\.count)
    if counts.count == 3, "MNO".utf8.contains(word[place]), 23...28 ~= counts[0], counts[1] == 6,
      counts[2] >= 27
    {
      return Finding(place..<parts[2].endIndex, "discord-token")
    }
    let isHexadecimal = word.prefix(32).allSatisfy(KnownKey.Letters.hexadecimal.contains)
    func has(_ mark: String, at place: Int) -> Bool {
      word.dropFirst(place).starts(with: mark.utf8)
    }
    let rows: [(row: String, isIt: Bool)] = [
      ("mailchimp-key", isHexadecimal && has("-us", at: 32) && 36...37 ~= word.count),
      ("mailgun-key", isHexadecimal && word.count == 50 && counts.count == 1),
      // An identifier of Zhipu with its secret.
      ("api-key", isHexadecimal && word.count == 49 && counts.last == 16),
      // 84 letters with marks at their ends, issued by Azure since 2024.
      ("azure-secret", 37...40 ~= word.count && has("Q~", at: 4)),
      ("azure-secret", word.count == 84 && has("JQQJ", at: 52)),
      (
        "maxmind-key", counts.count == 1 && 38...46 ~= word.count && has("_mmk", at: word.count - 4)
      ),
    ]
    if let row = rows.first(where: \.isIt)?.row { return Finding(word.indices, row) }
    // `0.<uuid>.<30 letters>:<base64>`, a machine account of Bitwarden.
    guard counts == [1, 36, 30], parts[0].first == "0" else { return nil }
    let key = bytes.run(from: word.endIndex + 1, most: 24, while: KnownKey.Letters.base64.contains)
    let end = bytes.has(":", at: word.endIndex) ? key.endIndex : word.endIndex
    return Finding(place..<end, "bitwarden-token")
  }
}
