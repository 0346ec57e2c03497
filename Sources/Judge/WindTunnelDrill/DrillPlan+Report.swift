internal import Dispatch
internal import Foundation
internal import WindTunnelCommandLine
@_spi(WindTunnel) internal import WindTunnelCore
internal import WindTunnelSymptoms

extension DrillPlan {
  /// Returns a scenario's part of the report, with the verdicts on its own gates and the plan's.
  func flown(_ scenario: Scenario, on stage: Stage, _ rows: [Report.Row]) -> Report.ScenarioResult {
    let rows = rows.map { row in
      var row = row
      // A long-running program is started only once.
      if case .openLoop(let rate) = load, isProgramACall,
        let possible = Self.starts(row.observations)
      {
        // Each shard of a drill starts only its own calls.
        row.starts = ProgramStarts(asked: rate / Double(shard?.count ?? 1), possible: possible)
      }
      return row
    }
    let (site, sites) = (Gate.Site(scenario.name, scenario), scenarios.gateSites)
    return Report.ScenarioResult(
      scenario.name,
      on: stage,
      subjects: rows,
      gates: scenario.gates + gates.filter { $0.isHeld(in: site, of: sites) },
      allowed: scenario.allowed + allowed,
      scenario: scenario
    )
  }

  /// Returns the report of the scenarios that ran.
  func report(_ flown: [Report.ScenarioResult], facts: [Report.Fact] = []) -> Report {
    var report = Report(
      seed: seed,
      decisionHash: storyHash(),
      platformErrors: errors.rawValue,
      environment: Environment.facts(cassette: cassette) + maskedFacts(facts)
        + Self.notJudged(in: flown),
      scenarios: time == .realTime ? withCalm(flown) : flown
    )
    report.gates = report.results(of: gates.filter { $0.isOfRun(scenarios.gateSites) })
    report.bars = bars
    return comparesSubjects ? report.comparingSubjects() : report
  }

  /// Changes the clock to real time and prints the reason, if this machine does not support virtual
  /// time.
  mutating func leaveWorlds(ifNeedBe obstacle: () async -> String?, _ speaker: String) async {
    guard isInWorlds, let reason = await obstacle() else { return }
    Terminal.complain("\(speaker): clock: real, because of this machine: \(reason)\n")
    time = .realTime
  }

  /// Returns the scenarios with the latency of each client's calls without faults. Judges them
  /// again if that latency is so long that times do not show anything about the client.
  private func withCalm(_ flown: [Report.ScenarioResult]) -> [Report.ScenarioResult] {
    let rows = flown.filter { $0.scenario?.hasNoFaults == true }.flatMap(\.subjects)
    var calm: [String: Duration] = [:]
    for name in subjects {
      let calls = rows.filter { $0.name == name }.flatMap(\.observations)
      calm[name] = Report.Row.calm(calls.isEmpty ? trial : calls)
    }
    guard !calm.isEmpty else { return flown }
    return flown.map { flown in
      var rows = flown.subjects
      for place in rows.indices { rows[place].calm = calm[rows[place].name] }
      return flown.with(rows)
    }
  }

  /// Returns the facts about how the drill ran, with the program's secrets masked.
  private func maskedFacts(_ more: [Report.Fact]) -> [Report.Fact] {
    guard !command.isEmpty else { return facts + more }
    let words = CommandWords(command)
    return (facts + more).map { Report.Fact($0.name, words.masked($0.value)) }
  }

