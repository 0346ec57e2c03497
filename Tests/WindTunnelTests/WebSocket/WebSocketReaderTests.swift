import TestSupport

@testable import WindTunnelHTTP

/// Each rule of RFC 6455 §5 to §8 for what a peer sends, as bytes, from both sides and cut at every
/// place.
@Suite struct WebSocketReaderTests {
  typealias Event = WebSocketReader.Event

  /// The bytes that are sent, and the events that a reader makes of them.
  struct Row: Sendable, CustomTestStringConvertible {
    var section: String
    var name: String
    var frames: [Raw]
    var events: [Event] = []
    /// The code with which the connection is failed; `nil`: it goes on.
    var failure: UInt16?
    var testDescription: String { "§\(section): \(name)" }

    init(
      _ section: String,
      _ name: String,
      _ frames: [Raw],
      _ events: [Event] = [],
      failing failure: UInt16? = nil
    ) {
      (self.section, self.name, self.frames) = (section, name, frames)
      (self.events, self.failure) = (events, failure)
    }
  }

  /// A frame as bytes, with all that can be wrong with one.
  struct Raw: Sendable {
    var first: UInt8
    var payload: [UInt8]
    /// The number of bytes that the length has behind the second byte; `nil`: the least.
    var lengthBytes: Int?
    /// The length that is announced; `nil`: the true one.
    var announced: UInt64?
    /// Tells that it is masked or not; `nil`: as its side has to.
    var isMasked: Bool?

    init(
      _ first: UInt8,
      _ payload: [UInt8] = [],
      lengthBytes: Int? = nil,
      announced: UInt64? = nil,
      isMasked: Bool? = nil
    ) {
      (self.first, self.payload, self.lengthBytes) = (first, payload, lengthBytes)
      (self.announced, self.isMasked) = (announced, isMasked)
    }

    func bytes(from sender: WebSocketRole) -> [UInt8] {
      let isMasked = isMasked ?? (sender == .client)
      let length = announced ?? UInt64(payload.count)
      let size = lengthBytes ?? (length < 126 ? 0 : length < 0x10000 ? 2 : 8)
      var bytes = [first, isMasked ? 0x80 : 0]
      switch size {
      case 0: bytes[1] |= UInt8(length)
      case 2:
        bytes[1] |= 126
        bytes += [UInt8(length >> 8), UInt8(length & 0xFF)]
      default:
        bytes[1] |= 127
        bytes += stride(from: 56, through: 0, by: -8).map { UInt8(length >> $0 & 0xFF) }
      }
      guard isMasked else { return bytes + payload }
      let key: [UInt8] = [0x37, 0xFA, 0x21, 0x3D]
      return bytes + key + payload.enumerated().map { $1 ^ key[$0 % 4] }
    }
  }

  static func text(_ text: String, frames: [Int]? = nil) -> Event {
    .message(Data(text.utf8), isText: true, frames: frames ?? [text.utf8.count])
  }

  static func close(_ code: UInt16, _ reason: String = "") -> [UInt8] {
    [UInt8(code >> 8), UInt8(code & 0xFF)] + Array(reason.utf8)
  }

  private static let long = [UInt8](repeating: 0x61, count: 70_000)

  /// An event as a row of the data file has it: bytes are hexadecimal digits.
  private struct Written: Decodable {
    var text, data, ping, pong, reason: String?
    var frames: [Int]?
    /// The code of a close; 0: it has none.
    var close: UInt16?

    var event: Event {
      if let text { return WebSocketReaderTests.text(text, frames: frames) }
      if let data { return .message(Data(hex: data), isText: false, frames: frames ?? []) }
      if let ping { return .ping(Data(hex: ping)) }
      if let pong { return .pong(Data(hex: pong)) }
      guard let close, close > 0 else { return .close(WebSocketClose(nil)) }
      return .close(WebSocketClose(close, reason ?? ""))
    }
  }

