/// The types of frames (RFC 9113 §6). A frame of another type is ignored (§5.5).
enum HTTP2FrameType: UInt8 {
  case data = 0
  case headers = 1
  case priority = 2
  case resetStream = 3
  case settings = 4
  case pushPromise = 5
  case ping = 6
  case goAway = 7
  case windowUpdate = 8
  case continuation = 9
}

/// The flags of a frame. One bit has different names in different frame types (RFC 9113 §6).
struct HTTP2FrameFlags: OptionSet {
  let rawValue: UInt8

  static let endStream = Self(rawValue: 0x1)
  /// The flag of SETTINGS and PING.
  static let ack = Self(rawValue: 0x1)
  static let endHeaders = Self(rawValue: 0x4)
  static let padded = Self(rawValue: 0x8)
  static let priority = Self(rawValue: 0x20)
}

/// A frame: a header of nine bytes, and the payload (RFC 9113 §4.1). Valid only as long as its
/// bytes.
struct HTTP2Frame {
  static let headerBytes = 9
  /// The maximum size of a payload in both directions. It is the initial value of
  /// SETTINGS_MAX_FRAME_SIZE, which this end never changes and never exceeds.
  static let payloadBytesMax = 16_384
  /// The maximum stream identifier, and the maximum flow-control window (RFC 9113 §5.1.1, §6.9.1).
  static let numberMax = 0x7FFF_FFFF

  let length: Int
  /// The type; `nil` if it is unknown.
  let type: HTTP2FrameType?
  let flags: HTTP2FrameFlags
  let stream: Int
  /// The payload; empty if only the header was read.
  let payload: Bytes

  /// Reads a frame or its header. The reserved bit of the stream identifier is ignored.
  init(_ bytes: Bytes) {
    payload = bytes.part(Self.headerBytes..<bytes.count)
    length = Int(bytes[0]) << 16 | Int(bytes[1]) << 8 | Int(bytes[2])
    type = HTTP2FrameType(rawValue: bytes[3])
    flags = HTTP2FrameFlags(rawValue: bytes[4])
    stream = bytes.number(at: 5) & Self.numberMax
  }

  func expectConnection() throws(HTTP2Fault) {
    guard stream == 0 else { throw .violation("A frame of the connection names a stream.") }
  }

  func expectStream() throws(HTTP2Fault) {
    guard stream != 0 else { throw .violation("A frame of a stream names none.") }
  }

  func expectSize(_ isRight: Bool) throws(HTTP2Fault) {
    guard !isRight else { return }
    throw .connection(.frameSizeError, "A frame of \(length) bytes has the wrong size.")
  }

  /// Returns the payload without its padding. Flow control counts the padding.
  ///
  /// - Throws: PROTOCOL_ERROR if the padding is not smaller than the payload (RFC 9113 §6.1).
  func withoutPadding() throws(HTTP2Fault) -> Bytes {
    guard flags.contains(.padded) else { return payload }
    guard let padding = payload.first, Int(padding) < payload.count else {
      throw .violation("The padding of a frame is not smaller than its payload.")
    }
    return payload.part(1..<payload.count - Int(padding))
  }
}

/// The reason why a frame cannot be processed (RFC 9113 §5.4).
enum HTTP2Fault: Error {
  /// The whole connection ends.
  case connection(StreamError, String)
  /// Only the stream ends.
  case stream(Int, StreamError, String)
  /// The request is well-formed, but above a limit. It may receive a response.
  case refused(Int, ProtocolError)

  /// Returns the error of a stream, or of the connection if the stream is 0.
  static func on(_ stream: Int, _ code: StreamError, _ sentence: String) -> Self {
    stream == 0 ? .connection(code, sentence) : .stream(stream, code, sentence)
  }
  /// Returns the connection error for a violation of the protocol.
  static func violation(_ sentence: String) -> Self { .connection(.protocolError, sentence) }
  /// Returns the connection error for a client that exceeds a limit.
  static func excess(_ sentence: String) -> Self { .connection(.enhanceYourCalm, sentence) }
}

