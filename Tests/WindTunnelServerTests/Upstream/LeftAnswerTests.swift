import TestSupport
import WindTunnelSymptoms

@testable import WindTunnel
@testable import WindTunnelServer
@testable import WindTunnelWire

/// What a client left before it had all of it: on the tape as that, and played as an answer that is
/// still to come.
@Suite(.timeLimit(.minutes(5)), .stopsLoops) struct LeftAnswerTests {
  private static let left = Failure(.cancelled, text: "the client left")

  /// Records what a client left that had got so much.
  private static func record(
    _ pieces: [String],
    having bytes: Int,
    byProxy: Bool = false
  ) async throws -> [Interaction] {
    let origin = try await Origin { $0.contains("\r\n\r\n") ? (pieces, .stays) : nil }
    func leave(_ server: ReplayServer, _ target: String) async throws {
      let client = try server.client()
      await client.send(closing("GET \(target)"))
      _ = try await origin.asked.next()
      _ = await client.receive(atLeast: bytes)
      client.socket.resetOnClose()
      client.close()
      #expect(try await origin.left.next())
    }
    var recorded: [Interaction] = []
    if byProxy {
      try await ReplayServer.proxying(mode: .newEpisodes) { server, deck, seen async throws in
        try await leave(server, "\(origin.url.origin ?? "")/a")
        _ = await seen.first(1)
        recorded = deck.recordedWithoutTimes
      }
    } else {
      let deck = Deck(Cassette(), mode: .rewrite)
      try await origin.recording(deck, as: "https://api.example.test") { server, _ async throws in
        try await leave(server, "/a")
      }
      recorded = deck.recordedWithoutTimes
    }
    return recorded
  }

  private static let head = "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n"

  @Test(arguments: [false, true])
  func `a response cut by its client is recorded with the received part and the reason`(
    byProxy: Bool
  ) async throws {
    let shown = "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhel".utf8.count
    let recorded = try await Self.record([Self.head + "hel"], having: shown, byProxy: byProxy)
    let response = Response(headers: ["Content-Length": "9"], body: Body("hel"))
    expectEqual(recorded.map(\.result), [.cut(response, Self.left)])
  }

  @Test(arguments: [false, true])
  func `a client that disconnects before the response is recorded as a failure`(byProxy: Bool)
    async throws
  {
    let recorded = try await Self.record([], having: 0, byProxy: byProxy)
    expectEqual(recorded.map(\.result), [.failure(Self.left)])
  }

  @Test func `of a packed answer that was left the head is kept`() async throws {
    let head = "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 9\r\n\r\n"
    let recorded = try await Self.record(["\(head)abc"], having: head.utf8.count)
    let fields: HeaderFields = ["Content-Encoding": "gzip", "Content-Length": "9"]
    expectEqual(recorded.map(\.result), [.cut(Response(headers: fields), Self.left)])
  }

  @Test func `where the recording ends nobody has left`() async throws {
    let origin = try await Origin { $0.contains("\r\n\r\n") ? ([Self.head], .stays) : nil }
    let deck = Deck(Cassette(), mode: .rewrite)
    let client = try await origin.recording(deck) { server, _ async throws in
      let client = try server.client()
      await client.send(closing("GET /a"))
      _ = await client.receive(atLeast: Self.head.utf8.count)
      return client
    }
    client.close()
    #expect(deck.recordedWithoutTimes.isEmpty)
  }

  @Test func `the tape keeps its client waiting once more`() async throws {
    let cut = RecordedResult.cut(
      Response(headers: ["Content-Length": "9"], body: Body("hel")),
      Self.left
    )
    let failed = RecordedResult.failure(Self.left)
    let tape = Cassette([
      Interaction(Request("GET", "https://api.example.test/cut"), cut),
      Interaction(Request("GET", "https://api.example.test/none"), failed),
    ])
    // As it is in the file.
    let read = try Cassette(data: tape.data(), source: "tape.json")
    expectEqual(read, tape)
    try await ReplayServer.serving(Deck(read, matcher: .pathAndQuery)) { server async throws in
      let (first, second) = (try server.client(), try server.client())
      await first.send(closing("GET /cut"))
      await second.send(closing("GET /none"))
      var text = ""
      while !text.hasSuffix("\r\n\r\nhel") {
        text += String(decoding: await first.receive(atLeast: 1), as: UTF8.self)
      }
      #expect(text.statusLine == "HTTP/1.1 200 OK" && text.contains("Content-Length: 9\r\n"))
      // Whoever is not answered is still there when others are.
      #expect(try await server.answer(to: closing("GET /other")).statusLine.contains("501"))
      first.close()
      second.close()
    }
  }
}
