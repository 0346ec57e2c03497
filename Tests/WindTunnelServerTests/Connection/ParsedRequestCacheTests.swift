import TestSupport

@testable import WindTunnel
@testable import WindTunnelServer
@testable import WindTunnelWire

/// A server that has read a request before answers it without reading it again; neither the answer nor
/// what is noted may differ from reading it each time.
@Suite(.timeLimit(.minutes(5))) struct ParsedRequestCacheTests {
  private static let origin = "http://api.example.test"

  private static func tape(_ texts: String..., path: String = "/a") -> Cassette {
    Cassette(
      texts.map {
        Interaction(
          Request("GET", RequestURL(origin + path)),
          Response(headers: ["Content-Length": String($0.utf8.count)], body: Body($0))
        )
      }
    )
  }

  private static func get(_ path: String, _ more: String = "") -> String {
    "GET \(path) HTTP/1.1\r\nHost: api.example.test\r\n\(more)\r\n"
  }

  /// One connection's answers to requests that are sent one after the other.
  private static func answers(_ requests: [String], of server: ReplayServer) async throws
    -> [String]
  {
    let client = try server.client()
    defer { client.close() }
    var answers: [String] = []
    for request in requests {
      await client.send(request)
      answers.append(String(decoding: await client.message(), as: UTF8.self))
    }
    return answers
  }

  /// What was noted, without the words of who asked.
  private static func noted(_ deck: Deck) -> [String] {
    deck.journal.all.filter { $0.take != .connection }
      .map { "\($0.id) \($0.decision) \($0.take) \($0.overlapping) \($0.isRepeatable)" }
  }

  private struct Case: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var cassette: Cassette
    var scenario = Scenario.calm
    var then = EndPolicy.repeat
    var statuses: [Int]
  }

  private static let cases = [
    Case(
      testDescription: "repeated",
      cassette: tape("one"),
      statuses: [200, 200, 200, 200, 200, 200]
    ),
    Case(
      testDescription: "used up",
      cassette: tape("one", "two", "three"),
      then: .fail,
      statuses: [200, 200, 200, 501, 501, 501]
    ),
    Case(
      testDescription: "in turn",
      cassette: tape("one", "two"),
      then: .cycle,
      statuses: [200, 200, 200, 200, 200, 200]
    ),
    Case(
      testDescription: "in weather",
      cassette: tape("one"),
      scenario: [.on("GET /a", .attempt(3), .status(503))],
      statuses: [200, 200, 503, 200, 200, 200]
    ),
    Case(
      testDescription: "not on the tape",
      cassette: tape("one", path: "/b"),
      statuses: [501, 501, 501, 501, 501, 501]
    ),
  ]

  @Test(arguments: cases) private func `known or not, the same is said and noted`(_ one: Case)
    async throws
  {
    func deck() -> Deck { Deck(one.cassette, scenario: one.scenario, then: one.then) }
    let (known, read) = (deck(), deck())
    let count = one.statuses.count
    let again = try await ReplayServer.serving(known) {
      try await Self.answers(Array(repeating: Self.get("/a"), count: count), of: $0)
    }
    // No two are spelled alike.
    let anew = try await ReplayServer.serving(read) {
      try await Self.answers((0..<count).map { Self.get("/a", "X-Number: \($0)\r\n") }, of: $0)
    }
    expectEqual(again, anew)
    expectEqual(again.map { Int($0.split(separator: " ")[1]) }, one.statuses)
    expectEqual(Self.noted(known), Self.noted(read))
    expectEqual(Self.noted(known).count, count)
  }

  @Test func `another tape is heard from the next request on`() async throws {
    let deck = Deck(Self.tape("one"), then: .repeat)
    try await ReplayServer.serving(deck) { server in
      let client = try server.client()
      defer { client.close() }
      var said: [String] = []
      for text in ["one", "one", "one", "two", "two", "two"] {
        if said.count == 3 { deck.load(Self.tape("two")) }
        await client.send(Self.get("/a"))
        said.append(String(decoding: await client.message().suffix(3), as: UTF8.self))
        expectEqual(said.last, text)
      }
      expectEqual(deck.journal.all.filter { $0.take != .connection }.count, 3)
    }
  }

  @Test func `a scenario that is swapped is met by the next request`() async throws {
    let deck = Deck(Self.tape("one"), then: .repeat)
    try await ReplayServer.serving(deck) { server in
      let client = try server.client()
      defer { client.close() }
      var statuses: [String] = []
      for number in 0..<5 {
        if number == 3 { deck.swap([.on("GET *", .always, .status(503))]) }
        await client.send(Self.get("/a"))
        statuses.append(String(decoding: await client.message()[9..<12], as: UTF8.self))
      }
      expectEqual(statuses, ["200", "200", "200", "503", "503"])
    }
  }

  @Test func `pieces and pipelines of known requests are read as they come`() async throws {
    let deck = Deck(Self.tape("one"), then: .repeat)
    try await ReplayServer.serving(deck) { server in
      let request = Self.get("/a")
      _ = try await Self.answers([request, request, request], of: server)
      let client = try server.client()
      // Half of one, its rest with a whole one, two whole ones.
      for part in [
        String(request.prefix(20)), request.dropFirst(20) + request, request + request,
      ] { await client.send(part) }
      client.socket.finishWriting()
      let (bytes, end) = await client.finish()
      let text = String(decoding: bytes, as: UTF8.self)
      #expect(text.components(separatedBy: "HTTP/1.1 200").count == 5 && end == .finished)
      expectEqual(deck.attempts("GET /a"), 7)
    }
  }

  @Test(arguments: [
    ["GET /a", "GET /b"], ["GET /a", "GET /b", "GET /a"], ["POST /a", "GET /a"],
    ["HEAD /b", "GET /a"],
  ])
  func `a burst is never taken for its last request`(_ asked: [String]) async throws {
    let others = [("POST", "/a", "three"), ("HEAD", "/b", "")].map { method, path, text in
      Interaction(Request(method, RequestURL(Self.origin + path)), Response(body: Body(text)))
    }
    let tape = Cassette(
      Self.tape("one").interactions + Self.tape("two", path: "/b").interactions + others
    )
    let requests = asked.map { line in
      let length = line.hasPrefix("POST") ? "Content-Length: 3\r\n\r\nxyz" : "\r\n"
      return "\(line) HTTP/1.1\r\nHost: api.example.test\r\n\(length)"
    }
    func said(_ server: ReplayServer, pieces: [String]) async throws -> String {
      let client = try server.client()
      defer { client.close() }
      for piece in pieces { await client.send(piece) }
      client.socket.finishWriting()
      return String(decoding: await client.receiveAll().0, as: UTF8.self)
    }
    let deck = Deck(tape, then: .repeat)
    try await ReplayServer.serving(deck) { server in
      let burst = requests.joined()
      // One that is read in the common way, since nobody spelled it like that before.
      let read = try await said(
        server,
        pieces: [String(burst.prefix(7)), String(burst.dropFirst(7))]
      )
      for _ in 0..<3 {
        try await expectEqual(said(server, pieces: [burst]), read)
        try await expectEqual(said(server, pieces: [burst, burst]), read + read)
      }
      expectEqual(deck.journal.all.filter { $0.take != .connection }.count, requests.count * 10)
    }
  }

  @Test func `a loaded cassette of another origin is used by all connections`() async throws {
    func tape(_ origin: String, _ text: String) -> Cassette {
      Cassette([Interaction(Request("GET", RequestURL("\(origin)/a")), Response(body: Body(text)))])
    }
    let deck = Deck(tape("http://one.test", "one"), then: .repeat)
    try await ReplayServer.serving(deck) { server in
      let request = "GET /a HTTP/1.1\r\nHost: 127.0.0.1:\(server.port)\r\n\r\n"
      let old = try server.client()
      defer { old.close() }
      for _ in 0..<2 {
        await old.send(request)
        #expect(String(decoding: await old.message(), as: UTF8.self).hasSuffix("one"))
      }
      deck.load(tape("http://two.test", "two"))
      for _ in 0..<2 {
        await old.send(request)
        #expect(String(decoding: await old.message(), as: UTF8.self).hasSuffix("two"))
        let said = try await Self.answers([request, request], of: server)
        expectEqual(said.map { $0.suffix(3) }, ["two", "two"])
      }
    }
  }

  @Test func `empty lines between known requests are forgiven one by one`() async throws {
    try await ReplayServer.serving(Deck(Self.tape("one"), then: .repeat)) { server in
      let client = try server.client()
      defer { client.close() }
      for _ in 0..<12 {
        await client.send(Self.get("/a"))
        #expect(String(decoding: await client.message(), as: UTF8.self).hasPrefix("HTTP/1.1 200"))
        await client.send("\r\n")
      }
    }
  }

  @Test func `who asks to close is closed each time`() async throws {
    try await ReplayServer.serving(Deck(Self.tape("one"), then: .repeat)) { server in
      for _ in 0..<3 {
        let text = try await server.answer(to: Self.get("/a", "Connection: close\r\n"))
        #expect(text.hasSuffix("one") && text.contains("Connection: close"))
      }
    }
  }

  @Test func `lanes keep apart what is asked in the same words`() async throws {
    let deck = Deck(Self.tape("one", "two"), then: .repeat)
    try await ReplayServer.serving(deck) { server in
      let lanes = ["x", "x", "y", "x", "y"].map { "/.windtunnel/\($0)/a" }
      let said = try await Self.answers(lanes.map { Self.get($0) }, of: server)
      expectEqual(said.map { $0.suffix(3) }, ["one", "two", "one", "two", "two"])
    }
  }

  @Test func `beyond its bound the table begins anew`() {
    let (table, deck) = (ParsedRequestCache(), Deck(Self.tape("one")))
    let head = RequestHead(
      method: "GET",
      target: "/a",
      version: .http11,
      headers: [:],
      framing: .none,
      keepsAlive: true,
      expectsContinue: false
    )
    let prepared = deck.prepare(Request("GET", "/a"))
    func bytes(_ number: Int) -> [UInt8] { Array(Self.get("/\(number)").utf8) }
    func isKnown(_ number: Int, isSecure: Bool = false) -> Bool {
      bytes(number).withUnsafeBytes { table.find($0, isSecure: isSecure) } != nil
    }
    for number in 0..<ParsedRequestCache.countMax {
      table.keep(.init(bytes(number), head, prepared, isSecure: false))
    }
    #expect(isKnown(0) && isKnown(ParsedRequestCache.countMax - 1) && !isKnown(0, isSecure: true))
    table.keep(.init(bytes(-1), head, prepared, isSecure: false))
    #expect(isKnown(-1) && !isKnown(0))
    let long = Array(
      Self.get("/" + String(repeating: "a", count: ParsedRequestCache.bytesMax)).utf8
    )
    table.keep(.init(long, head, prepared, isSecure: false))
    let other = Deck(Self.tape("two")).prepare(Request("GET", "/a"))
    #expect(isKnown(-1))
    table.keep(.init(bytes(-2), head, other, isSecure: false))
    #expect(isKnown(-2) && !isKnown(-1))
    let wide = ParsedRequestCache.spelledBytesMax / 1000
    for number in 0...wide {
      let text = Self.get("/\(number)").padding(toLength: 1000, withPad: "x", startingAt: 0)
      table.keep(.init(Array(text.utf8), head, other, isSecure: false))
    }
    #expect(!isKnown(-2))
    expectNil(long.withUnsafeBytes { table.find($0, isSecure: false) })
    // Fields of HTTP/2 that run into each other are others.
    func find(_ words: String...) -> (known: ParsedRequestCache.Known?, bytes: [UInt8]?) {
      let fields = words.map { HPACKField(field: HeaderField($0, "b"), isNeverIndexed: false) }
      return table.find(fields, isSecure: false)
    }
    if let bytes = find("a", "c").bytes {
      table.keep(.init(bytes, head, other, isSecure: false))
    }
    #expect(find("a", "c").known != nil && find("a", "c").bytes == nil)
    #expect(["abc", "a\u{1}\0b\u{1}\0c"].allSatisfy { find($0).known == nil })
    expectNil(find("a", String(repeating: "c", count: ParsedRequestCache.bytesMax)).bytes)
  }
}

extension RawClient {
  /// One answer whose length stands in its head.
  func message() async -> [UInt8] {
    var bytes: [UInt8] = []
    while true {
      bytes += await receive(atLeast: 1)
      let text = String(decoding: bytes, as: UTF8.self)
      guard let end = text.range(of: "\r\n\r\n"), let name = text.range(of: "Content-Length: ")
      else { continue }
      let length = Int(text[name.upperBound...].prefix { $0.isNumber }) ?? 0
      if bytes.count >= text[..<end.upperBound].utf8.count + length { return bytes }
    }
  }
}
