internal import WindTunnel

/// A section of fields while its lines come in: of a head, or after chunked content.
struct FieldSection {
  private(set) var fields: [HeaderField] = []
  private(set) var facts = FramingFacts()
  private var bytes = 0
  private let limits: Limits
  private let side: Side

  /// The sender's side: an answer's sender may be older and is not out to smuggle.
  enum Side { case request, response }

  init(_ limits: Limits, _ side: Side) {
    self.limits = limits
    self.side = side
    fields.reserveCapacity(16)
  }

  /// Reads the lines that are whole.
  ///
  /// True when the empty line that ends the section is spent.
  mutating func read(_ input: inout ByteQueue) throws(ProtocolError) -> Bool {
    while let length = input.lineLength() {
      bytes += length
      guard bytes <= limits.headerBytesMax else { throw tooLarge }
      let isLast = try input.peek(length) { line throws(ProtocolError) in
        try take(Self.withoutLineEnd(line, side))
      }
      input.skip(length)
      if isLast { return true }
    }
    guard bytes + input.count <= limits.headerBytesMax else { throw tooLarge }
    return false
  }

  /// RFC 9112 §2.2: a recipient may take a single LF for a line's end.
  ///
  /// A request's never is taken, since two recipients that differ in this can be played off against
  /// each other.
  static func withoutLineEnd(_ line: Bytes, _ side: Side) throws(ProtocolError) -> Bytes {
    if line.count >= 2, line[line.count - 2] == .carriageReturn {
      return line.part(0..<line.count - 2)
    }
    guard side == .response else {
      throw .bad("A line ends with LF alone; RFC 9112 §2.2 wants CR LF.")
    }
    return line.part(0..<line.count - 1)
  }

  private mutating func take(_ line: Bytes) throws(ProtocolError) -> Bool {
    guard let first = line.first else { return true }
    if first.isBlank {
      try unfold(line)
      return false
    }
    var colon = 0
    while colon < line.count, line[colon].isToken { colon += 1 }
    guard colon < line.count, line[colon] == 0x3A, colon > 0 else {
      throw Self.misnamed(line, at: colon)
    }
    guard fields.count < limits.headerFieldsMax else {
      throw ProtocolError(
        .fieldsTooLarge,
        "There are more than \(limits.headerFieldsMax) header fields."
      )
    }
    let name = line.part(0..<colon)
    let value = line.part(colon + 1..<line.count).trimmed
    try Self.check(value, of: name)
    try facts.note(name, value)
    fields.append(HeaderField(name.text, value.text))
    return false
  }

  /// RFC 9112 §5.2: a server refuses a folded line or unfolds it, a client unfolds it.
  private mutating func unfold(_ line: Bytes) throws(ProtocolError) {
    guard side == .response, let last = fields.indices.last else {
      throw .bad("A header line begins with a space; folded lines are refused (RFC 9112 §5.2).")
    }
    let name = fields[last].name
    // What decides the framing was noted already and must not change afterwards.
    guard !FramingFacts.decides(name) else {
      throw .bad("The field \(name) is folded over two lines (RFC 9112 §5.2).")
    }
    let more = line.trimmed
    guard more.allSatisfy(\.isFieldContent) else {
      throw .bad("The field \(name) holds a control character (RFC 9110 §5.5).")
    }
    fields[last].value += fields[last].value.isEmpty || more.isEmpty ? more.text : " " + more.text
  }

  /// RFC 9110 §5.5: CR, LF and NUL within a value are dangerous; other controls have no meaning.
  private static func check(_ value: Bytes, of name: Bytes) throws(ProtocolError) {
    for byte in value where !byte.isFieldContent {
      let what = byte == .carriageReturn ? "a bare CR (RFC 9112 §2.2)" : "a control character"
      throw .bad("The field \(name.text) holds \(what).")
    }
  }

  private static func misnamed(_ line: Bytes, at place: Int) -> ProtocolError {
    guard place < line.count else {
      return .bad("A header line has no colon: \(line.quoted).")
    }
    if line[place] == 0x3A { return .bad("A header field has no name.") }
    if line[place].isBlank, place > 0 {
      return .bad(
        "There is white space between the field name \(line.part(0..<place).text) and its colon "
          + "(RFC 9112 §5.1)."
      )
    }
    return .bad("A field name holds a character that is none of a token (RFC 9110 §5.1).")
  }

  private var tooLarge: ProtocolError {
    ProtocolError(
      .fieldsTooLarge,
      "The header fields are larger than \(limits.headerBytesMax) bytes."
    )
  }
}
