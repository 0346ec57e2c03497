extension JSON {
  /// The layout of a JSON text: its white space, and whether a line feed ends it. Files refer to a
  /// layout by its name.
  public struct Layout: Sendable, Hashable {
    /// The white space between tokens.
    public enum Spacing: String, Sendable, Hashable, CaseIterable {
      /// No white space at all: `{"a":1,"b":[2]}`.
      case compact
      /// A space after commas and colons: `{"a": 1, "b": [2]}`.
      case spaced
      /// One element a line, with an indentation of one space a level.
      case indent1
      /// One element a line, with an indentation of two spaces a level.
      case indent2
      /// One element a line, with an indentation of four spaces a level.
      case indent4
      /// One element a line, with an indentation of one tab a level.
      case tab

      fileprivate var indent: String? {
        switch self {
        case .compact, .spaced: nil
        case .indent1: " "
        case .indent2: "  "
        case .indent4: "    "
        case .tab: "\t"
        }
      }
    }

    /// The white space between tokens.
    public var spacing: Spacing
    /// Whether a line feed ends the text.
    public var endsWithNewline: Bool

    /// Creates a layout with a spacing, by default without a line feed at the end.
    public init(_ spacing: Spacing, endsWithNewline: Bool = false) {
      (self.spacing, self.endsWithNewline) = (spacing, endsWithNewline)
    }

    /// The layout without white space.
    public static let compact = Layout(.compact)

    /// The name in a file: the spacing's name, with `+newline` if a line feed ends the text.
    public var name: String { spacing.rawValue + (endsWithNewline ? "+newline" : "") }

    /// Creates the layout with a name; `nil` if the name is unknown.
    public init?(name: String) {
      let suffix = "+newline"
      let ends = name.hasSuffix(suffix)
      guard let spacing = Spacing(rawValue: ends ? String(name.dropLast(suffix.count)) : name)
      else { return nil }
      self.init(spacing, endsWithNewline: ends)
    }

    /// Every layout, the most frequent ones first.
    public static let all = [false, true].flatMap { ends in
      Spacing.allCases.map { Layout($0, endsWithNewline: ends) }
    }
  }

  /// Returns the text of this value in a layout, as bytes.
  public func bytes(_ layout: Layout = .compact) -> [UInt8] {
    var writer = JSONWriter(spacing: layout.spacing)
    writer.write(self, level: 0)
    if layout.endsWithNewline { writer.bytes.append(UInt8(ascii: "\n")) }
    return writer.bytes
  }

  /// Returns the text between the quotes in the standard spelling: only the characters that RFC
  /// 8259 §7 requires are escaped.
  package static func escaped(_ value: String) -> String {
    var bytes: [UInt8] = []
    JSONWriter.escape(value, into: &bytes)
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Creates a string from a part of a head. A stray octet is written as an escape, because its
  /// scalar is invisible: `\uefe9` for 0xE9.
  package static func head(_ text: String) -> JSON {
    guard text.utf8.contains(UInt8.octetLead) else { return .text(text) }
    let plain = escaped(text)
    let spelling = plain.spellingOctets { "\\uef\(String($0, radix: 16))" }
    return .string(Text(text, spelling: spelling == plain ? nil : spelling))
  }
}

extension JSON: CustomStringConvertible {
  /// The value as text without white space.
  public var description: String { String(decoding: bytes(), as: UTF8.self) }
}

struct JSONWriter {
  var bytes: [UInt8] = []
  let spacing: JSON.Layout.Spacing

  mutating func write(_ value: JSON, level: Int) {
    switch value {
    case .null: bytes.append(contentsOf: "null".utf8)
    case .bool(let value): bytes.append(contentsOf: (value ? "true" : "false").utf8)
    case .number(let digits): bytes.append(contentsOf: digits.utf8)
    case .string(let text): write(text)
    case .array(let elements):
      list("[", "]", elements, level: level) { $0.write($1, level: level + 1) }
    case .object(let members):
      list("{", "}", members, level: level) { writer, member in
        writer.write(member.name)
        writer.bytes.append(contentsOf: (writer.spacing == .compact ? ":" : ": ").utf8)
        writer.write(member.value, level: level + 1)
      }
    }
  }

  mutating func list<Element>(
    _ open: Unicode.Scalar,
    _ close: Unicode.Scalar,
    _ elements: [Element],
    level: Int,
    _ write: (inout JSONWriter, Element) -> Void
  ) {
    bytes.append(UInt8(ascii: open))
    var isFirst = true
    for element in elements {
      if !isFirst { bytes.append(contentsOf: (spacing == .spaced ? ", " : ",").utf8) }
      isFirst = false
      newLine(level + 1)
      write(&self, element)
    }
    if !elements.isEmpty { newLine(level) }
    bytes.append(UInt8(ascii: close))
  }

  mutating func newLine(_ level: Int) {
    guard let indent = spacing.indent else { return }
    bytes.append(UInt8(ascii: "\n"))
    for _ in 0..<level { bytes.append(contentsOf: indent.utf8) }
  }

  mutating func write(_ text: JSON.Text) {
    bytes.append(UInt8(ascii: "\""))
    if let spelling = text.spelling {
      bytes.append(contentsOf: spelling.utf8)
    } else {
      Self.escape(text.value, into: &bytes)
    }
    bytes.append(UInt8(ascii: "\""))
  }

  static func escape(_ value: String, into bytes: inout [UInt8]) {
    var value = value
    value.withUTF8 { text in
      // Most characters need no escape, so they are copied in long stretches.
      var start = 0
      for place in text.indices where isEscaped(text[place]) {
        bytes.append(contentsOf: text[start..<place])
        escape(text[place], into: &bytes)
        start = place + 1
      }
      bytes.append(contentsOf: text[start...])
    }
  }

  private static func isEscaped(_ byte: UInt8) -> Bool {
    byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\")
  }

  private static func escape(_ byte: UInt8, into bytes: inout [UInt8]) {
    switch byte {
    case 0x0A: bytes.append(contentsOf: "\\n".utf8)
    case 0x0D: bytes.append(contentsOf: "\\r".utf8)
    case 0x09: bytes.append(contentsOf: "\\t".utf8)
    case 0..<0x20:
      let digits = String(byte, radix: 16)
      bytes.append(contentsOf: "\\u00\(digits.count == 1 ? "0" : "")\(digits)".utf8)
    default:
      bytes.append(UInt8(ascii: "\\"))
      bytes.append(byte)
    }
  }
}
