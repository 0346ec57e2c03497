internal import Foundation
internal import WindTunnelSymptoms

/// A response as bytes on the wire, with the offsets of its parts.
///
/// Used for responses that no valid framing can produce: a server sends the bytes unchanged.
struct WireMessage {
  private(set) var bytes: [UInt8] = []
  /// The offset after the status line.
  private var statusLineEnd = 0
  /// The offset after the empty line.
  private var headEnd = 0
  /// The offsets on the wire at which parts of the body begin, with their offsets in the body.
  private var marks: [(body: Int, wire: Int)] = []
  private var bodyCount = 0

  /// The framing of well-formed content.
  enum Framing {
    /// With this length; `nil` if the connection's end ends the content.
    case length(Int?)
    /// In one chunk that declares this number of bytes.
    case chunk(Int)
  }

  /// Writes a well-formed response; a head that ends the message has no content.
  init(_ head: ResponseHead, _ body: Data, _ framing: Framing, isContentless: Bool) {
    let body = isContentless ? Data() : body
    switch framing {
    case .length(let length):
      begin(head, lengths: length.map { [$0] } ?? [])
      add(body)
    case .chunk(let count):
      begin(head, isChunked: true)
      bytes += Array((String(count, radix: 16) + "\r\n").utf8)
      add(body)
      // A chunk that declares more than there is does not end.
      if count <= body.count { bytes += Array("\r\n0\r\n\r\n".utf8) }
    }
  }

  /// Writes a malformed response.
  init(_ head: ResponseHead, _ body: Data, wrongAs malformation: Malformation) {
    let (half, length) = (body.prefix(body.count / 2), body.count)
    switch malformation {
    case .garbage: bytes = Self.garbage
    case .noStatusLine: add(body.isEmpty ? Data("hello\n".utf8) : body)
    case .interimOnly: bytes = Array("HTTP/1.1 100 Continue\r\n\r\n".utf8)
    case .badStatusLine: begin(head, "HTTP/1.1 abc OK", body)
    case .badStatusCode: begin(head, "HTTP/1.1 99999 OK", body)
    case .badVersion: begin(head, "HTTP/9.9 \(head.status) OK", body)
    case .fieldWithoutColon: begin(head, nil, body, raw: "X-Broken\r\n")
    case .nulInField: begin(head, nil, body, raw: "X-Broken: a\0b\r\n")
    case .negativeLength: begin(head, nil, body, [-5])
    case .lengthTooLong: begin(head, nil, body, [length + 2])
    case .lengthTooShort: begin(head, nil, body, [half.count])
    case .twoLengths: begin(head, nil, body, [length, length + 2])
    case .silentTruncation, .resetWithoutLength: begin(head, nil, half, [])
    case .noContentWithContent, .notModifiedWithContent:
      var head = head
      head.status = malformation == .noContentWithContent ? 204 : 304
      begin(head, nil, body)
    case .lengthAndChunked:
      begin(head, lengths: [length], isChunked: true)
      chunk(body)
      bytes += Array("0\r\n\r\n".utf8)
    case .badChunkSize, .missingChunkEnd, .missingLastChunk, .chunkedTrailers:
      beginChunked(head, body, malformation)
    }
  }

  /// Writes a response whose content ends in bytes that are not a chunk (RFC 9112 §7.1).
  init(_ head: ResponseHead, brokenBehind body: Data) {
    begin(head, isChunked: true)
    chunk(body)
    bytes += Self.noChunkSize
  }

  private static let noChunkSize = Array("lskdu\r\n".utf8)

  private mutating func beginChunked(
    _ head: ResponseHead,
    _ body: Data,
    _ malformation: Malformation
  ) {
    begin(head, isChunked: true)
    let half = body.prefix(body.count / 2)
    chunk(half)
    switch malformation {
    case .badChunkSize: bytes += Self.noChunkSize
    case .missingChunkEnd: bytes.removeLast(half.isEmpty ? 0 : 2)
    default: break
    }
    chunk(body.dropFirst(half.count))
    if malformation == .missingLastChunk { return }
    bytes += Array("0\r\n".utf8)
    if malformation == .chunkedTrailers { bytes += Array("X-Checksum: 7\r\n".utf8) }
    bytes += Array("\r\n".utf8)
  }

  /// Bytes that are not the beginning of a response in any protocol that a client might guess.
  static let garbage = (0..<64).map { UInt8(truncatingIfNeeded: $0 * 73 + 129) }

  private mutating func begin(
    _ head: ResponseHead,
    _ statusLine: String?,
    _ body: Data,
    _ lengths: [Int]? = nil,
    raw: String = ""
  ) {
    begin(head, statusLine, raw: raw, lengths: lengths ?? [body.count])
    add(body)
  }

