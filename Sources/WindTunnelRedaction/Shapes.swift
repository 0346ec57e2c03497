/// Secrets that are known by their looks, whatever they are called.
///
/// The cost is linear: where a long word turns out to be none, it is not read again from its middle.
enum Shapes {
  /// One that was found.
  struct Found {
    var range: Range<Int>
    /// What it is, as it stands in a pseudonym.
    var kind: String
  }

  /// Whether anything that is known begins with a byte.
  private static let begins: [Bool] = {
    var begins = [Bool](repeating: false, count: 256)
    for byte in keys.compactMap(\.mark.first) + Array("e-Bbc:".utf8) { begins[Int(byte)] = true }
    return begins
  }()

  /// The secrets in a text, in their order.
  static func found(in bytes: [UInt8]) -> [Found] {
    var reader = Reader(bytes: bytes)
    var found: [Found] = []
    var place = 0
    while let start = beginning(from: place, in: bytes) {
      place = start + 1
      guard let next = reader.shape(at: start) else { continue }
      found.append(next)
      place = max(next.range.upperBound, place)
    }
    return found
  }

  /// Where the next word begins as something that is known does, or a colon stands, which may part a
  /// bot's number from its token.
  private static func beginning(from place: Int, in bytes: [UInt8]) -> Int? {
    bytes.withUnsafeBufferPointer { bytes in
      begins.withUnsafeBufferPointer { begins in
        (min(place, bytes.count)..<bytes.count).first { place in
          let byte = bytes[place]
          guard begins[Int(byte)] else { return false }
          return byte == UInt8(ascii: ":") || place == 0 || !bytes[place - 1].isWord
        }
      }
    }
  }

  /// Reads a text once, from its beginning to its end.
  private struct Reader {
    let bytes: [UInt8]
    /// Before it no web token begins.
    private var tokenStart = 0
    /// How often a token was tried before one dot.
    private var tries = (dot: 0, count: 0)
    /// Where the end of the next private key stands, as far as it is known.
    private var keyEnd: (from: Int, place: Int?)?
    /// Before it no part of a key begins whose end is missing.
    private var keyStart = 0
    /// The command that was read last, as far as it is looked at.
    private var command = 0..<0
    /// The end of the line that it stands in.
    private var lineEnd = 0

    init(bytes: [UInt8]) { self.bytes = bytes }

    mutating func shape(at place: Int) -> Found? {
      if bytes[place] == UInt8(ascii: ":") { return Shapes.bot(around: place, in: bytes) }
      guard place == 0 || !bytes[place - 1].isWord else { return nil }
      switch bytes[place] {
      case UInt8(ascii: "e"): return webToken(at: place)
      case UInt8(ascii: "-"): return privateKey(at: place) ?? password(at: place)
      case UInt8(ascii: "c"):
        noteCommand(at: place)
        return nil
      case UInt8(ascii: "B"), UInt8(ascii: "b"): return credentials(at: place)
      default: return Shapes.key(at: place, in: bytes)
      }
    }

    /// Three words with dots between them.
    private mutating func webToken(at place: Int) -> Found? {
      guard place >= tokenStart, bytes[place...].starts(with: "eyJ".utf8) else { return nil }
      let first = wordEnd(place)
      guard first < bytes.count, bytes[first] == UInt8(ascii: ".") else {
        tokenStart = first
        return nil
      }
      let second = wordEnd(first + 1)
      guard second < bytes.count, bytes[second] == UInt8(ascii: "."), second > first + 1 else {
        tokenStart = first
        return nil
      }
      let third = wordEnd(second + 1)
      tries = tries.dot == first ? (first, tries.count + 1) : (first, 1)
      if third > second + 1, WebToken(String(decoding: bytes[place..<third], as: UTF8.self)) != nil
      {
        return Found(range: place..<third, kind: "jwt")
      }
      // A word may begin behind a hyphen, but not behind each of thousands.
      if tries.count >= 4 { tokenStart = first }
      return nil
    }

    private func wordEnd(_ start: Int) -> Int {
      var end = start
      while end < bytes.count,
        bytes[end].isWord || bytes[end] == UInt8(ascii: "-") || bytes[end] == UInt8(ascii: "_")
      {
        end += 1
      }
      return end
    }

    /// RFC 7468 §2: what stands between the two lines; the lines stay. Where the second is missing,
    /// what may be a part of a key.
    private mutating func privateKey(at place: Int) -> Found? {
      guard bytes[place...].starts(with: "-----BEGIN ".utf8),
        let label = bytes[place...].prefix(80).firstRange(of: Array("PRIVATE KEY-----".utf8))
      else { return nil }
      let start = label.upperBound
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
      return Found(range: first..<last + 1, kind: "private-key")
    }

    private mutating func keyEnd(from start: Int) -> Int? {
      if let known = keyEnd, known.from <= start, known.place.map({ $0 >= start }) ?? true {
        return known.place
      }
      let place = bytes[start...].firstRange(of: Array("-----END".utf8))?.lowerBound
      keyEnd = (start, place)
      return place
    }

    /// `curl …`, of which 400 bytes of one line are looked at.
    private mutating func noteCommand(at place: Int) {
      guard bytes[place...].starts(with: "curl ".utf8) else { return }
      if lineEnd <= place { lineEnd = bytes[place...].firstIndex(of: 0x0A) ?? bytes.count }
      command = place..<min(place + 400, lineEnd)
    }

    private static let userFlags = ["-u ", "--user ", "--proxy-user "].map { Array($0.utf8) }

    /// `-u user:password` of such a command.
    private func password(at place: Int) -> Found? {
      guard command.contains(place), bytes[place - 1] == 0x20,
        let flag = Self.userFlags.first(where: { bytes[place...].starts(with: $0) })
      else { return nil }
      var start = place + flag.count
      while start < command.upperBound,
        bytes[start] == 0x20 || NamedValues.isQuote(bytes[start])
      { start += 1 }
      guard start < command.upperBound else { return nil }
      let pair = bytes[start..<command.upperBound]
        .prefix { $0 > 0x20 && !"\"'\\".utf8.contains($0) }
      guard let colon = pair.firstIndex(of: UInt8(ascii: ":")), colon + 1 < pair.endIndex,
        !CodeText.beginsReference(pair[(colon + 1)...])
      else { return nil }
      return Found(range: colon + 1..<pair.endIndex, kind: "password")
    }

    /// RFC 9110 §11.4: `Basic` and what decodes to a pair, `Bearer` and what is long enough.
    private func credentials(at place: Int) -> Found? {
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
        return Found(range: start..<token.endIndex, kind: "basic")
      }
      guard token.count >= 16, token.contains(where: { 0x30...0x39 ~= $0 }) else { return nil }
      return Found(range: start..<token.endIndex, kind: "bearer")
    }
  }
}
