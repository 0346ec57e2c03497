internal import Foundation
internal import WindTunnel
internal import WindTunnelSymptoms

extension DrillPlan {
  /// Where a scenario is flown.
  ///
  /// - Parameters:
  ///   - scenario: The scenario.
  ///   - seeingAttempts: Whether a place where every attempt is seen is preferred to real sockets.
  /// - Returns: The stage.
  /// - Throws: `DrillError.plan` where the asked-for stage cannot carry it.
  func stage(of scenario: Scenario, seeingAttempts: Bool = false) throws -> Stage {
    let obstacle = Sites.obstacle(to: scenario, isTrusted: isTrusted)
    let inProcessObstacle = scenario.obstacle(on: .inProcess)
    switch stage {
    case nil where !command.isEmpty:
      guard let obstacle else { return .onTheWire }
      throw DrillError.plan(
        "Scenario \"\(scenario.name)\" cannot be flown by a program: \(obstacle)."
      )
    case nil:
      if let obstacle, let inProcessObstacle {
        throw DrillError.plan(
          "Scenario \"\(scenario.name)\" can be flown nowhere: on the wire \(obstacle), and "
            + "\(inProcessObstacle). Make two scenarios of it."
        )
      }
      let isBlind = !Sites.seesAttempts(in: scenario, on: .onTheWire)
      let wantsInProcess = obstacle != nil || seeingAttempts && isBlind
      return wantsInProcess && inProcessObstacle == nil ? .inProcess : .onTheWire
    case .inProcess? where !command.isEmpty:
      throw DrillError.plan(
        "Scenario \"\(scenario.name)\" cannot be flown in process by a program: it is another process. "
          + "Fly it with --stage wire."
      )
    case .inProcess?:
      guard let inProcessObstacle else { return .inProcess }
      throw DrillError.plan(
        "Scenario \"\(scenario.name)\" cannot be flown in process: \(inProcessObstacle). "
          + "Fly it with --stage wire."
      )
    case .onTheWire?:
      guard let obstacle else { return .onTheWire }
      throw DrillError.plan(
        "Scenario \"\(scenario.name)\" cannot be flown on the wire: \(obstacle). "
          + "Fly it with --stage in-process."
      )
    }
  }

  /// Whether whoever flies is told of the authority that issues the run's certificates: a program is,
  /// and what uses `URLSession` on Linux cannot be.
  var isTrusted: Bool { !command.isEmpty }

  /// A scenario's part of the report, with its own gates and the plan's.
  func flown(_ scenario: Scenario, on stage: Stage, _ rows: [Report.Row]) -> Report.Flown {
    var flown = Report.Flown(
      scenario.name,
      on: stage,
      subjects: rows,
      gates: scenario.gates + gates
    )
    flown.weather = scenario
    return flown
  }

  /// The report.
  func report(_ flown: [Report.Flown], facts: [Report.Fact] = []) -> Report {
    Report(
      seed: seed,
      decisionHash: storyHash(),
      platformErrors: errors.rawValue,
      environment: Environment.facts(cassette: cassette) + maskedFacts(facts),
      scenarios: flown
    )
  }

  /// How it was flown, without what a program was given as secrets.
  private func maskedFacts(_ more: [Report.Fact]) -> [Report.Fact] {
    guard !command.isEmpty else { return facts + more }
    let words = CommandWords(command)
    return (facts + more).map { Report.Fact($0.name, words.masked($0.value)) }
  }

  /// How it was flown.
  private var facts: [Report.Fact] {
    var facts = [Report.Fact("load", load.words)]
    if !mix.shares.isEmpty {
      facts.append(Report.Fact("mix", mix.shares.map(\.text).joined(separator: ", ")))
    }
    facts.append(Report.Fact("calls", String(calls)))
    if let shard { facts.append(Report.Fact("shard", "\(shard)")) }
    if let program = command.first {
      facts.append(Report.Fact("program", program))
      facts.append(Report.Fact(CommandWords.fact, CommandWords(command).text))
    }
    if let cassetteFile { facts.append(Report.Fact("cassetteFile", cassetteFile.relativePath)) }
    facts.append(Report.Fact("timeoutMilliseconds", String(deadline.wholeMicroseconds / 1000)))
    if !leftOut.isEmpty {
      facts.append(Report.Fact("notFlown", leftOut.map(\.reason).joined(separator: " ")))
    }
    return facts
  }

  /// The hash of what every call would meet, computed without traffic.
  func storyHash() -> String {
    let itinerary = itinerary
    var story = Story()
    for scenario in scenarios {
      for call in 0..<calls {
        story.tell(
          scenario,
          seed: seed,
          lane: Itinerary.lane(scenario.name, call),
          request: itinerary.request(of: call),
          matcher: .pathAndQuery
        )
      }
    }
    return story.hash
  }
}
