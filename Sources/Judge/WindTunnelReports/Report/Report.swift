/// The results of a drill: how clients fared in each scenario.
///
/// ```swift
/// let report = try Report(contentsOf: file)
/// try report.require([Gate("successRate >= 0.99"), Gate("p95(POST /payments) <= 3s")])
/// try report.requireNoFindings()
/// try report.write(to: "drill.html")
/// ```
public struct Report: Sendable, Hashable {
  /// The seed of every draw.
  public var seed: UInt64
  /// The hash of the story: the faults that every call would meet on its attempts.
  public var decisionHash: String
  /// The platform whose errors faults surfaced as in process: `current` or `apple`.
  public var platformErrors: String
  /// The software that the figures were measured with, such as the operating system and libcurl, in
  /// this order.
  public var environment: [Fact]
  /// The scenarios, in the order in which they were flown.
  public var scenarios: [ScenarioResult]
  /// The results of the gates that are held over the whole run.
  public var gates: [GateResult] = []
  /// The bars that the client must clear; `nil`: none.
  public var bars: Bars?
  /// The policy of the verdict, which is not part of the report's file.
  public var policy = VerdictPolicy()

  /// The name and the value of a property of the environment.
  public struct Fact: Sendable, Hashable {
    /// The name, such as `libcurl`.
    public var name: String
    /// The value, such as `7.88.1`.
    public var value: String

    /// Makes a fact of a name and a value.
    public init(_ name: String, _ value: String) { (self.name, self.value) = (name, value) }

    /// The client flew in the process of whoever asked, so that a crash would have ended that.
    package static let sharedProcess = Fact("isolation", "none")
  }

  /// The results of one scenario on one stage.
  public struct ScenarioResult: Sendable, Hashable {
    /// The name of the scenario.
    public var name: String
    /// The stage of the scenario.
    public var stage: Stage
    /// The subjects in the scenario; the first is judged.
    public var subjects: [Row]
    /// The scenario as it was flown; `nil` where it is not known.
    public var scenario: Scenario? { didSet { cover() } }
    /// The results of the scenario's gates.
    public var gates: [GateResult] = []
    /// The result of each rule of findings, for the judged subject.
    public let rules: [RuleStanding]
    /// The rules that may be broken in the scenario, with the reasons.
    public var allowed: [AllowedRule] = [] { didSet { narrow() } }
    /// The findings of rules that may be broken at some endpoints, without the calls there.
    private(set) var elsewhere: [String: Finding] = [:]
    /// The rules that were broken in the baseline, each with its weight there; `nil` without a
    /// baseline.
    public var brokenBefore: [String: Finding.Severity]?

    /// Makes the results of a scenario, with the judged subject's by gates and rules.
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

    /// Returns the scenario with other rows, judged anew.
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

    /// Works the judged subject's coverage out: it needs the scenario, which no subject has.
    private mutating func cover() {
      guard let row = subjects.first else { return }
      subjects[0].coverage = scenario.map { row.coverage(in: $0, on: stage) }
    }
  }

  /// The results of one subject in one scenario.
  public struct Row: Sendable, Hashable {
    /// The name of the subject.
    public var name: String
    /// The kind of the client.
    public var client: ClientRun.Client
    /// The calls of the subject.
    public var observations: [Observation]
    /// The observations that belong to no call.
    public let traffic: ClientRun.Traffic
    /// The names of the scenario's faults; `nil` where they are not known.
    public var plannedFaults: [String]?
    /// The calls that count as screens.
    public let screens: Screens
    /// The figures of the calls.
    public var metrics: Metrics
    /// The figures of each endpoint, in the order of the first calls.
    public var endpoints: [EndpointRow]

    /// The faults of the scenario that were met at each endpoint; `nil` of a subject that is not
    /// judged, and where the scenario is not known.
    public internal(set) var coverage: Coverage?
    /// The rate of program starts that was asked for and the possible one, where programs were
    /// started.
    public var starts: ProgramStarts?
    /// The median latency of the subject's calls without faults in the run, if it is so long that
    /// no time of its calls is judged; `nil` otherwise.
    public package(set) var calm: Duration?
    /// Whether a row of a baseline has times of another clock than the report it is compared with.
    var hasOtherClock = false
    /// The comparison with an earlier report; `nil` without one.
    public var comparison: BaselineComparison?
    /// The comparison with the judged subject of the same drill; `nil` where none was asked for.
    public var against: SubjectComparison?

