import TestSupport
import WindTunnelFindings

/// Calls of a client that got no processor, or none in time. The machine is the reason for their
/// moments. What they returned is theirs.
@Suite struct RulesOfStarvedTests {
  /// The rules of a single call that a careful client breaks if its own time-out ends an attempt
  /// before it reads the response.
  private static let ofTime: [(rule: String, attempts: [Observation.Attempt])] = [
    (
      "ignores-retry-after",
      [
        RuleTests.attempt(0, to: 3, status: 429, wait: 9000),
        RuleTests.attempt(3200, to: 3203),
      ]
    ),
    ("waits-on-silence", [RuleTests.attempt(0, to: 3, error: "timedOut")]),
  ]

  /// The rules that look at requests and at no clock.
  private static let ofRequests: [(rule: String, attempts: [Observation.Attempt])] = [
    ("retries-permanent-error", RuleTests.row(404, waits: [3000, 3000])),
    ("repeats-refused-credential", RuleTests.row(401, waits: [3000, 3000])),
  ]

  /// The rules of many calls that compare moments, each with the attempts of a call that breaks it.
  private static let ofFlights: [(rule: String, calls: Int, attempts: [Observation.Attempt])] = [
    ("no-back-off", 2, RuleTests.row(waits: [0, 5, 19])),
    ("retries-in-step", 10, RuleTests.row(waits: [500])),
    ("retries-in-layers", 8, RuleTests.row(waits: [100, 900, 100])),
    ("gives-up-at-once", 8, RuleTests.row(waits: [])),
  ]

  private static func call(
    _ attempts: [Observation.Attempt],
    number: Int = 3,
    delay: Int?,
    _ ending: Observation.CallResult = .failed("timedOut")
  ) -> Observation {
    var call = RuleTests.call(number, ending, lasted: 27_000, attempts)
    call.processorDelay = delay.map { .milliseconds($0) }
    return call
  }

  private static func standing(
    _ rule: String,
    _ calls: [Observation],
    of client: ClientRun.Client = .program,
    isSlow: Bool = false
  ) throws -> RuleStanding {
    var flight = ClientRun(of: client, on: .onTheWire, calls)
    flight.isSlowWithoutFaults = isSlow
    return try flight.standing(rule)
  }

  private static func reason(_ standing: RuleStanding) -> String? {
    if case .notMet(let reason) = standing.standing { reason } else { nil }
  }

  @Test(arguments: ofTime.indices)
  func `a rule about time asks nothing of a program that waited for a processor`(place: Int) throws
  {
    let (rule, attempts) = Self.ofTime[place]
    for delay in [nil, 400] {
      let standing = try Self.standing(rule, [Self.call(attempts, delay: delay)])
      expectEqual(standing.finding?.severity, .error, "\(rule), \(String(describing: delay))")
      expectEqual(standing.starved, 0)
    }
    let starved = try Self.standing(rule, [Self.call(attempts, delay: 600)])
    expectEqual(starved.starved, 1)
    let reason = try #require(Self.reason(starved))
    #expect(reason.hasSuffix("1 call is not judged: the machine was busy."), "\(reason)")
    // Of two calls one is judged, and the other is counted.
    let some = try Self.standing(
      rule,
      [Self.call(attempts, delay: 600), Self.call(attempts, number: 4, delay: nil)]
    )
    expectEqual(some.finding?.countDescription, "1 of 1 call")
    expectEqual(some.starved, 1)
  }

  @Test(arguments: ofRequests.indices)
  func `a rule that needs no clock judges a starved call as ever`(place: Int) throws {
    let (rule, attempts) = Self.ofRequests[place]
    let standing = try Self.standing(rule, [Self.call(attempts, delay: 9000)], isSlow: true)
    expectEqual(standing.finding?.severity, .error)
    expectEqual(standing.starved, 0)
  }

