internal import Foundation

/// Values that stand behind a secret's name in a text that has no structure of its own: a message,
/// a log line, XML, HTML, a script, a JSON text that was cut.
///
/// `name=value`, `name: value`, `"name": "value"`, `password "value"`, `<name>value</name>` and the
/// fields of a form. A value ends where it is delimited and never goes over a line; what is code, a
/// placeholder or an operator is none (``CodeText``). Without quotes a colon is prose as often as
/// not, so what follows it must not be a word of letters alone; and in HTML, scripts and style sheets
/// only quoted values count and what stands in an address.
///
/// The cost is linear: no byte is looked at more often than a fixed number of times.
struct NamedValues {
  /// One that was found.
  struct Found {
    var range: Range<Int>
    var name: String
    var sort: SecretNames.Sort
    /// Whether it is spelled as in an address.
    var isPercent = false
  }

  /// What a text is.
  enum Flavour { case plain, script }

  let bytes: [UInt8]
  let names: SecretNames
  let flavour: Flavour
  /// The string that the place at hand is in.
  var quotes = OpenQuote()
  /// The range that was read last without meeting the end of a value that stands without quotes.
  var bareRun: (range: Range<Int>, isQuery: Bool) = (0..<0, false)
  private var found: [Found] = []

  static func found(in bytes: [UInt8], _ names: SecretNames, _ flavour: Flavour) -> [Found] {
    var values = NamedValues(bytes: bytes, names: names, flavour: flavour)
    values.find()
    return values.found
  }

  private init(bytes: [UInt8], names: SecretNames, flavour: Flavour) {
    (self.bytes, self.names, self.flavour) = (bytes, names, flavour)
  }

  private mutating func find() {
    var place = 0
    while place < bytes.count {
      var next = place + 1
      switch bytes[place] {
      case UInt8(ascii: "="), UInt8(ascii: ":"):
        if let value = value(behind: place) {
          found.append(value)
          next = max(next, value.range.upperBound)
        }
      // Attributes and what is within are looked at as well.
      case UInt8(ascii: "<"): if let value = markup(at: place) { found.append(value) }
      case UInt8(ascii: "\""), UInt8(ascii: "'"):
        if let value = named(byWordBefore: place) { found.append(value) }
      default: break
      }
      while place < next {
        quotes.pass(bytes, place)
        place += 1
      }
    }
  }

  static func isName(_ byte: UInt8) -> Bool {
    byte.isWord || "_-.[]%".utf8.contains(byte) || byte >= 0x80
  }

  static func isQuote(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'")
  }

  /// `invalid password "…"`: one word in quotes behind a name that is nothing else.
  private func named(byWordBefore quote: Int) -> Found? {
    guard flavour == .plain, quote > 4, bytes[quote - 1] == UInt8(ascii: " "),
      !quotes.isOpen(bytes[quote])
    else { return nil }
    let before = bytes[max(0, quote - 24)..<(quote - 1)]
    let name = before.reversed().prefix { $0.isWord }.reversed().map(\.asciiLowercased)
    let start = quote - 1 - name.count
    guard
      ["password", "passwd", "passphrase", "pwd"].contains(where: { name.elementsEqual($0.utf8) }),
      start == 0 || !Self.isName(bytes[start - 1]) && !Self.isQuote(bytes[start - 1])
    else { return nil }
    let value = bytes[(quote + 1)...].prefix(200).prefix { $0 > 0x20 && $0 != bytes[quote] }
    guard value.endIndex < bytes.count, bytes[value.endIndex] == bytes[quote],
      value.count >= 8 || value.count >= 4 && !value.allSatisfy(\.isASCIILetter),
      !CodeText.isPlaceholder(value),
      !SecretNames.isWord(String(decoding: value, as: UTF8.self))
    else { return nil }
    return Found(
      range: value.startIndex..<value.endIndex,
      name: String(decoding: name, as: UTF8.self),
      sort: .secret
    )
  }
}