  /// The facts about how the drill ran.
  private var facts: [Report.Fact] {
    func list(_ names: [String], by separator: String = ", ") -> String? {
      names.isEmpty ? nil : names.joined(separator: separator)
    }
    var rate: String?
    if !command.isEmpty, case .openLoop = load {
      let shown = shownStarts.map {
        "measured in calm: this machine starts \(Self.text($0)) programs per second"
      }
      rate = shown ?? "fixed"
    }
    let uncalled = uncalled
    let facts: KeyValuePairs<String, String?> = [
      "load": load.words, Report.clock: time == .virtualTime ? "virtual" : nil, "rate": rate,
      Report.compared: comparesSubjects ? subjects.joined(separator: ", ") : nil,
      "mix": list(mix.shares.map(\.text)), "critical": list(critical.map(\.description)),
      "http": httpVersions.number,
      "ignoredQuery": list(ignoredQuery.map(\.description)),
      // Settings that a scenario states itself are part of the scenario in the report.
      "calls": calls.map { String($0) }, "shard": shard.map { "\($0)" },
      "program": command.first,
      CommandWords.fact: command.isEmpty ? nil : CommandWords(command).text,
      "cassetteFile": cassetteFile?.relativePath,
      "timeoutMilliseconds": deadline.map { String($0.wholeMicroseconds / 1000) },
      "notRun": list(leftOut.map(\.reason), by: " "),
      "notCalled": uncalled.isEmpty ? nil : "\(uncalled) (the command has no {method})",
    ]
    return facts.compactMap { name, value in value.map { Report.Fact(name, $0) } }
  }

  private static func text(_ rate: Double) -> String {
    rate < 10 ? String((rate * 10).rounded() / 10) : String(Int(rate))
  }

  /// Returns the number of programs that this machine's processors can start per second. The number
  /// is calculated from the start-up times in the observations; `nil` if there are none.
  static func starts(_ observations: [Observation]) -> Double? {
    let lengths = observations.compactMap(\.startUp)
    let sum = lengths.reduce(Duration.zero, +)
    guard sum > .zero else { return nil }
    let cores = Double(ProcessInfo.processInfo.activeProcessorCount)
    return cores * Double(lengths.count) / (sum.inMilliseconds / 1000)
  }

  /// Returns the load of programs for a machine that starts a number of them per second. It is half
  /// that number, so that programs do not wait for each other if several begin at once.
  ///
  /// The load is at least two programs a second. The machine may have been busy during `calm`, and
  /// a drill with fewer starts per second would take an hour. Programs that are due then wait
  /// before they start. This wait is not part of any latency.
  static func load(startingAtMost possible: Double) -> Load {
    guard case .openLoop(let most) = Load.programs else { return .programs }
    let half = (possible * 5).rounded(.down) / 10
    return .openLoop(callsPerSecond: min(most, max(2, half)))
  }

  /// Returns the fact about the parts of a link that a stage does not reproduce, with the
  /// scenarios' names. On the wire, a connection opens at once, and the round trip is added before
  /// the response. Scenarios that lose connection attempts are an exception.
  private static func notJudged(in flown: [Report.ScenarioResult]) -> [Report.Fact] {
    let names = flown.filter { flown in
      guard flown.stage == .onTheWire, let scenario = flown.scenario, let link = scenario.link
      else {
        return false
      }
      let isLate = link.roundTrip > .zero || link.up.loss != .none || link.down.loss != .none
      return isLate && !scenario.losesSYNs
    }.map(\.name)
    if names.isEmpty { return [] }
    return [
      Report.Fact(
        "notJudged",
        "connecting, in \(names.joined(separator: ", ")) (there it happens before the first byte)"
      )
    ]
  }

  /// Returns the hash of the fault plan of all calls, calculated without traffic.
  private func storyHash() -> String {
    var story = FaultPlan()
    for scenario in scenarios {
      // A scenario that cannot run has no fault plan. The drill has already reported the reason.
      guard let stage = try? stage(of: scenario) else { continue }
      let workload = self.workload(of: subjects.first ?? "", on: stage, in: scenario)
      let calls = calls(in: scenario)
      let blocks = (calls + Self.blockOfStory - 1) / Self.blockOfStory
      let atOnce = 4 * ProcessInfo.processInfo.activeProcessorCount
      for first in stride(from: 0, to: blocks, by: atOnce) {
        let texts = Locked([[UInt8]](repeating: [], count: min(atOnce, blocks - first)))
        DispatchQueue.concurrentPerform(iterations: min(atOnce, blocks - first)) { place in
          let first = (first + place) * Self.blockOfStory
          var text: [UInt8] = []
          for call in first..<min(first + Self.blockOfStory, calls) {
            FaultPlan.write(
              scenario,
              seed: seed,
              lane: Workload.lane(scenario.name, call),
              request: workload.request(of: call),
              key: workload.key(of: call),
              to: &text
            )
          }
          texts.withLock { $0[place] = text }
        }
        for text in texts.withLock({ $0 }) { story.tell(text) }
      }
    }
    return story.hash
  }