    /// Makes a row and folds its figures.
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
      // Where attempts could not be seen, nobody knows what they met.
      guard let plannedFaults, !plannedFaults.isEmpty, metrics.amplification != nil else { return }
      let fired = Set(metrics.faults.map(\.fault))
      let known = Set(plannedFaults)
      metrics.faultCoverage = Double(known.intersection(fired).count) / Double(known.count)
    }
  }

  /// The figures of one endpoint of one subject in one scenario.
  public struct EndpointRow: Sendable, Hashable {
    /// The name of the endpoint, such as `GET /home`.
    public var name: String
    /// The figures of the endpoint's calls.
    public var metrics: Metrics
  }

  /// Makes a report of its parts.
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

  /// The name of the fact that tells how far a drill came that was interrupted.
  package static let interruption = "interrupted"

  /// The extent to which an interrupted drill was flown; `nil` of a drill that came to its end.
  var interruptedWords: String? { fact(Self.interruption) }

  /// Returns the value of a fact of the environment.
  package func fact(_ name: String) -> String? { environment.first { $0.name == name }?.value }

  /// Sets a fact of the environment, or removes it.
  mutating func setFact(_ name: String, _ value: String?) {
    environment.removeAll { $0.name == name }
    if let value { environment.append(Fact(name, value)) }
  }

  /// The numbers of the interactions that the calls of this report met, withheld ones included,
  /// since they were asked for.
  public var interactionsUsed: Set<Int> {
    let calls = scenarios.lazy.flatMap(\.subjects).flatMap(\.observations)
    return Set(calls.flatMap(\.allAttempts).compactMap(\.source.number))
  }
}

// Calls that asked for what is not on the cassette: the cassette lacks it, or the way to it was
// lost. They say nothing about the client, so they are in no rate, and a drill that has one is
// inconclusive.
extension Report {
  /// The number of such calls that the judged subject made.
  var judgedNotOnCassette: Int {
    scenarios.reduce(0) { $0 + ($1.subjects.first?.metrics.notOnCassette ?? 0) }
  }

  /// A sentence for each scenario in which the judged subject made such calls.
  package var notOnCassette: [String] {
    scenarios.compactMap { flown in
      flown.subjects.first?.notOnCassette().map { "\(flown.name): \($0)" }
    }
  }

  /// The same for every subject, named where there are others.
  var notOnCassetteOfAll: [(place: String, words: String)] { words { $0.notOnCassette() } }

  /// The faults that were decided and not done, for each subject of a scenario that has some.
  var notDoneOfAll: [(place: String, words: String)] { words(of: \.metrics.undoneWords) }

  private func words(of part: (Row) -> String?) -> [(place: String, words: String)] {
    scenarios.flatMap { flown in
      flown.subjects.compactMap { row in
        part(row).map { words in
          (flown.subjects.count > 1 ? "\(flown.name), \(row.name)" : flown.name, words)
        }
      }
    }
  }
}

extension Report {
  /// The sentence about a judged subject that sent no request, or none that the cassette has; `nil`
  /// where one was answered.
  var nothingJudged: String? {
    let rows = scenarios.compactMap(\.subjects.first)
    let calls = rows.reduce(0) { $0 + $1.metrics.calls }
    guard calls > 0 else { return nil }
    if let sentNothing { return sentNothing }
    guard calls == judgedNotOnCassette else { return nil }
    let words = "nothing was judged: no call asked for what is on the cassette"
    guard rows.allSatisfy({ $0.client == .program }), fact("cassetteFile") == nil else {
      return words
    }
    return "\(words); --cassette FILE takes one of your own, and windtunnel record makes it"
  }

  /// The sentence about a program that was seen to send no request in any call; `nil` if one did.
  var sentNothing: String? {
    let rows = scenarios.compactMap(\.subjects.first)
    guard rows.allSatisfy({ [.program, .service].contains($0.client) }) else { return nil }
    let calls = rows.flatMap(\.observations)
    // Attempts of an address to which nothing connects are not seen (`nil`).
    let sendsNothing = calls.allSatisfy { call in
      (call.attemptCount ?? 0) == 0 && call.allAttempts.isEmpty && call.notOnCassette == nil
    }
    guard sendsNothing, calls.contains(where: { $0.attemptCount == 0 }) else { return nil }
    return "no call sent a request to its address, which a program finds in {url} or {base}"
  }

  /// The sentence about a program that took a call's address for the server's, and put a path
  /// behind it; `nil` where its command has no `{url}`, or where it did not.
  var beyondAddress: String? {
    guard fact("command")?.contains("{url}") == true else { return nil }
    for call in scenarios.lazy.compactMap(\.subjects.first).flatMap(\.observations) {
      guard let rest = call.pathBeyondAddress else { continue }
      return "it put \(rest) behind {url}, which is a call's whole address; {base} is the server's"
    }
    return nil
  }

