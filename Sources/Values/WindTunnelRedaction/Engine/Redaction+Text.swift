internal import Foundation

extension Redaction {
  /// Returns a text without secrets.
  mutating func text(_ text: String, depth: Int = 0) -> String {
    whole(Bytes(text.utf8), depth: depth).text
  }

  /// Returns a complete value without secrets.
  mutating func whole(_ bytes: Bytes, depth: Int) -> Bytes {
    // In the second walk, a complete value that is a known secret is replaced, even if it is a
    // word.
    if let stand = echoes.stand(forWhole: bytes, in: place) { return Bytes(stand.utf8) }
    guard bytes.count > 4 else { return bytes }
    return escaped(text(bytes, .plain, depth: depth), depth: depth)
  }

  /// Returns a text without secrets in its escaped parts: `https%3A%2F%2F…`, `&#112;&#119;…`,
  /// `\\u0070…`.
  private mutating func escaped(_ bytes: Bytes, depth: Int) -> Bytes {
    guard depth + 1 < Self.depthMax else { return bytes }
    var bytes = bytes
    for (spelling, marks) in Self.escapes where EscapedText.has(marks, in: bytes) {
      guard let meant = EscapedText(bytes, spelling), let plain = String(utf8: meant.bytes) else {
        continue
      }
      guard bytes.count <= rereadBytesLeft else {
        obstacle = "a text has more nested encodings than can be searched"
        return bytes
      }
      rereadBytesLeft -= bytes.count
      let replaced = text(plain, depth: depth + 1)
      if replaced == plain { continue }
      bytes = meant.original(meaning: Bytes(replaced.utf8)) {
        spelling == .percent ? Pairs.encoded($0) : $0
      }
    }
    return bytes
  }

  /// Returns a text in which words with doubly escaped pairs contain no secrets. In JSON, each
  /// string is searched by itself.
  private mutating func escapedWords(_ bytes: Bytes) -> Bytes {
    bytes.replacing(Links.escaped(in: bytes)) { escaped($0, depth: 0) }
  }

  /// The marks that indicate an escaping.
  private static let escapes: KeyValuePairs<EscapedText.Spelling, [Bytes]> = [
    .percent: ["%3D", "%3d", "%3A", "%3a", "%22", "%40", "%25"].map { Bytes($0.utf8) },
    .html: ["&#x", "&#1", "&#3", "&#4", "&#5", "&#6", "&#9", "&quot;", "&#X"]
      .map { Bytes($0.utf8) },
    .json: ["\\u00", "\\x", "\\\""].map { Bytes($0.utf8) },
  ]

  /// Returns a text without secrets: JSON is parsed; in other texts, lines of JSON are parsed, and
  /// the text between them is searched.
  ///
  /// A line ends with a line feed, with a record separator (RFC 7464, SignalR) or with a zero byte
  /// (STOMP).
  mutating func text(_ bytes: Bytes, _ flavour: Passage.Flavour, depth: Int) -> Bytes {
    guard bytes.count > 4, depth < Self.depthMax else { return echoed(bytes) }
    if let json = json(bytes, depth: depth) { return json }
    guard Self.mayHaveLinesOfJSON(bytes) else { return words(bytes, flavour, depth: depth) }
    var edits: [Edit] = []
    // Other lines stay together, because an element or a key may span several lines.
    var others = 0
    func read(_ range: Range<Int>) {
      if range.isEmpty { return }
      edits.append(Edit(range, words(Bytes(bytes[range]), flavour, depth: depth)))
    }
    var (place, eventEnd) = (0, 0)
    while place < bytes.count, !pseudonyms.isOverfull {
      let line = Self.line(at: place, in: bytes)
      var found: (range: Range<Int>, json: Bytes?)?
      if place >= eventEnd {
        let event = Self.event(from: line, in: bytes)
        eventEnd = event.last?.upperBound ?? line.upperBound
        if event.count > 1 { found = json(event, in: bytes, depth) }
      }
      guard let (range, json) = found ?? json([line], in: bytes, depth) else {
        place = line.upperBound + 1
        continue
      }
      read(others..<line.lowerBound)
      if let json { edits.append(Edit(range, json)) }
      place = range.upperBound + 1
      others = place
    }
    read(min(others, bytes.count)..<bytes.count)
    return Edit.applied(edits, to: bytes)
  }

  /// Whether parts of a text may be JSON: a line, or the rest after a packet's head.
  private static func mayHaveLinesOfJSON(_ bytes: Bytes) -> Bool {
    if packetHead(of: bytes[...]) > 0 { return true }
    guard bytes.has(UInt8(ascii: "{")) else { return false }
    return bytes.has(UInt8(ascii: "\n")) || bytes.has(0x1E) || bytes.has(0)
      || bytes.starts(with: "data:".utf8)
  }

