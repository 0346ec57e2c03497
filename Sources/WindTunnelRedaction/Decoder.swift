internal import Foundation

/// A coding that values and texts stand in. It opens a text into spans, and spells what stands in a
/// span afterwards, so that all that is not replaced stays to the byte.
protocol Decoder {
  associatedtype Spans: Sequence<Span> = [Span]
  /// Returns the spans of a text, in their order; `nil` for a text that is not of this coding.
  func spans(in bytes: Bytes) -> Spans?
  /// Returns the spelling of a span that says something else now.
  func spelled(_ meaning: Bytes, in span: Span, of bytes: Bytes) -> Bytes
}

/// A stretch of a coded text, and what it means.
struct Span {
  enum Role {
    /// A value that has a name.
    case value(name: String, SecretNames.Place, Neighbours)
    /// A name, which may repeat a secret and is none.
    case name
    /// Something of a media type, opened in turn.
    case content(type: String)
    /// Words without a name.
    case text
    /// Binary content in which a secret can be found, and nothing replaced.
    case sealed
  }

  /// The place where it stands, with all that must be written anew where it changes, such as a
  /// length.
  var range: Range<Int>
  var meaning: Bytes
  var role: Role
}

extension Redaction {
  /// Returns a text opened by a decoder, without secrets, and closed again; `nil` where it is not
  /// of that coding.
  mutating func rewritten(_ bytes: Bytes, by decoder: some Decoder, depth: Int) -> Bytes? {
    guard let spans = decoder.spans(in: bytes) else { return nil }
    let part = log?.part
    defer { part.map { log?.part = $0 } }
    var edits: [Edit] = []
    for span in spans {
      let new = redacted(span, depth: depth, part)
      if new != span.meaning {
        edits.append(Edit(span.range, decoder.spelled(new, in: span, of: bytes)))
      }
    }
    return edits.isEmpty ? bytes : Edit.applied(edits, to: bytes)
  }

  private mutating func redacted(_ span: Span, depth: Int, _ part: String?) -> Bytes {
    switch span.role {
    case .name: return echoes.replaced(in: span.meaning, .name) ?? span.meaning
    case .text: return text(span.meaning, .plain, depth: depth + 1)
    case .content(let type):
      return content(span.meaning, type: type, what: "a body", depth: depth + 1)
    case .sealed:
      if !echoes.found(in: span.meaning).isEmpty { obstacle = "a body repeats a credential" }
      return span.meaning
    case .value(let name, let place, let neighbours):
      guard let text = String(utf8: span.meaning) else {
        return redacted(
          Span(range: span.range, meaning: span.meaning, role: .sealed),
          depth: depth,
          part
        )
      }
      part.map { log?.part = "\($0) \(place.rawValue) \(SecretNames.slug(name))" }
      let value = value(text, named: name, place, neighbours) ?? self.text(text, depth: depth + 1)
      return value == text ? span.meaning : Bytes(value.utf8)
    }
  }
}

/// A decoder of names and values with `=` between and `&` around, as in a query, a form and what
/// OAuth puts behind `#` (WHATWG URL §5.1, RFC 6749 §4.2.2).
struct Pairs: Decoder {
  /// The place where they stand.
  enum Origin {
    /// In a request, an answer's field or a form: they were sent.
    case sent
    /// In a text, where a value may be a placeholder.
    case quoted
    /// In an address that a browser is led to.
    case redirect
  }

  let place: SecretNames.Place
  var origin = Origin.sent

  // Each pair is read when it is its turn: a form may be many short ones.
  func spans(in bytes: Bytes) -> (some Sequence<Span>)? {
    let names = Self.pairs(of: bytes).lazy.map { Self.name(of: bytes[$0]) }
    var around = Neighbours(names, except: "")
    if origin == .redirect { around.insert(.redirect) }
    if names.contains(where: { ["state", "session_state"].contains($0) }) { around.insert(.state) }
    let all = Self.pairs(of: bytes).lazy.flatMap { [around] pair in spans(of: bytes[pair], around) }
    return .some(all)
  }

  private static func pairs(of bytes: Bytes) -> some Sequence<Range<Int>> {
    sequence(state: 0) { start -> Range<Int>? in
      guard start <= bytes.count else { return nil }
      let end = bytes[start...].firstIndex(of: UInt8(ascii: "&")) ?? bytes.count
      defer { start = end + 1 }
      return start..<end
    }
  }

