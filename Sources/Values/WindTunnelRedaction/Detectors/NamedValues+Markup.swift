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

  private static let innerTags: Words = "value string code b strong span pre kbd tt em"

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
    guard next({ $0.dropFirst().first == UInt8(ascii: "/") }) != nil,
      let tag = next({ tag in Self.valueTags.contains { tag.dropFirst().elementsEqual($0.utf8) } }),
      let range = content(of: tag) ?? inner(of: tag)
    else { return nil }
    return Finding(range: range, name: word, kind: kind)
  }

  private static let valueTags = ["string", "data", "dd", "td", "code", "value"]

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
    guard let kind = isPassword ? .certain : kind(name) else { return nil }
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