  /// The number of calls whose fault plan one iteration calculates.
  private static let blockOfStory = 64
}

/// A check that every decision that fired is in the fault plan.
struct StoryCheck: Sendable {
  let scenario: Scenario
  let seed: UInt64
  let workload: Workload

  /// Throws at the first decision that is not in the fault plan of its call.
  func check(_ observations: [Observation]) throws(DrillError) {
    for observation in observations {
      for attempt in observation.allAttempts where !tells(attempt.decision, of: observation.call) {
        throw .harness(
          "call \(observation.call) met a decision that is not in the plan: "
            + attempt.decision.withKeyMasked.line
        )
      }
    }
  }

  private func tells(_ decision: AttemptDecision, of call: Int) -> Bool {
    guard decision.call == call, decision.scenario == scenario.name, let ordinal = decision.ordinal,
      ordinal > 0
    else { return false }
    let (lane, faults) = (Workload.lane(scenario.name, call), decision.faultsText)
    if decision.key == FaultDecision.connectionKey {
      return scenario.tells(faults: faults, ofConnection: ordinal, seed: seed, lane: lane)
    }
    return requests(of: decision.key, call).contains { request, key in
      scenario.tells(
        faults: faults,
        of: request,
        key: key,
        seed: seed,
        lane: lane,
        ordinal: ordinal
      )
    }
  }

  /// Returns the requests with a key that a call can make, each with its key.
  private func requests(of key: String, _ call: Int) -> some Sequence<(Request, RequestKey)> {
    // Nearly every attempt sends the request of its call to the only host that exists.
    let own = workload.key(of: call)
    let isOwn = key == own.text && workload.authorities.count <= 1
    // A rule can match a host, but the key does not contain the host.
    let asked =
      isOwn ? [workload.request(of: call)] : workload.requests(of: key, call: call)
    return asked.lazy.map { [matcher = workload.matcher] in
      ($0, isOwn ? own : matcher.key($0))
    }
  }
}

/// The software that was used for the measurements.
private enum Environment {
  static func facts(cassette: Cassette) -> [Report.Fact] {
    [
      Report.Fact("cassette", SHA256.hexadecimal(cassette.data())),
      Report.Fact("os", ProcessInfo.processInfo.operatingSystemVersionString),
      Report.Fact("processors", String(ProcessInfo.processInfo.activeProcessorCount)),
      Report.Fact("libcurl", version("libcurl.so.4", "curl_version") ?? "none"),
      Report.Fact("openssl", version("libcrypto.so.3", "OpenSSL_version") ?? "none"),
      Report.Fact("build", Build.isDebug ? "debug" : "release"),
    ]
  }

  /// Returns the version text of a library, or `nil` if the library is not installed. Both
  /// functions accept an integer argument or none, and 0 selects the version text.
  private static func version(_ library: String, _ function: String) -> String? {
    typealias Version = @convention(c) (Int32) -> UnsafePointer<CChar>?
    guard let handle = dlopen(library, RTLD_NOW), let symbol = dlsym(handle, function) else {
      return nil
    }
    return unsafeBitCast(symbol, to: Version.self)(0).map { String(cString: $0) }
  }
}

/// The version of this program and its build configuration.
package enum Build {
  /// The version of the package.
  package static let version = "0.1.0"

  #if DEBUG
    /// Whether the optimiser was off, so that latencies include overhead of the harness.
    package static let isDebug = true
  #else
    /// Whether the optimiser was off, so that latencies include overhead of the harness.
    package static let isDebug = false
  #endif
}
