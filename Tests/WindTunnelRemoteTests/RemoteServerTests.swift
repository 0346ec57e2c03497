import TestSupport
import WindTunnel
import WindTunnelServer

@testable import WindTunnelRemote

/// A server beside a test, as a test of screens has it.
@Suite(.timeLimit(.minutes(5))) struct RemoteServerTests {
  private static func with(
    _ interactions: [Interaction] = [
      Interaction(Request("GET", "https://api.example.test/a"), .text(Body("hello")))
    ],
    _ body: (RemoteServer, URL) async throws -> Void
  ) async throws {
    var options = ReplayServer.Options()
    var admin = Admin()
    admin.scenarios = [.calm, Scenario("rain", rules: [.on("GET /a", .always, .status(429))])]
    options.admin = admin
    let deck = Deck(Cassette(interactions), matcher: .pathAndQuery, then: .repeat)
    let server = try await ReplayServer(deck, options)
    let address = try #require(server.adminURL.flatMap { URL(string: $0) })
    do {
      try await body(RemoteServer(admin: address), try #require(URL(string: server.url)))
    } catch {
      await server.stop(grace: .zero)
      throw error
    }
    await server.stop(grace: .zero)
  }

  /// What an app gets.
  private static func get(_ base: URL, _ path: String) async throws -> (Int, String) {
    let session = URLSession(configuration: .ephemeral)
    let (data, response) = try await session.data(from: base.appendingPathComponent(path))
    return ((response as? HTTPURLResponse)?.statusCode ?? 0, String(decoding: data, as: UTF8.self))
  }

  @Test func `a remote server reports its health and the received requests`() async throws {
    try await Self.with { server, base in
      let health = try await server.health()
      #expect(health.scenario == "plan" || health.scenario == "calm")
      expectEqual(health.interactions, 1)
      for _ in 1...2 { #expect(try await Self.get(base, "a") == (200, "hello")) }
      let came = try await server.requests("GET /a")
      expectEqual(came.map(\.source), ["recording", "recording"])
      #expect(came.map(\.status) == [200, 200] && came.map(\.ending) == ["whole", "whole"])
      try await expectEqual(server.requests("POST /a"), [])
      try await expectEqual(server.requests("/a", since: came[0].id).map(\.id), [came[1].id])
      #expect(try await server.received("GET /a", times: 2...2).passed)
      let verdict = try await server.received("GET /a", times: 0...0)
      #expect(!verdict.passed && verdict.seen.count == 2)
      #expect(try await server.received(inOrder: ["GET /a", "GET /a"]).passed)
      try await expectEqual(server.interactions().map(\.plays), [2])
      try await server.reset()
      try await expectEqual(server.requests(), [])
    }
  }

  @Test func `what was sent is read, and waited for`() async throws {
    try await Self.with { server, base in
      async let next = server.nextRequest("POST /a", within: .seconds(60))
      var request = URLRequest(url: base.appendingPathComponent("a"))
      request.httpMethod = "POST"
      request.setValue("text/plain", forHTTPHeaderField: "Content-Type")
      request.httpBody = Data("hello".utf8)
      _ = try await URLSession(configuration: .ephemeral).data(for: request)
      let sent = try await next
      #expect(sent.body?.data == Data("hello".utf8) && sent.bodyBytes == 5)
      expectEqual(sent.headers?.first { $0.name == "Content-Type" }?.value, "text/plain")
      let none = await #expect(throws: RemoteError.self) {
        try await server.nextRequest("POST /a", since: sent.id, within: .zero)
      }
      expectEqual(none?.description, "No request POST /a arrived within 0.0 seconds.")
    }
  }

  @Test func `a test sets the cassette, stubs and scenario of a remote server`() async throws {
    try await Self.with { server, base in
      let tape = Cassette([
        Interaction(Request("GET", "https://api.example.test/a"), .text(Body("mine")))
      ])
      let file = FileManager.default.temporaryDirectory
        .appendingPathComponent("windtunnel-remote-\(UUID().uuidString).json")
      try tape.write(to: file)
      defer { try? FileManager.default.removeItem(at: file) }
      try await expectEqual(server.load(cassetteAt: file), 1)
      #expect(try await Self.get(base, "a") == (200, "mine"))
      let name = "tea/time? & \u{1F375}"
      try await server.put(RemoteStub(name, "GET /a", status: 418, body: Data("tea".utf8)))
      try await server.put(try RemoteStub("list", "GET /list", json: ["one", "two"]))
      try await expectEqual(server.stubs().map(\.name), [name, "list"])
      #expect(try await Self.get(base, "a") == (418, "tea"))
      #expect(try await Self.get(base, "list") == (200, #"["one","two"]"#))
      try await server.removeStub(named: name)
      #expect(try await Self.get(base, "a") == (200, "mine"))
      try await server.play("rain", seed: 3)
      try await expectEqual(Self.get(base, "a").0, 429)
      let plain = Data(#"{"windtunnelScenario":1,"name":"own","rules":[]}"#.utf8)
      try await server.play(scenario: plain)
      try await expectEqual(server.health().scenario, "own")
      #expect(try await Self.get(base, "a") == (200, "mine"))
      try await server.removeStubs()
      try await expectEqual(server.stubs(), [])
    }
  }

  @Test func `what is refused is told in the server's words`() async throws {
    try await Self.with { server, _ in
      await #expect(
        throws: RemoteError.refused(404, "The stub \"nobody\" does not exist.")
      ) { try await server.removeStub(named: "nobody") }
      let error = await #expect(throws: RemoteError.self) { try await server.play("rian") }
      expectEqual(error?.description.contains("Did you mean \"rain\"?"), true)
    }
  }

  @Test func `a missing server is reported with the command that starts it`() async throws {
    let free = try #require(URL(string: "http://127.0.0.1:1"))
    let error = await #expect(throws: RemoteError.self) {
      try await RemoteServer(admin: free, timeout: 5).health()
    }
    let words = error?.description ?? ""
    #expect(words.hasPrefix("No server responds at http://127.0.0.1:1: "), "\(words)")
    #expect(words.hasSuffix("Start `windtunnel serve --admin-port` before the test."))
  }
}
