internal import Foundation
internal import WindTunnelHTTP

/// A reader of a message's content within its framing (RFC 9112 §6 and §7).
struct ContentReader {
  /// One step of the content.
  enum Piece { case content(Data), trailers(HeaderFields), end }

  private enum State {
    case length(remaining: Int)
    case chunkLine
    case chunk(remaining: Int)
    case chunkEnd
    case trailers(FieldSection)
    case untilClose
    case end
  }

  private var state: State
  private var received = 0
  private var extensions = 0
  private let expected: Int
  private let limits: Limits
  private let side: FieldSection.Side

  package init(_ framing: Framing, _ limits: Limits, _ side: FieldSection.Side) {
    (self.limits, self.side) = (limits, side)
    expected = if case .length(let length) = framing { length } else { 0 }
    state =
      switch framing {
      case .none: .end
      case .length(let length): length == 0 ? .end : .length(remaining: length)
      case .chunked: .chunkLine
      case .untilClose: .untilClose
      }
  }

  /// Returns the next piece; `nil` if more bytes are needed.
  ///
  /// It must not be called again after `end`.
  package mutating func next(_ input: inout ByteQueue, ended: Bool) throws(ProtocolError) -> Piece?
  {
    while true {
      switch state {
      case .end: return .end
      case .length(let remaining):
        guard expected <= limits.bodyBytesMax else { throw .tooLarge(limits) }
        guard let data = taken(&input, remaining) else { return try whenDry(ended) }
        state = data.count == remaining ? .end : .length(remaining: remaining - data.count)
        return .content(data)
      case .untilClose:
        let room = limits.bodyBytesMax - received
        guard room > 0 || input.isEmpty else { throw .tooLarge(limits) }
        if let data = taken(&input, room) { return .content(data) }
        return ended ? .end : nil
      case .chunkLine:
        guard let size = try chunkSize(&input) else { return try whenDry(ended) }
        state = size == 0 ? .trailers(FieldSection(limits, side)) : .chunk(remaining: size)
      case .chunk(let remaining):
        guard let data = taken(&input, remaining) else { return try whenDry(ended) }
        state = data.count == remaining ? .chunkEnd : .chunk(remaining: remaining - data.count)
        return .content(data)
      case .chunkEnd:
        guard try spendChunkEnd(&input) else { return try whenDry(ended) }
        state = .chunkLine
      case .trailers(var section):
        state = .end
        let isWhole = try section.read(&input)
        guard isWhole else {
          state = .trailers(section)
          return try whenDry(ended)
        }
        if !section.fields.isEmpty { return .trailers(HeaderFields(section.fields)) }
      }
    }
  }

  private mutating func taken(_ input: inout ByteQueue, _ length: Int) -> Data? {
    guard !input.isEmpty else { return nil }
    let data = input.take(atMost: length)
    received += data.count
    return data
  }

  /// Throws if the connection ended within content with a length or in chunks (RFC 9112 §8).
  private func whenDry(_ ended: Bool) throws(ProtocolError) -> Piece? {
    guard ended else { return nil }
    guard case .length = state else {
      throw ProtocolError(
        .truncated(.inChunks(received: received)),
        "The connection ended in chunked content, after \(received) bytes of it."
      )
    }
    throw ProtocolError(
      .truncated(.inContent(received: received, expected: expected)),
      "The connection ended after \(received) of \(expected) bytes of content."
    )
  }

  /// Parses a chunk's size line (RFC 9112 §7.1): `1*HEXDIG`, extensions, then CR LF; no sign, no
  /// prefix, no leading space.
  private mutating func chunkSize(_ input: inout ByteQueue) throws(ProtocolError) -> Int? {
    // An invalid beginning is rejected before the line is complete.
    guard input.isEmpty || input[0].isHexadecimalDigit else { throw .noChunkSize }
    guard let length = input.lineLength() else {
      guard input.count <= limits.chunkLineBytesMax else { throw longChunkLine }
      return nil
    }
    guard length <= limits.chunkLineBytesMax else { throw longChunkLine }
    let size = try input.peek(length) { bytes throws(ProtocolError) -> Int in
      // A bare LF is rejected on both sides, because it allows chunk smuggling.
      let line = try FieldSection.withoutLineEnd(bytes, .request)
      var (size, place) = (0, 0)
      while place < line.count, let digit = line[place].hexadecimalDigit {
        guard size <= Int.max >> 4 else { throw .bad("A chunk's size is too large.") }
        size = size << 4 | Int(digit)
        place += 1
      }
      try takeExtensions(line.part(place..<line.count), hasSize: place > 0)
      return size
    }
    guard size <= limits.bodyBytesMax - received else { throw .tooLarge(limits) }
    input.skip(length)
    return size
  }

