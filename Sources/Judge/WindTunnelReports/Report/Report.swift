/// The results of a drill: how clients performed in each scenario.
///
/// ```swift
/// let report = try Report(contentsOf: file)
/// try report.require([Gate("successRate >= 0.99"), Gate("p95(POST /payments) <= 3s")])
/// try report.requireNoFindings()
/// try report.write(to: "drill.html")
/// ```
public struct Report: Sendable, Hashable {
  /// The seed of all random draws.
  public var seed: UInt64
  /// The hash of the fault plan: the faults that the attempts of every call would meet.
  public var decisionHash: String
  /// The platform whose errors the faults produced in process: `current` or `apple`.
  public var platformErrors: String
  /// The software that was used for the measurements, such as the operating system and libcurl, in
  /// this order.
  public var environment: [Fact]
  /// The scenarios, in the order in which they ran.
  public var scenarios: [ScenarioResult]
  /// The results of the gates that apply to the whole run.
  public var gates: [GateResult] = []
  /// The bars that the client must clear. `nil` means no bars.
  public var bars: Bars?
  /// The policy of the verdict, which is not part of the report's file.
  public var policy = VerdictPolicy()

  /// The name and the value of a property of the environment.
  public struct Fact: Sendable, Hashable {
    /// The name, such as `libcurl`.
    public var name: String
    /// The value, such as `7.88.1`.
    public var value: String

    /// Creates a fact from a name and a value.
    public init(_ name: String, _ value: String) { (self.name, self.value) = (name, value) }

    /// The fact that the client ran in the caller's process, so that a crash would have ended that
    /// process.
    package static let sharedProcess = Fact("isolation", "none")
  }

  /// The results of one scenario on one stage.
  public struct ScenarioResult: Sendable, Hashable {
    /// The name of the scenario.
    public var name: String
    /// The stage of the scenario.
    public var stage: Stage
    /// The clients in the scenario. The first one is judged.
    public var subjects: [Row]
    /// The scenario as it ran, or `nil` if it is unknown.
    public var scenario: Scenario? { didSet { cover() } }
    /// The results of the scenario's gates.
    public var gates: [GateResult] = []
    /// The result of each rule of findings, for the judged client.
    public let rules: [RuleStanding]
    /// The rules that may be broken in the scenario, with the reasons.
    public var allowed: [AllowedRule] = [] { didSet { narrow() } }
    /// The findings of rules that may be broken at some endpoints, without the calls to these
    /// endpoints.
    private(set) var elsewhere: [String: Finding] = [:]
    /// The rules that were broken in the baseline, each with its severity there; `nil` if there is
    /// no baseline.
    public var brokenBefore: [String: Finding.Severity]?

    /// Creates the results of a scenario, and judges the first client by the gates and the rules.
    public init(
      _ name: String,
      on stage: Stage,
      subjects: [Row],
      gates: [Gate] = [],
      allowed: [AllowedRule] = [],
      scenario: Scenario? = nil
    ) {
      (self.name, self.stage, self.subjects, self.scenario) = (name, stage, subjects, scenario)
      self.allowed = allowed
      rules = subjects.first.map { $0.flight(on: stage, in: scenario).held() } ?? []
      narrow()
      cover()
      self.gates = judged(by: gates, against: nil)
    }

    /// Returns the scenario with other rows, judged again.
    package func with(_ rows: [Row]) -> ScenarioResult {
      let gates = gates.map(\.gate)
      return ScenarioResult(
        name,
        on: stage,
        subjects: rows,
        gates: gates,
        allowed: allowed,
        scenario: scenario
      )
    }

    private mutating func narrow() {
      guard let flight = subjects.first?.flight(on: stage, in: scenario) else { return }
      elsewhere = allowed.breaches(of: rules, in: flight)
    }

    /// Calculates the coverage of the judged client, which depends on the scenario.
    private mutating func cover() {
      guard let row = subjects.first else { return }
      subjects[0].coverage = scenario.map { row.coverage(in: $0, on: stage) }
    }
  }

