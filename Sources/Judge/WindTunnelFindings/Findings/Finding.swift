/// A rule that a client broke in a scenario, with the smallest example of it.
public struct Finding: Sendable, Hashable {
  /// The severities of a finding, the lowest first.
  public enum Severity: String, Sendable, Hashable, Comparable, CaseIterable {
    /// A useful fact. Many good clients behave like this by design.
    case note
    /// A flaw that a user or a server notices.
    case warning
    /// A bug: data is processed twice or wrongly, a server is overloaded, or a call never ends.
    case error

    /// Returns whether one severity is lower than another.
    public static func < (one: Self, other: Self) -> Bool { one.weight < other.weight }

    private var weight: Int { Self.allCases.firstIndex(of: self) ?? 0 }
  }

  /// An event of a call, with its time.
  public struct Step: Sendable, Hashable {
    /// The time since the call's start, or `nil` if it was not observed.
    public var at: Duration?
    /// The request and the response in one line, such as `GET /home → 503, Retry-After 1 s`.
    public var words: String

    /// Creates a step from a time and a line.
    public init(at: Duration?, _ words: String) { (self.at, self.words) = (at, words) }
  }

  /// The ``FindingRule/id`` of the rule.
  public var rule: String
  /// The severity of the behaviour, at most the rule's own.
  public var severity: Severity
  /// A sentence that only describes the observed behaviour.
  public var seen: String
  /// The number of the example call: the one with the fewest attempts, and of several the lowest
  /// number.
  public var call: Int
  /// The endpoint of that call, such as `GET /home`.
  public var endpoint: String
  /// The steps of that call, in order.
  public var steps: [Step]
  /// The number of calls that show the behaviour.
  public var calls: Int
  /// The number of calls that could have shown the behaviour.
  public var judged: Int

  /// The affected and the judged calls as text, such as `3 of 60 calls`.
  public var countDescription: String { "\(calls) of \(judged.counted("call"))" }

  package var json: JSON {
    [
      "rule": .text(rule), "severity": .text(severity.rawValue), "seen": .text(seen),
      "call": .number(call), "endpoint": .text(endpoint), "calls": .number(calls),
      "judged": .number(judged),
      "steps": .array(
        steps.map { step in ["atMilliseconds": .orNull(step.at), "words": .text(step.words)] }
      ),
    ]
  }
}

/// The result of a rule for a run.
public struct RuleStanding: Sendable, Hashable {
  /// The three possible results of a rule.
  public enum Standing: Sendable, Hashable {
    /// No call met the rule's condition, or too few calls to judge. The value is a sentence that
    /// states this.
    case notMet(String)
    /// All calls that met the condition kept the rule. The value is their number.
    case passed(Int)
    /// The rule was broken.
    case broken(Finding)
  }

  /// The ``FindingRule/id`` of the rule.
  public let rule: String
  /// The result of the rule.
  public let standing: Standing
  /// The number of calls that the rule did not judge because the machine was busy.
  public internal(set) var starved = 0

  /// The finding, if the rule was broken.
  public var finding: Finding? {
    if case .broken(let finding) = standing { finding } else { nil }
  }

  /// The rule with its result, and with the finding if it was broken.
  package var json: JSON {
    switch standing {
    case .notMet(let reason):
      ["rule": .text(rule), "standing": "notMet", "reason": .text(reason)]
    case .passed(let calls):
      ["rule": .text(rule), "standing": "passed", "judged": .number(calls)]
    case .broken(let finding):
      ["rule": .text(rule), "standing": "broken", "finding": finding.json]
    }
  }
}

// The mark of this module in programs, by which `check-release` finds it; the number is its own.
@section("__DATA_CONST,__wt_modules")
@used private let linkMark: (UInt64, UInt64, UInt64) =
  (0xF1D3_8A6C_57E2_94B0, 0x9C0E_B7A5_2D41_F863, 8)