  @Test(arguments: ofFlights.indices)
  func `a rule about the times of many calls leaves the starved ones out and counts them`(
    place: Int
  ) throws {
    let (rule, count, attempts) = Self.ofFlights[place]
    func calls(_ numbers: Range<Int>, delay: Int?) -> [Observation] {
      numbers.map { Self.call(attempts, number: $0, delay: delay) }
    }
    let rested = calls(0..<count, delay: 400)
    let broken = try Self.standing(rule, rested)
    #expect(broken.finding != nil && broken.starved == 0, "\(rule): \(broken.standing)")
    let mixed = try Self.standing(rule, rested + calls(count..<count + 3, delay: 600))
    expectEqual(mixed.standing, broken.standing)
    expectEqual(mixed.starved, 3)
    for (standing, starved) in [
      (try Self.standing(rule, calls(0..<count, delay: 600)), count),
      (try Self.standing(rule, rested, isSlow: true), count),
      // Fewer than the rule needs were never to be judged.
      (try Self.standing(rule, calls(0..<count - 1, delay: 600)), 0),
    ] {
      #expect(Self.reason(standing) != nil, "\(rule): \(standing.standing)")
      expectEqual(standing.starved, starved)
    }
  }

  @Test func `what a starved program returned is judged as ever`() throws {
    let call = Self.call(RuleTests.row(waits: []), delay: 9000, .succeeded)
    let standing = try Self.standing("success-on-error-status", [call])
    expectEqual(standing.finding?.severity, .error)
  }

  @Test func `a hang is judged only where the program had a processor most of the time`() throws {
    func hung(_ delay: Int?, isSlow: Bool = false) throws -> RuleStanding {
      var call = Self.call(RuleTests.row(waits: []), delay: delay, .hung)
      // Of a client that is slow by itself, only a short hang is excused.
      if isSlow { call.latency = .seconds(5) }
      let calls = [call]
      return try Self.standing("hangs", calls, isSlow: isSlow)
    }
    for delay in [nil, 13_000] {
      let standing = try hung(delay)
      expectEqual(standing.finding?.seen, "It had not ended after 27.0 s.")
      expectEqual(standing.finding?.severity, .error)
      expectEqual(standing.starved, 0)
    }
    for standing in [try hung(14_000), try hung(nil, isSlow: true)] {
      expectEqual(standing.starved, 1)
      expectEqual(Self.reason(standing), "1 call is not judged: the machine was busy.")
    }
    // The grant was used up, which is no half of a long call.
    var long = Self.call(RuleTests.row(waits: []), delay: 120_000, .hung)
    long.latency = .seconds(600)
    try expectEqual(Self.standing("hangs", [long]).starved, 1)
    // Of others that ended nothing changes.
    let ended = Self.call(RuleTests.row(waits: []), number: 4, delay: nil)
    let both = try Self.standing("hangs", [long, ended])
    expectEqual(both.standing, .passed(1))
    expectEqual(both.starved, 1)
  }

  @Test func `a program of which the server saw no sign is not judged for a hang`() throws {
    func hung(
      _ client: ClientRun.Client,
      _ edit: (inout Observation) -> Void = { _ in }
    ) throws -> String {
      var call = Self.call([], delay: nil, .hung)
      edit(&call)
      let standing = try Self.standing("hangs", [call], of: client)
      return "\(standing.finding?.severity.rawValue ?? "no finding"), \(standing.starved) starved"
    }
    let judged = "error, 0 starved"
    for client in [ClientRun.Client.program, .service] {
      try expectEqual(hung(client), "no finding, 1 starved")
      // A stage that sees no attempts has no evidence that there were none.
      try expectEqual(hung(client) { $0.attemptCount = nil }, judged)
      // The server saw a connection of it.
      try expectEqual(hung(client) { $0.startUp = .milliseconds(90) }, judged)
      let attempts = [RuleTests.attempt(0, to: 3, error: "timedOut")]
      try expectEqual(hung(client) { $0.attempts = attempts }, judged)
      try expectEqual(hung(client) { $0.sleepWithoutLimit = "futex" }, judged)
    }
    // A library shares the process of whoever looks.
    try expectEqual(hung(.library), judged)
  }

  @Test func `who was still trying is judged only where it had a processor`() throws {
    let attempts = RuleTests.row(waits: [5000, 5000, 5000, 5000])
    #expect(
      try RuleTests.words("retries-without-bound", [Self.call(attempts, delay: nil, .hung)])
        .hasPrefix("error 3: After 20.0 s and 5 attempts it was still trying.")
    )
    try expectEqual(
      RuleTests.words("retries-without-bound", [Self.call(attempts, delay: 600, .hung)]),
      "kept by 1"
    )
  }
}