  /// Returns the line that begins at a position, without its end.
  private static func line(at place: Int, in bytes: Bytes) -> Range<Int> {
    place..<(bytes[place...].firstIndex { $0 == 0x0A || $0 == 0x1E || $0 == 0 } ?? bytes.count)
  }

  /// Returns the number of bytes before the JSON of a message in some protocols.
  ///
  /// They contain the number of a packet and its namespace (`42/admin,7["…"]`), or a word
  /// (`CONNECT {…}`).
  private static func packetHead(of text: ByteSlice) -> Int {
    let head = text.prefix(packetHeadMax).prefix { $0.isWord || " /,-._".utf8.contains($0) }
    guard head.endIndex < text.endIndex, "{[".utf8.contains(text[head.endIndex]) else { return 0 }
    return head.count
  }

  private static let packetHeadMax = 64

  private static let data = Bytes("data:".utf8)

  /// Returns the `data` lines of an event, beginning with one of them.
  private static func event(from first: Range<Int>, in bytes: Bytes) -> [Range<Int>] {
    var lines: [Range<Int>] = []
    var line = first
    while bytes[line].starts(with: data) {
      lines.append(line)
      guard line.upperBound < bytes.count, bytes[line.upperBound] == 0x0A else { break }
      line = Self.line(at: line.upperBound + 1, in: bytes)
    }
    return lines
  }

  /// Parses lines that are JSON together. Returns their range and the redacted JSON, which is `nil`
  /// if unchanged.
  ///
  /// Each line may begin with `data:`. At the start of a message, a packet's head may precede the
  /// JSON.
  private mutating func json(
    _ lines: [Range<Int>],
    in bytes: Bytes,
    _ depth: Int
  ) -> (range: Range<Int>, json: Bytes?)? {
    guard let first = lines.first, let last = lines.last else { return nil }
    let isFirst = first.lowerBound == 0 || bytes[first.lowerBound - 1] != 0x0A
    let head =
      bytes[first].starts(with: Self.data)
      ? Self.data.count : isFirst ? Self.packetHead(of: bytes[first]) : 0
    let newline = CollectionOfOne(0x0A as UInt8)
    let old = Bytes(lines.map { bytes[$0].dropFirst(head) }.joined(separator: newline))
    // The whole JSON text is compared.
    guard let new = json(old, depth: depth + 1) else { return nil }
    let range = first.lowerBound..<last.upperBound
    if new == old { return (range, nil) }
    // Strings contain no line breaks, so the number of lines is unchanged.
    let written = new.split(separator: 0x0A, omittingEmptySubsequences: false)
      .map { bytes[first].prefix(head) + $0 }
    return (range, Bytes(written.joined(separator: newline)))
  }

  /// Returns a text that is not JSON without secrets. At the top level, doubly escaped words are
  /// also searched.
  private mutating func words(_ bytes: Bytes, _ flavour: Passage.Flavour, depth: Int) -> Bytes {
    let read = stretch(bytes, flavour, depth: depth)
    return depth == 0 ? escapedWords(read) : read
  }

  /// Returns a text without its own structure without secrets. It searches URLs, named values,
  /// known formats and base64, and then repeated secrets.
  private mutating func stretch(_ bytes: Bytes, _ flavour: Passage.Flavour, depth: Int) -> Bytes {
    if flavour == .script, place == .prose {
      return within(.script) { $0.stretch(bytes, flavour, depth: depth) }
    }
    guard Self.isWorthReading(bytes) else { return echoed(bytes) }
    let page = flavour == .script ? page(bytes, depth: depth) : bytes
    // Searched first, because one line of a wrapped secret looks like a secret by itself.
    let bytes = isLearning ? page : echoes.unwrapped(page, place) ?? page
    var edits = TextEdits(bytes)
    for range in Links.found(in: bytes) {
      edits.offer(range) { self.link($0, .quoted, depth: depth) }
      edits.take(range)
    }
    let passage = Passage(bytes: bytes, names: names, flavour: flavour)
    for detector in rules.personalData ? Self.detectors + [PersonalData.self] : Self.detectors
    where !pseudonyms.isOverfull {
      for finding in detector.findings(in: passage) {
        edits.offer(finding.range) { self.stand(for: $0, finding) }
      }
    }
    for run in EncodedRun.found(in: bytes) {
      guard edits.isFree(run.range) else { continue }
      for edit in unpacked(bytes, run, depth: depth) { edits.add(edit) }
    }
    let result = edits.applied()
    if isLearning { log?.lookForEntropy(in: result) }
    return echoed(wide(result, flavour, depth: depth))
  }