  /// Checks chunk extensions (RFC 9112 §7.1.1). An unknown extension is ignored. An invalid one is
  /// rejected, because another recipient may see its end elsewhere and thus another request.
  private mutating func takeExtensions(_ rest: Bytes, hasSize: Bool) throws(ProtocolError) {
    guard hasSize, rest.first.map({ $0 == 0x3B || $0.isBlank }) ?? true else { throw .noChunkSize }
    guard rest.isChunkExtensions else {
      throw .bad(
        "A chunk's size is not followed by an extension such as ;name=value: \(rest.quoted) "
          + "(RFC 9112 §7.1.1)."
      )
    }
    extensions += rest.count
    guard extensions <= limits.chunkExtensionBytesMax else {
      throw .bad("The chunk extensions are larger than \(limits.chunkExtensionBytesMax) bytes.")
    }
  }

  private mutating func spendChunkEnd(_ input: inout ByteQueue) throws(ProtocolError) -> Bool {
    if input.isEmpty { return false }
    guard input[0] == .carriageReturn, input.count < 2 || input[1] == .lineFeed else {
      throw .bad("A chunk is longer than its size says (RFC 9112 §7.1).")
    }
    guard input.count >= 2 else { return false }
    input.skip(2)
    return true
  }

  private var longChunkLine: ProtocolError {
    .bad("A chunk's size line is longer than \(limits.chunkLineBytesMax) bytes.")
  }
}

extension ProtocolError {
  fileprivate static let noChunkSize = bad(
    "A chunk's size is not a hexadecimal number (RFC 9112 §7.1)."
  )

  package static func tooLarge(_ limits: Limits) -> Self {
    Self(.contentTooLarge, "The content is larger than \(limits.bodyBytesMax) bytes.")
  }
}

extension Bytes {
  /// Whether the bytes are valid between a chunk's size and the end of its line: any number of
  /// extensions (RFC 9112 §7.1.1).
  ///
  /// ```
  /// chunk-ext     = *( BWS ";" BWS chunk-ext-name [ BWS "=" BWS chunk-ext-val ] )
  /// chunk-ext-val = token / quoted-string
  /// ```
  fileprivate var isChunkExtensions: Bool {
    var place = 0
    while place < count {
      skipBlanks(&place)
      guard skip(0x3B, &place) else { return false }
      skipBlanks(&place)
      guard skipToken(&place) else { return false }
      // White space without a following value belongs before the next extension; after the last one
      // there is none.
      var behind = place
      skipBlanks(&behind)
      guard skip(0x3D, &behind) else { continue }
      skipBlanks(&behind)
      guard skipToken(&behind) || skipQuotedString(&behind) else { return false }
      place = behind
    }
    return true
  }

  private func skipBlanks(_ place: inout Int) {
    while place < count, self[place].isBlank { place += 1 }
  }

  private func skip(_ byte: UInt8, _ place: inout Int) -> Bool {
    guard place < count, self[place] == byte else { return false }
    place += 1
    return true
  }

  private func skipToken(_ place: inout Int) -> Bool {
    let start = place
    while place < count, self[place].isToken { place += 1 }
    return place > start
  }

  /// Skips a quoted string (RFC 9110 §5.6.4), in which a backslash escapes the next character.
  private func skipQuotedString(_ place: inout Int) -> Bool {
    var end = place
    guard skip(0x22, &end) else { return false }
    while end < count, self[end] != 0x22 {
      if self[end] == 0x5C { end += 1 }
      guard end < count, self[end].isFieldContent else { return false }
      end += 1
    }
    guard skip(0x22, &end) else { return false }
    place = end
    return true
  }
}
