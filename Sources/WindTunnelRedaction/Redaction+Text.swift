internal import Foundation

extension Redaction {
  /// How deep texts within texts are looked into.
  static let depthMax = 6

  /// A text without secrets.
  mutating func text(_ text: String, depth: Int = 0) -> String {
    // Once all secrets are known, a whole value that is one of them goes, even where it is a word.
    if let stand = echoes?.stand(forWhole: text, in: place) { return stand }
    guard text.utf8.count > 4 else { return text }
    let bytes = Array(text.utf8)
    let replaced = self.text(bytes, .plain, depth: depth)
    return String(decoding: escaped(replaced, depth: depth), as: UTF8.self)
  }

  /// A text of which a part is spelled as in an address, and may hold one: `https%3A%2F%2F…`.
  private mutating func escaped(_ bytes: [UInt8], depth: Int) -> [UInt8] {
    let marks = ["%3D", "%3d", "%3A", "%3a", "%22", "%40", "%25"]
    guard depth + 1 < Self.depthMax, bytes.contains(UInt8(ascii: "%")),
      marks.contains(where: { bytes.firstRange(of: Array($0.utf8)) != nil }),
      let meant = EscapedText(bytes, .percent), let plain = String(utf8: meant.bytes)
    else { return bytes }
    let replaced = text(plain, depth: depth + 1)
    guard replaced != plain else { return bytes }
    return meant.original(bytes, meaning: Array(replaced.utf8), spell: Self.encoded)
  }

  /// A text without secrets: JSON as such, else lines of JSON and what is between them.
  mutating func text(_ bytes: [UInt8], _ flavour: NamedValues.Flavour, depth: Int) -> [UInt8] {
    guard bytes.count > 4, depth < Self.depthMax else { return echoed(bytes) }
    if let json = json(bytes, depth: depth) { return json }
    guard bytes.has(UInt8(ascii: "{")),
      bytes.has(UInt8(ascii: "\n")) || bytes.starts(with: "data:".utf8)
    else { return stretch(bytes, flavour, depth: depth) }
    var result: [UInt8] = []
    // Lines that are no JSON stay together, since an element or a key may go over several.
    var pending: [UInt8] = []
    func flush() {
      result += stretch(pending, flavour, depth: depth)
      pending = []
    }
    let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    var index = 0
    while index < lines.count {
      let event = lines[index...].prefix { $0.starts(with: "data:".utf8) }
      let count = max(1, event.count)
      defer { index += count }
      if let event = self.event(Array(event), depth: depth) {
        flush()
        result += event
        continue
      }
      for line in lines[index..<index + count] {
        let start = line.starts(with: "data:".utf8) ? 5 : 0
        if let json = json(Array(line.dropFirst(start)), depth: depth) {
          flush()
          result += line.prefix(start) + json
          result.append(UInt8(ascii: "\n"))
        } else {
          pending += line
          pending.append(UInt8(ascii: "\n"))
        }
      }
    }
    flush()
    result.removeLast()
    return result
  }

  /// An event whose data is JSON over several lines, each behind `data:`.
  private mutating func event(_ lines: [ArraySlice<UInt8>], depth: Int) -> [UInt8]? {
    guard lines.count > 1 else { return nil }
    let whole = lines.map { $0.dropFirst(5) }.joined(separator: [UInt8(ascii: "\n")])
    guard let json = json(Array(whole), depth: depth) else { return nil }
    // No line begins or ends within a string, so there are as many as before.
    return json.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
      .flatMap { Array("data:".utf8) + $0 + [UInt8(ascii: "\n")] }
  }