  /// Returns a text with full-width letters, searched with plain letters.
  private mutating func wide(_ bytes: Bytes, _ flavour: Passage.Flavour, depth: Int) -> Bytes {
    guard let meant = EscapedText(bytes, .wide), ":=_".utf8.contains(where: meant.bytes.has)
    else { return bytes }
    let new = stretch(meant.bytes, flavour, depth: depth)
    return new == meant.bytes ? bytes : meant.original(meaning: new) { $0 }
  }

  /// Returns a page without the secrets in its comments, which are prose, and in its frames.
  private mutating func page(_ bytes: Bytes, depth: Int) -> Bytes {
    let edits = PageText.found(in: bytes).map { range, isFrame -> Edit in
      let written = Bytes(bytes[range])
      guard isFrame else { return Edit(range, text(written, .plain, depth: depth + 1)) }
      let meant = EscapedText(written, .html)
      let old = meant?.bytes ?? written
      let new = escaped(text(old, .script, depth: depth + 1), depth: depth + 1)
      if new == old { return Edit(range, written) }
      return Edit(range, meant?.original(meaning: new) { $0 } ?? new)
    }
    return Edit.applied(edits, to: bytes)
  }

  /// Whether a text may contain anything that detectors find: a mark after a name, a long word, a
  /// scheme, or the line of a key. Most texts are a few words.
  private static func isWorthReading(_ bytes: Bytes) -> Bool {
    var length = 0
    var last: UInt8 = 0
    for byte in bytes {
      switch byte {
      case "=", ":", ">", "@", "+": return true
      case "-" where last == byte || last == 0x20: return true
      // A full-width symbol.
      case 0xBC where last == 0xEF: return true
      case " " where last.asciiLowercased == "c": return true
      case "'", "\"", "`":
        // A word in quotation marks rather than an apostrophe.
        if last <= 0x20 { return true }
        length += 1
      default: length = byte <= 0x20 ? 0 : length + 1
      }
      if length >= 16 { return true }
      last = byte
    }
    return ToldValues.mayBeIn(bytes) || Commands.mayBegin(bytes)
  }

  /// Returns a text without known secrets.
  mutating func echoed(_ bytes: Bytes) -> Bytes {
    guard let replaced = echoes.replaced(in: bytes, place) else { return bytes }
    log?.found("echo", "echo", bytes: bytes.count)
    return replaced
  }

  /// The detectors, in the order of their priority.
  private static let detectors: [any Detector.Type] = [
    Commands.self, NamedValues.self, ToldValues.self, ValuesBesideNames.self, Shapes.self,
  ]

  /// Returns the placeholder of a finding, or the text itself if it is not a secret.
  mutating func stand(for text: String, _ finding: Finding) -> String {
    switch finding.evidence {
    case .name(let kind): return named(text, finding.name, kind)
    case .row(let row):
      let stand = stand(for: text, name: finding.name, .likely, row)
      if row == "basic" { rememberPair(of: text, as: stand) }
      if stand != text, text.contains(":") { rememberParts(of: text, row) }
      return stand
    }
  }

  private mutating func named(_ text: String, _ name: String, _ kind: SecretNames.Kind) -> String {
    // In prose, credentials follow their scheme, and "Bearer" alone is not a credential.
    if let value = fieldValue(text, name: name) { return value }
    let plain = text.contains("%") ? text.removingPercentEncoding ?? text : text
    let unescaped = plain.contains("\\") ? Self.unescaped(plain) ?? plain : plain
    let stand = judged(unescaped, NamedPlace(name: name, kind: kind, isAsked: isAsked))
    return stand == unescaped ? text : stand
  }

  /// Returns the decoded value of a JSON string without its quotes; `nil` if it cannot be parsed.
  private static func unescaped(_ text: String) -> String? {
    // Text that does not parse was not a JSON string.
    (try? JSONParser.parse("\"\(text)\"".utf8))?.stringValue
  }
}

/// The replacements in a text by several detectors; the first replacement of a range wins.
private struct TextEdits {
  private let bytes: Bytes
  private var claimed: ClaimedRanges
  private var edits: [Edit] = []

  init(_ bytes: Bytes) { (self.bytes, claimed) = (bytes, ClaimedRanges(of: bytes.count)) }

  func isFree(_ range: Range<Int>) -> Bool { claimed.isFree(range) }

  mutating func take(_ range: Range<Int>) { _ = claimed.take(range) }

  mutating func add(_ edit: Edit) { if claimed.take(edit.range) { edits.append(edit) } }

  /// Replaces a free range if `replace` returns a different text.
  mutating func offer(_ range: Range<Int>, _ replace: (String) -> String) {
    guard claimed.isFree(range) else { return }
    let text = bytes[range].text
    let replaced = replace(text)
    if replaced != text { add(Edit(range, Bytes(replaced.utf8))) }
  }

  func applied() -> Bytes { edits.isEmpty ? bytes : Edit.applied(edits, to: bytes) }
}
