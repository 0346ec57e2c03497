import TestSupport
import WindTunnel
import WindTunnelRemote

/// `windtunnel serve` as a process, and a test of screens that sets its tape from beside it.
@Suite(.timeLimit(.minutes(5))) struct RemoteServeTests {
  private static func get(_ url: String) async throws -> (status: Int, text: String) {
    let session = URLSession(configuration: .ephemeral)
    let (data, answer) = try await session.data(from: try #require(URL(string: url)))
    return ((answer as? HTTPURLResponse)?.statusCode ?? 0, String(decoding: data, as: UTF8.self))
  }

  @Test func `a test sets a tape, stubs and the scenario of a server that runs`() async throws {
    let scratch = try Scratch()
    let words = ["serve", Repository.shop, "--port", "0", "--admin-port", "0"]
    let (flight, base) = try await scratch.start(words)
    let admin = try #require(try await flight.line())
    let server = RemoteServer(admin: try #require(URL(string: admin)))
    try await expectEqual(server.health().scenario, "calm")
    try await expectEqual(Self.get("\(base)/home").status, 200)
    #expect(try await server.received("GET /home", times: 1...1).passed)
    // A tape of its own for the next test.
    let tape = Cassette([
      Interaction(Request("GET", "https://api.example.test/own"), .text(Body("own")))
    ])
    try tape.write(to: scratch.file("own.json"))
    try await expectEqual(server.load(cassetteAt: scratch.file("own.json")), 1)
    #expect(try await Self.get("\(base)/own") == (200, "own"))
    try await expectEqual(Self.get("\(base)/home").status, 501)
    try await server.put(RemoteStub("down", "GET /own", status: 503))
    try await expectEqual(Self.get("\(base)/own").status, 503)
    try await server.removeStub(named: "down")
    try await expectEqual(Self.get("\(base)/own").status, 200)
    try await server.play("server-errors", seed: 7)
    try await expectEqual(server.health().scenario, "server-errors")
    let refusal = await #expect(throws: RemoteError.self) { try await server.play("no-weather") }
    #expect("\(String(describing: refusal))".contains("no-weather"))
    try await expectEqual(server.interactions().count, 1)
    try await flight.interrupt().exits(0)
    await #expect(throws: RemoteError.self) { try await server.health() }
  }
}