  private static func writtenRows() throws -> [Row] {
    let rows: [(String, String, [[String]], [Written], UInt16)] =
      try TestData.rows("websocket-frames.json", count: 28)
    return rows.map { section, name, frames, events, failure in
      Row(
        section,
        name,
        frames.map { Raw([UInt8](Data(hex: $0[0]))[0], [UInt8](Data(hex: $0[1]))) },
        events.map(\.event),
        failing: failure == 0 ? nil : failure
      )
    }
  }

  static let rows =
    [
      Row(
        "5.5",
        "a ping of 125 bytes",
        [Raw(0x89, .init(long[..<125]))],
        [.ping(Data(long[..<125]))]
      ),
      Row("5.5", "a ping of 126 bytes", [Raw(0x89, .init(long[..<126]))], failing: 1002),
      Row("5.5", "a pong of 126 bytes", [Raw(0x8A, .init(long[..<126]))], failing: 1002),
      Row("5.5", "a close of 126 bytes", [Raw(0x88, close(1000) + long[..<124])], failing: 1002),
    ]
    + [0x83, 0x84, 0x85, 0x86, 0x87, 0x8B, 0x8C, 0x8D, 0x8E, 0x8F, 0x03, 0x0B].map {
      Row("5.2", "the reserved opcode \($0 & 0xF)", [Raw($0)], failing: 1002)
    }
    + [UInt8(0xC1), 0xA1, 0x91, 0xF1, 0xC2, 0xA2, 0x92, 0xC9, 0xA9, 0x99, 0xCA, 0xC8, 0xA8, 0x98]
    .map {
      Row("5.2", "reserved bits, \(String($0, radix: 16))", [Raw($0)], failing: 1002)
    }
    + [125, 126, 127, 65_535, 65_536, 70_000].map { count in
      let text = String(repeating: "a", count: count)
      return Row("5.2", "\(count) bytes", [Raw(0x81, .init(long[..<count]))], [Self.text(text)])
    }
    + [(0, 2), (125, 2), (0, 8), (125, 8), (126, 8), (65_535, 8)].map { count, size in
      Row(
        "5.2",
        "\(count) bytes by a length of \(size)",
        [Raw(0x82, .init(long[..<count]), lengthBytes: size)],
        failing: 1002
      )
    }
    + ([1 << 63, .max] as [UInt64]).map {
      Row("5.2", "a length of \($0)", [Raw(0x82, announced: $0)], failing: 1002)
    }
    + ([1 << 62, UInt64(WebSocketReader.messageBytesMax) + 1] as [UInt64]).map {
      Row("10.4", "a length of \($0)", [Raw(0x82, announced: $0)], failing: 1009)
    }
    + [0, 1, 999, 1004, 1005, 1006, 1015, 1016, 1100, 2000, 2999, 5000, 65_535].map {
      Row("7.4", "the close code \($0)", [Raw(0x88, close($0))], failing: 1002)
    }
    + [
      1000, 1001, 1002, 1003, 1007, 1008, 1009, 1010, 1011, 1012, 1013, 1014, 3000, 3999, 4000,
      4999,
    ]
    .map {
      Row("7.4", "the close code \($0)", [Raw(0x88, close($0))], [.close(WebSocketClose($0))])
    }

  @Test(arguments: try writtenRows() + rows, WebSocketRole.allCases)
  func `a rule holds for both sides, wherever it is cut`(row: Row, sender: WebSocketRole) {
    let bytes = row.frames.flatMap { $0.bytes(from: sender) }
    for size in [1, 2, 3, 7, bytes.count]
    where size <= bytes.count && (size > 2 || bytes.count < 1000) {
      let (events, failure) = Self.read(bytes, from: sender, inPiecesOf: size)
      expectEqual(events, row.events)
      expectEqual(failure?.code, row.failure, "\(failure?.description ?? "")")
    }
  }

  @Test(arguments: [
    (WebSocketRole.client, false, "A client's frame is not masked (RFC 6455 §5.1)."),
    (.server, true, "A server's frame is masked (RFC 6455 §5.1)."),
  ])
  func `only a client masks`(sender: WebSocketRole, isMasked: Bool, words: String) {
    for opcode in WebSocketFrame.Opcode.allCases where opcode != .continuation {
      let bytes = Raw(0x80 | opcode.rawValue, [0x61], isMasked: isMasked).bytes(from: sender)
      let (events, failure) = Self.read(bytes, from: sender, inPiecesOf: 1)
      expectEqual(events, [])
      expectEqual(failure?.description, words)
    }
  }

