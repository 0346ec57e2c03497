/// A report of the faults that a suite of tests does not notice.
package struct MutationReport: Sendable {
  /// The verdict, by its exit code. It never depends on a percentage.
  package enum SuiteVerdict: Int32, Sendable {
    /// No new blind spot.
    case none = 0
    /// The suite crashed or hung under a mutant.
    case suiteFailed = 97
    /// No mutant was noticed or survived.
    case undecided = 98
    case newBlindSpot = 99
    /// SIGINT stopped the run.
    case interrupted = 130
    /// SIGTERM stopped the run.
    case terminated = 143
  }

  /// A run of a test with a mutant, at its endpoint.
  typealias Run = (
    endpoint: String, operator: MutationOperator, test: MutatedTest, result: MutantResult?
  )

  package let plan: MutationPlan
  /// All tests with a cassette.
  package let tests: [MutatedTest]
  /// The endpoints that passing tests use, those with the most blind spots first.
  package let endpoints: [MutatedEndpoint]
  /// The tests that failed after their mutants.
  package let leftBehind: [MutatedTest]
  package let accepted: AcceptedSurvivors
  /// The file name of the accepted blind spots.
  package let acceptedFile: String
  /// The words behind `windtunnel mutate`: its flags, `--`, and the program with its arguments.
  package let command: [String]
  /// The time of all runs; `nil` if it is unknown.
  package let duration: Duration?
  /// The verdict of an interrupted run, and the log to resume from.
  package typealias Stop = (verdict: SuiteVerdict, log: String)
  /// The end of an interrupted run; `nil` if it was not interrupted.
  let stop: Stop?

  /// Creates a report from a log.
  ///
  /// - Parameters:
  ///   - events: The lines of the log.
  ///   - cassettes: The cassettes of the tests, by the paths that the log has.
  ///   - accepted: The accepted blind spots.
  ///   - acceptedFile: The name of their file.
  ///   - command: The words behind `windtunnel mutate`, without secrets and without flags that
  ///     choose requests and faults: its flags, `--`, and the program with its arguments.
  ///   - duration: The time of all runs; `nil` if it is unknown.
  ///   - stop: The end of an interrupted run; `nil` if it was not interrupted.
  package init(
    events: [MutationEvent],
    cassettes: [String: Cassette],
    accepted: AcceptedSurvivors = AcceptedSurvivors(),
    acceptedFile: String = "mutate.json",
    command: [String],
    duration: Duration? = nil,
    stop: Stop? = nil
  ) {
    self.stop = stop
    let log = MutationLog(events)
    (plan, tests) = (log.plan, log.tests.filter { !$0.isSuite })
    leftBehind = log.tests.filter { log.after[$0.id] == false }
    (self.accepted, self.acceptedFile) = (accepted, acceptedFile)
    (self.command, self.duration) = (command, duration)
    let outcomes = log.outcomes(in: cassettes)
    let origins = Set(outcomes.compactMap(\.interaction.request.url.origin))
    let recordings = outcomes.grouped(by: \.recording).map { _, all in
      (name: all[0].interaction.request.endpoint(withOrigin: origins.count > 1), outcomes: all)
    }
    endpoints = recordings.grouped(by: \.name).map { name, recordings in
      MutatedEndpoint(name, recordings.flatMap(\.outcomes), accepted: accepted)
    }.sorted { (-$0.blindSpots.count, $0.name) < (-$1.blindSpots.count, $1.name) }
  }

  /// The endpoints with a blind spot that is not accepted.
  package var blindEndpoints: [MutatedEndpoint] { endpoints.filter { !$0.blindSpots.isEmpty } }

  /// Every run of a test with a mutant.
  var runs: [Run] {
    endpoints.flatMap { endpoint in
      endpoint.outcomes.flatMap { outcome in
        outcome.runs.map { (endpoint.name, outcome.mutant.operator, $0.test, $0.result) }
      }
    }
  }

  /// Returns the number of runs with a result; `nil` is not tried.
  func count(_ result: MutantResult?) -> Int { runs.count { $0.result == result } }

  package var verdict: SuiteVerdict {
    if let stop { return stop.verdict }
    if count(.crashed) > 0 || endpoints.contains(where: { !$0.hangs.isEmpty }) {
      return .suiteFailed
    }
    if !blindEndpoints.isEmpty { return .newBlindSpot }
    return endpoints.contains { $0.outcomes.contains { $0.verdict != .undecided } }
      ? .none : .undecided
  }
}

// The file of accepted blind spots.
extension MutationReport {
  /// Whether the file of ``accepting(reason:)`` leads to another verdict: a crash is not accepted.
  package var isAcceptable: Bool {
    [.newBlindSpot, .suiteFailed].contains(verdict) && count(.crashed) == 0
  }

  /// The accepted entries that do not have a recording or a test of a blind spot.
  package var outdatedEntries: [AcceptedSurvivors.AcceptedFaults] {
    accepted.all.filter { endpoint(of: $0)?.faults.contains(where: $0.covers) ?? false }
  }

  /// The accepted entries whose endpoint no test uses, in a run of all endpoints.
  package var untestedEntries: [AcceptedSurvivors.AcceptedFaults] {
    accepted.all.filter { plan.only.isEmpty && endpoint(of: $0) == nil }
  }

  /// The accepted entries whose faults are noticed now.
  package var unneededEntries: [AcceptedSurvivors.AcceptedFaults] {
    accepted.all.filter { entry in
      guard let endpoint = endpoint(of: entry), isDecided(entry) else { return false }
      return !endpoint.faults.union(endpoint.accepted).contains(where: entry.covers)
    }
  }

  /// Whether the run has tried every fault of an entry, with each test.
  private func isDecided(_ entry: AcceptedSurvivors.AcceptedFaults) -> Bool {
    let faults = (endpoint(of: entry)?.outcomes ?? [])
      .filter { ($0.expectation == .noticed || $0.hasHung) && entry.covers($0.mutant.operator) }
    return plan.operators == nil && plan.only.isEmpty && !faults.isEmpty
      && faults.allSatisfy { ($0.verdict != .undecided || $0.hasHung) && !$0.isOpen }
  }

  private func endpoint(of entry: AcceptedSurvivors.AcceptedFaults) -> MutatedEndpoint? {
    endpoints.first { $0.name == entry.endpoint }
  }

  /// Returns the file that accepts every blind spot and every hang: valid entries stay, and entries
  /// that a partial run has not decided; new ones have a reason.
  package func accepting(reason: String) -> AcceptedSurvivors {
    let gone = unneededEntries + outdatedEntries.filter(isDecided)
    let new = endpoints.filter { !$0.faults.isEmpty }.map { endpoint in
      AcceptedSurvivors.AcceptedFaults(
        endpoint: endpoint.name,
        faults: endpoint.faults.map(\.name).sorted(),
        reason: reason,
        recordings: endpoint.digests,
        tests: endpoint.tests
      )
    }
    let kept = accepted.all.filter { !gone.contains($0) }
    return AcceptedSurvivors((kept + new).stablySorted { $0.endpoint < $1.endpoint })
  }
}

// The mark of this module in programs, by which `check-release` finds it; the number is its own.
@section("__DATA_CONST,__wt_modules")
@used private let linkMark: (UInt64, UInt64, UInt64) =
  (0xF1D3_8A6C_57E2_94B0, 0x9C0E_B7A5_2D41_F863, 36)
