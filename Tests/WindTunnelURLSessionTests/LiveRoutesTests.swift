import Origins
import TestSupport
import WindTunnel

@Suite(.timeLimit(.minutes(5))) struct LiveRoutesTests {
  @Test func `an ignored host answers live, and nothing of it is recorded`() async throws {
    let origin = try ByteOrigin(RecordingTests.answers)
    let deck = Deck(
      Cassette(),
      scenario: Scenario("rain", rules: [.always(.always, .status(503))]),
      options: PlaybackOptions(mode: .rewrite, ignoring: ["127.0.0.1:\(origin.port)"])
    )
    let seen = await deck.session().seen(origin.url + "/json")
    origin.stop()
    expectEqual(seen.text, #"{"id":7}"#)
    expectEqual(deck.recorded().cassette, Cassette())
  }

  @Test func `a mapped host is asked elsewhere and recorded by its own name`() async throws {
    let origin = try ByteOrigin([:])
    let moved = try ByteOrigin([
      "/a": answer("302 Found\nLocation: \(origin.url)/never\nContent-Length: 0"),
      "/b": answer("200 OK\nContent-Length: 2", Data("ok".utf8)),
    ])
    // To itself, by the name that it knows of itself.
    let leading = try ByteOrigin([
      "/c": answer("302 Found\nLocation: /b\nContent-Length: 0"),
      "/b": answer("200 OK\nContent-Length: 2", Data("ok".utf8)),
    ])
    let deck = Deck(
      Cassette(),
      options: PlaybackOptions(
        mode: .rewrite,
        mapping: [
          "api.example.test": RequestURL(moved.url),
          "127.0.0.1:\(origin.port)": RequestURL(leading.url),
        ]
      )
    )
    await expectEqual(deck.session().seen("https://api.example.test/b").text, "ok")
    await expectEqual(deck.session().seen(origin.url + "/c").text, "ok")
    for server in [origin, moved, leading] { server.stop() }
    expectEqual(
      deck.recorded().cassette.interactions.map(\.request.url.description),
      ["https://api.example.test/b", origin.url + "/c", origin.url + "/b"]
    )
  }
}
