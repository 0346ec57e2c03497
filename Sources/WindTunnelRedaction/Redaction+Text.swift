internal import Foundation

extension Redaction {
  /// Returns a text without secrets.
  mutating func text(_ text: String, depth: Int = 0) -> String {
    let bytes = Bytes(text.utf8)
    let replaced = whole(bytes, depth: depth)
    return replaced == bytes ? text : String(decoding: replaced, as: UTF8.self)
  }

  /// Returns a text that is the whole of something without secrets.
  mutating func whole(_ bytes: Bytes, depth: Int) -> Bytes {
    // Once all secrets are known, a whole value that is one of them goes, even where it is a word.
    if let stand = echoes.stand(forWhole: bytes, in: place) { return Bytes(stand.utf8) }
    guard bytes.count > 4 else { return bytes }
    return escaped(text(bytes, .plain, depth: depth), depth: depth)
  }

  /// Returns a text of which a part is spelled as in an address, a page or a string, and may hold
  /// one: `https%3A%2F%2F…`, `&#112;&#119;…`, `\\u0070…`.
  private mutating func escaped(_ bytes: Bytes, depth: Int) -> Bytes {
    guard depth + 1 < Self.depthMax else { return bytes }
    var bytes = bytes
    for (spelling, marks) in Self.escapes where EscapedText.has(marks, in: bytes) {
      guard let meant = EscapedText(bytes, spelling), let plain = String(utf8: meant.bytes) else {
        continue
      }
      guard bytes.count <= rereadBytesLeft else {
        obstacle = "a text is spelled in more ways within each other than can be looked through"
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

  /// Returns a text whose words may hold pairs that are escaped once more; a string of JSON is read
  /// so by itself.
  private mutating func escapedWords(_ bytes: Bytes) -> Bytes {
    let edits = Links.escaped(in: bytes).compactMap { range in
      let old = Bytes(bytes[range])
      let new = escaped(old, depth: 0)
      return new == old ? nil : Edit(range, new)
    }
    return edits.isEmpty ? bytes : Edit.applied(edits, to: bytes)
  }

  /// The marks by which a text is known to be spelled in a way of its own.
  private static let escapes: [(EscapedText.Spelling, [Bytes])] = [
    (.percent, ["%3D", "%3d", "%3A", "%3a", "%22", "%40", "%25"].map { Bytes($0.utf8) }),
    (
      .html,
      ["&#x", "&#1", "&#3", "&#4", "&#5", "&#6", "&#9", "&quot;", "&#X"].map { Bytes($0.utf8) }
    ),
    (.json, ["\\u00", "\\x", "\\\""].map { Bytes($0.utf8) }),
  ]

  /// Returns a text without secrets: JSON as such, else lines of JSON and what is between them.
  ///
  /// A line ends with a break, with the separator of records (RFC 7464, SignalR) or with a zero
  /// (STOMP).
  mutating func text(_ bytes: Bytes, _ flavour: Passage.Flavour, depth: Int) -> Bytes {
    guard bytes.count > 4, depth < Self.depthMax else { return echoed(bytes) }
    if let json = json(bytes, depth: depth) { return json }
    guard Self.mayHaveLinesOfJSON(bytes) else { return words(bytes, flavour, depth: depth) }
    var edits: [Edit] = []
    // Lines that are no JSON stay together, since an element or a key may go over several.
    var others = 0
    func read(_ range: Range<Int>) {
      let old = Bytes(bytes[range])
      let new = words(old, flavour, depth: depth)
      if new != old { edits.append(Edit(range, new)) }
    }
    var (place, eventEnd) = (0, 0)
    while place < bytes.count {
      let line = Self.line(at: place, in: bytes)
      var found: (range: Range<Int>, json: Bytes?)?
      if place >= eventEnd {
        let event = Self.event(from: line, in: bytes)
        eventEnd = event.last?.upperBound ?? line.upperBound
        found = json(event, in: bytes, depth)
      }
      guard let (range, json) = found ?? json(line, in: bytes, depth) else {
        place = line.upperBound + 1
        continue
      }
      if others < line.lowerBound { read(others..<line.lowerBound) }
      if let json { edits.append(Edit(range, json)) }
      place = range.upperBound + 1
      others = place
    }
    if others < bytes.count { read(others..<bytes.count) }
    return edits.isEmpty ? bytes : Edit.applied(edits, to: bytes)
  }

  /// Tells whether some of a text that is no JSON may be: a line, or what follows its head.
  private static func mayHaveLinesOfJSON(_ bytes: Bytes) -> Bool {
    if packetHead(of: bytes[...]) > 0 { return true }
    guard bytes.has(UInt8(ascii: "{")) else { return false }
    return bytes.has(UInt8(ascii: "\n")) || bytes.has(0x1E) || bytes.has(0)
      || bytes.starts(with: "data:".utf8)
  }

  /// Returns the line that begins at a place, without its end.
  private static func line(at place: Int, in bytes: Bytes) -> Range<Int> {
    place..<(bytes[place...].firstIndex { $0 == 0x0A || $0 == 0x1E || $0 == 0 } ?? bytes.count)
  }

  /// Returns the number of bytes that protocols have before the JSON of a message: the number of a
  /// packet and its namespace (`42/admin,7["…"]`), a word (`CONNECT {…}`).
  private static func packetHead(of text: ByteSlice) -> Int {
    let head = text.prefix(packetHeadMax).prefix { $0.isWord || " /,-._".utf8.contains($0) }
    guard head.endIndex < text.endIndex, "{[".utf8.contains(text[head.endIndex]) else { return 0 }
    return head.count
  }

  private static let packetHeadMax = 64

  private static let data = Bytes("data:".utf8)

  /// Returns the lines of an event's data, from one of them on.
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

  /// Returns a line that is JSON, maybe behind `data:` or, where a message begins, behind the head
  /// of a packet: where that stands, and what it is instead, if anything.
  private mutating func json(
    _ line: Range<Int>,
    in bytes: Bytes,
    _ depth: Int
  ) -> (range: Range<Int>, json: Bytes?)? {
    let isFirst = line.lowerBound == 0 || bytes[line.lowerBound - 1] != 0x0A
    let head =
      bytes[line].starts(with: Self.data)
      ? Self.data.count : isFirst ? Self.packetHead(of: bytes[line]) : 0
    let start = line.lowerBound + head
    let old = Bytes(bytes[start..<line.upperBound])
    // All of it is compared as a text.
    guard let new = json(old, depth: depth + 1) else { return nil }
    return (start..<line.upperBound, new == old ? nil : new)
  }

  /// Returns an event whose data is JSON over several lines, each behind `data:`.
  private mutating func json(
    _ event: [Range<Int>],
    in bytes: Bytes,
    _ depth: Int
  ) -> (range: Range<Int>, json: Bytes?)? {
    guard event.count > 1, let first = event.first, let last = event.last else { return nil }
    let newline = [UInt8(ascii: "\n")]
    let old = Bytes(event.map { bytes[$0].dropFirst(Self.data.count) }.joined(separator: newline))
    guard let new = json(old, depth: depth) else { return nil }
    // No line begins or ends within a string, so there are as many as before.
    let lines = new.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
      .map { Self.data + $0 }
    let range = first.lowerBound..<last.upperBound
    return (range, new == old ? nil : Bytes(lines.joined(separator: newline)))
  }

  /// Returns a text that is no JSON, with what its words hold where it is no part of another.
  private mutating func words(
    _ bytes: Bytes,
    _ flavour: Passage.Flavour,
    depth: Int
  ) -> Bytes {
    let read = stretch(bytes, flavour, depth: depth)
    return depth == 0 ? escapedWords(read) : read
  }

  /// Returns a text without structure of its own: addresses, named values, known shapes, base64;
  /// then echoes of what is known.
  private mutating func stretch(
    _ bytes: Bytes,
    _ flavour: Passage.Flavour,
    depth: Int
  ) -> Bytes {
    if flavour == .script, place == .prose {
      return within(.script) { $0.stretch(bytes, flavour, depth: depth) }
    }
    guard Self.isWorthReading(bytes) else { return echoed(bytes) }
    // A line of a secret in lines looks like one by itself.
    let bytes = isLearning ? bytes : echoes.unwrapped(bytes, place) ?? bytes
    var edits = TextEdits(bytes)
    let hasColon = bytes.has(UInt8(ascii: ":"))
    for range in hasColon ? Links.found(in: bytes) : [] {
      edits.offer(range) { self.link($0, .quoted, depth: depth) }
      edits.take(range)
    }
    let passage = Passage(bytes: bytes, names: names, flavour: flavour)
    for detector in rules.personalData ? Self.detectors + [PersonalData.self] : Self.detectors {
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
    return echoed(result)
  }

  /// Tells whether a text may hold anything that is looked for by its surroundings or its looks: a
  /// mark behind a name, a word of some length, a scheme, the line of a key. Most texts are a few
  /// words.
  private static func isWorthReading(_ bytes: Bytes) -> Bool {
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
    return SpokenValues.mayBeIn(bytes) || Commands.mayBegin(bytes)
  }

  /// Returns a text without what is known to be secret.
  mutating func echoed(_ bytes: Bytes) -> Bytes {
    guard let replaced = echoes.replaced(in: bytes, place) else { return bytes }
    log?.found("echo", "echo", bytes: bytes.count)
    return replaced
  }

  /// The ways to find secrets, in the order in which they take hold of a stretch.
  private static let detectors: [any Detector.Type] = [
    Commands.self, NamedValues.self, SpokenValues.self, Shapes.self,
  ]

  /// Returns the placeholder of a finding; the text itself where it is judged to be no secret.
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

  private mutating func named(
    _ text: String,
    _ name: String,
    _ kind: SecretNames.Kind
  ) -> String {
    // In prose a credential follows its scheme, and "Bearer" alone is none.
    if let value = fieldValue(text, name: name) { return value }
    let plain = text.contains("%") ? text.removingPercentEncoding ?? text : text
    let unescaped = plain.contains("\\") ? Self.unescaped(plain) ?? plain : plain
    let stand = judged(unescaped, NamedPlace(name: name, kind: kind, isAsked: isAsked))
    return stand == unescaped ? text : stand
  }

  /// Returns the meaning of a string of JSON that was written without its quotes.
  private static func unescaped(_ text: String) -> String? {
    // What does not parse was no string of JSON.
    (try? JSONParser.parse("\"\(text)\"".utf8))?.stringValue
  }
}

/// The replacements in a text by one detector after the other: the first one stays.
private struct TextEdits {
  private let bytes: Bytes
  private var claimed: ClaimedRanges
  private var edits: [Edit] = []

  init(_ bytes: Bytes) { (self.bytes, claimed) = (bytes, ClaimedRanges(of: bytes.count)) }

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
    if replaced != text { add(Edit(range, Bytes(replaced.utf8))) }
  }

  func applied() -> Bytes { edits.isEmpty ? bytes : Edit.applied(edits, to: bytes) }
}

extension Redaction {
  /// Returns an address without user info, secret parameters and what is repeated in it.
  package mutating func address(_ url: RequestURL) -> RequestURL {
    var url = url
    url.userInfo = url.userInfo.map { userInfo($0) }
    url.path = path(url.path, host: url.host)
    url.query = url.query.map { pairs($0) }
    if let host = url.host {
      // A short secret is found in a host by chance: "example" is one.
      let repeated = echoes.found(in: Bytes(host.utf8)).contains { $0.range.count >= 16 }
      if repeated { obstacle = "its host repeats a credential" }
    }
    return url
  }

  private mutating func pairs(_ text: String, _ origin: Pairs.Origin = .sent, depth: Int = 0)
    -> String
  {
    let pairs = rewritten(Bytes(text.utf8), by: Pairs(place: .query, origin: origin), depth: depth)
    return pairs.map { String(decoding: $0, as: UTF8.self) } ?? text
  }

  /// Returns a path: parameters as in `;jsessionid=…`, known shapes, what follows a secret's name
  /// and looks drawn by lot, and echoes.
  private mutating func path(_ path: String, host: String? = nil, depth: Int = 0) -> String {
    let isHook = isHook(host, path)
    var (before, earlier) = ("", "")
    let parts = path.read.split(separator: "/", omittingEmptySubsequences: false)
    let segments = parts.enumerated().map { index, segment in
      defer { (earlier, before) = (before, String(segment)) }
      let text = String(segment)
      if isHook && index >= 4, Self.isDrawn(text, least: 6) {
        return stand(
          for: text,
          name: host?.contains("slack") == true ? "slack-hook" : "hook",
          .sure,
          "web-hook"
        )
      }
      if let name = name(before, of: text)
        ?? (before.utf8.count <= 4 ? name(earlier, of: text) : nil)
      {
        return stand(for: text, name: name, .likely, "path-segment")
      }
      return within(.name) { $0.text(text, depth: depth) }
    }
    let joined = segments.joined(separator: "/")
    // A secret with a solidus in it is more than one segment.
    let replaced = echoes.replaced(in: Bytes(joined.utf8))
    return replaced.map { String(decoding: $0, as: UTF8.self) } ?? joined
  }

  /// Tells whether a path of a host is one that takes messages of whoever knows it.
  private func isHook(_ host: String?, _ path: String) -> Bool {
    guard let host, path.read.utf8.count(where: { $0 == UInt8(ascii: "/") }) > 3, Self.isHook(host)
    else {
      return false
    }
    return host.contains("hook") || path.contains("hook")
  }

  /// Hosts whose addresses are all that one needs to post there.
  private static func isHook(_ host: String) -> Bool {
    let host = host.lowercased().split(separator: ":").first.map(String.init) ?? ""
    return [
      "hooks.slack.com", "discord.com", "discordapp.com", "webhook.office.com", "hooks.zapier.com",
      "hook.integromat.com", "maker.ifttt.com", "hooks.chime.aws", "chat.googleapis.com",
    ].contains { host == $0 || host.hasSuffix(".\($0)") }
  }

  /// Returns the name of a segment that looks drawn by lot, if it is a secret by the one before it.
  private func name(_ before: String, of text: String) -> String? {
    guard Self.isDrawn(text, least: 16), !before.isEmpty else { return nil }
    let folded = SecretNames.folded(before)
    if let kind = names.kind(of: before, in: .field) {
      // What has hyphens is a title as often as not.
      return !kind.isAmbiguous || !text.contains("-") || Looks.isDrawn(text) ? before : nil
    }
    if folded == "key", text.utf8.count >= 20, Looks.isDrawn(text) { return before }
    let isOwned =
      text.utf8.count >= 20 && before.utf8.count <= 40
      && (Vocabulary.pathOwners.contains(folded)
        || SecretNames.words(of: before).contains { Vocabulary.pathOwners.contains($0) })
    let isHexadecimal = text.read.utf8.allSatisfy(\.isHexadecimalDigit)
    let isOnce = Vocabulary.onceOwners.contains(folded)
    return isOwned && (isOnce || !Looks.isUUID(text) && !isHexadecimal) ? before : nil
  }

  /// Tells whether a segment is long and mixed enough to be no word and no number.
  private static func isDrawn(_ text: String, least: Int) -> Bool {
    text.utf8.count >= least && (least < 16 || text.read.utf8.contains { $0.isASCIIDigit })
      && text.utf8.contains(where: \.isASCIILetter)
      && text.utf8.allSatisfy { Base64Text.isLetter($0) || ".:".utf8.contains($0) }
  }

  /// Returns an address within a text, to the letter except for what is replaced; it may have no
  /// host, and after `#` it may have a query once more, as OAuth answers do.
  mutating func link(_ link: String, _ origin: Pairs.Origin = .sent, depth: Int = 0) -> String {
    var rest = link.read[...]
    var result = ""
    var host: Substring = ""
    let text = rest.utf8
    if let colon = text.indices.first(where: { text[$0...].starts(with: "://".utf8) }) {
      let start = text.index(colon, offsetBy: 3)
      result += rest[..<start]
      rest = rest[start...]
      let authority = rest.prefix { !"/?#".contains($0) }
      let end = Self.parameters(of: authority) ?? authority.endIndex
      if let at = rest[..<end].lastIndex(of: "@") {
        result += userInfo(String(rest[..<at]))
        rest = rest[at...]
      }
      // JDBC has its parameters behind semicolons.
      host = rest.prefix { !"/?#;".contains($0) }
      result += host
      rest = rest.dropFirst(host.count)
    }
    let way = rest.prefix { $0 != "?" && $0 != "#" }
    result += path(String(way), host: String(host.drop { $0 == "@" }), depth: depth + 1)
    rest = rest.dropFirst(way.count)
    for mark in ["?", "#"] where rest.hasPrefix(mark) {
      let part = rest.dropFirst().prefix { mark == "#" || $0 != "#" }
      result += mark + pairs(String(part), origin, depth: depth)
      rest = rest.dropFirst(part.count + 1)
    }
    return result
  }
}

extension Redaction {
  /// Returns the place where JDBC's parameters begin, `;user=a`: behind a host, with or without its
  /// port. Behind anything else a semicolon belongs to a user or a password (RFC 3986 §3.2.1).
  private static func parameters(of authority: Substring) -> Substring.Index? {
    guard let mark = authority.firstIndex(of: ";") else { return nil }
    let port = authority[..<mark].drop { $0 != ":" }.dropFirst()
    let name = authority[mark...].dropFirst().prefix { $0 != "=" && $0 != ";" && $0 != "@" }
    let isNamed = name.endIndex < authority.endIndex && authority[name.endIndex] == "="
    return isNamed && port.utf8.allSatisfy(\.isASCIIDigit) ? mark : nil
  }
}

/// A search for URLs in a text.
enum Links {
  /// Words within which pairs are escaped once more, as in an address without a scheme that has one
  /// in its query: `/qr?text=otpauth%3A%2F%2F…%3Fsecret%3D…`.
  static func escaped(in bytes: Bytes) -> [Range<Int>] {
    guard bytes.has(UInt8(ascii: "%")) else { return [] }
    var words: [Range<Int>] = []
    var place = 0
    while place + 2 < bytes.count {
      guard bytes[place] == UInt8(ascii: "%"), bytes[place + 1] == UInt8(ascii: "3"),
        bytes[place + 2].asciiLowercased == UInt8(ascii: "d")
      else {
        place += 1
        continue
      }
      var (start, end) = (place, place + 3)
      let least = words.last?.upperBound ?? 0
      while start > least, isOfWord(bytes[start - 1]) { start -= 1 }
      while end < bytes.count, isOfWord(bytes[end]) { end += 1 }
      words.append(start..<end)
      place = end
    }
    return words
  }

  private static func isOfWord(_ byte: UInt8) -> Bool {
    byte > 0x20 && !"\"'<>`".utf8.contains(byte)
  }

  /// Addresses with a scheme, without what ends a sentence behind them.
  static func found(in bytes: Bytes) -> [Range<Int>] {
    var links: [Range<Int>] = []
    var place = 0
    while place + 3 < bytes.count {
      let colon = place
      place += 1
      guard bytes[colon] == UInt8(ascii: ":"), bytes[colon + 1] == UInt8(ascii: "/"),
        bytes[colon + 2] == UInt8(ascii: "/")
      else { continue }
      let least = max(colon - 40, links.last?.upperBound ?? 0)
      var (start, end) = (colon, colon + 3)
      while start > least, bytes[start - 1].isWord || "+-.".utf8.contains(bytes[start - 1]) {
        start -= 1
      }
      guard start < colon else { continue }
      while end < bytes.count, bytes[end] > 0x20, !"\"'<>\\`|{}".utf8.contains(bytes[end]) {
        end += 1
      }
      // Within it none begins of its own.
      place = end
      while end > colon + 3, ".,;:)]!".utf8.contains(bytes[end - 1]) { end -= 1 }
      if end > colon + 3 { links.append(start..<end) }
    }
    return links
  }
}