  private static func name(of pair: ByteSlice) -> String {
    decoded(String(decoding: pair.prefix { $0 != UInt8(ascii: "=") }, as: UTF8.self))
  }

  private func spans(of pair: ByteSlice, _ around: Neighbours) -> [Span] {
    guard let mark = pair.firstIndex(of: UInt8(ascii: "=")) else {
      let text = Self.decoded(String(decoding: pair, as: UTF8.self))
      return [Span(range: pair.indices, meaning: Bytes(text.utf8), role: .text)]
    }
    let name = Span(range: pair.startIndex..<mark, meaning: Bytes(pair[..<mark]), role: .name)
    let written = pair[(mark + 1)...]
    if origin == .quoted, CodeText.isPlaceholder(written) || written.elementsEqual("$".utf8) {
      return [name]
    }
    let value = Self.decoded(String(decoding: written, as: UTF8.self))
    let role = Span.Role.value(name: Self.name(of: pair), place, around)
    return [name, Span(range: written.indices, meaning: Bytes(value.utf8), role: role)]
  }

  /// Returns a value as it was written, with what was replaced in what it means.
  func spelled(_ meaning: Bytes, in span: Span, of bytes: Bytes) -> Bytes {
    let written = Bytes(bytes[span.range])
    if case .name = span.role { return meaning }
    let text =
      EscapedText(written, .form) ?? EscapedText(written, .percent) ?? EscapedText(written, .plain)
    guard let text, text.bytes == span.meaning else {
      return Bytes(Self.encoded(String(decoding: meaning, as: UTF8.self)).utf8)
    }
    // The padding of base64 is escaped by some and not by others.
    let lower = String(decoding: written, as: UTF8.self).lowercased()
    let isEscaped = lower.contains("%3d")
    return text.original(meaning: meaning) {
      isEscaped ? Self.encoded($0) : Self.encoded($0).replacing("%3D", with: "=")
    }
  }

  static func decoded(_ text: String) -> String {
    guard text.read.utf8.contains(where: { $0 == UInt8(ascii: "+") || $0 == UInt8(ascii: "%") })
    else {
      return text
    }
    let spaced = text.replacing("+", with: " ")
    return spaced.removingPercentEncoding ?? spaced
  }

  private static let unreserved = CharacterSet(
    charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~"
  )

  static func encoded(_ text: String) -> String {
    text.read.addingPercentEncoding(withAllowedCharacters: unreserved) ?? text
  }
}

/// Parts between lines of a boundary, each with fields of its own (RFC 2046 §5.1, RFC 7578).
struct Multipart: Decoder {
  let boundary: String

  func spans(in bytes: Bytes) -> [Span]? {
    let marks = bytes.ranges(of: Bytes("--\(boundary)".utf8))
    guard !marks.isEmpty else { return nil }
    return marks.enumerated().flatMap { index, mark in
      let end = index + 1 < marks.count ? marks[index + 1].lowerBound : bytes.count
      return spans(of: mark.upperBound..<end, in: bytes)
    }
  }

  func spelled(_ meaning: Bytes, in span: Span, of bytes: Bytes) -> Bytes {
    let isQuoted = !bytes[span.range].elementsEqual(span.meaning)
    return isQuoted ? Recoded.quotedPrintable(type: "").encode(meaning) : meaning
  }

