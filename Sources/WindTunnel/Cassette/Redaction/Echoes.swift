/// Secrets that turn up where nobody expects them: a login that repeats its token in the body, a
/// redirect that carries it in the address.
///
/// All secrets are looked for at once, so the cost does not grow with their number.
struct Echoes {
  private struct Secret {
    var bytes: [UInt8]
    var stand: [UInt8]
  }

  /// The secrets by their first six bytes, the longest first, so that none is replaced in the
  /// middle of another.
  private var byBeginning: [UInt64: [Secret]] = [:]
  /// Whether any begins with two bytes.
  private var begins = [Bool](repeating: false, count: 1 << 16)

  init(of secrets: [String: String]) {
    for (secret, stand) in secrets where secret.utf8.count >= Pseudonyms.echoBytesMin {
      let bytes = Array(secret.utf8)
      byBeginning[Self.beginning(bytes, 0), default: []].append(
        Secret(bytes: bytes, stand: Array(stand.utf8))
      )
      begins[Int(bytes[0]) << 8 | Int(bytes[1])] = true
    }
    for key in byBeginning.keys {
      byBeginning[key]?.sort {
        ($0.bytes.count, $0.bytes.lexicographicallyPrecedes($1.bytes) ? 1 : 0)
          > ($1.bytes.count, $1.bytes.lexicographicallyPrecedes($0.bytes) ? 1 : 0)
      }
    }
  }

  var isEmpty: Bool { byBeginning.isEmpty }

  private static func beginning(_ bytes: [UInt8], _ place: Int) -> UInt64 {
    var key: UInt64 = 0
    for offset in 0..<6 { key = key << 8 | UInt64(bytes[place + offset]) }
    return key
  }

  /// Where secrets stand, and what should.
  func found(in bytes: [UInt8]) -> [Edit] {
    guard bytes.count >= 6, !isEmpty else { return [] }
    var edits: [Edit] = []
    var place = 0
    while place + 6 <= bytes.count {
      if bytes[place] == UInt8(ascii: "R"), let end = Self.pseudonymEnd(bytes, place) {
        place = end
      } else if begins[Int(bytes[place]) << 8 | Int(bytes[place + 1])],
        let secret = secret(at: place, in: bytes)
      {
        edits.append(Edit(place..<place + secret.bytes.count, secret.stand))
        place += secret.bytes.count
      } else {
        place += 1
      }
    }
    return edits
  }

  private func secret(at place: Int, in bytes: [UInt8]) -> Secret? {
    byBeginning[Self.beginning(bytes, place)]?.first { secret in
      let end = place + secret.bytes.count
      return end <= bytes.count && bytes[place..<end].elementsEqual(secret.bytes)
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

  /// Whether a whole number is a secret.
  func isSecret(number: [UInt8]) -> Bool {
    number.count >= 6 && secret(at: 0, in: number)?.bytes.count == number.count
  }

  /// A text without secrets, in whatever spelling they stand in it; `nil` if there are none.
  func replaced(in bytes: [UInt8]) -> [UInt8]? {
    guard !isEmpty else { return nil }
    var bytes = bytes
    var isChanged = false
    for spelling in SpelledText.Spelling.allCases {
      guard let text = SpelledText(bytes, spelling) else { continue }
      let edits = found(in: text.bytes)
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