  /// The results of one client in one scenario.
  public struct Row: Sendable, Hashable {
    /// The name of the client.
    public var name: String
    /// The kind of the client.
    public var client: ClientRun.Client
    /// The calls of the client.
    public var observations: [Observation]
    /// The observations that do not belong to any call.
    public let traffic: ClientRun.Traffic
    /// The names of the scenario's faults, or `nil` if they are unknown.
    public var plannedFaults: [String]?
    /// The calls that count as screens.
    public let screens: Screens
    /// The figures of the calls.
    public var metrics: Metrics
    /// The figures of each endpoint, in the order of the first calls.
    public var endpoints: [EndpointRow]

    /// The faults of the scenario that were met at each endpoint. `nil` for a client that is not
    /// judged, and if the scenario is unknown.
    public internal(set) var coverage: Coverage?
    /// The intended and the possible rate of program starts, if programs were started.
    public var starts: ProgramStarts?
    /// The median latency of the client's calls without faults, if it is so long that no time of
    /// its calls is judged; `nil` otherwise.
    public package(set) var calm: Duration?
    /// Whether this is the row of a baseline whose times are of another clock.
    var hasOtherClock = false
    /// The comparison with an earlier report; `nil` if there is none.
    public var comparison: BaselineComparison?
    /// The comparison with the judged client of the same drill; `nil` if none was requested.
    public var against: SubjectComparison?

    /// Creates a row and calculates its figures.
    public init(
      _ name: String,
      _ observations: [Observation],
      of client: ClientRun.Client = .library,
      plannedFaults: [String]? = nil,
      traffic: ClientRun.Traffic = ClientRun.Traffic(),
      screens: Screens = .named
    ) {
      self.screens = screens
      (self.name, self.traffic, self.client) = (name, traffic, client)
      (self.observations, self.plannedFaults) = (observations, plannedFaults)
      let fold = MetricsAccumulator(observations, screens: screens)
      metrics = fold.metrics
      endpoints = fold.endpoints
      // If attempts were not observed, their faults are unknown.
      guard let plannedFaults, !plannedFaults.isEmpty, metrics.amplification != nil else { return }
      let fired = Set(metrics.faults.map(\.fault))
      let known = Set(plannedFaults)
      metrics.faultCoverage = Double(known.intersection(fired).count) / Double(known.count)
    }
  }

  /// The figures of one endpoint of one client in one scenario.
  public struct EndpointRow: Sendable, Hashable {
    /// The name of the endpoint, such as `GET /home`.
    public var name: String
    /// The figures of the endpoint's calls.
    public var metrics: Metrics
  }

  /// Creates a report from its parts.
  public init(
    seed: UInt64,
    decisionHash: String,
    platformErrors: String,
    environment: [Fact] = [],
    scenarios: [ScenarioResult]
  ) {
    (self.seed, self.decisionHash, self.platformErrors) = (seed, decisionHash, platformErrors)
    (self.environment, self.scenarios) = (environment, scenarios)
  }

  /// The name of the fact with the part of an interrupted drill that ran.
  package static let interruption = "interrupted"

  /// The part of an interrupted drill that ran; `nil` if the drill finished.
  var interruptedWords: String? { fact(Self.interruption) }

  /// Returns the value of a fact of the environment.
  package func fact(_ name: String) -> String? { environment.first { $0.name == name }?.value }

  /// Sets a fact of the environment, or removes it.
  mutating func setFact(_ name: String, _ value: String?) {
    environment.removeAll { $0.name == name }
    if let value { environment.append(Fact(name, value)) }
  }

  /// The numbers of the interactions that the calls of this report used, including withheld
  /// responses, because they were requested.
  public var interactionsUsed: Set<Int> {
    let calls = scenarios.lazy.flatMap(\.subjects).flatMap(\.observations)
    return Set(calls.flatMap(\.allAttempts).compactMap(\.source.number))
  }
}

// Calls with a request that is not on the cassette, because the recording is missing or the request
// used a wrong address. They show nothing about the client, so they are not part of any rate, and a
// drill with such a call is inconclusive.
extension Report {
  /// The number of such calls of the judged client.
  var judgedNotOnCassette: Int {
    scenarios.reduce(0) { $0 + ($1.subjects.first?.metrics.notOnCassette ?? 0) }
  }