extension Bytes {
  /// Returns the four bytes at an offset as a number, most significant byte first.
  @inline(__always) func number(at offset: Int) -> Int {
    Int(self[offset]) << 24 | Int(self[offset + 1]) << 16 | Int(self[offset + 2]) << 8
      | Int(self[offset + 3])
  }
}

// Frames are written directly into the output.
extension [UInt8] {
  /// Writes the header of a frame.
  mutating func appendFrame(
    _ type: HTTP2FrameType,
    _ flags: HTTP2FrameFlags = [],
    on stream: Int = 0,
    length: Int
  ) {
    let header = UInt64(length) << 40 | UInt64(type.rawValue) << 32 | UInt64(flags.rawValue) << 24
    Swift.withUnsafeBytes(of: (header | UInt64(stream) >> 8).bigEndian) { append(contentsOf: $0) }
    append(UInt8(truncatingIfNeeded: stream))
  }

  /// Writes a number of four bytes, most significant byte first.
  mutating func appendNumber(_ number: Int) {
    for shift in [24, 16, 8, 0] { append(UInt8(truncatingIfNeeded: number >> shift)) }
  }

  /// Writes RST_STREAM (RFC 9113 §6.4).
  mutating func appendReset(_ error: StreamError, on stream: Int) {
    appendFrame(.resetStream, on: stream, length: 4)
    appendNumber(Int(error.rawValue))
  }

  /// Writes WINDOW_UPDATE. Stream 0 is the connection (RFC 9113 §6.9).
  mutating func appendWindowUpdate(_ increment: Int, on stream: Int) {
    appendFrame(.windowUpdate, on: stream, length: 4)
    appendNumber(increment)
  }

  /// Writes SETTINGS with the identifiers and values of parameters (RFC 9113 §6.5).
  mutating func appendSettings(_ settings: [(HTTP2Setting, Int)]) {
    appendFrame(.settings, length: settings.count * 6)
    for (setting, value) in settings {
      append(0)
      append(UInt8(setting.rawValue))
      appendNumber(value)
    }
  }

  /// Writes GOAWAY with a sentence as debug data (RFC 9113 §6.8).
  mutating func appendGoAway(_ error: StreamError, last stream: Int, _ sentence: String = "") {
    let text = sentence.utf8.prefix(512)
    appendFrame(.goAway, length: 8 + text.count)
    appendNumber(stream)
    appendNumber(Int(error.rawValue))
    append(contentsOf: text)
  }

  /// Writes a field block as HEADERS, with CONTINUATION frames if it is long.
  ///
  /// - Parameters:
  ///   - endsStream: Whether the response ends with these fields.
  ///   - stream: The stream.
  ///   - encode: Appends the block.
  mutating func appendHeaders(
    endsStream: Bool,
    on stream: Int,
    _ encode: (inout [UInt8]) -> Void
  ) {
    let start = count
    let most = HTTP2Frame.payloadBytesMax
    let end: HTTP2FrameFlags = endsStream ? .endStream : []
    appendFrame(.headers, [end, .endHeaders], on: stream, length: 0)
    encode(&self)
    let length = count - start - HTTP2Frame.headerBytes
    guard length > most else {
      self[start + 1] = UInt8(truncatingIfNeeded: length >> 8)
      self[start + 2] = UInt8(truncatingIfNeeded: length)
      return
    }
    let block = [UInt8](self[(start + HTTP2Frame.headerBytes)...])
    removeSubrange(start...)
    for place in stride(from: 0, to: length, by: most) {
      let part = block[place..<Swift.min(place + most, length)]
      let last: HTTP2FrameFlags = place + most >= length ? .endHeaders : []
      let flags: HTTP2FrameFlags = place == 0 ? [end, last] : last
      appendFrame(place == 0 ? .headers : .continuation, flags, on: stream, length: part.count)
      append(contentsOf: part)
    }
  }
}
