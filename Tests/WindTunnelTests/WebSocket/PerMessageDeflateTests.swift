import TestSupport

@testable import WindTunnelHTTP

/// Compressed messages (RFC 7692 §6, §7.2), and the terms of them (§7.1).
@Suite(.enabled(if: PerMessageDeflate.isSupported, "There is no zlib here."))
struct PerMessageDeflateTests {
  typealias Raw = WebSocketReaderTests.Raw

  private static func noContext() -> PerMessageDeflate {
    var deflate = PerMessageDeflate()
    (deflate.server.keepsContext, deflate.client.keepsContext) = (false, false)
    return deflate
  }

  private static func read(
    _ frames: [Raw],
    _ deflate: PerMessageDeflate = PerMessageDeflate(),
    from sender: WebSocketRole = .server,
    inPiecesOf size: Int = 3
  ) -> (events: [WebSocketReader.Event], failure: UInt16?) {
    let bytes = frames.flatMap { $0.bytes(from: sender) }
    let (events, failure) = WebSocketReaderTests.read(
      bytes,
      from: sender,
      deflate,
      inPiecesOf: size
    )
    return (events, failure?.code)
  }

  /// The examples of §7.2.3.
  @Test func `the standard's examples are read`() {
    let hello: [UInt8] = [0xF2, 0x48, 0xCD, 0xC9, 0xC9, 0x07, 0x00]
    let text = { WebSocketReaderTests.text("Hello", frames: $0) }
    for sender in WebSocketRole.allCases {
      expectEqual(Self.read([Raw(0xC1, hello)], from: sender).events, [text([7])])
      expectEqual(
        Self.read(
          [Raw(0x41, [0xF2, 0x48, 0xCD]), Raw(0x80, [0xC9, 0xC9, 0x07, 0x00])],
          from: sender
        )
        .events,
        [text([3, 4])]
      )
      // It refers to the message before it.
      let again: [UInt8] = [0xF2, 0x00, 0x11, 0x00, 0x00]
      expectEqual(
        Self.read([Raw(0xC1, hello), Raw(0xC1, again)], from: sender).events,
        [text([7]), text([5])]
      )
      expectEqual(Self.read([Raw(0xC1, hello), Raw(0xC1, again)], Self.noContext()).failure, 1007)
      // A block without compression, a last block, and two blocks.
      for content: [UInt8] in [
        [0x00, 0x05, 0x00, 0xFA, 0xFF, 0x48, 0x65, 0x6C, 0x6C, 0x6F, 0x00],
        [0xF3, 0x48, 0xCD, 0xC9, 0xC9, 0x07, 0x00, 0x00],
        [0xF2, 0x48, 0x05, 0x00, 0x00, 0x00, 0xFF, 0xFF, 0xCA, 0xC9, 0xC9, 0x07, 0x00],
      ] {
        for size in [1, 100] {
          // What follows a last block may refer to what came before it.
          let (events, failure) = Self.read(
            [Raw(0xC1, content), Raw(0x81, [0x48, 0x69]), Raw(0xC1, again)],
            from: sender,
            inPiecesOf: size
          )
          expectEqual(events, [text([content.count]), WebSocketReaderTests.text("Hi"), text([5])])
          expectNil(failure)
        }
      }
    }
  }

  @Test func `an empty message is one byte`() throws {
    let deflater = try #require(MessageDeflater(PerMessageDeflate(), from: .server))
    expectEqual(deflater.deflated(Data()), Data([0x00]))
    expectEqual(Self.read([Raw(0xC1, [0x00])]).events, [WebSocketReaderTests.text("", frames: [1])])
  }

  @Test(arguments: WebSocketRole.allCases, [true, false])
  func `compressed messages are decompressed after any previous messages`(
    sender: WebSocketRole,
    keepsContext: Bool
  ) throws {
    for bits in 9...15 {
      var deflate = keepsContext ? PerMessageDeflate() : Self.noContext()
      (deflate.server.windowBits, deflate.client.windowBits) = (bits, bits)
      let deflater = try #require(MessageDeflater(deflate, from: sender))
      var reader = WebSocketReader(from: sender, deflate)
      var sizes: [Int] = []
      for count in [5, 0, 200, 200, 70_000, 16_384, 3] {
        // Of those that are equal the second is a reference, and by itself it would be as long.
        let message = Data((0..<count).map { UInt8(($0 &* 2_654_435_761) >> 16 & 0x7F) })
        let content = try #require(deflater.deflated(message))
        sizes.append(content.count)
        let frame = WebSocketFrame(.text, content, isCompressed: true)
        var events: [WebSocketReader.Event] = []
        try frame.encoded(masking: sender == .client ? 0xA1B2_C3D4 : nil).withUnsafeBytes {
          try reader.read($0) { events.append($0) }
        }
        expectEqual(events, [.message(message, isText: true, frames: [content.count])])
      }
      expectEqual((sizes[3] < sizes[2] / 5), keepsContext, "\(sizes)")
    }
  }

  @Test func `only a message's first frame says compressed`() {
    for frames in [
      [Raw(0xC9, [0x31])], [Raw(0xC8)], [Raw(0xCA)], [Raw(0x41, [0xF2]), Raw(0xC0, [0x48])],
      [Raw(0xE1)], [Raw(0xD1)],
    ] {
      expectEqual(Self.read(frames).failure, 1002)
    }
  }

