import Origins
import TestSupport
import WindTunnel
import WindTunnelServer
import WindTunnelSymptoms

/// A recorded stream comes in the pieces that it came in.
@Suite(.timeLimit(.minutes(5))) struct StreamConformanceTests {
  static let pieces = ["data: one\n\n", "data: two\n\n", ": \n", "data: three\n\n"]
  static let path = "/events"

  static func cassette(_ headers: HeaderFields) -> Cassette {
    let chunks = pieces.enumerated().map { number, piece in
      Timing.Chunk(bytes: piece.utf8.count, offset: .milliseconds(10 + 20 * number))
    }
    return Cassette([
      Interaction(
        Request("GET", RequestURL(Theatre.origin + path)),
        .response(Response(headers: headers, body: Body(pieces.joined()))),
        timing: Timing(firstByte: .milliseconds(10), lastByte: .milliseconds(90), chunks: chunks)
      )
    ])
  }

  static let type: HeaderFields = ["Content-Type": "text/event-stream"]

  @Test(arguments: [Pace.immediately, .asRecorded, .times(8)])
  func `a delegate in process hears piece by piece`(pace: Pace) async throws {
    let deck = Deck(Self.cassette(Self.type), pace: pace)
    try await Theatre.play(deck, on: .inProcess) { theatre async throws in
      let (pieces, _) = await theatre.pieces(try theatre.request(Self.path))
      expectEqual(pieces, Self.pieces)
    }
  }

  @Test(arguments: Stage.allCases)
  func `a completion handler gets the whole`(stage: Stage) async throws {
    let deck = Deck(Self.cassette(Self.type), pace: .times(8))
    try await Theatre.play(deck, on: stage) { theatre async throws in
      try await expectEqual(theatre.handed(Self.path), Seen(200, Self.pieces.joined()))
    }
  }

  @Test(arguments: [Pace.immediately, .times(8)], [type, ["Transfer-Encoding": "chunked"]])
  func `on the wire each piece is a chunk`(pace: Pace, headers: HeaderFields) async throws {
    let server = try await ReplayServer(
      Deck(Self.cassette(headers), matcher: .pathAndQuery, pace: pace),
      .patient
    )
    let answer = try await RawExchange(port: server.port).get(Self.path)
    await server.stop(grace: .zero)
    let chunks = Self.pieces.map { "\(String($0.utf8.count, radix: 16))\r\n\($0)\r\n" }
    #expect(answer.head.lowercased().contains("\r\ntransfer-encoding: chunked\r\n"))
    #expect(!answer.head.lowercased().contains("content-length"))
    expectEqual(String(decoding: answer.content, as: UTF8.self), chunks.joined() + "0\r\n\r\n")
  }

  @Test func `a body of known length has no chunks, whatever its pieces`() async throws {
    let length = "\(Self.pieces.joined().utf8.count)"
    let server = try await ReplayServer(
      Deck(Self.cassette(["Content-Length": length]), matcher: .pathAndQuery),
      .patient
    )
    let answer = try await RawExchange(port: server.port).get(Self.path)
    await server.stop(grace: .zero)
    #expect(answer.head.contains("\r\nContent-Length: \(length)\r\n"))
    expectEqual(String(decoding: answer.content, as: UTF8.self), Self.pieces.joined())
  }

  @Test(arguments: Stage.allCases)
  func `at its recorded pace a stream takes at least its time`(stage: Stage) async throws {
    let deck = Deck(Self.cassette(Self.type), pace: .asRecorded)
    try await Theatre.play(deck, on: stage) { theatre async throws in
      let clock = ContinuousClock()
      let start = clock.now
      try await expectEqual(theatre.ask(Self.path), Seen(200, Self.pieces.joined()))
      #expect(clock.now - start >= .milliseconds(90))
    }
  }

  @Test(arguments: Stage.allCases)
  func `a recorder stores each piece of a stream with its time`(stage: Stage)
    async throws
  {
    // Each piece waits for a while, so that a reader gets it alone.
    let origin = try await ReplayServer(
      Deck(Self.cassette(Self.type), matcher: .pathAndQuery, then: .repeat, pace: .asRecorded),
      .patient
    )
    let recorder = Deck(Cassette(), matcher: .pathAndQuery, mode: .rewrite)
    try await Recorder.record(recorder, from: origin.url, on: stage, [Self.path])
    // The same from the tape that was made of the tape.
    let first = recorder.recorded().cassette
    let again = Deck(first, matcher: .pathAndQuery, mode: .rewrite)
    try await Recorder.record(again, from: origin.url, on: stage, [Self.path])
    await origin.stop(grace: .zero)
    let timing = try #require(first.interactions.first?.timing)
    expectEqual(timing.chunks.map(\.bytes), Self.pieces.map(\.utf8.count))
    #expect(timing.firstByte >= .milliseconds(10))
    let offsets = timing.chunks.map(\.offset)
    #expect(zip(offsets, offsets.dropFirst()).allSatisfy { $1 > $0 })
    #expect(try #require(offsets.last) >= .milliseconds(70))
    #expect(timing.lastByte >= .milliseconds(90))
    // Other times are no other recording.
    expectEqual(again.recorded().cassette.data(), first.data())
  }

  @Test(arguments: Stage.allCases)
  func `of a body of known length no pieces are recorded`(stage: Stage) async throws {
    let length = "\(Self.pieces.joined().utf8.count)"
    let origin = try await ReplayServer(
      Deck(
        Self.cassette(["Content-Length": length]),
        matcher: .pathAndQuery,
        then: .repeat,
        pace: .asRecorded
      ),
      .patient
    )
    let recorder = Deck(Cassette(), matcher: .pathAndQuery, mode: .rewrite)
    try await Recorder.record(recorder, from: origin.url, on: stage, [Self.path])
    await origin.stop(grace: .zero)
    let timing = try #require(recorder.recorded().cassette.interactions.first?.timing)
    expectEqual(timing.chunks, [])
    // Whole with its last byte, whenever the connection ends.
    #expect(timing.lastByte >= .milliseconds(70))
  }
}
