internal import Foundation

/// Values that stand behind a secret's name in a text that has no structure of its own: a message,
/// a log line, XML, HTML, a script, a JSON text that was cut.
///
/// `name=value`, `name: value`, `"name": "value"`, `password "value"`, `<name>value</name>` and the
/// fields of a form. A value ends where it is delimited and never goes over a line; what is code, a
/// placeholder or an operator is none (``CodeText``). Without quotes a colon is prose as often as
/// not, so what follows it must not be a word of letters alone; and in HTML, scripts and style
/// sheets only quoted values count and what stands in an address.
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
  private func named(byWordBefore quote: Int) -> Finding? {
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
    return Finding(
      range: value.startIndex..<value.endIndex,
      name: String(decoding: name, as: UTF8.self),
      kind: .certain
    )
  }
}

extension NamedValues {
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

  /// Returns the value behind `=` or `:`.
  mutating func value(behind mark: Int) -> Finding? {
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
      isColon: bytes[mark] == UInt8(ascii: ":"),
      isCredentials: SecretNames.folded(name).hasSuffix("authorization")
    )
    guard let range = range(from: mark + 1, known) else { return nil }
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
      if Vocabulary.certain.contains(joined), let kind = names.kind(of: joined, in: .field) {
        return (whole, kind)
      }
    }
    return own.map { (name, $0) }
  }

  private mutating func range(from place: Int, _ name: Name) -> Range<Int>? {
    var start = place
    // `name:: value` in base64 (RFC 2849).
    if place < bytes.count, bytes[place] == UInt8(ascii: ":"), bytes[place - 1] == bytes[place] {
      start += 1
    }
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
    if "brufBRUF@".utf8.contains(bytes[quote]), quote + 1 < bytes.count,
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
    if start < bytes.count, "=[({".utf8.contains(bytes[start]), !isHash(at: start) { return nil }
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

  /// Tells whether a hash begins at a place, behind the name of its scheme: `{SSHA}…` (RFC 2307
  /// §5.3).
  private func isHash(at place: Int) -> Bool {
    let scheme = bytes[place...].dropFirst().prefix(20).prefix { $0.isWord || $0 == 0x2D }
    return bytes[place] == UInt8(ascii: "{") && scheme.count >= 3
      && bytes[scheme.endIndex...].prefix(9).dropFirst().allSatisfy(Base64Text.isLetter)
      && bytes[scheme.endIndex...].prefix(9).count == 9 && bytes[scheme.endIndex] == 0x7D
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
      mark.endIndex < bytes.count,
      bytes[mark.endIndex] == 0x0A
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

// Elements of XML and fields of HTML forms.

extension NamedValues {
  /// Returns the value that is named by the tag at a place.
  ///
  /// - `<password>…</password>`, with or without a prefix, attributes and CDATA.
  /// - `<key>password</key><string>…`, `<name>password</name><value><string>…`, as property lists
  ///   and XML-RPC have it.
  /// - `<input type="password" value="…">`, `<input name="csrf_token" value="…">` and
  ///   `<meta name="csrf-token" content="…">`.
  func markup(at open: Int) -> Finding? {
    let name = bytes[(open + 1)...].prefix(80).prefix { Self.isName($0) || $0 == UInt8(ascii: ":") }
    guard !name.isEmpty else { return nil }
    switch String(decoding: name, as: UTF8.self).lowercased() {
    case "input": return field(from: name.endIndex, value: "value")
    case "meta": return field(from: name.endIndex, value: "content")
    case "key", "name", "dt", "th", "td", "label": return pair(name)
    case "add", "param", "property", "entry", "setting", "variable", "item", "option", "arg",
      "data", "attribute", "string":
      return field(from: name.endIndex, value: "value")
    default: break
    }
    guard let local = String(decoding: name, as: UTF8.self).split(separator: ":").last,
      let kind = names.kind(of: local, in: .field), let range = content(of: name) ?? inner(of: name)
    else { return nil }
    return Finding(range: range, name: String(local), kind: kind)
  }

  /// Returns the text of the one element within another: `<Password><Value>…`, `<td><code>…`.
  private func inner(of name: ByteSlice) -> Range<Int>? {
    var place = bytes[name.endIndex...].prefix(400).prefix { !"<>".utf8.contains($0) }.endIndex + 1
    while place < bytes.count, bytes[place] <= 0x20 { place += 1 }
    guard place < bytes.count, bytes[place] == UInt8(ascii: "<") else { return nil }
    let tag = bytes[(place + 1)...].prefix(12).prefix(while: \.isWord)
    let isKnown = Self.innerTags.contains(String(decoding: tag, as: UTF8.self).lowercased())
    return isKnown ? content(of: tag) : nil
  }

  private static let innerTags: Set<String> = [
    "value", "string", "code", "b", "strong", "span", "pre", "kbd", "tt", "em",
  ]

  /// Returns the text of an element that has nothing but text and ends, without white space around
  /// it.
  private func content(of name: ByteSlice) -> Range<Int>? {
    let attributes = bytes[name.endIndex...].prefix(400).prefix { !"<>".utf8.contains($0) }
    let start = attributes.endIndex + 1
    guard start < bytes.count, bytes[start - 1] == UInt8(ascii: ">"),
      attributes.last != UInt8(ascii: "/")
    else { return nil }
    let mark = "<![CDATA[".utf8
    let isData = bytes[start...].starts(with: mark)
    let first = isData ? start + mark.count : start
    // Stops at the next tag, so that all tags of a text together cost no more than the text.
    var text = bytes[first...].prefix { $0 != UInt8(ascii: "<") }
    var end = text.endIndex
    if isData {
      guard text.suffix(3).elementsEqual("]]>".utf8) else { return nil }
      text = text.dropLast(3)
    }
    guard bytes[end...].starts(with: "</".utf8) else { return nil }
    end += 2
    guard bytes[end...].starts(with: name) else { return nil }
    end += name.count
    guard end < bytes.count, bytes[end] == UInt8(ascii: ">") || bytes[end] <= 0x20 else {
      return nil
    }
    while let byte = text.first, byte <= 0x20 { text.removeFirst() }
    while let byte = text.last, byte <= 0x20 { text.removeLast() }
    guard !text.isEmpty, !CodeText.isPlaceholder(text) else { return nil }
    return text.startIndex..<text.endIndex
  }

  /// Returns the value behind an element that holds its name.
  private func pair(_ name: ByteSlice) -> Finding? {
    guard let key = content(of: name), key.count <= 80 else { return nil }
    let word = String(decoding: bytes[key], as: UTF8.self)
    guard let kind = names.kind(of: word, in: .field) else { return nil }
    if name.elementsEqual("td".utf8), kind != .certain { return nil }
    var place = key.upperBound
    func next(_ isWanted: (ByteSlice) -> Bool) -> ByteSlice? {
      while place < bytes.count, bytes[place] <= 0x20 { place += 1 }
      guard place < bytes.count else { return nil }
      let tag = bytes[place...].prefix(40).prefix { $0 != UInt8(ascii: ">") }
      guard tag.first == UInt8(ascii: "<"), isWanted(tag) else { return nil }
      place = tag.endIndex + 1
      return tag.dropFirst()
    }
    guard next({ $0.dropFirst().first == UInt8(ascii: "/") }) != nil else { return nil }
    let before = place
    let isValue = next { $0.elementsEqual("<value".utf8) } != nil
    guard
      let type = next({ tag in
        ["<string", "<data", "<dd", "<td", "<code", "<value"].contains {
          tag.elementsEqual($0.utf8)
        }
      })
    else {
      guard isValue, let open = bytes[before...].prefix(200).firstIndex(of: UInt8(ascii: "<")),
        let range = content(of: bytes[(open + 1)..<(open + 6)])
      else { return nil }
      return Finding(range: range, name: word, kind: kind)
    }
    guard let range = content(of: type) ?? inner(of: type) else { return nil }
    return Finding(range: range, name: word, kind: kind)
  }

  /// Returns an attribute of a tag, by the tag's name or type.
  private func field(from start: Int, value wanted: String) -> Finding? {
    var place = start
    var name = ""
    var isPassword = false
    var value: Range<Int>?
    func skip(_ isPassed: (UInt8) -> Bool) -> Range<Int> {
      let begin = min(place, bytes.count)
      place = begin
      while place < bytes.count, bytes[place] != UInt8(ascii: "<"), isPassed(bytes[place]) {
        place += 1
      }
      return begin..<place
    }
    while place < bytes.count, place < start + 4000, !"<>".utf8.contains(bytes[place]) {
      _ = skip { $0 <= 0x20 || $0 == UInt8(ascii: "/") }
      let key = skip { $0 > 0x20 && !"=>/".utf8.contains($0) }
      guard !key.isEmpty else { break }
      guard place < bytes.count, bytes[place] == UInt8(ascii: "=") else { continue }
      place += 1
      guard place < bytes.count else { break }
      let quote = bytes[place]
      let content: Range<Int>
      if Self.isQuote(quote) {
        place += 1
        content = skip { $0 != quote }
        guard place < bytes.count, bytes[place] == quote else { return nil }
        place += 1
      } else {
        content = skip { $0 > 0x20 && $0 != UInt8(ascii: ">") }
      }
      let text = String(decoding: bytes[content], as: UTF8.self)
      switch String(decoding: bytes[key], as: UTF8.self).lowercased() {
      case "name", "id", "property", "key": if name.isEmpty || kind(name) == nil { name = text }
      case "type": isPassword = text.lowercased() == "password"
      case wanted: value = content
      default: break
      }
    }
    guard let kind = kind(name) ?? (isPassword ? .certain : nil) else { return nil }
    if value == nil, wanted == "value", place < bytes.count, bytes[place] == UInt8(ascii: ">"),
      let tag = bytes[..<start].lastIndex(of: UInt8(ascii: "<"))
    {
      // `<property name="password">…</property>`
      value = content(of: bytes[(tag + 1)..<start])
    }
    guard let value, !value.isEmpty, !CodeText.isPlaceholder(bytes[value]) else { return nil }
    return Finding(range: value, name: self.kind(name) == nil ? "password" : name, kind: kind)
  }

  private func kind(_ name: String) -> SecretNames.Kind? { names.kind(of: name, in: .field) }
}
