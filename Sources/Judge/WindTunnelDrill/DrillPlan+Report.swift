internal import Dispatch
internal import Foundation
internal import WindTunnelCommandLine
@_spi(WindTunnel) internal import WindTunnelCore
internal import WindTunnelSymptoms

extension DrillPlan {
  /// Returns a scenario's part of the report, with its own gates and the plan's.
  func flown(_ scenario: Scenario, on stage: Stage, _ rows: [Report.Row]) -> Report.ScenarioResult {
    let rows = rows.map { row in
      var row = row
      // A program that lives is started once.
      if case .openLoop(let rate) = load, isProgramACall,
        let possible = Self.starts(row.observations)
      {
        // Each part of a drill begins its own calls alone.
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

  /// Returns the report of what was flown.
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

  /// Changes the clock to real time, and prints the reason, if this machine has no virtual time.
  mutating func leaveWorlds(ifNeedBe obstacle: () async -> String?, _ speaker: String) async {
    guard isInWorlds, let reason = await obstacle() else { return }
    Terminal.complain("\(speaker): clock: real, because of this machine: \(reason)\n")
    time = .realTime
  }

  /// Returns the scenarios with the latency of each client's calls without faults, and judged anew
  /// if it is so long that no time says anything of the client.
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

  /// Returns the facts about how it was flown, without what a program was given as secrets.
  private func maskedFacts(_ more: [Report.Fact]) -> [Report.Fact] {
    guard !command.isEmpty else { return facts + more }
    let words = CommandWords(command)
    return (facts + more).map { Report.Fact($0.name, words.masked($0.value)) }
  }

  /// The facts about how it was flown.
  private var facts: [Report.Fact] {
    func list(_ names: [String], by separator: String = ", ") -> String? {
      names.isEmpty ? nil : names.joined(separator: separator)
    }
    var rate: String?
    if !command.isEmpty, case .openLoop = load {
      let shown = shownStarts.map {
        "as calm showed, this machine starts \(Self.text($0)) programs a second"
      }
      rate = shown ?? "fixed"
    }
    let uncalled = uncalled
    let facts: KeyValuePairs<String, String?> = [
      "load": load.words, Report.clock: time == .virtualTime ? "virtual" : nil, "rate": rate,
      Report.compared: comparesSubjects ? subjects.joined(separator: ", ") : nil,
      "mix": list(mix.shares.map(\.text)), "critical": list(critical.map(\.description)),
      "ignoredQuery": list(ignoredQuery.map(\.description)),
      // What a scenario says itself stands in the report with it.
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

  /// Returns how many programs a second this machine's processors start, by how long those took
  /// that were started; `nil` where there were none.
  static func starts(_ observations: [Observation]) -> Double? {
    let lengths = observations.compactMap(\.startUp)
    let sum = lengths.reduce(Duration.zero, +)
    guard sum > .zero else { return nil }
    let cores = Double(ProcessInfo.processInfo.activeProcessorCount)
    return cores * Double(lengths.count) / (sum.inMilliseconds / 1000)
  }

  /// Returns the load of programs on a machine that starts so many a second: half of them, so that
  /// they do not wait for one another where several begin at once.
  ///
  /// Two a second at least: what calm showed may have been a busy moment, and a drill that goes by
  /// it for all its calls would take an hour. Programs that are due then wait for a place to start,
  /// which is in no latency.
  static func load(startingAtMost possible: Double) -> Load {
    guard case .openLoop(let most) = Load.programs else { return .programs }
    let half = (possible * 5).rounded(.down) / 10
    return .openLoop(callsPerSecond: min(most, max(2, half)))
  }

  /// Returns the fact that tells what a stage cannot show of a link: a connection on the wire opens
  /// at once, and its round trip comes before the answer, except where attempts to connect are
  /// lost.
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
        "connecting, in \(names.joined(separator: ", ")) (what it takes there comes before the first byte)"
      )
    ]
  }

  /// Returns the hash of what every call would meet, computed without traffic.
  private func storyHash() -> String {
    var story = FaultPlan()
    for scenario in scenarios {
      // Where it cannot be flown it is not told of, either; the drill has said why.
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

  /// The number of calls whose story is told in one go.
  private static let blockOfStory = 64
}

/// A check of what was met against the story: every decision that fired must be in it.
struct StoryCheck: Sendable {
  let scenario: Scenario
  let seed: UInt64
  let workload: Workload

  /// Throws at the first decision that the story does not tell of its call.
  func check(_ observations: [Observation]) throws(DrillError) {
    for observation in observations {
      for attempt in observation.allAttempts where !tells(attempt.decision, of: observation.call) {
        throw .harness(
          "call \(observation.call) met a decision that is not in the story: "
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

  /// Returns the requests of a key that a call can come to, each with its key.
  private func requests(of key: String, _ call: Int) -> some Sequence<(Request, RequestKey)> {
    // Nearly every attempt asks for what its call does, at the only host that there is.
    let own = workload.key(of: call)
    let isOwn = key == own.text && !workload.hasSeveralHosts
    // A rule may ask for a host, which is not in the key.
    let asked =
      isOwn ? [workload.request(of: call)] : workload.requests(of: key, call: call)
    return asked.lazy.map { [matcher = workload.matcher] in
      ($0, isOwn ? own : matcher.key($0))
    }
  }
}

/// The software that the figures were made with.
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

  /// Asks a library that is there for its version; both take at most one integer, and 0 means the
  /// version's text.
  private static func version(_ library: String, _ function: String) -> String? {
    typealias Version = @convention(c) (Int32) -> UnsafePointer<CChar>?
    guard let handle = dlopen(library, RTLD_NOW), let symbol = dlsym(handle, function) else {
      return nil
    }
    return unsafeBitCast(symbol, to: Version.self)(0).map { String(cString: $0) }
  }
}

/// The version of this program and the way in which it was built.
package enum Build {
  /// The version of the package.
  package static let version = "0.1.0"

  #if DEBUG
    /// Tells whether the optimiser was off, so that latencies are partly the harness's own.
    package static let isDebug = true
  #else
    /// Tells whether the optimiser was off, so that latencies are partly the harness's own.
    package static let isDebug = false
  #endif
}
