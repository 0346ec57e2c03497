internal import Foundation

extension NamedValues {
  /// What is known of a name when its value is looked for.
  private struct Name {
    var text: String
    /// The byte before it.
    var before: UInt8?
    var isQuoted: Bool
    var isQuery: Bool
    var isColon: Bool
    /// Whether a scheme goes before the value.
    var isCredentials: Bool
  }

  /// The value behind `=` or `:`.
  mutating func value(behind mark: Int) -> Found? {
    var end = mark
    while end > 0, mark - end < 3, bytes[end - 1] == UInt8(ascii: " ") { end -= 1 }
    let isQuoted = end > 0 && Self.isQuote(bytes[end - 1])
    if isQuoted { end -= 1 }
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
    guard let sort = names.sort(of: name, in: isQuery ? .query : .field) else { return nil }
    let known = Name(
      text: name,
      before: start > 0 ? bytes[start - 1] : nil,
      isQuoted: isQuoted,
      isQuery: isQuery,
      isColon: bytes[mark] == UInt8(ascii: ":"),
      isCredentials: FieldName.normalised(name).hasSuffix("authorization")
    )
    guard let range = range(from: mark + 1, known) else { return nil }
    return Found(range: range, name: name, sort: sort, isPercent: isQuery)
  }

  private mutating func range(from place: Int, _ name: Name) -> Range<Int>? {
    var start = place
    while start < bytes.count, start < place + 8, bytes[start] == UInt8(ascii: " ") { start += 1 }
    guard start < bytes.count else { return nil }
    var quote = start
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

  /// A value up to what delimits it.
  private mutating func bare(from start: Int, _ name: Name, _ isSpaced: Bool) -> Range<Int>? {
    // `$token: String` is a variable that is declared.
    if name.isColon, name.before == UInt8(ascii: "$") { return nil }
    // Asked first, so that what is no value is not read to its end.
    if start < bytes.count, "=[({".utf8.contains(bytes[start]) { return nil }
    if bytes[start...].starts(with: "//".utf8) { return nil }
    if ["${", "#{"].contains(where: { bytes[start...].starts(with: $0.utf8) }) { return nil }
    let stop = bareEnd(from: start, name.isQuery)
    // What is called.
    if stop < bytes.count, bytes[stop] == UInt8(ascii: "(") { return nil }
    var end = stop
    while end > start, ".:]}!?".utf8.contains(bytes[end - 1]) { end -= 1 }
    let value = bytes[start..<end]
    guard let first = value.first, !isSpaced || !"+|*".utf8.contains(first),
      !CodeText.beginsReference(bytes[start..<stop]),
      first != UInt8(ascii: "$") || value.count > 1, !CodeText.isPlaceholder(value)
    else { return nil }
    if name.isColon {
      let isWord = value.allSatisfy(\.isASCIILetter)
      if isWord, name.isCredentials { return credentials(behind: start..<end) }
      if isWord || value.contains(UInt8(ascii: ".")) && CodeText.isIdentifier(value) { return nil }
    } else if CodeText.isExpression(value, isSpaced: isSpaced, before: bytes[stop...]) {
      return nil
    }
    return start..<end
  }

  /// Returns the end of a value that begins at a place. Many may begin before one end, which is
  /// looked for once.
  private mutating func bareEnd(from start: Int, _ isQuery: Bool) -> Int {
    if bareRun.range.contains(start), bareRun.isQuery == isQuery { return bareRun.range.upperBound }
    var end = start
    while end < bytes.count, !Self.ends(bytes[end], isQuery) { end += 1 }
    bareRun = (start..<end, isQuery)
    return end
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
    while end > start, ".:]}!?".utf8.contains(bytes[end - 1]) { end -= 1 }
    let token = bytes[start..<end]
    let isLong = token.count >= 16
    let isMixed = token.count >= 6 && token.contains { 0x30...0x39 ~= $0 }
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