  /// A text without structure of its own: addresses, named values, known shapes, base64; then
  /// echoes of what is known.
  private mutating func stretch(
    _ bytes: [UInt8],
    _ flavour: NamedValues.Flavour,
    depth: Int
  ) -> [UInt8] {
    if flavour == .script, place == .prose {
      return within(.script) { $0.stretch(bytes, flavour, depth: depth) }
    }
    guard Self.isWorthReading(bytes) else { return echoed(bytes) }
    var stretches = ClaimedRanges(of: bytes.count)
    var edits: [Edit] = []
    let hasColon = bytes.has(UInt8(ascii: ":"))
    for range in hasColon ? Self.links(in: bytes) : [] where stretches.take(range) {
      let link = String(decoding: bytes[range], as: UTF8.self)
      edits.append(Edit(range, Array(self.link(link, .quoted, depth: depth).utf8)))
    }
    let hasNames = hasColon || bytes.has(UInt8(ascii: "=")) || bytes.has(UInt8(ascii: ">"))
    for value in hasNames ? NamedValues.found(in: bytes, names, flavour) : []
    where stretches.take(value.range) {
      let text = String(decoding: bytes[value.range], as: UTF8.self)
      edits.append(Edit(value.range, Array(named(text, value).utf8)))
    }
    let told = flavour == .plain ? NamedByWords.found(in: bytes, names) : []
    for value in ProseDetector.found(in: bytes) + told where stretches.take(value.range) {
      let text = String(decoding: bytes[value.range], as: UTF8.self)
      edits.append(Edit(value.range, Array(named(text, value).utf8)))
    }
    for shape in shapes(in: bytes) where stretches.take(shape.range) {
      let text = String(decoding: bytes[shape.range], as: UTF8.self)
      let stand = stand(for: text, name: shape.kind, .likely)
      if shape.kind == "basic" { rememberPair(of: text, as: stand) }
      edits.append(Edit(shape.range, Array(stand.utf8)))
    }
    for range in Base64Text.runs(in: bytes) where stretches.take(range) {
      edits += unpacked(bytes, range, depth: depth)
    }
    let changed = edits.filter { bytes[$0.range].elementsEqual($0.bytes) == false }
    let result = changed.isEmpty ? bytes : Edit.applied(changed, to: bytes)
    if echoes == nil { log?.lookForEntropy(in: result) }
    return echoed(result)
  }

  /// Whether a text may hold anything that is looked for by its surroundings or its looks: a mark
  /// behind a name, a word of some length, a scheme, the line of a key. Most texts are a few words.
  private static func isWorthReading(_ bytes: [UInt8]) -> Bool {
    var length = 0
    var last: UInt8 = 0
    for byte in bytes {
      switch byte {
      case UInt8(ascii: "="), UInt8(ascii: ":"), UInt8(ascii: ">"), UInt8(ascii: "@"),
        UInt8(ascii: "+"):
        return true
      case UInt8(ascii: "-") where last == byte: return true
      case UInt8(ascii: " ") where last.asciiLowercased == UInt8(ascii: "c"): return true
      case UInt8(ascii: "'"), UInt8(ascii: "\""), UInt8(ascii: "`"):
        // A word in quotation marks, and no apostrophe.
        if last <= 0x20 { return true }
        length += 1
      default: length = byte <= 0x20 ? 0 : length + 1
      }
      if length >= 16 { return true }
      last = byte
    }
    return ProseDetector.mayBeIn(bytes)
  }

  /// A text without what is known to be secret.
  mutating func echoed(_ bytes: [UInt8]) -> [UInt8] {
    guard let replaced = echoes?.replaced(in: bytes, place) else { return bytes }
    log?.found("echo", bytes: bytes.count)
    return replaced
  }

  private func shapes(in bytes: [UInt8]) -> [Shapes.Found] {
    let shapes = Shapes.found(in: bytes)
    return findsPersonalData ? shapes + Shapes.mails(in: bytes) + Shapes.phones(in: bytes) : shapes
  }

  private mutating func named(_ text: String, _ found: NamedValues.Found) -> String {
    // In prose a credential follows its scheme, and "Bearer" alone is none.
    if let value = fieldValue(text, name: found.name) { return value }
    let plain = text.contains("%") ? text.removingPercentEncoding ?? text : text
    let unescaped = plain.contains("\\") ? Self.unescaped(plain) ?? plain : plain
    let stand = stand(for: unescaped, name: found.name, sort: found.sort, .likely)
    return stand == unescaped ? text : stand
  }

  /// What a string of JSON says that was written without its quotes.
  private static func unescaped(_ text: String) -> String? {
    // What does not parse was no string of JSON.
    (try? JSONParser.parse("\"\(text)\"".utf8))?.stringValue
  }
}
