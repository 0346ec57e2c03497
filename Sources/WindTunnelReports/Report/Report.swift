/// How the client flew.
public struct Report: Sendable, Hashable {
  /// The seed of every draw.
  public var seed: UInt64
  /// The hash of the story: what every call would meet on its attempts.
  public var decisionHash: String
  /// Whose errors faults surfaced as in process: `current` or `apple`.
  public var platformErrors: String
  /// What the figures were made with, such as the operating system and libcurl; in this order.
  public var environment: [Fact]
  /// The scenarios in the order they were flown.
  public var scenarios: [Flown]

  /// A name and a value.
  public struct Fact: Sendable, Hashable {
    /// Such as `libcurl`.
    public var name: String
    /// Such as `7.88.1`.
    public var value: String

    /// Makes a fact.
    public init(_ name: String, _ value: String) {
      self.name = name
      self.value = value
    }

    /// The client flew in the process of whoever asked, so that a crash would have ended that.
    package static let sharedProcess = Fact("isolation", "none")
  }

  /// One scenario on one stage.
  public struct Flown: Sendable, Hashable {
    /// The scenario's name.
    public var name: String
    /// Where it was flown.
    public var stage: Stage
    /// Who flew in it; the first is the one that is judged.
    public var subjects: [Row]
    /// The scenario as it was flown; `nil` where it is not known.
    public var weather: Scenario?
    /// What became of the gates that were set for it.
    public var gates: [GateResult] = []

    /// Makes a scenario's part; its gates are held against the subject that is judged.
    public init(_ name: String, on stage: Stage, subjects: [Row], gates: [Gate] = []) {
      self.name = name
      self.stage = stage
      self.subjects = subjects
      self.gates = judged(by: gates, against: nil)
    }
  }

  /// One subject in one scenario.
  public struct Row: Sendable, Hashable {
    /// The subject's name.
    public var name: String
    /// The calls it made.
    public var observations: [Observation]
    /// The faults that the scenario has, by name; `nil` where nobody said.
    public var plannedFaults: [String]?
    /// The figures.
    public var metrics: Metrics
    /// The figures of each endpoint, in the order of the first calls.
    public var endpoints: [EndpointRow]

    /// The number of programs that were to be started and could be, where some were.
    public var starts: ProgramStarts?
    /// How it compares to an earlier report, where there is one.
    public var comparison: BaselineComparison?

    /// Makes a row; its figures are folded here.
    public init(
      _ name: String,
      _ observations: [Observation],
      plannedFaults: [String]? = nil
    ) {
      self.name = name
      self.observations = observations
      self.plannedFaults = plannedFaults
      let fold = MetricsAccumulator(observations)
      metrics = fold.metrics
      endpoints = fold.endpoints
      // Where attempts could not be seen, nobody knows what they met.
      guard let plannedFaults, !plannedFaults.isEmpty, metrics.amplification != nil else { return }
      let fired = Set(metrics.faults.map(\.fault))
      let known = Set(plannedFaults)
      metrics.faultCoverage = Double(known.intersection(fired).count) / Double(known.count)
    }
  }

  /// One endpoint of one subject in one scenario.
  public struct EndpointRow: Sendable, Hashable {
    /// Such as `GET /home`.
    public var name: String
    /// The figures of its calls.
    public var metrics: Metrics
  }

  /// Makes a report.
  public init(
    seed: UInt64,
    decisionHash: String,
    platformErrors: String,
    environment: [Fact] = [],
    scenarios: [Flown]
  ) {
    self.seed = seed
    self.decisionHash = decisionHash
    self.platformErrors = platformErrors
    self.environment = environment
    self.scenarios = scenarios
  }

  /// Whether the judged subject crashed or hung in any scenario.
  public var judgedSubjectFell: Bool {
    scenarios.contains { flown in
      flown.subjects.first.map { $0.metrics.crashes + $0.metrics.hangs > 0 } ?? false
    }
  }
}
