package import WindTunnelHTTP

/// An incremental reader of a section of fields: in a head, or after chunked content.
package struct FieldSection {
  package private(set) var fields: [HeaderField] = []
  package private(set) var facts = FramingFacts()
  private var bytes = 0
  private let limits: Limits
  private let side: Side

  /// The sender's side. Responses are read more leniently: a server may be old, but does not
  /// attempt smuggling.
  package enum Side { case request, response }

  package init(_ limits: Limits, _ side: Side) {
    (self.limits, self.side) = (limits, side)
    fields.reserveCapacity(16)
  }

  /// Reads the complete lines.
  ///
  /// Returns `true` after the empty line that ends the section.
  package mutating func read(_ input: inout ByteQueue) throws(ProtocolError) -> Bool {
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

  /// Returns a line without its end. A recipient may accept a single LF (RFC 9112 §2.2).
  ///
  /// In a request, it is rejected, because a difference between two recipients can be exploited.
  package static func withoutLineEnd(_ line: Bytes, _ side: Side) throws(ProtocolError) -> Bytes {
    if line.count >= 2, line[line.count - 2] == .carriageReturn {
      return line.part(0..<line.count - 2)
    }
    guard side == .response else {
      throw .bad("A line ends with LF only; RFC 9112 §2.2 requires CR LF.")
    }
    return line.part(0..<line.count - 1)
  }

  private mutating func take(_ line: Bytes) throws(ProtocolError) -> Bool {
    guard let first = line.first else { return true }
    if first.isBlank {
      try unfold(line)
      return false
    }
    var nameEnd = 0
    while nameEnd < line.count, line[nameEnd].isToken { nameEnd += 1 }
    var colon = nameEnd
    // White space before the colon is removed from a response (RFC 9112 §5.1). In a request, it
    // would allow smuggling.
    if side == .response { while colon < line.count, line[colon].isBlank { colon += 1 } }
    guard colon < line.count, line[colon] == 0x3A, nameEnd > 0 else {
      throw Self.misnamed(line, at: nameEnd)
    }
    guard fields.count < limits.headerFieldsMax else {
      throw ProtocolError(
        .fieldsTooLarge,
        "There are more than \(limits.headerFieldsMax) header fields."
      )
    }
    let name = line.part(0..<nameEnd)
    let value = line.part(colon + 1..<line.count).trimmed
    try Self.check(value, of: name)
    try facts.note(name, value)
    fields.append(HeaderField(name.text, value.text))
    return false
  }

  /// Unfolds a folded line of a response. A server may reject it in a request (RFC 9112 §5.2).
  private mutating func unfold(_ line: Bytes) throws(ProtocolError) {
    guard side == .response, let last = fields.indices.last else {
      throw .bad("A header line begins with a space; folded lines are refused (RFC 9112 §5.2).")
    }
    let name = fields[last].name
    // Fields that determine the framing were already processed and must not change afterwards.
    guard !FramingFacts.decides(name) else {
      throw .bad("The field \(name) is folded over two lines (RFC 9112 §5.2).")
    }
    let more = line.trimmed
    guard more.allSatisfy(\.isFieldContent) else {
      throw .bad("The field \(name) contains a control character (RFC 9110 §5.5).")
    }
    fields[last].value += fields[last].value.isEmpty || more.isEmpty ? more.text : " " + more.text
  }

  /// Throws if a value contains a control character (RFC 9110 §5.5). CR, LF and NUL are dangerous,
  /// and others have no meaning.
  private static func check(_ value: Bytes, of name: Bytes) throws(ProtocolError) {
    for byte in value where !byte.isFieldContent {
      let what = byte == .carriageReturn ? "a bare CR (RFC 9112 §2.2)" : "a control character"
      throw .bad("The field \(name.text) contains \(what).")
    }
  }

  private static func misnamed(_ line: Bytes, at place: Int) -> ProtocolError {
    guard place < line.count else { return .bad("A header line has no colon: \(line.quoted).") }
    if line[place] == 0x3A { return .bad("A header field has no name.") }
    let behind = line.part(place..<line.count).trimmed
    if line[place].isBlank, place > 0, behind.first == 0x3A {
      return .bad(
        "There is white space between the field name \(line.part(0..<place).text) and its colon "
          + "(RFC 9112 §5.1)."
      )
    }
    return .bad("A field name contains a character that tokens cannot have (RFC 9110 §5.1).")
  }

  private var tooLarge: ProtocolError { .fieldsTooLarge(limits) }
}

extension ProtocolError {
  static func fieldsTooLarge(_ limits: Limits) -> Self {
    Self(.fieldsTooLarge, "The header fields are larger than \(limits.headerBytesMax) bytes.")
  }
}

/// The minor version that both ends support.
package enum HTTPVersion: String, Sendable, Hashable {
  case http10 = "HTTP/1.0"
  /// Also used for any later minor version, which must be compatible (RFC 9110 §6.2).
  case http11 = "HTTP/1.1"
  /// RFC 9113; requests on its streams have no version of their own.
  case http2 = "HTTP/2"

  /// Parses `HTTP/` digit `.` digit, in upper case (RFC 9112 §2.3).
  package init(_ bytes: Bytes) throws(ProtocolError) {
    let name: StaticString = "HTTP/"
    guard bytes.count == 8, (0..<5).allSatisfy({ bytes[$0] == name.utf8Start[$0] }),
      let major = bytes[5].digit, bytes[6] == 0x2E, let minor = bytes[7].digit
    else { throw .bad("“\(bytes.quoted)” is not a version such as HTTP/1.1 (RFC 9112 §2.3).") }
    guard major == 1 else {
      throw ProtocolError(
        .versionNotSupported,
        "HTTP/\(major).\(minor) is not supported; use HTTP/1.1."
      )
    }
    self = minor == 0 ? .http10 : .http11
  }
}

/// The end of a message's content (RFC 9112 §6.3).
package enum Framing: Sendable, Hashable {
  /// No content, regardless of the fields.
  case none
  case length(Int)
  case chunked
  /// The content ends with the connection.
  case untilClose
}

extension [String] {
  /// Throws if the codings are ambiguous (RFC 9112 §6.1). Only `chunked` is supported: last, once,
  /// and never together with a length.
  func refuseAmbiguity(_ version: HTTPVersion, hasLength: Bool) throws(ProtocolError) {
    guard !hasLength else {
      throw .bad("There are both Content-Length and Transfer-Encoding (RFC 9112 §6.1).")
    }
    guard version == .http11 else {
      throw .bad("Transfer-Encoding does not exist in HTTP/1.0 (RFC 9112 §6.1).")
    }
    guard let last, filter({ $0 == "chunked" }).count < 2 else {
      throw .bad("Transfer-Encoding is empty or has chunked twice (RFC 9112 §6.1).")
    }
    if let other = first(where: { $0 != "chunked" }) {
      // If another coding follows chunked, the end of the content is undefined.
      guard last == "chunked" || !contains("chunked") else {
        throw .bad("Transfer-Encoding does not end with chunked (RFC 9112 §6.3).")
      }
      throw ProtocolError(.notImplemented, "The transfer coding \(other) is not implemented.")
    }
  }
}

/// The properties of a head that determine framing and persistence, collected while its fields are
/// read.
package struct FramingFacts {
  private(set) var hostCount = 0
  private(set) var contentLength: Int?
  /// The number of lengths, including equal ones.
  private(set) var lengthCount = 0
  /// The transfer codings in order, `chunked` in lower case; `nil` if the field is missing.
  private(set) var transferCodings: [String]?
  private var saysClose = false
  private var saysKeepAlive = false
  package private(set) var expectsContinue = false

  /// Whether a field's value must be known when its line is read.
  fileprivate static func decides(_ name: String) -> Bool {
    ["content-length", "transfer-encoding", "connection", "host", "expect"].contains {
      name.equalsIgnoringASCIICase($0)
    }
  }

  fileprivate mutating func note(_ name: Bytes, _ value: Bytes) throws(ProtocolError) {
    // The length excludes most names before a byte is compared.
    switch name.count {
    case 4 where name.equalsLowercase("host"):
      hostCount += 1
      guard value.isHostField else {
        throw .bad("Host is not a host with an optional port: \(value.quoted) (RFC 9110 §7.2).")
      }
    case 6 where name.equalsLowercase("expect"):
      // There is only one expectation (RFC 9110 §10.1.1).
      guard value.equalsLowercase("100-continue") else {
        throw ProtocolError(
          .expectationFailed,
          "The only supported expectation is 100-continue, not \(value.quoted)."
        )
      }
      expectsContinue = true
    case 10 where name.equalsLowercase("connection"):
      Self.elements(of: value) {
        if $0.equalsLowercase("close") { saysClose = true }
        if $0.equalsLowercase("keep-alive") { saysKeepAlive = true }
      }
    case 14 where name.equalsLowercase("content-length"): try noteLength(value)
    case 17 where name.equalsLowercase("transfer-encoding"):
      var codings = transferCodings ?? []
      // Compared as bytes, because Unicode lowercases the Kelvin sign to a “k”.
      Self.elements(of: value) {
        codings.append($0.equalsLowercase("chunked") ? "chunked" : $0.quoted)
      }
      transferCodings = codings
    default: break
    }
  }

  /// Processes `Content-Length`. A list of equal lengths counts as one, as in a response; anything
  /// else is invalid (RFC 9112 §6.3 rule 5).
  private mutating func noteLength(_ value: Bytes) throws(ProtocolError) {
    var found = 0
    var fault: ProtocolError?
    var length = contentLength
    Self.elements(of: value) { element in
      found += 1
      guard let number = element.decimal else {
        fault = .bad("Content-Length is not a number: \(value.quoted) (RFC 9110 §8.6).")
        return
      }
      if let length, length != number {
        fault = .bad("Content-Length has the values \(length) and \(number) (RFC 9112 §6.3).")
      }
      length = number
    }
    if let fault { throw fault }
    guard found > 0 else { throw .bad("Content-Length is empty (RFC 9110 §8.6).") }
    contentLength = length
    lengthCount += found
  }

  /// Whether the connection persists after the message (RFC 9112 §9.3): never with `close`, and in
  /// HTTP/1.0 only with `keep-alive`.
  package func keepsAlive(_ version: HTTPVersion) -> Bool {
    !saysClose && (version != .http10 || saysKeepAlive)
  }

  /// Calls a function with the elements of a comma-separated list; empty ones are ignored (RFC 9110
  /// §5.6.1).
  private static func elements(of value: Bytes, _ body: (Bytes) -> Void) {
    var start = 0
    for end in 0...value.count where end == value.count || value[end] == 0x2C {
      let element = value.part(start..<end).trimmed
      if !element.isEmpty { body(element) }
      start = end + 1
    }
  }
}
