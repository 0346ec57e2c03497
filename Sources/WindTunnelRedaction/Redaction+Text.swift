internal import Foundation

extension Redaction {
  /// A text without secrets.
  mutating func text(_ text: String, depth: Int = 0) -> String {
    // Once all secrets are known, a whole value that is one of them goes, even where it is a word.
    if let stand = echoes.stand(forWhole: text, in: place) { return stand }
    guard text.utf8.count > 4 else { return text }
    let bytes = Array(text.utf8)
    let replaced = self.text(bytes, .plain, depth: depth)
    return String(decoding: escaped(replaced, depth: depth), as: UTF8.self)
  }

  /// A text of which a part is spelled as in an address, a page or a string, and may hold one:
  /// `https%3A%2F%2F…`, `&#112;&#119;…`, `\\u0070…`.
  private mutating func escaped(_ bytes: [UInt8], depth: Int) -> [UInt8] {
    guard depth + 1 < Self.depthMax else { return bytes }
    var bytes = bytes
    for (spelling, marks) in Self.escapes where EscapedText.has(marks, in: bytes) {
      guard let meant = EscapedText(bytes, spelling), let plain = String(utf8: meant.bytes) else {
        continue
      }
      let replaced = text(plain, depth: depth + 1)
      if replaced == plain { continue }
      bytes = meant.original(bytes, meaning: Array(replaced.utf8)) {
        spelling == .percent ? Pairs.encoded($0) : $0
      }
    }
    return bytes
  }

  /// What stands in a text that is spelled in a way of its own throughout.
  private static let escapes: [(EscapedText.Spelling, [String])] = [
    (.percent, ["%3D", "%3d", "%3A", "%3a", "%22", "%40", "%25"]),
    (.html, ["&#x", "&#1", "&#3", "&#4", "&#5", "&#6", "&#9", "&quot;", "&#X"]),
    (.json, ["\\u00", "\\x", "\\\""]),
  ]

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
    var edits = TextEdits(bytes)
    let hasColon = bytes.has(UInt8(ascii: ":"))
    for range in hasColon ? Links.found(in: bytes) : [] {
      edits.offer(range) { self.link($0, .quoted, depth: depth) }
      edits.take(range)
    }
    let hasNames = hasColon || bytes.has(UInt8(ascii: "=")) || bytes.has(UInt8(ascii: ">"))
    for value in Commands.found(in: bytes, names) {
      edits.offer(value.range) { self.named($0, value) }
    }
    for value in hasNames ? NamedValues.found(in: bytes, names, flavour) : [] {
      edits.offer(value.range) { self.named($0, value) }
    }
    for value in SpokenValues.found(in: bytes, names, tells: flavour == .plain) {
      edits.offer(value.range) { self.stand(for: $0, name: value.name, .likely, "spoken") }
    }
    for shape in shapes(in: bytes) {
      edits.offer(shape.range) { text in
        let stand = self.stand(for: text, name: shape.kind, .likely, shape.kind)
        if shape.kind == "basic" { self.rememberPair(of: text, as: stand) }
        if stand != text, text.contains(":") { self.rememberParts(of: text, shape.kind) }
        return stand
      }
    }
    for run in EncodedRun.found(in: bytes) {
      guard edits.isFree(run.range) else { continue }
      for edit in unpacked(bytes, run, depth: depth) { edits.add(edit) }
    }
    let result = edits.applied()
    if isLearning { log?.lookForEntropy(in: result) }
    return echoed(result)
  }

  /// Tells whether a text may hold anything that is looked for by its surroundings or its looks: a mark
  /// behind a name, a word of some length, a scheme, the line of a key. Most texts are a few words.
  private static func isWorthReading(_ bytes: [UInt8]) -> Bool {
    var length = 0
    var last: UInt8 = 0
    for byte in bytes {
      switch byte {
      case UInt8(ascii: "="), UInt8(ascii: ":"), UInt8(ascii: ">"), UInt8(ascii: "@"),
        UInt8(ascii: "+"):
        return true
      case UInt8(ascii: "-") where last == byte || last == 0x20: return true
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
    return SpokenValues.mayBeIn(bytes)
  }

  /// A text without what is known to be secret.
  mutating func echoed(_ bytes: [UInt8]) -> [UInt8] {
    guard let replaced = echoes.replaced(in: bytes, place) else { return bytes }
    log?.found("echo", "echo", bytes: bytes.count)
    return replaced
  }

  private func shapes(in bytes: [UInt8]) -> [Shapes.Found] {
    let shapes = Shapes.found(in: bytes)
    guard rules.personalData else { return shapes }
    return shapes + PersonalData.mails(in: bytes) + PersonalData.phones(in: bytes)
  }

  private mutating func named(_ text: String, _ found: NamedValues.Found) -> String {
    // In prose a credential follows its scheme, and "Bearer" alone is none.
    if let value = fieldValue(text, name: found.name) { return value }
    let plain = text.contains("%") ? text.removingPercentEncoding ?? text : text
    let unescaped = plain.contains("\\") ? Self.unescaped(plain) ?? plain : plain
    let place = NamedPlace(
      name: found.name,
      kind: found.kind,
      neighbours: found.neighbours,
      isAsked: isAsked
    )
    let stand = judged(unescaped, place)
    return stand == unescaped ? text : stand
  }

  /// What a string of JSON says that was written without its quotes.
  private static func unescaped(_ text: String) -> String? {
    // What does not parse was no string of JSON.
    (try? JSONParser.parse("\"\(text)\"".utf8))?.stringValue
  }
}

/// What is replaced in a text by one detector after the other: what was replaced first stays.
private struct TextEdits {
  private let bytes: [UInt8]
  private var claimed: ClaimedRanges
  private var edits: [Edit] = []

  init(_ bytes: [UInt8]) { (self.bytes, claimed) = (bytes, ClaimedRanges(of: bytes.count)) }

  func isFree(_ range: Range<Int>) -> Bool { claimed.isFree(range) }

  mutating func take(_ range: Range<Int>) { _ = claimed.take(range) }

  mutating func add(_ edit: Edit) {
    if claimed.take(edit.range) { edits.append(edit) }
  }

  /// Replaces a stretch that nobody has, where there is something instead.
  mutating func offer(_ range: Range<Int>, _ replace: (String) -> String) {
    guard claimed.isFree(range) else { return }
    let text = String(decoding: bytes[range], as: UTF8.self)
    let replaced = replace(text)
    if replaced != text { add(Edit(range, Array(replaced.utf8))) }
  }

  func applied() -> [UInt8] { edits.isEmpty ? bytes : Edit.applied(edits, to: bytes) }
}
