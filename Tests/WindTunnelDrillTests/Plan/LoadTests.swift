import TestSupport

@testable import WindTunnelDrill

/// When calls begin, and which.
@Suite struct LoadTests {
  @Test func `departures are the seed's, and as many a second as was asked for`() {
    let arrivals = ArrivalProcess(seed: 7, callsPerSecond: 50, count: 10_000)
    let again = ArrivalProcess(seed: 7, callsPerSecond: 50, count: 400)
    let offsets = (0..<10_000).map(arrivals.offset)
    expectEqual(offsets[0], .zero)
    expectEqual(offsets, offsets.sorted())
    expectEqual((0..<400).map(again.offset), Array(offsets[..<400]))
    #expect(ArrivalProcess(seed: 8, callsPerSecond: 50, count: 2).offset(of: 1) != offsets[1])
    // 200 s, and the deviation of ten thousand exponential gaps is a hundredth of that.
    #expect((190.0...210.0).contains(offsets[9_999].inMilliseconds / 1000))
    // Exponential gaps have as large a deviation as their mean.
    let gaps = zip(offsets.dropFirst(), offsets).map { ($0 - $1).inMilliseconds }
    let mean = gaps.reduce(0, +) / Double(gaps.count)
    let variance = gaps.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / Double(gaps.count)
    #expect((0.9...1.1).contains(variance.squareRoot() / mean))
  }

  @Test func `an open loop waits for nobody, and a late call's latency counts from its moment`()
    async throws
  {
    // Every call waits until all of them are in the air: a closed loop would never end.
    let company = Company(of: 20)
    let report = try await Drill(
      Shipped.cassette(),
      in: [.calm],
      calls: 20,
      load: .openLoop(callsPerSecond: 200),
      deadline: .seconds(3600),
      stage: .inProcess
    ).run { _ in
      await company.gather()
      return "shown"
    }
    let observations = try #require(report.scenarios.first?.subjects.first?.observations)
    expectEqual(observations.map(\.ending), observations.map { _ in .succeeded })
    // The first began longest before the last was there.
    let arrivals = ArrivalProcess(seed: 1, callsPerSecond: 200, count: 20)
    let head = try #require(observations.first).latency - (try #require(observations.last).latency)
    #expect(head >= arrivals.offset(of: 19) - .milliseconds(1))
    #expect(report.environment.contains(Report.Fact("load", "open loop, 200 calls a second")))
  }

  @Test func `a scenario has no more calls a second than it wants`() {
    expectEqual(Load.openLoop(callsPerSecond: 50).atMost(4), .openLoop(callsPerSecond: 4))
    expectEqual(Load.openLoop(callsPerSecond: 2).atMost(4), .openLoop(callsPerSecond: 2))
    expectEqual(Load.openLoop(callsPerSecond: 50).atMost(nil), .openLoop(callsPerSecond: 50))
    expectEqual(Load.closedLoop(concurrency: 3).atMost(4), .closedLoop(concurrency: 3))
  }

  @Test func `calls that were held up are not made up for`() {
    let (pace, start) = (Pace(callsPerSecond: 4), ContinuousClock.now)
    let turns = [0, 0, 250, 2000, 2010, 2020].map { start + .milliseconds($0) }
    expectEqual(
      turns.map { pace.moment(after: $0) - start },
      [0, 250, 500, 2000, 2250, 2500].map { Duration.milliseconds($0) }
    )
    let free = Pace(callsPerSecond: nil)
    expectEqual(turns.map { free.moment(after: $0) }, turns)
  }

  @Test func `a closed loop says that it is one`() async throws {
    let drill = Drill(
      try Shipped.cassette(),
      [.calm],
      calls: 4,
      atOnce: 2,
      seconds: 3600,
      on: .inProcess
    )
    let report = try await drill.run { _ in "shown" }
    #expect(report.environment.contains(Report.Fact("load", "closed loop, 2 at once")))
  }

