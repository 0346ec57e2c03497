import Mutations
import WindTunnelReports

/// Calls for tests of figures: everything of them is known.
enum Flights {
  /// An attempt that met these faults, written as the story writes them, at these milliseconds.
  static func attempt(
    _ faults: String = "",
    _ start: Int? = nil,
    to end: Int? = nil,
    call: Int = 0,
    key: String = "GET /home",
    take: String = "recording 1"
  ) -> Observation.Attempt {
    var attempt = Observation.Attempt(
      decision: .init(line: "s/\(call)\t\(key)\t1\t[\(faults)]"),
      source: .init(words: take)
    )
    attempt.start = start.map { .milliseconds($0) }
    attempt.end = end.map { .milliseconds($0) }
    attempt.isRepeatable = true
    return attempt
  }

  static func call(
    _ number: Int = 0,
    _ ending: Observation.CallResult = .succeeded,
    endpoint: String = "GET /home",
    start: Int = 0,
    milliseconds: Int = 10,
    _ attempts: [Observation.Attempt] = [attempt()]
  ) -> Observation {
    var call = Observation(
      call: number,
      endpoint: endpoint,
      isCritical: endpoint == "GET /home",
      ending: ending,
      showed: ending == .succeeded,
      latency: .milliseconds(milliseconds),
      attemptCount: attempts.count,
      attempts: attempts
    )
    call.intendedStart = .milliseconds(start)
    return call
  }

  /// A good one of these attempts.
  static func call(_ number: Int, _ attempts: [Observation.Attempt]) -> Observation {
    call(number, .succeeded, attempts)
  }

  static let unavailable = #"{"status":503}"#
  static let reset = #"{"reset":"afterRequest"}"#

  /// Calls of a drill in bad weather, all drawn from a seed.
  static func drawn(_ count: Int, seed: UInt64) -> [Observation] {
    var generator = Generator(seed: seed)
    return (0..<count).map { number in
      let begin = number * 20
      var attempts: [Observation.Attempt] = []
      var clock = begin
      for _ in 0..<Int.random(in: 1...4, using: &generator) {
        let faults = generator.pick(["", unavailable, reset, #"{"delayMilliseconds":12.5}"#])
        var attempt = attempt(faults, clock, to: clock + 3, call: number)
        if faults == unavailable { attempt.retryAfter = .milliseconds(50) }
        attempt.isRepeatable = Bool.random(using: &generator)
        attempts.append(attempt)
        clock += Int.random(in: 10...120, using: &generator)
      }
      var one = call(
        number,
        generator.pick([.succeeded, .succeeded, .failed("status 503"), .crashed, .hung]),
        endpoint: generator.pick(["GET /home", "POST /payments", "GET /a"]),
        start: begin,
        milliseconds: clock - begin,
        attempts
      )
      one.clientAttempts = attempts.count
      one.bodyMatches = Bool.random(using: &generator)
      one.isStale = Bool.random(using: &generator)
      if number % 17 == 3 {
        one.ending = .failed("cancelled")
        one.cancellation = .init(
          after: .milliseconds(3),
          toReturn: .milliseconds(1),
          attemptsAfter: 0
        )
      }
      return one
    }
  }

  static func report(
    _ calls: [Observation],
    gates: [Gate] = [],
    seed: UInt64 = 7,
    facts: [Report.Fact] = [],
    in scenario: Scenario? = nil,
    on stage: Stage = .onTheWire
  ) -> Report {
    let planned = scenario?.faultNames ?? ["status 503", "reset"]
    let row = Report.Row("client", calls, plannedFaults: planned)
    return Report(
      .init("rainy", on: stage, subjects: [row], gates: gates, scenario: scenario),
      seed: seed,
      hash: String(repeating: "0a", count: 32),
      facts: facts
    )
  }
}

extension Report {
  /// Creates a report of scenarios, for tests of these alone.
  init(_ scenarios: ScenarioResult..., seed: UInt64 = 1, hash: String = "", facts: [Fact] = []) {
    self.init(
      seed: seed,
      decisionHash: hash,
      platformErrors: "current",
      environment: facts,
      scenarios: scenarios
    )
  }

  /// The same, where a gate passes of which the drill cannot tell.
  var allowingInconclusive: Report {
    var report = self
    report.policy.allowsInconclusive = true
    return report
  }
}

func gates(_ texts: String...) throws -> [Gate] { try texts.map { try Gate($0) } }
