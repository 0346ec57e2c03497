/// A bar that a client has to clear: `METRIC OP VALUE` or `METRIC(ENDPOINT) OP VALUE`.
///
///     successRate >= 0.99          p95(POST /payments) <= 3s      blankPages == 0
///     successRate.lower >= 95 %    averageRetries <= 1.5          p95 <= baseline*1.10
///
/// A gate tests the point estimate; `successRate.lower` tests the lower bound of its interval.
public struct Gate: Sendable, CustomStringConvertible {
  /// How the figure has to stand to the bar.
  public enum Comparison: String, Sendable, Hashable, CaseIterable {
    case atLeast = ">="
    case atMost = "<="
    case equal = "=="
    case unequal = "!="
    case above = ">"
    case below = "<"
  }

  /// Where the bar lies.
  enum Bar: Sendable, Hashable {
    /// At a figure, in the metric's own unit.
    case figure(Double)
    /// At so many times the baseline's figure.
    case baseline(times: Double)
  }

  /// The gate as it was written.
  public let description: String
  let metric: GateMetric
  /// Which calls are meant; `nil`: all.
  let endpoint: RequestPattern?
  let comparison: Comparison
  let bar: Bar
  /// Where it was written; it does not tell one gate from another.
  public var place: FilePlace?

  /// A place in a file of the user's.
  public struct FilePlace: Sendable, Hashable {
    /// The path, as it was given.
    public var file: String
    /// The line, counted from one.
    public var line: Int
  }

  /// A gate's text is longer than this: it is refused.
  public static let charactersMax = 500

  /// Whether it asks for a figure of another report, or of the two together.
  public var needsBaseline: Bool {
    guard case .figure = bar else { return true }
    return metric.isOfPair
  }

  /// Whether calls that make this request are among those that are meant.
  package func isAbout(_ request: Request) -> Bool { endpoint?.matches(request) ?? true }

  func holds(_ figure: Double, against bar: Double) -> Bool {
    switch comparison {
    case .atLeast: figure >= bar
    case .atMost: figure <= bar
    case .equal: figure == bar
    case .unequal: figure != bar
    case .above: figure > bar
    case .below: figure < bar
    }
  }
}

extension Gate: Hashable {
  /// Two are the same that ask the same in the same words, wherever they were written.
  public static func == (one: Gate, other: Gate) -> Bool {
    one.description == other.description && one.metric == other.metric
      && one.endpoint == other.endpoint && one.comparison == other.comparison
      && one.bar == other.bar
  }

  /// Hashes the text.
  public func hash(into hasher: inout Hasher) { hasher.combine(description) }
}

/// Why a gate does not read: what stands there, where, and what should.
public struct GateError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The gate as it was written.
  public var gate: String
  /// The character that is wrong, counted from one.
  public var column: Int
  /// What is wrong, as half a sentence.
  public var problem: String
  /// What to do about it, where that is not plain.
  public var remedy: String?

  /// All of it in a sentence or two.
  public var description: String {
    let shown = gate.count > 80 ? "\(gate.prefix(80))…" : gate
    return "gate \"\(shown)\", column \(column): \(problem).\(remedy.map { " \($0)" } ?? "")"
  }
}