  /// The sentence about a judged subject whose successful calls print what is no recorded body, so
  /// that none of them shows anything; `nil` if one does.
  var nothingShown: String? {
    let rows = scenarios.lazy.compactMap(\.subjects.first)
    let hasDefault = rows.contains(where: \.hasDefaultScreens)
    let calls = rows.flatMap(\.observations)
      .filter { $0.ending == .succeeded && ($0.isCritical || hasDefault) && $0.isJudged }
    guard !calls.contains(where: \.showed),
      let printed = calls.compactMap(\.printed).first(where: { !$0.isEmpty })
    else { return nil }
    return
      "no \(hasDefault ? "" : "critical ")call showed anything: what was printed is no recorded body, such as "
      + "\(JSON.text(printed))"
  }
}

extension Report.Row {
  /// Returns the calls as rules judge them.
  fileprivate func flight(on stage: Stage, in scenario: Scenario?) -> ClientRun {
    var flight = ClientRun(of: client, on: stage, observations, traffic: traffic, in: scenario)
    flight.isSlowWithoutFaults = calm != nil
    return flight
  }

  /// A client gets a response of this machine's own server in some milliseconds. If half of the
  /// calls without faults take two seconds, its time-outs may end by that alone.
  private static let calmMax = Duration.seconds(2)

  /// Returns the median latency of calls without faults, if it is so long that no time is judged.
  package static func calm(_ calls: [Observation]) -> Duration? {
    let latencies = calls.filter { call in
      // A conversation lasts as long as it has something to say.
      call.ending == .succeeded && call.isJudged
        && !call.attempts.contains { $0.conversation != nil }
    }.map(\.latency).sorted()
    let median = latencies.isEmpty ? .zero : latencies[latencies.count / 2]
    return median >= calmMax ? median : nil
  }

  fileprivate func coverage(in scenario: Scenario, on stage: Stage) -> Coverage {
    // An endpoint of which nothing is on the cassette could meet nothing.
    let asked = endpoints.filter { $0.metrics.calls > $0.metrics.notOnCassette }.map(\.name)
    return Coverage(of: observations, at: asked, in: scenario, on: stage)
  }
}

extension Report.Row {
  /// Returns the number of its calls, or of an endpoint's, that asked for what is not on the
  /// cassette, and what the first asked for; `nil` if none did.
  func notOnCassette(of endpoint: String? = nil) -> String? {
    let strange = observations.filter {
      $0.notOnCassette != nil && (endpoint == nil || $0.endpoint == endpoint)
    }
    guard let first = strange.min(by: { $0.call < $1.call })?.notOnCassette else { return nil }
    return "\(Self.notOnCassette(strange.count)), first: \(first)"
  }

  static func notOnCassette(_ count: Int) -> String {
    "\(count) \(count == 1 ? "call" : "calls") asked for what is not on the cassette"
  }
}

/// The rate of program starts that a drill asked for, and the rate that the machine can reach.
public struct ProgramStarts: Sendable, Hashable {
  /// The number of calls that were to begin in a second.
  public var asked: Double
  /// The number of programs that this machine's processors can start in a second, by the measured
  /// time of a start.
  public var possible: Double

  /// Makes starts of two rates.
  public init(asked: Double, possible: Double) { (self.asked, self.possible) = (asked, possible) }

  /// Tells whether programs waited for one another, so that a latency may be the machine's.
  public var isBeyond: Bool { asked > possible }

  /// The reason why a latency tells nothing then, as half a sentence with both rates.
  var reason: String {
    "\(Self.text(asked)) calls a second were to begin, and this machine starts "
      + "\(Self.text(possible)) programs a second"
  }

  private static func text(_ rate: Double) -> String { "\(JSON.number(rate, places: 1))" }
}

extension ProgramStarts: JSONObject {
  package static let blank = Self(asked: 0, possible: 0)

  package mutating func list(_ fields: inout JSONFields) throws(FormatError) {
    let problem = "it needs askedPerSecond and possiblePerSecond"
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
  /// The path that a client put behind the whole address of its call; `nil` if it put none there.
  package var pathBeyondAddress: String? {
    // What it asked for first; a redirect may lead anywhere.
    guard attempts.count <= 1, let asked = self.notOnCassette, asked.hasPrefix("\(endpoint)/")
    else { return nil }
    let rest = asked.dropFirst(endpoint.count).prefix { $0 != "," && $0 != " " }
    return rest.count > 1 ? String(rest) : nil
  }
}
