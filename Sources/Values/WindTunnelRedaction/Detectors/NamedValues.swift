internal import Foundation

/// Values that stand behind a secret's name in a text that has no structure of its own: a message,
/// a log line, XML, HTML, a script, a JSON text that was cut.
///
/// `name=value`, `name: value`, `"name": "value"`, `<name>value</name>` and the fields of a form. A
/// value ends where it is delimited and never goes over a line; what is code, a placeholder or an
/// operator is none (``CodeText``). Without quotes a colon is prose as often as not, so what
/// follows it must not be a word of letters alone; and in HTML, scripts and style sheets only
/// quoted values count and what stands in an address.
///
/// The cost is linear: no byte is looked at more often than a fixed number of times.
struct NamedValues: Detector {
  let bytes: Bytes
  let names: SecretNames
  let flavour: Passage.Flavour
  /// The string that the place at hand is in.
  var quotes = OpenQuote()
  /// The ranges that were read last without meeting the end of a value that stands without quotes,
  /// outside a query and in one, and where what ends a sentence begins in each.
  var bareRuns: [(range: Range<Int>, sentenceEnd: Int)] = [(0..<0, 0), (0..<0, 0)]
  private var found: [Finding] = []

  static func findings(in passage: Passage) -> [Finding] {
    guard ":=>".utf8.contains(where: passage.bytes.has) else { return [] }
    var values = NamedValues(passage)
    values.find()
    return values.found
  }

  private init(_ passage: Passage) {
    (bytes, names, flavour) = (passage.bytes, passage.names, passage.flavour)
  }