  private func spans(of range: Range<Int>, in bytes: Bytes) -> [Span] {
    let part = bytes[range]
    let blank = [Bytes("\r\n\r\n".utf8), Bytes("\n\n".utf8)].compactMap { part.firstRange(of: $0) }
      .min { $0.lowerBound < $1.lowerBound }
    guard let blank else { return [Span(range: range, meaning: Bytes(part), role: .text)] }
    let head = String(decoding: part[..<blank.lowerBound], as: UTF8.self)
    let lines = head.read.split { $0.isNewline }
    func field(_ name: String) -> String {
      let line = lines.first { $0.lowercased().hasPrefix("\(name):") }
      return line.map { String($0.dropFirst(name.count + 1).trimmingOptionalWhitespace()) } ?? ""
    }
    var end = range.upperBound
    // The line break before a boundary belongs to the boundary.
    if end > blank.upperBound, bytes[end - 1] == 0x0A { end -= 1 }
    if end > blank.upperBound, bytes[end - 1] == 0x0D { end -= 1 }
    let content = Bytes(bytes[blank.upperBound..<end])
    let disposition = ContentType(field("content-disposition"))
    let name = disposition["name"] ?? ""
    // A file is looked into as what it is, unless it is a word under a secret's name.
    let isFile =
      disposition["filename"] != nil
      && (content.count > 1024 || content.contains(0x0A) || content.first == UInt8(ascii: "{"))
    let before = range.lowerBound..<blank.upperBound
    let coding = field("content-transfer-encoding").lowercased()
    let type = field("content-type")
    let isPlain = type.isEmpty || ContentType(type).essence == "text/plain"
    let isValue = !isFile && !name.isEmpty && isPlain && String(utf8: content) != nil
    let meant = coding == "quoted-printable" ? EscapedText(content, .quoted)?.bytes : nil
    return [
      Span(range: before, meaning: Bytes(bytes[before]), role: .name),
      Span(
        range: blank.upperBound..<end,
        meaning: isValue ? meant ?? content : content,
        role: isValue
          ? .value(name: name, .field, [])
          : .content(
            type: coding == "quoted-printable" ? "\(type); windtunnel-coding=\(coding)" : type
          )
      ),
    ]
  }
}

/// Lines of columns, the first of which names them (RFC 4180), with commas, semicolons or tabs.
struct Columns: Decoder {
  let separator: UInt8

  /// Finds the separator of a table's columns: its first lines have as many, and one of them is
  /// named like a secret.
  init?(_ bytes: Bytes, type: String, _ names: SecretNames) {
    // Most bodies are something else.
    guard let beginning = bytes.first, !"{[<".utf8.contains(beginning), bytes.has(0x0A) else {
      return nil
    }
    let first = bytes.prefix(4096).prefix { $0 != 0x0A }
    guard first.count < 4096, first.endIndex < bytes.count else { return nil }
    let isTable = type == "text/csv" || type == "text/tab-separated-values"
    let separator = [UInt8(ascii: ","), UInt8(ascii: "\t"), UInt8(ascii: ";"), UInt8(ascii: "|")]
      .first {
        first.contains($0)
      }
    guard let separator else { return nil }
    let columns = Self.cells(of: first.startIndex..<first.endIndex, in: bytes, separator)
    let named = columns.map { String(decoding: bytes[$0], as: UTF8.self) }
    let isHead = named.allSatisfy { name in
      !name.isEmpty && name.utf8.count <= 40 && !name.contains("=") && !name.contains("{")
        && !name.contains(":") && name.split(separator: " ").count <= 4
    }
    guard isHead, named.contains(where: { names.kind(of: $0, in: .field) != nil }) else {
      return nil
    }
    if !isTable {
      let second = bytes[(first.endIndex + 1)...].prefix(4096).prefix { $0 != 0x0A }
      let count = Self.cells(of: second.startIndex..<second.endIndex, in: bytes, separator).count
      guard columns.count >= 2, count == columns.count else { return nil }
    }
    self.separator = separator
  }

  func spans(in bytes: Bytes) -> [Span]? {
    var spans: [Span] = []
    var names: [String] = []
    var start = 0
    while start < bytes.count {
      var end = start
      var isQuoted = false
      while end < bytes.count, isQuoted || bytes[end] != 0x0A {
        if bytes[end] == UInt8(ascii: "\"") { isQuoted.toggle() }
        end += 1
      }
      let cells = Self.cells(of: start..<end, in: bytes, separator)
      if names.isEmpty {
        names = cells.map { String(decoding: bytes[$0], as: UTF8.self) }
      } else {
        for (index, cell) in cells.enumerated() where !cell.isEmpty {
          let name = index < names.count ? names[index] : ""
          spans.append(
            Span(range: cell, meaning: Bytes(bytes[cell]), role: .value(name: name, .field, [.row]))
          )
        }
      }
      start = end + 1
    }
    return spans
  }

  func spelled(_ meaning: Bytes, in span: Span, of bytes: Bytes) -> Bytes { meaning }

