import Origins
import TestSupport
import WindTunnel
@_spi(WindTunnel) import WindTunnelCore
import WindTunnelServer
import WindTunnelSymptoms

@testable import WindTunnelTesting

/// What a test on the wire reaches: its own server, whatever else listens on this machine.
@Suite struct WirePrivacyTests {
  /// A live server that nobody may ask.
  private struct Canary {
    let deck = Deck([.get("/landing") { _ in .text(Body("live")) }])
    let server: ReplayServer

    init() async throws { server = try await ReplayServer(deck, .patient) }

    var url: String { "\(server.url)/landing" }
  }

  private func run<Result: Sendable>(
    _ deck: Deck,
    sharedSession: Bool = false,
    by options: ReplayServer.Options = Tunnel.standardOptions,
    _ body: @Sendable @escaping (URLSession, String) async throws -> Result
  ) async throws -> Result {
    let answer = Locked<Result?>(nil)
    try await Tunnel.run(
      deck,
      onTheWire: options,
      by: { Tunnel.standardOptions },
      sharedSession: sharedSession
    ) {
      let result = try await body(sharedSession ? .shared : .windTunnel, Deck.current.url)
      answer.withLock { $0 = result }
    }
    return try #require(answer.withLock { $0 })
  }

  private func leading(to location: String, _ more: Interaction...) -> Deck {
    let url: RequestURL = "https://api.example.test/go"
    let leads = Interaction(
      Request("GET", url),
      Response(status: 302, headers: ["Location": location])
    )
    return Deck(Cassette([leads, leads] + more))
  }

  @Test(arguments: [true, false])
  func `a second server of this machine is refused and never asked`(shared: Bool) async throws {
    let canary = try await Canary()
    let deck = Deck(
      Cassette([Interaction(Request("GET", "https://api.example.test/"), .json([:]))])
    )
    let own = try await run(deck, sharedSession: shared) { session, own in
      let error = await #expect(throws: (any Error).self) { try await session.text(canary.url) }
      expectEqual(error?.localizedDescription.contains("\(canary.url)"), true)
      expectEqual(
        error?.localizedDescription.contains("would reach the network. On the wire, use \(own)"),
        true
      )
      return try await session.text("\(own)/")
    }
    expectEqual(own, "{}")
    await canary.server.stop()
    #expect(canary.deck.journal.all.isEmpty)
  }

  @Test func `the own server is reached by its other name`() async throws {
    let deck = Deck(
      Cassette([Interaction(Request("GET", "https://api.example.test/"), .text(Body("own")))])
    )
    let text = try await run(deck) { session, own in
      try await session.text("\(own.replacing("127.0.0.1", with: "localhost"))/")
    }
    expectEqual(text, "own")
  }

  @Test func `of two mappings that fit, the one with a port counts`() {
    for _ in 0..<20 {
      let settings = CassetteSettings(
        options: PlaybackOptions(mapping: [
          "api.example.test": "http://127.0.0.1:1", "api.example.test:443": "http://127.0.0.1:2",
        ])
      )
      let upstream = settings.upstream(of: "https://api.example.test")
      expectEqual(upstream?.place, "http://127.0.0.1:2")
    }
  }

  @Test(arguments: [true, false])
  func `a redirect to another host is played from the tape`(shared: Bool) async throws {
    let canary = try await Canary()
    let deck = leading(
      to: canary.url,
      Interaction(Request("GET", RequestURL(canary.url)), .text(Body("tape")))
    )
    let text = try await run(deck, sharedSession: shared) { session, own in
      try await session.text("\(own)/go")
    }
    expectEqual(text, "tape")
    await canary.server.stop()
    #expect(canary.deck.journal.all.isEmpty)
    expectEqual(deck.mismatches.map { "\($0)" }, [])
  }

  @Test(arguments: [true, false])
  func `one to a place that is not on the tape is explained and never followed`(shared: Bool)
    async throws
  {
    let canary = try await Canary()
    let deck = leading(to: canary.url)
    let text = try await run(deck, sharedSession: shared) { session, own in
      try await session.text("\(own)/go")
    }
    #expect(text.hasPrefix("GET \(canary.url) is not on the cassette."))
    await canary.server.stop()
    #expect(canary.deck.journal.all.isEmpty)
    expectEqual(deck.mismatches.count, 1)
  }

