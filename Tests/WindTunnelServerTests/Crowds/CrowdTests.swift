import Origins
import TestSupport

@testable import WindTunnel
@testable import WindTunnelServer
@testable import WindTunnelWire

/// Many clients at once.
@Suite(.timeLimit(.minutes(5))) struct CrowdTests {
  @Test func `slow answers on many connections are all whole`() async throws {
    let body = Data(pattern(1000))
    let timing = Timing(
      firstByte: .milliseconds(1),
      lastByte: .milliseconds(10),
      chunks: (1...10).map { Timing.Chunk(bytes: 100, offset: .milliseconds($0)) }
    )
    let response = Response(headers: ["Content-Length": "1000"], body: Body(body))
    let slow = Interaction(Request("GET", "/slow"), .response(response), timing: timing)
    let deck = Deck(Cassette([slow]), matcher: .pathAndQuery, then: .repeat, pace: .asRecorded)
    try await ReplayServer.serving(deck) { server in
      let answers = try await withThrowingTaskGroup(of: String.self) { group in
        for _ in 0..<64 {
          group.addTask {
            try await server.answer(to: closing("GET /slow"))
          }
        }
        return try await group.reduce(into: []) { $0.append($1.content) }
      }
      let text = pattern(1000).withUnsafeBufferPointer { String(octets: $0) }
      #expect(answers == Array(repeating: text, count: 64))
    }
  }

  @Test func `nothing is kept of requests that were answered but their entries`() async throws {
    let deck = Deck(
      Cassette([Interaction(Request("GET", "/a"), Response(body: Body("a")))]),
      matcher: .pathAndQuery,
      then: .repeat
    )
    try await ReplayServer.serving(deck) { server in
      let one = "GET /a HTTP/1.1\r\nHost: x\r\n\r\n"
      let last = closing("GET /a")
      let text = try await server.answer(to: String(repeating: one, count: 1_999) + last)
      expectEqual(text.count(of: "HTTP/1.1 200 OK\r\n"), 2_000)
    }
    let arrivals = deck.arrivals
    // The request's, and the one by which connections are counted.
    expectEqual(arrivals.keyCount, 2)
    expectEqual(arrivals.carriedCount, 0)
    expectEqual(deck.journal.all.map(\.decision.ordinal), Array(1...2_000))
  }

  // In a process of its own, where nobody else opens files.
  @Test func `idle connections end with their server, and no descriptor stays behind`() async {
    await #expect(processExitsWith: .success) {
      OpenFiles.raise()
      // What the process opens once and keeps is open after the first crowd.
      try await CrowdTests.standIdle(10)
      let before = try CrowdTests.descriptorCount()
      try await CrowdTests.standIdle(300)
      let after = try CrowdTests.descriptorCount()
      guard after == before else { fatalError("\(before) descriptors before, \(after) after") }
    }
  }

  private static func standIdle(_ count: Int) async throws {
    let server = try await ReplayServer(.echo("/a"), .patient)
    let clients = try (0..<count).map { _ in try server.client() }
    // Who is answered last was accepted last.
    for client in clients.reversed().prefix(2) {
      await client.send("GET /a HTTP/1.1\r\nHost: x\r\n\r\n")
      guard await client.receive(atLeast: 60).count >= 60 else { fatalError("no answer") }
    }
    await server.stop()
    for client in clients {
      guard await client.finish().1 == .finished else { fatalError("not closed") }
    }
  }

  private static func descriptorCount() throws -> Int {
    try FileManager.default.contentsOfDirectory(atPath: "/dev/fd").count
  }
}

/// How many connections a process may have.
@Suite struct OpenFilesTests {
  @Test func `a limit that leaves too few connections is told in a sentence`() {
    expectNil(OpenFiles.sentence(16_640, for: 16_384))
    expectEqual(
      OpenFiles.sentence(4_096, for: 16_384),
      """
      The system allows this process 4096 open files, enough for about 3840 \
      connections and not for 16384; further connections wait. `ulimit -Hn` shows the limit that an \
      administrator can raise.
      """
    )
  }

  @Test func `the limit is raised as far as it is needed, and never lowered`() async {
    await #expect(processExitsWith: .success) {
      func soft() -> rlim_t {
        var limit = rlimit()
        getrlimit(Platform.openFiles, &limit)
        return limit.rlim_cur
      }
      var limit = rlimit()
      getrlimit(Platform.openFiles, &limit)
      limit.rlim_cur = 300
      setrlimit(Platform.openFiles, &limit)
      guard OpenFiles.raise(for: 100) == nil, soft() == 356 else { fatalError("\(soft())") }
      guard OpenFiles.raise(for: 10) == nil, soft() == 356 else { fatalError("\(soft())") }
      limit.rlim_max = 400
      limit.rlim_cur = 300
      setrlimit(Platform.openFiles, &limit)
      guard OpenFiles.raise(for: 200) != nil, soft() == 400 else { fatalError("\(soft())") }
    }
  }
}