  /// Returns the cells of a line, without quotation marks and what a carriage return leaves.
  private static func cells(of line: Range<Int>, in bytes: Bytes, _ separator: UInt8) -> [Range<
    Int
  >] {
    var cells: [Range<Int>] = []
    var start = line.lowerBound
    var isQuoted = false
    for place in line.lowerBound...line.upperBound {
      if place < line.upperBound {
        if bytes[place] == UInt8(ascii: "\"") { isQuoted.toggle() }
        if isQuoted || bytes[place] != separator { continue }
      }
      var (from, to) = (start, place)
      while from < to, bytes[from] <= 0x20 || bytes[from] == UInt8(ascii: "\"") { from += 1 }
      while to > from, bytes[to - 1] <= 0x20 || bytes[to - 1] == UInt8(ascii: "\"") { to -= 1 }
      cells.append(from..<to)
      start = place + 1
    }
    return cells
  }
}

/// A text in another character coding or transfer coding, as a whole.
struct Recoded: Decoder {
  let decode: (Bytes) -> Bytes?
  let encode: (Bytes) -> Bytes
  var type = "text/plain"

  func spans(in bytes: Bytes) -> [Span]? {
    decode(bytes).map { [Span(range: 0..<bytes.count, meaning: $0, role: .content(type: type))] }
  }

  func spelled(_ meaning: Bytes, in span: Span, of bytes: Bytes) -> Bytes { encode(meaning) }

  /// UTF-16 in an order of bytes (RFC 2781), without its mark; `nil` in `decode` for what is none.
  static func utf16(isLittle: Bool, type: String) -> Recoded {
    Recoded(
      decode: { bytes in
        guard bytes.count.isMultiple(of: 2) else { return nil }
        let units = stride(from: 0, to: bytes.count, by: 2).map { place -> UInt16 in
          let (first, second) = (UInt16(bytes[place]), UInt16(bytes[place + 1]))
          return isLittle ? first | second << 8 : first << 8 | second
        }
        let text = String(decoding: units, as: UTF16.self)
        return text.unicodeScalars.contains("\u{FFFD}") ? nil : Bytes(text.utf8)
      },
      encode: { meaning in
        String(decoding: meaning, as: UTF8.self).utf16.reduce(into: []) { bytes, unit in
          let (high, low) = (UInt8(unit >> 8), UInt8(unit & 0xFF))
          bytes += isLittle ? [low, high] : [high, low]
        }
      },
      type: type
    )
  }

  /// Returns a character coding of one or two bytes that the system knows, by its name.
  static func named(_ charset: String, type: String) -> Recoded? {
    let codings: [String: String.Encoding] = [
      "iso-8859-1": .isoLatin1, "latin1": .isoLatin1, "iso-8859-15": .isoLatin1,
      "iso-8859-2": .isoLatin2,
      "windows-1250": .windowsCP1250, "windows-1251": .windowsCP1251,
      "windows-1252": .windowsCP1252,
      "windows-1253": .windowsCP1253, "windows-1254": .windowsCP1254, "shift_jis": .shiftJIS,
      "shift-jis": .shiftJIS, "sjis": .shiftJIS, "windows-31j": .shiftJIS, "euc-jp": .japaneseEUC,
      "iso-2022-jp": .iso2022JP, "macintosh": .macOSRoman, "utf-32": .utf32,
      "utf-32le": .utf32LittleEndian,
      "utf-32be": .utf32BigEndian,
    ]
    guard let coding = codings[charset] else { return nil }
    return Recoded(
      decode: { String(data: Data($0), encoding: coding).map { Bytes($0.utf8) } },
      encode: { meaning in
        let text = String(decoding: meaning, as: UTF8.self)
        return text.data(using: coding, allowLossyConversion: true).map { Bytes($0) } ?? meaning
      },
      type: type
    )
  }

  /// Quoted-printable (RFC 2045 §6.7). Where something is replaced all of it is spelled anew, in
  /// lines of 76.
  static func quotedPrintable(type: String) -> Recoded {
    Recoded(
      decode: { EscapedText($0, .quoted)?.bytes },
      encode: { meaning in
        var (result, length): (Bytes, Int) = ([], 0)
        for byte in meaning {
          let isPlain =
            0x20...0x7E ~= byte && byte != 0x3D || byte == 0x0A || byte == 0x0D || byte == 0x09
          let spelled = isPlain ? [byte] : Bytes("=\(EncodedText.digits(byte).uppercased())".utf8)
          if byte != 0x0A, byte != 0x0D, length + spelled.count > 75 {
            result += Bytes("=\r\n".utf8)
            length = 0
          }
          result += spelled
          length = byte == 0x0A ? 0 : length + spelled.count
        }
        return result
      },
      type: type
    )
  }
}