  /// The Unicode Standard 16.0, table 3-7, and what Autobahn's suite calls its stress tests.
  @Test(arguments: try TestData.rows("utf8.json", count: 36) as [([UInt8], Bool)])
  func `a text is UTF-8, in one frame and in a frame a byte`(bytes: [UInt8], isText: Bool) {
    expectEqual((String(utf8: bytes) != nil), isText)
    for before in ["", "abcdefghijk"] {
      let all = Array(before.utf8) + bytes
      let fragments = all.enumerated().map { Raw($0 == 0 ? 0x01 : 0x00, [$1]) } + [Raw(0x80)]
      for frames in [[Raw(0x81, all)], fragments] {
        let (events, failure) = Self.read(
          frames.flatMap { $0.bytes(from: .server) },
          from: .server,
          inPiecesOf: 5
        )
        expectEqual(events.count, (isText ? 1 : 0))
        expectEqual(failure?.code, (isText ? nil : 1007))
      }
    }
  }

  @Test func `a text that is none is refused at the byte that shows it`() {
    let bytes = Raw(0x81, [0x61, 0xFF] + [UInt8](repeating: 0x61, count: 60_000)).bytes(
      from: .server
    )
    let (events, failure) = Self.read(Array(bytes.prefix(6)), from: .server, inPiecesOf: 6)
    expectEqual(events, [])
    expectEqual(failure?.code, 1007)
  }