  @Test func `a mix calls by weight, the same in every shard, and never what weighs nothing`()
    throws
  {
    let cassette = try Shipped.cassette()
    let mix = Mix([.init("GET /home", weight: 3), .init("POST *", weight: 0)])
    let workload = Workload(cassette, mix: mix, seed: 7, matcher: .pathAndQuery)
    let names = (0..<3000).map(workload.endpoint)
    let kinds = Set(names)
    #expect(!kinds.contains { $0.hasPrefix("POST") } && kinds.contains("GET /home"))
    let home = Double(names.count { $0 == "GET /home" })
    let others = Double(names.count) - home
    // /home is one of three requests with a weight.
    let expected = 3.0 / 2
    #expect((0.85...1.15).contains(home / others / expected), "\(home) to \(others)")
    let again = Workload(cassette, mix: mix, seed: 7, matcher: .pathAndQuery)
    expectEqual((0..<3000).map(again.endpoint), names)
    let other = Workload(cassette, mix: mix, seed: 8, matcher: .pathAndQuery)
    #expect((0..<3000).map(other.endpoint) != names)
    // Without weights each has its turn.
    let turns = Workload(cassette, seed: 7, matcher: .pathAndQuery)
    let different = Set((0..<100).map(turns.request)).count
    #expect(different > 4)
    expectEqual(Set((0..<different).map(turns.request)).count, different)
  }

  @Test func `enough calls in a scenario without faults make each request once, then draw`()
    throws
  {
    var plan = try DrillPlan()
    plan.calls = 30
    expectEqual(plan.coveringCalls(in: .calm), 30)
    expectNil(plan.coveringCalls(in: Scenario("s", rules: [.always(.always, .status(503))])))
    func workload(_ calls: Int?, seed: UInt64 = 7) -> Workload {
      Workload(
        plan.cassette,
        mix: Mix([.init("GET /home", weight: 1000)]),
        seed: seed,
        matcher: .pathAndQuery,
        coveringAllBy: calls
      )
    }
    let (drawn, count) = (workload(nil), workload(nil).all.count)
    let covering = workload(count)
    expectEqual(Set((0..<count).map(covering.request)).count, count)
    expectEqual((count..<200).map(covering.endpoint), (count..<200).map(drawn.endpoint))
    expectEqual((0..<200).map(workload(count - 1).endpoint), (0..<200).map(drawn.endpoint))
    let seeds: [UInt64] = [1, 2, 3, 4, 5, 6, 7, 8]
    let orders = seeds.map { seed in (0..<count).map(workload(count, seed: seed).endpoint) }
    #expect(Set(orders).count > 1)
  }

  @Test(arguments: ["GET /home", "=5", "GET /home=", "GET /home=-1", "GET /home=x", ""])
  func `a share without a weight is none`(text: String) { expectNil(Mix.Share(text)) }

  @Test func `shards share out all calls`() throws {
    let shards = try (1...8).map { try #require(Shard($0, of: 8)) }
    let calls = shards.map { $0.calls(of: 61) }
    expectEqual(calls[0], [0, 8, 16, 24, 32, 40, 48, 56])
    expectEqual(calls.flatMap(\.self).sorted(), Array(0..<61))
    #expect(Shard("3/8") == shards[2] && shards[2].description == "3/8")
    for text in ["0/8", "9/8", "3", "3/", "/8", "3/8/1", "a/b", "1/0", "1/10001"] {
      expectNil(Shard(text), "\(text)")
    }
  }

  @Test(
    arguments: [
      (["WINDTUNNEL_SHARD": "3/8"], "3/8"), (["CI_NODE_INDEX": "3", "CI_NODE_TOTAL": "8"], "3/8"),
      (["CIRCLE_NODE_INDEX": "2", "CIRCLE_NODE_TOTAL": "8"], "3/8"),
      (["BUILDKITE_PARALLEL_JOB": "2", "BUILDKITE_PARALLEL_JOB_COUNT": "8"], "3/8"),
      (["JOB_COMPLETION_INDEX": "2", "WINDTUNNEL_SHARDS": "8"], "3/8"),
      (["JOB_COMPLETION_INDEX": "2"], nil), (["CI_NODE_INDEX": "9", "CI_NODE_TOTAL": "8"], nil),
      (["WINDTUNNEL_SHARD": "x", "CI_NODE_INDEX": "3", "CI_NODE_TOTAL": "8"], nil), ([:], nil),
    ] as [([String: String], String?)]
  )
  func `a job's environment says which shard it is`(environment: [String: String], text: String?) {
    expectEqual(Shard(environment: environment)?.description, text)
  }

  /// Lets nobody go before everybody is there.
  private actor Company {
    private let size: Int
    private var waiting: [CheckedContinuation<Void, Never>] = []

    init(of size: Int) { self.size = size }

    func gather() async {
      if waiting.count == size - 1 {
        for one in waiting { one.resume() }
        waiting = []
      } else {
        await withCheckedContinuation { waiting.append($0) }
      }
    }
  }
}