  private mutating func begin(
    _ head: ResponseHead,
    _ statusLine: String? = nil,
    raw: String = "",
    lengths: [Int] = [],
    isChunked: Bool = false
  ) {
    if let statusLine {
      bytes += Array("\(statusLine)\r\n".utf8)
    } else {
      bytes.appendStatusLine(head.status, reason: head.customReasonPhrase)
    }
    statusLineEnd = bytes.count
    bytes += Array(raw.utf8)
    var fields = head.headers
    for name in ["Content-Length", "Transfer-Encoding", "Connection", "Keep-Alive"] {
      fields.remove(name)
    }
    for length in lengths { fields.append("Content-Length", String(length)) }
    if isChunked { fields.append("Transfer-Encoding", "chunked") }
    fields.append("Connection", "close")
    bytes.appendFields(fields)
    headEnd = bytes.count
  }

  private mutating func chunk(_ data: Data) {
    guard !data.isEmpty else { return }
    bytes += Array((String(data.count, radix: 16) + "\r\n").utf8)
    add(data)
    bytes += Array("\r\n".utf8)
  }

  private mutating func add(_ data: Data) {
    marks.append((bodyCount, bytes.count))
    bytes += Array(data)
    bodyCount += data.count
  }

  /// Returns the offset of a place among the bytes; for a place after the last byte, the end.
  func offset(of place: AnswerPlace) -> Int {
    switch place {
    case .start: return 0
    case .statusLine(let count): return min(count, max(0, statusLineEnd - 1))
    case .fields(let count): return min(statusLineEnd + count, max(0, headEnd - 1))
    case .body(let count):
      guard count < bodyCount, let mark = marks.last(where: { $0.body <= count }) else {
        return bytes.count
      }
      return mark.wire + (count - mark.body)
    }
  }

  /// Returns the offset of a fault's point among the bytes, with the length of the body for half of
  /// a chunk.
  func offset(of point: Fault.Point, ofBody count: Int) -> Int {
    if case .byte(let byte) = point { return min(byte, bytes.count) }
    return offset(of: place(of: point, ofBody: count))
  }

  /// Returns the place of a fault's point in the response.
  func place(of point: Fault.Point, ofBody count: Int) -> AnswerPlace {
    switch point {
    case .afterRequest: .start
    case .inStatusLine: .statusLine(Fault.Point.inStatusLineBytes)
    case .inHeaders: .fields(Fault.Point.inHeadersBytes)
    case .body(let offset): .body(offset)
    case .inChunk(let offset): .body(offset ?? count / 2)
    case .byte(let byte): place(ofByte: byte)
    // ``Script`` has already replaced it by an offset in the body.
    case .event: .body(count)
    }
  }

  /// Returns the place of a byte in a well-formed response.
  private func place(ofByte count: Int) -> AnswerPlace {
    if count == 0 { return .start }
    if count < statusLineEnd { return .statusLine(count) }
    return count < headEnd ? .fields(count - statusLineEnd) : .body(count - headEnd)
  }
}

/// A place in a response, in the order of the bytes.
enum AnswerPlace: Comparable {
  case start
  case statusLine(Int)
  case fields(Int)
  case body(Int)
}

extension Malformation {
  /// A client's view of a malformed response, for a stage without bytes.
  enum Appearance: Sendable, Hashable {
    /// A complete, well-formed response.
    case whole
    /// A failure instead of a response.
    case failure(Symptom)
    /// A failure after the whole body.
    case failureBehindBody(Symptom)
    /// A failure after half of the body.
    case failureBehindHalf(Symptom)
    /// Half of the body, with its length or without one.
    case half(isAnnounced: Bool)
    /// A response with this status and without content.
    case contentless(Int)
  }

  /// The client's view of the malformed response, for a stage without bytes.
  var appearance: Appearance {
    switch self {
    case .garbage, .noStatusLine, .badStatusLine, .badStatusCode, .badVersion, .fieldWithoutColon,
      .nulInField, .negativeLength:
      .failure(.malformedResponse)
    case .interimOnly: .failure(.emptyAnswer)
    case .lengthTooLong, .twoLengths, .missingLastChunk: .failureBehindBody(.truncated)
    case .badChunkSize, .missingChunkEnd: .failureBehindHalf(.malformedResponse)
    case .resetWithoutLength: .failureBehindHalf(.connectionLost)
    case .lengthTooShort: .half(isAnnounced: true)
    case .silentTruncation: .half(isAnnounced: false)
    case .noContentWithContent: .contentless(204)
    case .notModifiedWithContent: .contentless(304)
    // The chunks have priority (RFC 9112 §6.3, rule 3).
    case .lengthAndChunked, .chunkedTrailers: .whole
    }
  }
}
