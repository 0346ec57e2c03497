internal import Foundation

/// Values after a secret's name in a text without its own structure: a message, a log line, XML,
/// HTML, a script, or truncated JSON.
///
/// The formats are `name=value`, `name: value`, `"name": "value"`, `<name>value</name>` and the
/// fields of a form. A value ends at a delimiter and never spans lines. Code, placeholders and
/// operators are not values (``CodeText``). Without quotes, a colon is often prose, so the
/// following value must not be a word of letters only. In HTML, scripts and style sheets, only
/// quoted values and those in URLs count.
///
/// The cost is linear: each byte is read a limited number of times.
struct NamedValues: Detector {
  let bytes: Bytes
  let names: SecretNames
  let flavour: Passage.Flavour
  /// The string that contains the current position.
  var quotes = OpenQuote()
  /// The previous ranges without the end of an unquoted value, outside and inside a query. Each has
  /// the start of the punctuation at its end.
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
      let byte = bytes[place]
      // `API key -> value`
      let isArrow = byte == ">" && bytes[..<place].suffix(2).elementsEqual(" -".utf8)
      if isArrow || byte == "=" || byte == ":",
        let value = value(behind: isArrow ? place - 1 : place, width: isArrow ? 2 : 1)
      {
        found.append(value)
        next = max(next, value.range.upperBound)
      } else if byte == "<", let value = markup(at: place) {
        // Attributes and the content are also searched.
        found.append(value)
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
    byte == "\"" || byte == "'"
  }

  /// The properties of a name whose value is searched.
  struct Name {
    /// The position of the name.
    var start: Int
    /// The byte before the name.
    var before: UInt8?
    var isQuoted: Bool
    var isQuery: Bool
    var isColon: Bool
    /// Whether a scheme precedes the value.
    var isCredentials: Bool
  }

  /// Returns the value after `=`, `:` or `->`.
  private mutating func value(behind mark: Int, width: Int) -> Finding? {
    var end = mark
    while end > 0, mark - end < 3, bytes[end - 1] == " " { end -= 1 }
    let isQuoted = end > 0 && Self.isQuote(bytes[end - 1])
    if isQuoted { end -= 1 }
    if end > 0, bytes[end - 1] == "\\" { end -= 1 }
    var start = end
    while start > 0, end - start < 80, Self.isName(bytes[start - 1]) { start -= 1 }
    guard start < end else { return nil }
    // `${NAME:?error message}` of a shell.
    if start > 1, bytes[start - 2] == "$", bytes[mark...].starts(with: ":?".utf8) {
      return nil
    }
    let before = start > 0 ? bytes[start - 1] : nil
    // `&amp;token=` in HTML.
    let isQuery =
      before == "?" || before == "&" || bytes[..<start].suffix(5).elementsEqual("&amp;".utf8)
    let written = bytes[start..<end].text
    let plain = bytes[start..<end].contains { $0 == "%" } ? written.removingPercentEncoding : nil
    guard
      let (name, kind) = named(plain ?? written, from: start, isQuery: isQuery)
        ?? paired(written, at: start)
    else { return nil }
    let known = Name(
      start: start,
      before: before,
      isQuoted: isQuoted,
      isQuery: isQuery,
      isColon: bytes[mark] != "=",
      isCredentials: SecretNames.folded(name).hasSuffix("authorization")
    )
    guard let range = range(from: mark + width, known) else { return nil }
    return Finding(range: range, name: name, kind: kind)
  }

  /// Returns the name of a secret, possibly together with the words before it: `mot de passe`,
  /// `API key`.
  private func named(
    _ name: String,
    from start: Int,
    isQuery: Bool
  ) -> (String, SecretNames.Kind)? {
    let own = names.kind(of: name, in: isQuery ? .query : .field)
    if isQuery || own?.isAmbiguous == false { return own.map { (name, $0) } }
    var (whole, start) = (name, start)
    for _ in 0..<3 {
      guard start > 1, bytes[start - 1] == " ", Self.isName(bytes[start - 2]) else {
        break
      }
      var first = start - 1
      while first > 0, start - first < 24, Self.isName(bytes[first - 1]) { first -= 1 }
      whole = bytes[first..<start].text + whole
      start = first
      let joined = SecretNames.folded(whole)
      let isKnown = [Vocabulary.certain, Vocabulary.certainWholes].contains { $0.contains(joined) }
      if isKnown, let kind = names.kind(of: joined, in: .field) { return (whole, kind) }
    }
    return own.map { (name, $0) }
  }

