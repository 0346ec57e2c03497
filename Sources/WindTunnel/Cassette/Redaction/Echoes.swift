/// Secrets that turn up where nobody expects them: a login that repeats its token in the body, a
/// redirect that carries it in the address.
///
/// All secrets are looked for at once, so the cost does not grow with their number. Those that are
/// found in any text by chance are looked for where they stand alone (``LoneWord``).
struct Echoes {
  private struct Secret {
    var bytes: [UInt8]
    var stand: [UInt8]
    /// Set for one that counts only where it stands alone.
    var alone: LoneWord?
  }

  /// What a text is, which tells what is found in it by chance.
  enum Place {
    /// Fields of the protocol, addresses, binary content: what may stand anywhere is looked for.
    case syntax
    /// What people read.
    case prose
    /// HTML, scripts and style sheets, full of names of fields.
    case script
    /// A name of a field or a segment of a path: letters alone are such a name by right.
    case name
  }

  /// The secrets by their first four bytes, the longest first, so that none is replaced in the
  /// middle of another.
  private var byBeginning: [UInt32: [Secret]] = [:]
  /// Whether any begins with two bytes.
  private var begins = [Bool](repeating: false, count: 1 << 16)
  /// Those that count where they are the whole of a value.
  private var words: [String: String] = [:]

  /// Looks for one more, or for one that is a word in more places.
  mutating func listen(for secret: String, _ sought: Pseudonyms.Sought) {
    let bytes = Array(secret.utf8)
    if sought.reach != .anywhere { words[secret] = sought.stand }
    if sought.reach == .whole || bytes.count < Pseudonyms.aloneBytesMin { return }
    let alone = sought.reach == .alone ? LoneWord(bytes) : nil
    let new = Secret(bytes: bytes, stand: Array(sought.stand.utf8), alone: alone)
    let beginning = Self.beginning(bytes, 0)
    let place = byBeginning[beginning]?.firstIndex { $0.bytes.count < bytes.count }
    byBeginning[beginning, default: []].insert(
      new,
      at: place ?? byBeginning[beginning]?.count ?? 0
    )
    begins[Int(bytes[0]) << 8 | Int(bytes[1])] = true
  }

  var isEmpty: Bool { byBeginning.isEmpty && words.isEmpty }

  private static func beginning(_ bytes: [UInt8], _ place: Int) -> UInt32 {
    var key: UInt32 = 0
    for offset in 0..<4 { key = key << 8 | UInt32(bytes[place + offset]) }
    return key
  }

  /// What stands for a whole value that is a word or short, and a secret.
  func stand(forWhole value: String, in place: Place) -> String? {
    guard place != .syntax, !words.isEmpty, let stand = words[value] else { return nil }
    return place == .name && LoneWord(Array(value.utf8)).isName ? nil : stand
  }

  /// Where secrets stand, and what should.
  func found(in bytes: [UInt8], _ place: Place = .syntax) -> [Edit] {
    guard bytes.count >= 4, !byBeginning.isEmpty else { return [] }
    var edits: [Edit] = []
    var start = 0
    while start + 4 <= bytes.count {
      if bytes[start] == UInt8(ascii: "R"), let end = Self.pseudonymEnd(bytes, start) {
        start = end
      } else if begins[Int(bytes[start]) << 8 | Int(bytes[start + 1])],
        let secret = secret(at: start, in: bytes, place)
      {
        edits.append(Edit(start..<start + secret.bytes.count, secret.stand))
        start += secret.bytes.count
      } else {
        start += 1
      }
    }
    return edits
  }

  private func secret(at start: Int, in bytes: [UInt8], _ place: Place) -> Secret? {
    byBeginning[Self.beginning(bytes, start)]?.first { secret in
      let end = start + secret.bytes.count
      return end <= bytes.count && bytes[start..<end].elementsEqual(secret.bytes)
        && secret.alone?.stands(at: start..<end, of: bytes, in: place) != false
    }
  }

  private static let mark = Array("REDACTED-".utf8)

  /// Where a pseudonym ends that begins at a place: a secret may be a word that occurs in one.
  private static func pseudonymEnd(_ bytes: [UInt8], _ place: Int) -> Int? {
    guard bytes[place...].starts(with: mark) else { return nil }
    var end = place + mark.count
    while end < bytes.count, bytes[end].isSlug { end += 1 }
    return end
  }

  /// What stands for a whole number that is a secret. A short one is a number like any other.
  func stand(forNumber number: [UInt8]) -> String? {
    guard number.count >= Pseudonyms.anywhereBytesMin,
      let secret = secret(at: 0, in: number, .syntax), secret.bytes.count == number.count
    else { return nil }
    return String(decoding: secret.stand, as: UTF8.self)
  }

  /// A text without secrets, in whatever spelling they stand in it; `nil` if there are none.
  func replaced(in bytes: [UInt8], _ place: Place = .syntax) -> [UInt8]? {
    guard !byBeginning.isEmpty else { return nil }
    var bytes = bytes
    var isChanged = false
    for spelling in SpelledText.Spelling.allCases {
      if spelling == .plain {
        let edits = found(in: bytes, place)
        if edits.isEmpty { continue }
        bytes = Edit.applied(edits, to: bytes)
        isChanged = true
        continue
      }
      guard let text = SpelledText(bytes, spelling) else { continue }
      let edits = found(in: text.bytes, place)
      guard !edits.isEmpty else { continue }
      bytes = Edit.applied(edits.map { text.inOriginal($0) }, to: bytes)
      isChanged = true
    }
    return isChanged ? bytes : nil
  }
}

extension UInt8 {
  fileprivate var isSlug: Bool {
    0x61...0x7A ~= self || 0x30...0x39 ~= self || self == UInt8(ascii: "-")
  }

  /// An ASCII letter or digit.
  var isWord: Bool {
    0x61...0x7A ~= asciiLowercased || 0x30...0x39 ~= self
  }
}