  private mutating func find() {
    var place = 0
    while place < bytes.count {
      var next = place + 1
      switch bytes[place] {
      case UInt8(ascii: "="), UInt8(ascii: ":"), UInt8(ascii: ">"):
        // `API key -> value`
        let isAngle = bytes[place] == UInt8(ascii: ">")
        let width = isAngle && bytes[..<place].suffix(2).elementsEqual(" -".utf8) ? 2 : 1
        if !isAngle || width == 2, let value = value(behind: next - width, width: width) {
          found.append(value)
          next = max(next, value.range.upperBound)
        }
      // Attributes and what is within are looked at as well.
      case UInt8(ascii: "<"): if let value = markup(at: place) { found.append(value) }
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

  /// The known facts of a name while its value is looked for.
  private struct Name {
    var text: String
    /// The byte before it.
    var before: UInt8?
    var isQuoted: Bool
    var isQuery: Bool
    var isColon: Bool
    /// Tells whether a scheme goes before the value.
    var isCredentials: Bool
  }

  /// Returns the value behind `=`, `:` or `->`.
  mutating func value(behind mark: Int, width: Int = 1) -> Finding? {
    var end = mark
    while end > 0, mark - end < 3, bytes[end - 1] == UInt8(ascii: " ") { end -= 1 }
    let isQuoted = end > 0 && Self.isQuote(bytes[end - 1])
    if isQuoted { end -= 1 }
    if end > 0, bytes[end - 1] == UInt8(ascii: "\\") { end -= 1 }
    var start = end
    while start > 0, end - start < 80, Self.isName(bytes[start - 1]) { start -= 1 }
    guard start < end else { return nil }
    // `${NAME:?what is said where it is missing}` of a shell.
    if start > 1, bytes[start - 2] == UInt8(ascii: "$"), bytes[mark...].starts(with: ":?".utf8) {
      return nil
    }
    let isInAddress = start > 0 && "?&".utf8.contains(bytes[start - 1])
    // `&amp;token=` in HTML.
    let isAfterEntity = start > 4 && bytes[(start - 5)..<start].elementsEqual("&amp;".utf8)
    let written = String(decoding: bytes[start..<end], as: UTF8.self)
    let isEscaped = written.utf8.contains(UInt8(ascii: "%"))
    let name = isEscaped ? written.removingPercentEncoding ?? written : written
    let isQuery = isInAddress || isAfterEntity
    guard let (name, kind) = named(name, from: start, isQuery: isQuery) else { return nil }
    let known = Name(
      text: name,
      before: start > 0 ? bytes[start - 1] : nil,
      isQuoted: isQuoted,
      isQuery: isQuery,
      isColon: bytes[mark] != UInt8(ascii: "="),
      isCredentials: SecretNames.folded(name).hasSuffix("authorization")
    )
    guard let range = range(from: mark + width, known) else { return nil }
    return Finding(range: range, name: name, kind: kind)
  }

  /// Returns a name that is a secret's, be it with the words before it: `mot de passe`, `API key`.
  private func named(
    _ name: String,
    from start: Int,
    isQuery: Bool
  ) -> (String, SecretNames.Kind)? {
    let own = names.kind(of: name, in: isQuery ? .query : .field)
    if let own, !own.isAmbiguous { return (name, own) }
    if isQuery { return own.map { (name, $0) } }
    var (whole, start) = (name, start)
    for _ in 0..<3 {
      guard start > 1, bytes[start - 1] == UInt8(ascii: " "), Self.isName(bytes[start - 2]) else {
        break
      }
      var first = start - 1
      while first > 0, start - first < 24, Self.isName(bytes[first - 1]) { first -= 1 }
      whole = String(decoding: bytes[first..<start], as: UTF8.self) + whole
      start = first
      let joined = SecretNames.folded(whole)
      let isKnown = [Vocabulary.certain, Vocabulary.certainWholes].contains { $0.contains(joined) }
      if isKnown, let kind = names.kind(of: joined, in: .field) { return (whole, kind) }
    }
    return own.map { (name, $0) }
  }

  private mutating func range(from place: Int, _ name: Name) -> Range<Int>? {
    var start = place
    // `'name' => 'value'`, as PHP, Ruby and Perl write it.
    let isArrow =
      bytes[place - 1] == UInt8(ascii: "=") && place < bytes.count && bytes[place] == 0x3E
    if isArrow { start += 1 }
    while start < bytes.count, start < place + 8, bytes[start] == UInt8(ascii: " ") { start += 1 }
    // `!!binary |`, `!!str "…"` (YAML 1.2.2 §6.8.1).
    if bytes[start...].starts(with: "!!".utf8) {
      start = bytes[start...].prefix(12).prefix { $0 > 0x20 }.endIndex
      if start < bytes.count, bytes[start] == 0x20 { start += 1 }
    }
    guard start < bytes.count else { return nil }
    var quote = start
    // `b"…"`, `r'…'`.
    if "brufnBRUFN@".utf8.contains(bytes[quote]), quote + 1 < bytes.count,
      Self.isQuote(bytes[quote + 1])
    {
      quote += 1
      start += 1
    }
    if isArrow, !Self.isQuote(bytes[quote]) { return nil }
    if bytes[quote] == UInt8(ascii: "\\"), quote + 1 < bytes.count { quote += 1 }
    let isSpaced = start > place
    guard Self.isQuote(bytes[quote]) else {
      return flavour == .plain || name.isQuery ? bare(from: start, name, isSpaced) : nil
    }
    if name.before == bytes[quote], !name.isQuoted { return nil }
    if quotes.isOpen(bytes[quote]), !name.isQuoted, quote == start {
      if name.isQuery || CodeText.follows(bytes[(quote + 1)...]) { return nil }
    }
    return quoted(at: quote, isEscaped: quote > start, name)
  }

  /// Returns a value up to what delimits it.
  private mutating func bare(from start: Int, _ name: Name, _ isSpaced: Bool) -> Range<Int>? {
    // `$token: String` is a variable that is declared.
    if name.isColon, name.before == UInt8(ascii: "$") { return nil }
    if let range = braced(from: start, name) ?? block(from: start, name) { return range }
    // Asked first, so that what is no value is not read to its end.
    if start < bytes.count, "=[({".utf8.contains(bytes[start]) { return nil }
    if bytes[start...].starts(with: "//".utf8) { return nil }
    if ["${", "#{"].contains(where: { bytes[start...].starts(with: $0.utf8) }) { return nil }
    let run = bareRun(from: start, name.isQuery)
    let stop = run.range.upperBound
    // What is called.
    if stop < bytes.count, bytes[stop] == UInt8(ascii: "(") { return nil }
    let end = max(start, run.sentenceEnd)
    let value = bytes[start..<end]
    // `sk_test_...` is an example.
    if end + 3 <= stop, bytes[end..<end + 3].elementsEqual("...".utf8) { return nil }
    guard let first = value.first, !isSpaced || !"+|*".utf8.contains(first),
      !CodeText.beginsReference(bytes[start..<stop]),
      first != UInt8(ascii: "$") || value.count > 1, !CodeText.isPlaceholder(value)
    else { return nil }
    if name.isColon {
      let isWord = value.allSatisfy(\.isASCIILetter)
      if isWord, name.isCredentials { return credentials(behind: start..<end) }
      if isWord || value.contains(UInt8(ascii: ".")) && CodeText.isIdentifier(value) { return nil }
    } else if CodeText.isExpression(value, isSpaced: isSpaced, before: bytes[stop...])
      || isLabel(value, before: bytes[stop...])
    {
      return nil
    }
    return start..<end
  }

  /// `Pwd={…}` in the settings of ODBC.
  private func braced(from start: Int, _ name: Name) -> Range<Int>? {
    guard !name.isColon, bytes[start] == UInt8(ascii: "{") else { return nil }
    let inner = bytes[(start + 1)...].prefix(100).prefix { $0 > 0x20 && !"{}\"'".utf8.contains($0) }
    guard inner.count >= 4, inner.endIndex < bytes.count,
      bytes[inner.endIndex] == UInt8(ascii: "}"),
      inner.contains(where: { $0.isASCIIDigit || $0 == UInt8(ascii: ";") })
    else { return nil }
    return inner.startIndex..<inner.endIndex
  }

  /// Returns the lines of a block (YAML 1.2.2 §8.1): `password: |` and a value below.
  private func block(from start: Int, _ name: Name) -> Range<Int>? {
    guard name.isColon, "|>".utf8.contains(bytes[start]) else { return nil }
    let mark = bytes[start...].prefix(4).prefix { $0 > 0x20 }
    guard mark.dropFirst().allSatisfy({ "+-123456789".utf8.contains($0) }),
      mark.endIndex < bytes.count, bytes[mark.endIndex] == 0x0A
    else { return nil }
    let line = bytes[(mark.endIndex + 1)...].prefix(1000).prefix { $0 != 0x0A }
    let value = line.drop { $0 == 0x20 }
    guard value.count < line.count, !value.isEmpty else { return nil }
    let indent = line.prefix { $0 == 0x20 }
    var end = value.endIndex
    // A key keeps its lines, and is found by them.
    while value.first != UInt8(ascii: "-"), bytes[end...].dropFirst().starts(with: indent) {
      let next = bytes[(end + 1 + indent.count)...].prefix(1000).prefix { $0 != 0x0A }
      guard !next.isEmpty, next.allSatisfy({ $0 > 0x20 }) else { break }
      end = next.endIndex
    }
    return value.startIndex..<end
  }

  /// Tells whether a value is the first of some words of a line, as labels in a file are:
  /// `password=Mot de passe`.
  private func isLabel(_ value: ByteSlice, before rest: ByteSlice) -> Bool {
    guard let first = value.first, 0x41...0x5A ~= first, rest.first == 0x20 else { return false }
    let line = bytes[value.startIndex...].prefix(120).prefix { $0 != 0x0A }
    return Prose.isPlain(String(decoding: line, as: UTF8.self).trimmingCharacters(in: .whitespaces))
  }

  /// Returns where a value ends that begins at a place. Many may begin before one end, which is
  /// looked for once.
  private mutating func bareRun(
    from start: Int,
    _ isQuery: Bool
  ) -> (range: Range<Int>, sentenceEnd: Int) {
    let index = isQuery ? 1 : 0
    if bareRuns[index].range.contains(start) { return bareRuns[index] }
    var stop = start
    while stop < bytes.count, !Self.ends(bytes[stop], isQuery) { stop += 1 }
    var end = stop
    while end > start, ".:]}!?".utf8.contains(bytes[end - 1]) { end -= 1 }
    bareRuns[index] = (start..<stop, end)
    return bareRuns[index]
  }

  private static func ends(_ byte: UInt8, _ isQuery: Bool) -> Bool {
    byte <= 0x20 || "&;\"'<>\\`,()".utf8.contains(byte) || isQuery && byte == UInt8(ascii: "#")
  }

  /// `Authorization: Token 7f3a…`: the scheme and what follows, if it looks like credentials.
  private func credentials(behind scheme: Range<Int>) -> Range<Int>? {
    let start = scheme.upperBound + 1
    guard start < bytes.count, bytes[start - 1] == UInt8(ascii: " ") else { return nil }
    var end = start
    while end < bytes.count, !Self.ends(bytes[end], false) { end += 1 }
    // `Digest username="ada", response="…"` has parameters to the end of the line (§11.4).
    if end < bytes.count, end > start, Self.isQuote(bytes[end]), bytes[end - 1] == 0x3D {
      let line = bytes[start...].prefix { $0 != 0x0A && $0 != 0x0D }
      return scheme.lowerBound..<line.endIndex
    }
    while end > start, ".:]}!?".utf8.contains(bytes[end - 1]) { end -= 1 }
    let token = bytes[start..<end]
    let isLong = token.count >= 16
    let isMixed = token.count >= 6 && token.contains { $0.isASCIIDigit }
    guard isLong || isMixed, !CodeText.isPlaceholder(token), !CodeText.beginsReference(token)
    else { return nil }
    return scheme.lowerBound..<end
  }

  /// Up to the same quotation mark of the same line. Where a text was cut it may be missing: then a
  /// member's value goes to the end, and any other up to what delimits a word.
  private mutating func quoted(at quote: Int, isEscaped: Bool, _ name: Name) -> Range<Int>? {
    var end = quote + 1
    var isClosed = false
    while end < bytes.count, bytes[end] != 0x0A, !isClosed {
      if bytes[end] == UInt8(ascii: "\\") {
        if isEscaped, end + 1 < bytes.count, bytes[end + 1] == bytes[quote] {
          isClosed = true
        } else {
          end += 2
        }
      } else if bytes[end] == bytes[quote] {
        isClosed = true
      } else {
        end += 1
      }
    }
    end = min(end, bytes.count)
    guard end > quote + 1 else { return nil }
    let value = bytes[(quote + 1)..<end]
    if CodeText.isPlaceholder(value) { return nil }
    if value.first == 0x20, CodeText.follows(value) { return nil }
    if isClosed || name.isQuoted && end == bytes.count { return quote + 1..<end }
    return bare(from: quote + 1, name, false)
  }
}