  @Test func `a message has no more bytes and frames than the limits say`() throws {
    var reader = WebSocketReader(from: .server, most: 10)
    try expectEqual(Self.read(Raw(0x82, .init(repeating: 1, count: 10)), &reader).count, 1)
    // Control frames are no part of a message.
    _ = try Self.read(Raw(0x02, .init(repeating: 1, count: 6)), &reader)
    let ping = [UInt8](repeating: 2, count: 11)
    try expectEqual(Self.read(Raw(0x89, ping), &reader), [.ping(Data(ping))])
    #expect(throws: WebSocketFailure.tooBig("A message has more than the maximum of 10 bytes.")) {
      try Self.read(Raw(0x80, .init(repeating: 1, count: 5)), &reader)
    }
    reader = WebSocketReader(from: .server)
    _ = try Self.read(Raw(0x02), &reader)
    #expect(
      throws: WebSocketFailure.tooBig("A message has more than the maximum of 65536 frames.")
    ) {
      for _ in 0..<WebSocketReader.framesMax { try Self.read(Raw(0x00), &reader) }
    }
  }

  @Test func `half a close code is told as that`() {
    let (_, failure) = Self.read(Raw(0x88, [3]).bytes(from: .server), from: .server, inPiecesOf: 1)
    expectEqual(
      failure?.description,
      "A close frame has one byte; a code has two (RFC 6455 §5.5.1)."
    )
  }

  @Test func `after a breach nothing more is said`() throws {
    var reader = WebSocketReader(from: .server)
    #expect(throws: WebSocketFailure.self) { try Self.read(Raw(0x83), &reader) }
    try expectEqual(Self.read(Raw(0x81, [0x61]), &reader), [])
  }

  @Test(arguments: WebSocketRole.allCases)
  func `what is written is read`(sender: WebSocketRole) {
    for count in [0, 1, 3, 8, 125, 126, 65_535, 65_536] {
      for opcode in [WebSocketFrame.Opcode.text, .binary] {
        let payload = Data((0..<count).map { UInt8($0 % 128) })
        let key: UInt32? = sender == .client ? 0x1234_5678 : nil
        let bytes = WebSocketFrame(opcode, payload).encoded(masking: key)
        let event = Event.message(payload, isText: opcode == .text, frames: [count])
        Self.expect([event], of: bytes, from: sender, inPiecesOf: 1000)
      }
    }
    let close = WebSocketClose(4000, String(repeating: "é", count: 100))
    let bytes = close.frame.encoded(masking: sender == .client ? 7 : nil)
    let cut = WebSocketClose(4000, String(repeating: "é", count: 61))
    expectEqual(Self.read(Array(bytes), from: sender, inPiecesOf: 9).events, [.close(cut)])
  }

  /// The frames of RFC 6455 §5.7.
  @Test func `the standard's examples are written as they stand there`() {
    let hello = Data("Hello".utf8)
    expectEqual(Array(WebSocketFrame(.text, hello).encoded(masking: nil)), [0x81, 0x05] + hello)
    expectEqual(
      Array(WebSocketFrame(.text, hello).encoded(masking: 0x37FA_213D)),
      [0x81, 0x85, 0x37, 0xFA, 0x21, 0x3D, 0x7F, 0x9F, 0x4D, 0x51, 0x58]
    )
    expectEqual(
      Array(WebSocketFrame(.text, Data("Hel".utf8), isFinal: false).encoded(masking: nil)),
      [0x01, 0x03, 0x48, 0x65, 0x6C]
    )
    expectEqual(Array(WebSocketFrame(.ping, hello).encoded(masking: nil)), [0x89, 0x05] + hello)
    let bytes = WebSocketFrame(.binary, Data(count: 256)).encoded(masking: nil)
    expectEqual(Array(bytes.prefix(4)), [0x82, 0x7E, 0x01, 0x00])
    let more = WebSocketFrame(.binary, Data(count: 65_536)).encoded(masking: nil)
    expectEqual(Array(more.prefix(10)), [0x82, 0x7F, 0, 0, 0, 0, 0, 1, 0, 0])
  }

  @Test func `no bytes make it crash, or depend on how they were cut`() {
    var draws = SystemRandomNumberGenerator()
    for round in 0..<20_000 {
      let sender: WebSocketRole = round % 2 == 0 ? .client : .server
      var bytes = (0..<Int.random(in: 1...64, using: &draws)).map { _ in
        UInt8.random(in: 0...255, using: &draws)
      }
      // Most would be refused at the first byte otherwise.
      if round % 3 != 0 {
        bytes[0] &= 0x8F
        if bytes.count > 1 { bytes[1] = bytes[1] & 0x7F | (sender == .client ? 0x80 : 0) }
      }
      let whole = Self.read(bytes, from: sender, inPiecesOf: bytes.count)
      let pieces = Self.read(bytes, from: sender, inPiecesOf: 1)
      #expect(whole.events == pieces.events && whole.failure == pieces.failure, "\(bytes)")
    }
  }

  @discardableResult private static func read(
    _ raw: Raw,
    _ reader: inout WebSocketReader
  ) throws -> [Event] {
    var events: [Event] = []
    let bytes = raw.bytes(from: .server)
    var failure: WebSocketFailure?
    bytes.withUnsafeBytes { bytes in
      do throws(WebSocketFailure) { try reader.read(bytes) { events.append($0) } } catch {
        failure = error
      }
    }
    if let failure { throw failure }
    return events
  }

  /// Expects that a reader makes these events of the bytes, and goes on.
  static func expect(
    _ events: [Event],
    of bytes: some Collection<UInt8>,
    from sender: WebSocketRole,
    _ deflate: PerMessageDeflate? = nil,
    inPiecesOf size: Int
  ) {
    let (found, failure) = read(Array(bytes), from: sender, deflate, inPiecesOf: size)
    expectEqual(found, events)
    expectNil(failure)
  }

  static func read(
    _ bytes: [UInt8],
    from sender: WebSocketRole,
    _ deflate: PerMessageDeflate? = nil,
    inPiecesOf size: Int
  ) -> (events: [Event], failure: WebSocketFailure?) {
    var reader = WebSocketReader(from: sender, deflate)
    var events: [Event] = []
    for start in stride(from: 0, to: bytes.count, by: max(1, size)) {
      var failure: WebSocketFailure?
      bytes[start..<min(start + max(1, size), bytes.count)].withUnsafeBytes { piece in
        do throws(WebSocketFailure) { try reader.read(piece) { events.append($0) } } catch {
          failure = error
        }
      }
      if let failure { return (events, failure) }
    }
    return (events, nil)
  }
}
