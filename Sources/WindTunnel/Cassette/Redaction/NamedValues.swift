internal import Foundation

/// Values that stand behind a secret's name in a text that has no structure of its own: a message,
/// a log line, XML, HTML, a JSON text that was cut.
///
/// `name=value`, `name: value`, `"name": "value"` and `<name>value</name>`. Without quotes a colon
/// is prose as often as not, so what follows it must not be a word of letters alone; and in HTML,
/// scripts and style sheets only quoted values count and what stands in an address.
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

  private let bytes: [UInt8]
  private let names: SecretNames
  private let flavour: Flavour
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
      var value: Found?
      switch bytes[place] {
      case UInt8(ascii: "="), UInt8(ascii: ":"): value = self.value(behind: place)
      case UInt8(ascii: ">"): value = element(behind: place)
      default: break
      }
      if let value {
        found.append(value)
        place = max(place + 1, value.range.upperBound)
      } else {
        place += 1
      }
    }
  }

  private static func isName(_ byte: UInt8) -> Bool {
    byte.isWord || "_-.[]%".utf8.contains(byte) || byte >= 0x80
  }

  private static func isQuote(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'")
  }

  private func value(behind mark: Int) -> Found? {
    var end = mark
    while end > 0, mark - end < 3, bytes[end - 1] == UInt8(ascii: " ") { end -= 1 }
    if end > 0, Self.isQuote(bytes[end - 1]) { end -= 1 }
    if end > 0, bytes[end - 1] == UInt8(ascii: "\\") { end -= 1 }
    var start = end
    while start > 0, end - start < 80, Self.isName(bytes[start - 1]) { start -= 1 }
    guard start < end else { return nil }
    let isInAddress = start > 0 && "?&".utf8.contains(bytes[start - 1])
    // `&amp;token=` in HTML.
    let isAfterEntity = start > 4 && bytes[(start - 5)..<start].elementsEqual("&amp;".utf8)
    let written = String(decoding: bytes[start..<end], as: UTF8.self)
    let name = written.contains("%") ? written.removingPercentEncoding ?? written : written
    let isQuery = isInAddress || isAfterEntity
    guard let sort = names.sort(of: name, in: isQuery ? .query : .field),
      let range = range(from: mark + 1, isColon: bytes[mark] == UInt8(ascii: ":"), isQuery: isQuery)
    else { return nil }
    return Found(range: range, name: name, sort: sort, isPercent: isQuery)
  }

  private func range(from place: Int, isColon: Bool, isQuery: Bool) -> Range<Int>? {
    var start = place
    while start < bytes.count, start < place + 8, bytes[start] == UInt8(ascii: " ") { start += 1 }
    guard start < bytes.count else { return nil }
    var quote = start
    if bytes[quote] == UInt8(ascii: "\\"), quote + 1 < bytes.count { quote += 1 }
    if Self.isQuote(bytes[quote]) { return quoted(at: quote, isEscaped: quote > start) }
    guard flavour == .plain || isQuery else { return nil }
    var end = start
    while end < bytes.count, !Self.ends(bytes[end]) { end += 1 }
    while end > start, ",.;:)]}!?".utf8.contains(bytes[end - 1]) { end -= 1 }
    let value = bytes[start..<end]
    guard !value.isEmpty, value.first != UInt8(ascii: "="), !value.starts(with: "//".utf8),
      !value.contains(UInt8(ascii: "(")), !"{[".utf8.contains(bytes[start])
    else { return nil }
    if isColon, value.allSatisfy({ 0x61...0x7A ~= $0.asciiLowercased }) { return nil }
    return start..<end
  }

  private static func ends(_ byte: UInt8) -> Bool {
    byte <= 0x20 || "&;\"'<>\\`,".utf8.contains(byte)
  }

  /// Up to the same quotation mark, or to the end of a text that was cut.
  private func quoted(at quote: Int, isEscaped: Bool) -> Range<Int>? {
    var end = quote + 1
    while end < bytes.count {
      if bytes[end] == UInt8(ascii: "\\") {
        if isEscaped, end + 1 < bytes.count, bytes[end + 1] == bytes[quote] { break }
        end += 2
      } else if bytes[end] == bytes[quote] {
        break
      } else {
        end += 1
      }
    }
    end = min(end, bytes.count)
    return end > quote + 1 ? quote + 1..<end : nil
  }

  /// `<password>…</password>`, with or without a prefix and attributes.
  private func element(behind mark: Int) -> Found? {
    let before = bytes[max(0, mark - 200)..<mark]
    guard let open = before.lastIndex(of: UInt8(ascii: "<")) else { return nil }
    let name = bytes[(open + 1)..<mark].prefix { Self.isName($0) || $0 == UInt8(ascii: ":") }
    let end = bytes[(mark + 1)...].firstIndex(of: UInt8(ascii: "<")) ?? bytes.count
    guard !name.isEmpty, end > mark + 1,
      let local = String(decoding: name, as: UTF8.self).split(separator: ":").last,
      let sort = names.sort(of: local, in: .field),
      bytes[(mark + 1)..<end].contains(where: { $0 > 0x20 })
    else { return nil }
    return Found(range: mark + 1..<end, name: String(local), sort: sort)
  }
}
