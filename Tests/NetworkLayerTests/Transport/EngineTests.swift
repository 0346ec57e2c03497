import TestSupport
import WindTunnelNetworkLayer
import WindTunnelSymptoms

@testable import WindTunnelNetworkLayerDebug

@Suite struct EngineTests {
  func request(_ text: String = "http://a.test/x") throws -> URLRequest {
    URLRequest(url: try #require(URL(string: text)))
  }

  func engine(_ body: String) -> ScriptedEngine {
    ScriptedEngine { _ throws(TransportError) in ServerResponse(status: 200, body: Data(body.utf8))
    }
  }

  @Test func `a fault hook changes nothing until a fault is set`() async throws {
    let time = ManualTime()
    let hook = FaultHook(engine("1"), time: time)
    var asked = try request()
    asked.timeoutInterval = 3
    try await expectEqual(hook.send(asked).body, Data("1".utf8))
    expectEqual(hook.engine(for: asked), "ScriptedEngine")
    hook.faults = .offline
    await #expect(throws: TransportError.failed(.offline, text: "The debug build is offline.")) {
      try await hook.send(asked)
    }
    hook.faults = .failure(status: 502)
    try await expectEqual(hook.send(asked), ServerResponse(status: 502))
    hook.faults = .timeout
    let late = Task { [asked] in try await hook.send(asked) }
    await expectEqual(time.passSleeps(1), [.seconds(3)])
    await #expect(
      throws: TransportError.failed(.timedOut, text: "The debug build simulates a timeout.")
    ) {
      try await late.value
    }
  }

  @Test func `a switch moves requests to another environment and back`() async throws {
    let production = try #require(URL(string: "https://api.example.test/v1/"))
    let test = try #require(URL(string: "http://127.0.0.1:8080/mock"))
    let flip = EnvironmentSwitch(from: production, to: ["test": test])
    let asked = try request("https://api.example.test/v1/users?q=1")
    expectEqual(flip.names, ["production", "test"])
    try await expectEqual(flip.outgoing(asked), asked)
    #expect(flip.change(to: "test"))
    let moved = try await flip.outgoing(asked).url?.absoluteString
    expectEqual(moved, "http://127.0.0.1:8080/mock/users?q=1")
    #expect(!flip.change(to: "moon"))
    expectEqual(flip.environment, "test")
    for text in ["https://other.example.test/", "https://api.example.test/v10/users"] {
      let elsewhere = try request(text)
      await #expect(throws: MiddlewareError.self, "\(text)") { try await flip.outgoing(elsewhere) }
    }
    #expect(flip.change(to: EnvironmentSwitch.production))
    try await expectEqual(flip.outgoing(asked), asked)
  }

  @Test func `code without middleware is sent to another base, with its scheme, port and path`()
    throws
  {
    var bases = RewrittenBases()
    func moved(_ text: String) throws -> String? {
      bases.moved(try request(text))?.url?.absoluteString
    }
    try expectNil(moved("https://api.example.test/users"))
    let api = try #require(URL(string: "https://api.example.test"))
    let payments = try #require(URL(string: "https://api.example.test/payments/"))
    bases.rewrite(api, to: URL(string: "http://127.0.0.1:8080/mock"))
    bases.rewrite(payments, to: URL(string: "https://pay.example.test"))
    try expectEqual(
      moved("https://api.example.test/users?q=1"),
      "http://127.0.0.1:8080/mock/users?q=1"
    )
    try expectEqual(moved("https://api.example.test/payments/7"), "https://pay.example.test/7")
    for elsewhere in [
      "http://api.example.test/users", "https://api.example.test:8443/users",
      "https://api.example.test.evil.test/", "https://other.example.test/users",
    ] {
      try expectNil(moved(elsewhere), "\(elsewhere)")
    }
    bases.rewrite(api, to: nil)
    try expectNil(moved("https://api.example.test/users"))
  }

  @Test func `the library without the debug product has none of what that can do`() throws {
    let names = ["EnvironmentSwitch", "FaultHook", "DebugFaults", "HostRewriting"]
    func found(in target: String) throws -> Set<String> {
      var found: Set<String> = []
      let objects = try FileManager.default
        .contentsOfDirectory(
          at: Self.products.appendingPathComponent("\(target).build"),
          includingPropertiesForKeys: nil
        )
        .filter { $0.pathExtension == "o" }
      try #require(!objects.isEmpty)
      for object in objects {
        // Symbols stand in the object's table as texts.
        let bytes = try Data(contentsOf: object)
        for name in names where bytes.range(of: Data(name.utf8)) != nil { found.insert(name) }
      }
      return found
    }
    try expectEqual(found(in: "WindTunnelNetworkLayer"), [])
    try expectEqual(found(in: "WindTunnelNetworkLayerOffline"), [])
    // The same look finds them where they are, but for the one that only Apple platforms have.
    #expect(try found(in: "WindTunnelNetworkLayerDebug").isSuperset(of: names.prefix(3)))
  }

  /// Where the tests were built.
  private static var products: URL {
    let bundles = Bundle.allBundles.map(\.bundleURL).filter { $0.pathExtension == "xctest" }
    let place = bundles.first ?? Bundle.main.executableURL ?? URL(fileURLWithPath: ".")
    return place.deletingLastPathComponent()
  }
}

@Suite struct ServerSentEventTests {
  func events(_ text: String, pieces: Int) throws -> [ServerSentEvent] {
    var parser = ServerSentEventParser()
    var events: [ServerSentEvent] = []
    var rest = Data(text.utf8)[...]
    while !rest.isEmpty {
      events += try parser.take(Data(rest.prefix(pieces)))
      rest = rest.dropFirst(pieces)
    }
    return events
  }

  @Test(arguments: [1, 2, 3, 1000])
  func `events are found in any pieces`(pieces: Int) throws {
    let text =
      "\u{FEFF}: hello\ndata: one\ndata:two\r\n\r\nevent: news\rid: 7\rdata: é\r\rid\ndata\n\n"
      + "event: none\n\ndata: lost"
    try expectEqual(
      events(text, pieces: pieces),
      [
        ServerSentEvent(data: "one\ntwo"),
        ServerSentEvent(kind: "news", data: "é", lastID: "7"),
        ServerSentEvent(data: ""),
      ]
    )
  }

  @Test func `the server says when to come back`() throws {
    var parser = ServerSentEventParser()
    _ = try parser.take(Data("retry: soon\nretry: 1500\n".utf8))
    expectEqual(parser.retry, .milliseconds(1500))
  }

  @Test func `a line without end is refused`() {
    var parser = ServerSentEventParser()
    #expect(throws: DecodeFault.self) {
      _ = try parser.take(Data(count: ServerSentEventParser.bytesMax + 1))
    }
  }
}