  /// A sentence for each scenario with such calls of the judged client.
  package var notOnCassette: [String] {
    scenarios.compactMap { flown in
      flown.subjects.first?.notOnCassette().map { "\(flown.name): \($0)" }
    }
  }

  /// The same sentences for every client, with its name if there are several.
  var notOnCassetteOfAll: [(place: String, words: String)] { words { $0.notOnCassette() } }

  /// The faults that were decided but not applied, for each client of a scenario with such faults.
  var notDoneOfAll: [(place: String, words: String)] { words(of: \.metrics.unappliedFaultsText) }

  private func words(of part: (Row) -> String?) -> [(place: String, words: String)] {
    scenarios.flatMap { flown in
      flown.subjects.compactMap { row in
        part(row).map { words in
          (flown.subjects.count > 1 ? "\(flown.name), \(row.name)" : flown.name, words)
        }
      }
    }
  }

  /// The sentence about a client that sent no request, or none that is on the cassette; `nil` if
  /// any call could be judged.
  var nothingJudged: String? {
    let rows = scenarios.compactMap(\.subjects.first)
    let calls = rows.reduce(0) { $0 + $1.metrics.calls }
    guard calls > 0 else { return nil }
    if let sentNothing { return sentNothing }
    guard calls == judgedNotOnCassette else { return nil }
    let words = "nothing was judged: no call had a recording"
    guard rows.allSatisfy({ $0.client == .program }), fact("cassetteFile") == nil else {
      return words
    }
    return "\(words); set --cassette FILE to your own, which windtunnel record creates"
  }

  /// The sentence about a program that sent no request in any call; `nil` if it sent one.
  var sentNothing: String? {
    let rows = scenarios.compactMap(\.subjects.first)
    guard rows.allSatisfy({ [.program, .service].contains($0.client) }) else { return nil }
    let calls = rows.flatMap(\.observations)
    // Attempts to connect to an unreachable address are not observed (`nil`).
    let sendsNothing = calls.allSatisfy { call in
      (call.attemptCount ?? 0) == 0 && call.allAttempts.isEmpty && call.notOnCassette == nil
    }
    guard sendsNothing, calls.contains(where: { $0.attemptCount == 0 }) else { return nil }
    return "no call sent a request to its address, which a program receives as {url} or {base}"
  }

  /// The sentence about a program that appended a path to a call's URL, as if it were the server's
  /// address. `nil` if its command has no `{url}`, or if it did not.
  var beyondAddress: String? {
    guard fact("command")?.contains("{url}") == true else { return nil }
    for call in scenarios.lazy.compactMap(\.subjects.first).flatMap(\.observations) {
      guard let rest = call.pathBeyondAddress else { continue }
      return
        "it appended \(rest) to {url}, which is the whole URL of a call; {base} is the server's"
    }
    return nil
  }

  /// The sentence about a client whose successful calls print other text than recorded bodies, so
  /// that none of them shows content; `nil` if one does.
  var nothingShown: String? {
    let rows = scenarios.lazy.compactMap(\.subjects.first)
    let hasDefault = rows.contains(where: \.hasDefaultScreens)
    let calls = rows.flatMap(\.observations)
      .filter { $0.ending == .succeeded && ($0.isCritical || hasDefault) && $0.isJudged }
    guard !calls.contains(where: \.showed),
      let printed = calls.compactMap(\.printed).first(where: { !$0.isEmpty })
    else { return nil }
    return
      "no \(hasDefault ? "" : "critical ")call showed a recorded body; it printed, for example, "
      + "\(JSON.text(printed))"
  }
}

extension Report.Row {
  /// Returns the calls in the form that rules judge.
  fileprivate func flight(on stage: Stage, in scenario: Scenario?) -> ClientRun {
    var flight = ClientRun(of: client, on: stage, observations, traffic: traffic, in: scenario)
    flight.isSlowWithoutFaults = calm != nil
    return flight
  }