  @Test func `another host leads on, by its own paths, by no scheme and back`() async throws {
    func hop(_ url: RequestURL, to location: String) -> Interaction {
      Interaction(Request("GET", url), Response(status: 302, headers: ["Location": location]))
    }
    let deck = Deck(
      Cassette([
        hop("https://api.example.test/go", to: "//login.example.test:8443/in?a=1#part"),
        hop("https://login.example.test:8443/in?a=1", to: "/further"),
        hop("https://login.example.test:8443/further", to: "https://api.example.test/end"),
        Interaction(Request("GET", "https://api.example.test/end"), .text(Body("there"))),
        Interaction(Request("GET", "https://api.example.test/end"), .text(Body("more"))),
      ])
    )
    let text = try await run(deck) { session, own in
      try await session.text("\(own)/go")
    }
    expectEqual(text, "there")
    expectEqual(deck.mismatches.map { "\($0)" }, [])
  }

  @Test func `a host that is ignored is reached`() async throws {
    let canary = try await Canary()
    let deck = Deck(
      Cassette(),
      options: PlaybackOptions(ignoring: ["127.0.0.1:\(canary.server.port)"])
    )
    let text = try await run(deck) { session, _ in
      try await session.text(canary.url)
    }
    expectEqual(text, "live")
    await canary.server.stop()
  }

  private func place(_ folder: URL) throws -> CassettePlace {
    try CassettePlace(
      "a",
      besides: "/a.swift",
      environment: ["WINDTUNNEL_CASSETTES": folder.path, "WINDTUNNEL_RECORD": "rewrite"]
    )
  }

  @Test(arguments: [true, false])
  func `a recording by sockets asks the server that is mapped, and writes the name`(
    hasTape: Bool
  ) async throws {
    let live = Deck([.get("/a") { _ in .text(Body("live")) }])
    let server = try await ReplayServer(live, .patient)
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    let place = try place(folder)
    let request = Request("GET", "https://api.example.test/a")
    if hasTape {
      try RecordingRegistry.makeFolder(of: place.file)
      try Cassette([Interaction(request, .text(Body("old")))]).write(to: place.file)
    }
    let settings = CassetteSettings(
      options: PlaybackOptions(mapping: ["api.example.test": RequestURL(server.url)])
    )
    let deck = try place.deck(settings)
    let text = try await run(deck, by: try place.wire(for: deck, settings)) { session, own in
      try await session.text("\(own)/a")
    }
    expectEqual(text, "live")
    try place.keep(deck, settings)
    let tape = try Cassette(contentsOf: place.file).interactions
    expectEqual(tape.map(\.request.url), [request.url])
    expectEqual(tape.map { $0.response?.body.text }, ["live"])
    await server.stop()
    try FileManager.default.removeItem(at: folder)
  }

  @Test func `a recording by sockets is of one server, and says so of another`() async throws {
    let canary = try await Canary()
    let live = Deck(
      Cassette([
        Interaction(Request("GET", "/go"), Response(status: 302, headers: ["Location": canary.url]))
      ])
    )
    let server = try await ReplayServer(live, .patient)
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    let place = try place(folder)
    let settings = CassetteSettings(
      options: PlaybackOptions(mapping: ["api.example.test": RequestURL(server.url)])
    )
    let deck = try place.deck(settings)
    let text = try await run(deck, by: try place.wire(for: deck, settings)) { session, own in
      try await session.text("\(own)/go")
    }
    #expect(
      text.hasPrefix(
        "\(canary.server.url) receives no requests here: it is not the recorded server"
      )
    )
    let hop = deck.recorded().cassette.interactions.first
    expectEqual(hop?.response?.headers["Location"], canary.url)
    // Told, so that the test that took it for an answer fails, and nothing is written.
    expectEqual(deck.mismatches.map(\.asked), ["GET \(canary.url)"])
    place.discard(deck)
    await server.stop()
    await canary.server.stop()
    #expect(canary.deck.journal.all.isEmpty)
    try FileManager.default.removeItem(at: folder)
  }

  @Test func `a download is every byte of what was recorded`() async throws {
    let bytes = Data((0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 &* $0 >> 7) })
    let deck = Deck(
      Cassette([
        Interaction(
          Request("GET", "https://api.example.test/film"),
          Response(headers: ["Content-Type": "video/mp4"], body: Body(bytes))
        )
      ])
    )
    let digest = try await run(deck) { session, own in
      let url = try #require(URL(string: "\(own)/film"))
      return try await withCheckedThrowingContinuation { continuation in
        session.downloadTask(with: url) { file, _, error in
          continuation.resume(
            with: Result {
              if let error { throw error }
              // The file goes when this returns.
              return SHA256.hexadecimal(try Data(contentsOf: try #require(file)))
            }
          )
        }.resume()
      }
    }
    expectEqual(digest, SHA256.hexadecimal(bytes))
  }
}