  private mutating func range(from place: Int, _ name: Name) -> Range<Int>? {
    var start = place
    // `'name' => 'value'` in PHP, Ruby and Perl.
    let isArrow =
      bytes[place - 1] == "=" && place < bytes.count && bytes[place] == 0x3E
    if isArrow { start += 1 }
    start = bytes.run(from: start, most: place + 8 - start) { $0 == " " }.endIndex
    // `!!binary |`, `!!str "…"` (YAML 1.2.2 §6.8.1).
    if bytes.has("!!", at: start) {
      start = bytes.run(from: start, most: 12) { $0 > 0x20 }.endIndex
      if bytes.has(" ", at: start) { start += 1 }
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
    if bytes[quote] == "\\", quote + 1 < bytes.count { quote += 1 }
    let isSpaced = start > place
    guard Self.isQuote(bytes[quote]) else {
      return flavour == .plain || name.isQuery
        ? bare(from: start, name, isSpaced) : shown(from: start, name)
    }
    if name.before == bytes[quote], !name.isQuoted { return nil }
    if quotes.isOpen(bytes[quote]), !name.isQuoted, quote == start {
      if name.isQuery || CodeText.follows(bytes[(quote + 1)...]) { return nil }
    }
    return quoted(at: quote, isEscaped: quote > start, name)
  }

  /// Returns an unquoted value up to its delimiter.
  mutating func bare(from start: Int, _ name: Name, _ isSpaced: Bool) -> Range<Int>? {
    // `$token: String` is the declaration of a variable.
    if name.isColon, name.before == "$" { return nil }
    if let range = braced(from: start, name) ?? block(from: start, name) { return range }
    // Checked first, so that a text that is not a value is not read to its end.
    if ["=", "[", "(", "{", "//", "${", "#{"].contains(where: { bytes.has($0, at: start) }) {
      return nil
    }
    let run = bareRun(from: start, name.isQuery)
    let stop = run.range.upperBound
    // A function call.
    if bytes.has("(", at: stop) { return nil }
    let end = max(start, run.sentenceEnd)
    let value = bytes[start..<end]
    // `sk_test_...` is an example.
    if end + 3 <= stop, bytes[end..<end + 3].elementsEqual("...".utf8) { return nil }
    guard let first = value.first, !isSpaced || !"+|*".utf8.contains(first),
      !CodeText.beginsReference(bytes[start..<stop]),
      first != "$" || value.count > 1, !CodeText.isPlaceholder(value)
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

  /// Returns the value in `Pwd={…}` in settings of ODBC.
  private func braced(from start: Int, _ name: Name) -> Range<Int>? {
    guard !name.isColon, bytes[start] == "{" else { return nil }
    let inner = bytes.run(from: start + 1, most: 100) { $0 > 0x20 && !"{}\"'".utf8.contains($0) }
    return inner.count >= 4 && bytes.has("}", at: inner.endIndex)
      && inner.contains { $0.isASCIIDigit || $0 == ";" } ? inner.indices : nil
  }

  /// Returns the name in the line above a value: `- name: DB_PASSWORD` above `value: …`, as in the
  /// settings of Kubernetes.
  private func paired(_ key: String, at start: Int) -> (String, SecretNames.Kind)? {
    guard key == "value" else { return nil }
    let lines = bytes[..<start].suffix(200).text.split(whereSeparator: \.isNewline)
    guard let above = lines.dropLast().last, lines.last?.allSatisfy({ $0 == " " }) == true else {
      return nil
    }
    let words = above.drop { " -".contains($0) }.split { " \"'".contains($0) }.map(String.init)
    guard words.count == 2, words[0] == "name:" || words[0] == "key:" else { return nil }
    return names.kind(of: words[1], in: .field).map { (words[1], $0) }
  }

  /// Returns the lines of a block (YAML 1.2.2 §8.1): `password: |` with a value below.
  private func block(from start: Int, _ name: Name) -> Range<Int>? {
    guard name.isColon, "|>".utf8.contains(bytes[start]) else { return nil }
    let mark = bytes.run(from: start, most: 4) { $0 > 0x20 }
    guard mark.dropFirst().allSatisfy({ "+-123456789".utf8.contains($0) }),
      bytes.has("\n", at: mark.endIndex)
    else { return nil }
    let line = bytes.run(from: mark.endIndex + 1, most: 1000) { $0 != 0x0A }
    let value = line.drop { $0 == 0x20 }
    guard value.count < line.count, !value.isEmpty else { return nil }
    let indent = line.prefix { $0 == 0x20 }
    var end = value.endIndex
    // A PEM key keeps its lines and is detected by them.
    while value.first != "-", bytes[end...].dropFirst().starts(with: indent) {
      let next = bytes.run(from: end + 1 + indent.count, most: 1000) { $0 != 0x0A }
      guard !next.isEmpty, next.allSatisfy({ $0 > 0x20 }) else { break }
      end = next.endIndex
    }
    return value.startIndex..<end
  }

  /// Whether a value is the first word of a label in a file, such as `password=Mot de passe`.
  private func isLabel(_ value: ByteSlice, before rest: ByteSlice) -> Bool {
    guard let first = value.first, 0x41...0x5A ~= first, rest.first == 0x20 else { return false }
    let line = bytes.run(from: value.startIndex, most: 120) { $0 != 0x0A }
    return Prose.isPlain(line.text.trimmingCharacters(in: .whitespaces))
  }

  /// Returns the end of a value that begins at a position. Several values may have the same end,
  /// which is searched only once.
  private mutating func bareRun(
    from start: Int,
    _ isQuery: Bool
  ) -> (range: Range<Int>, sentenceEnd: Int) {
    let index = isQuery ? 1 : 0
    if !bareRuns[index].range.contains(start) {
      let run = bytes.run(from: start) { !Self.ends($0, isQuery) }
      bareRuns[index] = (run.indices, Self.withoutSentenceEnd(run).endIndex)
    }
    return bareRuns[index]
  }

  private static func withoutSentenceEnd(_ run: ByteSlice) -> ByteSlice {
    run.dropLast(run.reversed().prefix { ".:]}!?".utf8.contains($0) }.count)
  }

  private static func ends(_ byte: UInt8, _ isQuery: Bool) -> Bool {
    byte <= 0x20 || "&;\"'<>\\`,()".utf8.contains(byte) || isQuery && byte == "#"
  }

  /// Returns the scheme and the value in `Authorization: Token 7f3a…`, if the value looks like
  /// credentials.
  private func credentials(behind scheme: Range<Int>) -> Range<Int>? {
    guard bytes.has(" ", at: scheme.upperBound) else { return nil }
    let run = bytes.run(from: scheme.upperBound + 1) { !Self.ends($0, false) }
    // `Digest username="ada", response="…"` has parameters up to the end of the line (RFC 9110
    // §11.4).
    if run.last == 0x3D, bytes[run.endIndex...].first.map(Self.isQuote) == true {
      let line = bytes.run(from: run.startIndex) { $0 != 0x0A && $0 != 0x0D }
      return scheme.lowerBound..<line.endIndex
    }
    let token = Self.withoutSentenceEnd(run)
    let isLikely = token.count >= 16 || token.count >= 6 && token.contains(where: \.isASCIIDigit)
    return isLikely && !CodeText.isElsewhere(token) ? scheme.lowerBound..<token.endIndex : nil
  }

  /// Returns a value up to the same quotation mark in the same line.
  ///
  /// In a truncated text, the mark may be missing. Then the value of a member extends to the end,
  /// and any other value to a delimiter.
  private mutating func quoted(at quote: Int, isEscaped: Bool, _ name: Name) -> Range<Int>? {
    var end = quote + 1
    var isClosed = false
    while end < bytes.count, bytes[end] != 0x0A {
      let isEscape = bytes[end] == "\\"
      isClosed =
        isEscape
        ? isEscaped && end + 1 < bytes.count && bytes[end + 1] == bytes[quote]
        : bytes[end] == bytes[quote]
      if isClosed { break }
      end += isEscape ? 2 : 1
    }
    end = min(end, bytes.count)
    guard end > quote + 1 else { return nil }
    let value = bytes[(quote + 1)..<end]
    if CodeText.isPlaceholder(value) || value.first == 0x20 && CodeText.follows(value) {
      return nil
    }
    if isClosed || name.isQuoted && end == bytes.count { return quote + 1..<end }
    return bare(from: quote + 1, name, false)
  }
}
