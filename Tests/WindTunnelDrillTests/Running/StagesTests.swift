import TestSupport

@testable import WindTunnelDrill

/// What is seen of the parts of attempts, and of what comes after the weather, in process and on the wire.
@Suite(.timeLimit(.minutes(5))) struct StagesTests {
  @Sendable private static func ask(_ call: DrillCall) async throws -> Data {
    let (data, _) = try await call.session.data(for: call.urlRequest)
    return data
  }

  private static let tape = Cassette([
    Interaction(
      Request("GET", "https://api.example.test/big"),
      Response(headers: ["Content-Type": "text/plain"], body: Body(Data(count: 20_000)))
    )
  ])

  private static func run(
    _ scenario: Scenario,
    _ stage: Stage,
    calls: Int = 3
  ) async throws -> [Observation] {
    let drill = Drill(tape, [scenario], calls: calls, on: stage)
    return try await drill.run(ask).scenarios[0].subjects[0].observations
  }

  @Test(arguments: [Stage.inProcess, .onTheWire])
  func `a link's own parts are told, and all of them together are the call`(stage: Stage)
    async throws
  {
    let link = Link(
      up: .init(delay: .milliseconds(40)),
      down: .init(delay: .milliseconds(40)),
      dnsDelay: .milliseconds(150)
    )
    for call in try await Self.run(Scenario("s", link: link), stage) {
      let stages = try #require(call.attempts.first).stages
      expectEqual(stages.dns, .milliseconds(150))
      // A round trip, and the request half of one.
      let connect = try #require(stages.connect)
      #expect(.milliseconds(80)..<(.milliseconds(82)) ~= connect)
      let upload = try #require(stages.upload)
      #expect(upload >= .milliseconds(40))
      let first = try #require(stages.firstByte)
      // What comes next is on its way for half a round trip.
      #expect(first >= .milliseconds(39))
      let body = try #require(stages.body)
      #expect(body >= .zero)
      // The tape's origin is https, and its round trip more is the link's.
      let tls = try #require(stages.tls)
      #expect(tls >= .milliseconds(80))
      let all = [.milliseconds(150), connect, tls, upload, first, body].reduce(.zero, +)
      #expect(all <= call.latency, "nothing is counted twice")
    }
  }

  @Test(arguments: [Stage.inProcess, .onTheWire])
  func `a server that thinks is slow to its first byte, and one that dribbles in its body`(
    stage: Stage
  ) async throws {
    let thinks: Scenario = [.always(.always, .delay(.exactly(.milliseconds(200))))]
    for call in try await Self.run(thinks, stage) {
      let stages = try #require(call.attempts.first).stages
      #expect(try #require(stages.firstByte) >= .milliseconds(200))
      #expect(stages.dns == nil && stages.connect == nil && stages.tls == nil)
      expectEqual((stages.upload == nil), (stage == .inProcess))
    }
    let slow = Scenario("s", link: Link(up: .init(), down: .init(bitsPerSecond: 100_000)))
    let dribbled = try await Self.run(slow, stage).map { call in
      let stages = try #require(call.attempts.first).stages
      let (first, body) = (try #require(stages.firstByte), try #require(stages.body))
      return (all: (stages.upload ?? .zero) + first + body, body: body)
    }
    // 20,000 bytes at 12,500 a second. A busy machine may look late at the end of the request or at
    // the first of them, so that what it waited is no more the body's; not each time.
    #expect(dribbled.allSatisfy { $0.all >= .milliseconds(1200) })
    #expect(dribbled.contains { $0.body >= .milliseconds(1200) })
  }

  @Test func `a connection that comes about late is late in connecting, where that is seen`()
    async throws
  {
    let late: Scenario = [.always(.always, .connection(.lostSYNs(1)))]
    for call in try await Self.run(late, .inProcess) {
      #expect(try #require(call.attempts.first?.stages.connect) >= .seconds(1))
    }
  }

  @Test(arguments: [Stage.inProcess, .onTheWire])
  func `after the scenario calls are told by how long after it they ended`(stage: Stage)
    async throws
  {
    let elevator: Scenario = [.always(.window(until: .seconds(3)), .status(503))]
    let drill = Drill(Self.tape, [elevator], calls: 8, on: stage)
    // The first call takes what it gets, and the others ask until they have something.
    let row = try await drill.run { call in
      while true {
        let (data, response) = try await call.session.data(for: call.urlRequest)
        if (response as? HTTPURLResponse)?.statusCode == 200 { return data }
        if call.index == 0 { throw Gone() }
        try await Task.sleep(for: .milliseconds(50))
      }
    }.scenarios[0].subjects[0]
    let after = try row.observations.dropFirst().map { try #require($0.afterWindow) }
    expectEqual(after, after.sorted())
    expectEqual(row.metrics.firstRecovery, after[0])
    expectEqual(row.metrics.steadyRecovery, after[4])
  }

  @Test(arguments: [Stage.inProcess, .onTheWire])
  func `before the scenario is over, and where it never ends, no call comes after it`(stage: Stage)
    async throws
  {
    let hour: Scenario = [.always(.window(until: .seconds(3600)), .status(503))]
    var flight = try FlightOfCalls(URLSessionSubject(), hour, on: stage, calls: 3)
    try await expectEqual(flight.run().map(\.afterWindow), [nil, nil, nil])
    flight.setup.elapsed = .seconds(3 * 3600)
    let after = try await flight.run().map { try #require($0.afterWindow) }
    #expect(after.allSatisfy { $0 >= .seconds(2 * 3600) }, "\(after)")
    for endless: Scenario in [.calm, [.always(.always, .status(503))]] {
      flight.setup.scenario = endless
      try await expectEqual(flight.run().map(\.afterWindow), [nil, nil, nil])
    }
  }

  private struct Gone: Error {}

  @Test(arguments: [1000, 1_000_000])
  func `a post that breaks off is no duplicate, and one that came whole is`(size: Int) async throws
  {
    let post = Request("POST", "https://api.example.test/up", body: Body(Data(count: size)))
    let tape = Cassette([Interaction(post, Response(status: 201))])
    let once: Scenario = [.on("POST /up", .first(1), .status(503))]
    let drill = Drill(tape, [once], calls: 2, on: .onTheWire)
    @Sendable func ask(_ call: DrillCall) async throws -> Int? {
      try await (call.session.data(for: call.urlRequest).1 as? HTTPURLResponse)?.statusCode
    }
    let report = try await drill.run { call in
      _ = try await ask(call)
      return try await ask(call)
    }
    expectEqual(report.scenarios[0].subjects[0].metrics.duplicates, 2)
    let broken = try await drill.run { call in
      try RawPost.breakOff(call)
      return try await ask(call)
    }
    let row = broken.scenarios[0].subjects[0]
    expectEqual(row.metrics.duplicates, 0)
    expectEqual(row.observations.map(\.attemptCount), [1, 1], "nobody can act upon half a request")
  }
}