  @Test func `content that is no deflate, no text, or too much is refused`() throws {
    expectEqual(Self.read([Raw(0xC2, [0xFF, 0xFF, 0xFF])]).failure, 1007)
    let deflater = try #require(MessageDeflater(PerMessageDeflate(), from: .server))
    let noText = Array(try #require(deflater.deflated(Data([0x61, 0xFF]))))
    expectEqual(Self.read([Raw(0xC1, noText)]).failure, 1007)
    // A bomb: a thousand times what it is.
    let zeros = try #require(MessageDeflater(Self.noContext(), from: .server))
    let bomb = try #require(zeros.deflated(Data(count: 10_000_000)))
    #expect(bomb.count < 11_000)
    var reader = WebSocketReader(from: .server, Self.noContext(), most: 1_000_000)
    let bytes = WebSocketFrame(.binary, bomb, isCompressed: true).encoded(masking: nil)
    #expect(
      throws: WebSocketFailure.tooBig(
        "A message has more than the maximum of 1000000 bytes when decompressed."
      )
    ) {
      try bytes.withUnsafeBytes { try reader.read($0) { _ in } }
    }
  }

  @Test func `a message ends where its deflate does`() throws {
    // The second would be read within a block that the first has begun.
    expectEqual(Self.read([Raw(0xC2, [0x00]), Raw(0xC2, [0x01, 0x00])]).events.count, 1)
    for content: [UInt8] in [
      [], [0xF2, 0x48, 0xCD], [0xF3, 0x48, 0xCD, 0xC9, 0xC9, 0x07, 0x00], [0x01, 0x00],
    ] {
      let (events, failure) = Self.read([Raw(0xC1, content), Raw(0x81, [0x61])])
      #expect(events == [] && failure == 1007, "\(content)")
    }
  }

  @Test func `what is not smaller when it is compressed may have its length`() {
    let stored =
      [UInt8]([0x00, 0x0A, 0x00, 0xF5, 0xFF]) + [UInt8](repeating: 0x61, count: 10) + [0x00]
    for (most, code) in [(10, nil), (9, 1009)] as [(Int, UInt16?)] {
      var reader = WebSocketReader(from: .server, PerMessageDeflate(), most: most)
      var seen: UInt16?
      Raw(0xC1, stored).bytes(from: .server).withUnsafeBytes { bytes in
        do throws(WebSocketFailure) { try reader.read(bytes) { _ in } } catch { seen = error.code }
      }
      expectEqual(seen, code)
    }
  }

  @Test func `what is inflated does not depend on how it was cut`() throws {
    // A reference beyond the window that was agreed on is read, in one piece and in many.
    var deflate = PerMessageDeflate()
    deflate.server.windowBits = 9
    let far = try #require(MessageDeflater(PerMessageDeflate(), from: .server))
    let half = Data((0..<2000).map { UInt8(($0 &* 2_654_435_761) >> 16 & 0x7F) })
    let content = Array(try #require(far.deflated(half + half)))
    for size in [1, 100, 100_000] {
      let (events, _) = Self.read([Raw(0xC2, content)], deflate, inPiecesOf: size)
      expectEqual(events, [.message(half + half, isText: false, frames: [content.count])])
    }
  }

  @Test func `no bytes make the decompression crash or hang`() {
    for round in 0..<5_000 {
      var content: [UInt8] = [0xF2, 0x48, 0xCD, 0xC9, 0xC9, 0x07, 0x00]
      for _ in 0...(round % 4) {
        content[Int.random(in: 0..<content.count)] ^= 1 << UInt8.random(in: 0..<8)
      }
      if round % 3 == 0 {
        content += (0..<Int.random(in: 0...40)).map { _ in UInt8.random(in: 0...255) }
      }
      content.removeLast(round % 2)
      let frames = [Raw(0xC2, content), Raw(0xC2, content)]
      let whole = Self.read(frames, inPiecesOf: 1000)
      let pieces = Self.read(frames, inPiecesOf: 1)
      #expect(
        whole.events == pieces.events && whole.failure == pieces.failure,
        "\(content), \(round)"
      )
    }
  }

  @Test(arguments: try TestData.rows("deflate-offers.json", count: 21) as [(String, String?)])
  func `an offer is met or declined`(offer: String, answer: String?) throws {
    let key = [UInt8](repeating: 7, count: 16)
    var fields = WebSocketHandshake.request(key: key, compresses: false)
    fields["Host"] = "api.example.test"
    fields["Sec-WebSocket-Extensions"] = offer
    let request = Request("GET", RequestURL("/"), headers: fields)
    let (head, terms) = try WebSocketHandshake.answer(to: request)
    expectEqual(head.headers["Sec-WebSocket-Extensions"], answer)
    expectEqual((terms.deflate != nil), (answer != nil))
    // The client understands it as the server does.
    if answer != nil {
      try expectEqual(WebSocketHandshake.terms(of: head, answering: fields), terms)
    }
  }

  /// The offers of a client, and the answers that a server may give to them.
  @Test(arguments: try TestData.rows("deflate-answers.json", count: 20) as [(String, String, Bool)])
  func `a client goes on only with what it has offered`(offer: String, answer: String, isGood: Bool)
  {
    var fields = WebSocketHandshake.request(key: [UInt8](repeating: 7, count: 16))
    fields["Sec-WebSocket-Extensions"] = offer
    let head = ResponseHead(
      status: 101,
      headers: [
        "Upgrade": "websocket", "Connection": "Upgrade", "Sec-WebSocket-Extensions": answer,
        "Sec-WebSocket-Accept": WebSocketHandshake.accept(fields["Sec-WebSocket-Key"] ?? ""),
      ]
    )
    let terms = try? WebSocketHandshake.terms(of: head, answering: fields)
    expectEqual((terms?.deflate != nil), isGood)
  }
}
