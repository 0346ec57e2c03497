// Elements of XML, and fields of HTML forms.

extension NamedValues {
  /// Returns the value that the tag at a position names.
  ///
  /// - `<password>…</password>`, with or without a prefix, attributes and CDATA.
  /// - `<key>password</key><string>…`, `<name>password</name><value><string>…`, as in property
  ///   lists and XML-RPC.
  /// - `<input type="password" value="…">`, `<input name="csrf_token" value="…">` and
  ///   `<meta name="csrf-token" content="…">`.
  func markup(at open: Int) -> Finding? {
    let name = bytes.run(from: open + 1, most: 80) { Self.isName($0) || $0 == ":" }
    switch name.text.lowercased() {
    case "": return nil
    case "input": return field(from: name.endIndex, value: "value")
    case "meta": return field(from: name.endIndex, value: "content")
    case "key", "name", "dt", "th", "td", "label": return pair(name)
    case "add", "param", "property", "entry", "setting", "variable", "item", "option", "arg",
      "data", "attribute", "string":
      return field(from: name.endIndex, value: "value")
    default: break
    }
    guard let local = name.text.split(separator: ":").last,
      let kind = kind(String(local)), let range = content(of: name) ?? inner(of: name)
    else { return nil }
    return Finding(range: range, name: String(local), kind: kind)
  }

  /// Returns a value in the text of a page: `<p>password: x7Kq9vLw</p>`, `<b>PIN:</b> x7Kq9vLw`.
  ///
  /// Code has other marks than tags around a name and its value.
  mutating func shown(from place: Int, _ name: Name) -> Range<Int>? {
    let isMark: (UInt8) -> Bool = { "<>{}()=".utf8.contains($0) }
    let tag = bytes.has("</", at: place) ? bytes.run(from: place, most: 20) { $0 != ">" }.count : -1
    let start = bytes.wordStart(from: place + tag + 1)
    guard name.isColon, bytes[..<name.start].suffix(200).last(where: isMark) == ">",
      start < bytes.count, let value = bare(from: start, name, true),
      (bytes[value.upperBound...].prefix(200).first(where: isMark) ?? 0x3C) == "<",
      TextShape.isDrawn(bytes[value].text)
    else { return nil }
    return value
  }

  /// Returns the text of the only element within another: `<Password><Value>…`, `<td><code>…`.
  private func inner(of name: ByteSlice) -> Range<Int>? {
    let end = bytes.run(from: name.endIndex, most: 400) { !"<>".utf8.contains($0) }.endIndex
    let place = bytes.wordStart(from: end + 1)
    guard bytes.has("<", at: place) else { return nil }
    let tag = bytes.run(from: place + 1, most: 12, while: \.isWord)
    return Self.innerTags.contains(tag.lowercasedText) ? content(of: tag) : nil
  }

  private static let innerTags: Words = "value string code b strong span pre kbd tt em"

  /// Returns the text of a closed element that contains only text, without surrounding white space.
  private func content(of name: ByteSlice) -> Range<Int>? {
    let attributes = bytes.run(from: name.endIndex, most: 400) { !"<>".utf8.contains($0) }
    let start = attributes.endIndex + 1
    guard bytes.has(">", at: start - 1), attributes.last != "/" else { return nil }
    let mark = "<![CDATA["
    let isData = bytes.has(mark, at: start)
    // Stops at the next tag, so that all tags of a text together cost no more than the text.
    var text = bytes.run(from: isData ? start + mark.utf8.count : start) { $0 != "<" }
    let rest = bytes[text.endIndex...]
    guard !isData || text.suffix(3).elementsEqual("]]>".utf8), rest.starts(with: "</".utf8),
      rest.dropFirst(2).starts(with: name),
      let end = rest.dropFirst(2 + name.count).first, end == ">" || end <= 0x20
    else { return nil }
    if isData { text = text.dropLast(3) }
    while let byte = text.first, byte <= 0x20 { text.removeFirst() }
    while let byte = text.last, byte <= 0x20 { text.removeLast() }
    return text.isEmpty || CodeText.isPlaceholder(text) ? nil : text.indices
  }

  /// Returns the value of the element that follows an element with its name.
  private func pair(_ name: ByteSlice) -> Finding? {
    guard let key = content(of: name), key.count <= 80, let kind = kind(bytes[key].text),
      !name.elementsEqual("td".utf8) || kind == .certain
    else { return nil }
    func tag(at place: Int) -> ByteSlice? {
      let place = bytes.wordStart(from: place)
      guard bytes.has("<", at: place) else { return nil }
      return bytes.run(from: place, most: 40) { $0 != ">" }.dropFirst()
    }
    guard let end = tag(at: key.upperBound), end.first == "/",
      let tag = tag(at: end.endIndex + 1), Self.valueTags.contains(tag.text),
      let range = content(of: tag) ?? inner(of: tag)
    else { return nil }
    return Finding(range: range, name: bytes[key].text, kind: kind)
  }

  private static let valueTags: Words = "string data dd td code value"

  /// Returns the value of an attribute, named by the tag's name or type.
  private func field(from start: Int, value wanted: String) -> Finding? {
    var place = start
    var name = ""
    var isPassword = false
    var value: Range<Int>?
    func skip(_ isPassed: (UInt8) -> Bool) -> Range<Int> {
      let begin = min(place, bytes.count)
      place = begin
      while place < bytes.count, bytes[place] != "<", isPassed(bytes[place]) {
        place += 1
      }
      return begin..<place
    }
    while place < bytes.count, place < start + 4000, !"<>".utf8.contains(bytes[place]) {
      _ = skip { $0 <= 0x20 || $0 == "/" }
      let key = skip { $0 > 0x20 && !"=>/".utf8.contains($0) }
      guard !key.isEmpty else { break }
      guard bytes.has("=", at: place) else { continue }
      place += 1
      guard place < bytes.count else { break }
      let quote = bytes[place]
      let isQuoted = Self.isQuote(quote)
      if isQuoted { place += 1 }
      let content = skip { isQuoted ? $0 != quote : $0 > 0x20 && $0 != ">" }
      if isQuoted {
        guard place < bytes.count, bytes[place] == quote else { return nil }
        place += 1
      }
      let text = bytes[content].text
      switch bytes[key].lowercasedText {
      case "name", "id", "property", "key": if name.isEmpty || kind(name) == nil { name = text }
      case "type": isPassword = text.lowercased() == "password"
      case wanted: value = content
      default: break
      }
    }
    guard let kind = isPassword ? .certain : kind(name) else { return nil }
    if value == nil, wanted == "value", bytes.has(">", at: place),
      let tag = bytes[..<start].lastIndex(where: { $0 == "<" })
    {
      // `<property name="password">…</property>`
      value = content(of: bytes[(tag + 1)..<start])
    }
    guard let value, !value.isEmpty, !CodeText.isPlaceholder(bytes[value]) else { return nil }
    return Finding(range: value, name: self.kind(name) == nil ? "password" : name, kind: kind)
  }

  private func kind(_ name: String) -> SecretNames.Kind? { names.kind(of: name, in: .field) }
}