  /// The maximum median latency without faults. A response of this machine's own server takes some
  /// milliseconds. If half of the calls take two seconds, a client's timeouts may expire for this
  /// reason alone.
  private static let calmMax = Duration.seconds(2)

  /// Returns the median latency of calls without faults if it is so long that no time is judged.
  package static func calm(_ calls: [Observation]) -> Duration? {
    let latencies = calls.filter { call in
      // A conversation lasts as long as its recording.
      call.ending == .succeeded && call.isJudged
        && !call.attempts.contains { $0.conversation != nil }
    }.map(\.latency).sorted()
    let median = latencies.isEmpty ? .zero : latencies[latencies.count / 2]
    return median >= calmMax ? median : nil
  }

  fileprivate func coverage(in scenario: Scenario, on stage: Stage) -> Coverage {
    // An endpoint that is not on the cassette cannot meet any fault.
    let asked = endpoints.filter { $0.metrics.calls > $0.metrics.notOnCassette }.map(\.name)
    return Coverage(of: observations, at: asked, in: scenario, on: stage)
  }

  /// Returns the number of its calls, or of an endpoint's, with a request that is not on the
  /// cassette. The text also has the first such request; `nil` if there is none.
  func notOnCassette(of endpoint: String? = nil) -> String? {
    let strange = observations.filter {
      $0.notOnCassette != nil && (endpoint == nil || $0.endpoint == endpoint)
    }
    guard let first = strange.min(by: { $0.call < $1.call })?.notOnCassette else { return nil }
    return "\(Self.notOnCassette(strange.count)), first: \(first)"
  }

  static func notOnCassette(_ count: Int) -> String {
    "\(count.counted("call")) had no recording"
  }
}

/// The intended rate of program starts in a drill, and the rate that the machine can reach.
public struct ProgramStarts: Sendable, Hashable, JSONObject {
  /// The number of calls that were due per second.
  public var asked: Double
  /// The number of programs that this machine's processors can start per second, by the measured
  /// time of a start.
  public var possible: Double

  /// Creates a value from two rates.
  public init(asked: Double, possible: Double) { (self.asked, self.possible) = (asked, possible) }

  /// Whether programs waited for each other, so that a latency may be caused by the machine.
  public var isBeyond: Bool { asked > possible }

  /// The reason why a latency is then not meaningful, as a clause with both rates.
  var reason: String {
    "\(Self.text(asked)) calls a second were to begin, and this machine starts "
      + "\(Self.text(possible)) programs a second"
  }

  private static func text(_ rate: Double) -> String { "\(JSON.number(rate, places: 1))" }

  package static let blank = Self(asked: 0, possible: 0)

  package mutating func list(_ fields: inout JSONFields) throws(FormatError) {
    let problem = "askedPerSecond and possiblePerSecond are required"
    var rates: (Double?, Double?) = (asked, possible)
    try fields.double("askedPerSecond", &rates.0, in: 0...1e9, places: 3)
    asked = try fields.required(rates.0, ("askedPerSecond", problem))
    try fields.double("possiblePerSecond", &rates.1, in: 0...1e9, places: 3)
    possible = try fields.required(rates.1, ("askedPerSecond", problem))
  }
}

// The mark of this module in programs, by which `check-release` finds it; the number is its own.
@section("__DATA_CONST,__wt_modules")
@used private let linkMark: (UInt64, UInt64, UInt64) =
  (0xF1D3_8A6C_57E2_94B0, 0x9C0E_B7A5_2D41_F863, 16)

extension Observation {
  /// The path that a client appended to the whole URL of its call; `nil` if it appended none.
  package var pathBeyondAddress: String? {
    // Only the first request counts, because a redirect may lead anywhere.
    guard attempts.count <= 1, let asked = self.notOnCassette, asked.hasPrefix("\(endpoint)/")
    else { return nil }
    let rest = asked.dropFirst(endpoint.count).prefix { $0 != "," && $0 != " " }
    return rest.count > 1 ? String(rest) : nil
  }
}
