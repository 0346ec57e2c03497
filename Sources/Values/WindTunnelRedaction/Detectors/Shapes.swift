internal import Foundation

/// Secrets that are known by their looks, whatever they are called.
///
/// The cost is linear: where a long word turns out to be none, it is not read again from its
/// middle.
enum Shapes: Detector {
  /// Tells whether anything that is known begins with a byte.
  private static let begins = (UInt8.min...UInt8.max).map { $0.isWord || "-:$".utf8.contains($0) }

  /// Returns the secrets in a text, in their order.
  static func findings(in passage: Passage) -> [Finding] {
    let bytes = passage.bytes
    var reader = Reader(bytes: bytes)
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

  /// Tells whether a word stands within base64 of some length, where any few letters turn up by
  /// chance: in one word, or in lines of one length (RFC 2045 §6.8).
  private static func isWithinBase64(_ range: Range<Int>, of bytes: Bytes) -> Bool {
    let start = wordStart(range.lowerBound, in: bytes)
    let end = wordEnd(range.upperBound, in: bytes)
    if range.lowerBound - start + end - range.upperBound >= base64BytesMin { return true }
    // A word that has a line of its own is one of a list, and what has hyphens is of names and
    // keys.
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

  /// Returns the letters that end with the line before a place.
  private static func lineBefore(_ place: Int, in bytes: Bytes) -> Range<Int> {
    guard place > 1, bytes[place - 1] == 0x0A else { return place..<place }
    let end = bytes[place - 2] == 0x0D ? place - 2 : place - 1
    return wordStart(end, in: bytes)..<end
  }

  private static func wordStart(_ place: Int, in bytes: Bytes) -> Int {
    place
      - bytes[..<place].suffix(base64BytesMin).reversed().prefix { Base64Text.isLetter($0) }.count
  }

  private static func wordEnd(_ place: Int, in bytes: Bytes) -> Int {
    place + bytes[place...].prefix(base64BytesMin).prefix { Base64Text.isLetter($0) }.count
  }

  /// The least length of a line of base64.
  private static let lineBytesMin = 60

  /// The number of letters around a word from which on they are base64, and no path or name.
  private static let base64BytesMin = 256

  /// Returns the secret that stands behind the name of a key: 30 or 40 letters of base64.
  private static func partner(of key: Finding, in bytes: Bytes) -> Finding? {
    let rest = bytes[key.range.upperBound...].prefix(48)
    let before = rest.prefix { !Base64Text.isLetter($0) || $0 == UInt8(ascii: "-") }
    let word = bytes[before.endIndex...].prefix(41).prefix { Base64Text.isLetter($0) }
    guard before.count < rest.count, word.count == 40 || word.count == 30,
      Looks.isDrawn(String(decoding: word, as: UTF8.self))
    else { return nil }
    return Finding(word.startIndex..<word.endIndex, "cloud-secret")
  }

  /// Finds the next place where a word begins as something known does, or where a colon may part a
  /// bot's number from its token.
  private static func beginning(from place: Int, in bytes: Bytes) -> Int? {
    bytes.withUnsafeBufferPointer { bytes in
      begins.withUnsafeBufferPointer { begins in
        (min(place, bytes.count)..<bytes.count).first { place in
          let byte = bytes[place]
          guard begins[Int(byte)] else { return false }
          return ":$".utf8.contains(byte) || place == 0 || !bytes[place - 1].isWord
        }
      }
    }
  }

  /// A reader that scans a text once, from its beginning to its end.
  private struct Reader {
    let bytes: Bytes
    /// The end of the letters that tokens have, from the place that was asked for last.
    private var runEnd = 0
    private var keyRuns = KnownKey.Runs()
    /// Before it no web token begins.
    private var tokenStart = 0
    /// The number of tokens that were tried before one dot.
    private var tries = (dot: 0, count: 0)
    /// The place where the end of the next private key stands, as far as it is known.
    private var keyEnd: (from: Int, place: Int?)?
    /// Before it no part of a key begins whose end is missing.
    private var keyStart = 0

    init(bytes: Bytes) { self.bytes = bytes }

    mutating func shape(at place: Int) -> Finding? {
      if bytes[place] == UInt8(ascii: ":") { return Shapes.bot(around: place, in: bytes) }
      guard place == 0 || !bytes[place - 1].isWord else { return nil }
      switch bytes[place] {
      case UInt8(ascii: "e"): if let token = webToken(at: place) { return token }
      case UInt8(ascii: "-"): return privateKey(at: place)
      case UInt8(ascii: "B"), UInt8(ascii: "b"):
        if let found = credentials(at: place) { return found }
      default: break
      }
      if let key = KnownKey.found(at: place, in: bytes, &keyRuns),
        !Shapes.isWithinBase64(key.range, of: bytes)
      {
        return key
      }
      if let key = azureKey(at: place) { return key }
      // The rest is of long words.
      if place >= runEnd {
        runEnd = place
        while runEnd < bytes.count, KnownKey.Letters.dotted.contains(bytes[runEnd]) { runEnd += 1 }
      }
      guard runEnd - place >= 28 else { return nil }
      if let key = Shapes.oddKey(at: place, in: bytes) { return key }
      // A word with hyphens is looked at once, from its beginning.
      if place > 0, KnownKey.Letters.dashed.contains(bytes[place - 1]) { return nil }
      return KnownKey.named(at: place, in: bytes)
    }

    /// Marks behind so many letters of so many, by Microsoft's rules for identifiable keys.
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

    /// Three words with dots between them; encrypted five (RFC 7516 §7.1), of which the second may
    /// be missing.
    private mutating func webToken(at place: Int) -> Finding? {
      guard place >= tokenStart, bytes[place...].starts(with: "eyJ".utf8) else { return nil }
      let first = wordEnd(place)
      var (last, ends) = (first, [first])
      while ends.count < 5, last < bytes.count, bytes[last] == UInt8(ascii: ".") {
        last = wordEnd(last + 1)
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
        WebToken(String(decoding: bytes[place..<ends[2]], as: UTF8.self)) != nil
      {
        return Finding(place..<ends[2], "jwt")
      }
      // A word may begin behind a hyphen, but not behind each of thousands.
      if tries.count >= 4 { tokenStart = first }
      return nil
    }

    private func wordEnd(_ start: Int) -> Int {
      bytes[start...].prefix(while: KnownKey.Letters.dashed.contains).endIndex
    }

    /// RFC 7468 §2: what stands between the two lines; the lines stay. Where the second is missing,
    /// what may be a part of a key.
    private mutating func privateKey(at place: Int) -> Finding? {
      guard bytes[place...].starts(with: "-----BEGIN ".utf8),
        let label = bytes[place...].prefix(80).firstRange(of: Bytes("PRIVATE KEY".utf8))
      else { return nil }
      let rest = bytes[label.upperBound...].prefix(12)
      guard let dashes = rest.firstRange(of: Bytes("-----".utf8)) else { return nil }
      let start = dashes.upperBound
      let end = keyEnd(from: start) ?? start
      var inner = bytes[start..<end]
      if inner.isEmpty {
        guard start >= keyStart else { return nil }
        inner = bytes[start...].prefix { $0 <= 0x20 || Base64Text.isLetter($0) || $0 == 0x3D }
        guard inner.split(whereSeparator: { $0 <= 0x20 }).contains(where: { $0.count >= 32 }) else {
          // What begins within ends with it and has no longer words.
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

    /// RFC 9110 §11.4: `Basic` and what decodes to a pair, `Bearer` and what is long enough.
    private func credentials(at place: Int) -> Finding? {
      let scheme = bytes[place...].prefix(7).prefix { $0.isWord }
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
        return Finding(start..<token.endIndex, "basic")
      }
      guard token.count >= 16, token.contains(where: { $0.isASCIIDigit }) else { return nil }
      return Finding(start..<token.endIndex, "bearer")
    }
  }

  /// `123456789:AA…`, a bot's number and its token, around the colon.
  static func bot(around colon: Int, in bytes: Bytes) -> Finding? {
    if colon >= 11, bytes[(colon + 1)...].starts(with: "APA91b".utf8) {
      let key = bytes[(colon + 1)...].prefix(200).prefix(while: KnownKey.Letters.dashed.contains)
      let id = bytes[..<colon].suffix(64).reversed()
        .prefix(while: KnownKey.Letters.dashed.contains).count
      return key.count < 130 || id < 11 ? nil : Finding(colon - id..<key.endIndex, "fcm-key")
    }
    guard colon >= 6, bytes[(colon + 1)...].starts(with: "AA".utf8) else { return nil }
    let token = bytes[(colon + 1)...].prefix(40).prefix(while: KnownKey.Letters.dashed.contains)
    var start = colon
    while start > 0, colon - start < 13, 0x30...0x39 ~= bytes[start - 1] { start -= 1 }
    guard token.count == 35, 6...12 ~= colon - start else { return nil }
    return Finding(start..<token.endIndex, "bot-token")
  }

  /// Keys that are known by what stands in their middle or at their end: a bot's of Discord
  /// (`MTk4….Gabc12.…`), Mailchimp's (`…-us12`), a client secret of Entra ID (`abc8Q~…`).
  static func oddKey(at place: Int, in bytes: Bytes) -> Finding? {
    let word = bytes[place...].prefix(90).prefix(while: KnownKey.Letters.dotted.contains)
    if word.count < 34 || word.count >= 90 { return nil }
    let parts = word.split(separator: UInt8(ascii: "."))
    if parts.count == 3, "MNO".utf8.contains(word[place]), 23...28 ~= parts[0].count,
      parts[1].count == 6, parts[2].count >= 27
    {
      return Finding(place..<parts[2].endIndex, "discord-token")
    }
    let whole = word.startIndex..<word.endIndex
    let isHexadecimal = word.prefix(32).allSatisfy(KnownKey.Letters.hexadecimal.contains)
    if isHexadecimal, word.dropFirst(32).starts(with: "-us".utf8), 36...37 ~= word.count {
      return Finding(whole, "mailchimp-key")
    }
    if isHexadecimal, word.count == 50, parts.count == 1 { return Finding(whole, "mailgun-key") }
    // An id of Zhipu and its secret.
    if isHexadecimal, word.count == 49, parts.last?.count == 16 { return Finding(whole, "api-key") }
    // 84 letters with marks at their ends, as Azure has given them out since 2024.
    if 37...40 ~= word.count && word.dropFirst(4).starts(with: "Q~".utf8)
      || word.count == 84 && word.dropFirst(52).starts(with: "JQQJ".utf8)
    {
      return Finding(whole, "azure-secret")
    }
    if parts.count == 1, 38...46 ~= word.count, word.suffix(4).elementsEqual("_mmk".utf8) {
      return Finding(whole, "maxmind-key")
    }
    // `0.<uuid>.<30 letters>:<base64>`, a machine's account at Bitwarden.
    if parts.count == 3, parts[0].elementsEqual("0".utf8), parts[1].count == 36,
      parts[2].count == 30
    {
      guard bytes[word.endIndex...].first == UInt8(ascii: ":") else {
        return Finding(whole, "bitwarden-token")
      }
      let key = bytes[(word.endIndex + 1)...].prefix(24)
        .prefix(while: KnownKey.Letters.base64.contains)
      return Finding(place..<key.endIndex, "bitwarden-token")
    }
    return nil
  }
}
