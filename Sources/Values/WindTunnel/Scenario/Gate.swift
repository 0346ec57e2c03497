internal import Foundation

/// A condition that a client must meet: `METRIC OP VALUE` or `METRIC(ENDPOINT) OP VALUE`, with an
/// optional prefix.
///
/// ```swift
/// let gate = try Gate("p95(POST /payments) <= 3s")
/// ```
///
///     successRate >= 0.99          p95(POST /payments) <= 3s      blankScreens == 0
///     successRate.lower >= 95 %    averageRetries <= 1.5          p95 <= baseline*1.10
///
///     server-errors: successRate >= 75 %      all: successRate == 1      run: p95 <= 2s
///
/// A gate tests the point estimate; `successRate.lower` tests the lower bound of its interval.
///
/// The prefix is the name of a scenario, a class of scenarios or `run`. The classes are `all`,
/// `some` and `none`, by the calls that can succeed. `run` means all calls of the run together. If
/// a scenario has the same name as a class, the prefix means the scenario.
public struct Gate: Sendable, CustomStringConvertible, Hashable {
  /// The relation between the metric and the value.
  public enum Comparison: String, Sendable, Hashable, CaseIterable {
    case atLeast = ">="
    case atMost = "<="
    case equal = "=="
    case unequal = "!="
    case above = ">"
    case below = "<"

    /// Returns whether a figure has this relation to the value.
    package func holds(_ figure: Double, against bar: Double) -> Bool {
      switch self {
      case .atLeast: figure >= bar
      case .atMost: figure <= bar
      case .equal: figure == bar
      case .unequal: figure != bar
      case .above: figure > bar
      case .below: figure < bar
      }
    }
  }

  /// The value that the figure is compared with.
  package enum Bar: Sendable, Hashable {
    /// A figure, in the metric's own unit.
    case figure(Double)
    /// A multiple of the baseline's figure.
    case baseline(times: Double)
  }

  /// The text of the gate, as it was written.
  public fileprivate(set) var description: String
  package let metric: GateMetric
  /// The endpoint of the calls; `nil` for all calls.
  package let endpoint: RequestPattern?
  package let comparison: Comparison
  package let bar: Bar
  /// The text before the colon; `nil` if there is no colon.
  package var prefix: String?
  /// The position of the gate in its file; not part of equality. `nil` if it was not read from a
  /// file.
  public var location: FileLocation?

  /// A line of a user's file.
  public struct FileLocation: Sendable, Hashable {
    /// The path, as it was given.
    public var file: String
    /// The line, counted from 1.
    public var line: Int

    package init(file: String, line: Int) { (self.file, self.line) = (file, line) }
  }

  /// The maximum length of a gate's text, in characters; a longer text is an error.
  public static let charactersMax = 500

  /// Whether the gate compares with another report.
  public var needsBaseline: Bool {
    guard case .figure = bar else { return true }
    return metric.isOfPair
  }

  /// Returns whether the gate applies to calls with a request.
  package func isAbout(_ request: Request) -> Bool { endpoint?.matches(request) ?? true }
}

extension Gate {
  /// Creates a gate, and the text from which the same gate is parsed.
  ///
  /// - Parameters:
  ///   - metric: The metric.
  ///   - endpoint: The endpoint of the calls; `nil` for all calls.
  ///   - comparison: The relation between the metric and the value.
  ///   - bar: The value that the figure is compared with.
  ///   - prefix: The name of a scenario, a class of scenarios or the run; `nil` if there is none.
  package init(
    _ metric: GateMetric,
    of endpoint: RequestPattern?,
    _ comparison: Comparison,
    _ bar: Bar,
    in prefix: String?
  ) {
    let head = (prefix.map { "\($0): " } ?? "") + metric.rawValue
    let calls = endpoint.map { "(\($0))" } ?? ""
    description = "\(head)\(calls) \(comparison.rawValue) \(metric.text(of: bar))"
    (self.metric, self.endpoint, self.comparison) = (metric, endpoint, comparison)
    (self.bar, self.prefix) = (bar, prefix)
  }

  /// Returns whether two gates have the same text, regardless of their places.
  public static func == (one: Gate, other: Gate) -> Bool {
    one.description == other.description && one.metric == other.metric
      && one.endpoint == other.endpoint && one.comparison == other.comparison
      && one.bar == other.bar && one.prefix == other.prefix
  }

  /// Hashes the text of the gate.
  public func hash(into hasher: inout Hasher) { hasher.combine(description) }
}

/// The error of a gate that cannot be parsed: its text, the column, and the expected text.
public struct GateError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The text of the gate, as it was written.
  public var gate: String
  /// The position of the wrong character, counted from 1.
  public var column: Int
  /// The problem, as half a sentence.
  public var problem: String
  /// The fix, as a sentence; `nil` if it is obvious.
  public var fix: String?

  /// The error in one or two sentences.
  public var description: String {
    let shown = gate.count > 80 ? "\(gate.prefix(80))…" : gate
    return "gate \"\(shown)\", column \(column): \(problem).\(fix.map { " \($0)" } ?? "")"
  }
}

extension Gate {
  /// Parses the text of a gate.
  public init(_ text: String) throws(GateError) {
    var parser = GateParser(text)
    self = try parser.gate()
  }
}

/// A parser of a gate's text, from left to right, that knows the column of an error.
private struct GateParser {
  private let text: String
  private let characters: [Character]
  private var place = 0

  init(_ text: String) {
    self.text = text
    // A longer text is an error, so the remaining characters are not needed.
    characters = Array(text.prefix(Gate.charactersMax + 1))
  }

  mutating func gate() throws(GateError) -> Gate {
    guard characters.count <= Gate.charactersMax else {
      throw error(at: Gate.charactersMax, "a gate has at most \(Gate.charactersMax) characters")
    }
    skipBlanks()
    let prefix = prefix()
    skipBlanks()
    let (metric, name) = try metric()
    skipBlanks()
    let endpoint = try endpoint()
    skipBlanks()
    let comparison = try comparison()
    skipBlanks()
    let bar = try bar(of: metric, name)
    skipBlanks()
    guard place == characters.count else {
      throw error(at: place, "the value is followed by \"\(rest)\"")
    }
    var gate = Gate(metric, of: endpoint, comparison, bar, in: prefix)
    gate.description = text
    return gate
  }

  // MARK: Parts

  /// Reads a name and a colon; `nil` if no colon precedes the endpoint and the comparison.
  private mutating func prefix() -> String? {
    let head = characters[place...].prefix { !"(<>=!".contains($0) }
    guard let colon = head.lastIndex(of: ":") else { return nil }
    var name = head[..<colon]
    while name.last?.isBlank == true { name.removeLast() }
    guard !name.isEmpty else { return nil }
    place = colon + 1
    return String(name)
  }

  private mutating func metric() throws(GateError) -> (GateMetric, String) {
    let start = place
    let name = take { $0.isLetter || $0.isNumber || $0 == "." || $0 == "_" }
    guard !name.isEmpty else {
      throw error(at: start, "expected a metric", "Write for example successRate >= 0.99.")
    }
    if let metric = GateMetric(name: name) { return (metric, name) }
    let near = nearest(to: name, in: GateMetric.names).map { "Did you mean \($0)?" }
    let all = GateMetric.allCases.map(\.rawValue).joined(separator: ", ")
    throw error(at: start, "there is no metric \"\(name)\"", near ?? "There are \(all).")
  }

  private mutating func endpoint() throws(GateError) -> RequestPattern? {
    guard next == "(" else { return nil }
    let open = place
    // A path may contain parentheses, and a value never does.
    guard let close = characters.lastIndex(of: ")"), close > open else {
      throw error(at: open, "the parenthesis is not closed")
    }
    var inner = characters[(open + 1)..<close]
    while inner.first?.isBlank == true { inner.removeFirst() }
    while inner.last?.isBlank == true { inner.removeLast() }
    let words = inner.split(separator: " ", maxSplits: 1)
    let path = words.last ?? []
    guard path.first == "/", !path.contains(where: \.isBlank) else {
      throw error(
        at: open + 1,
        "\"\(String(inner))\" is not an endpoint",
        "Write a method and a path, such as POST /payments."
      )
    }
    guard !path.contains("?"), !path.contains("#") else {
      throw error(at: open + 1, "an endpoint is a method and a path, without a query")
    }
    place = close + 1
    return RequestPattern(String(inner))
  }

  private mutating func comparison() throws(GateError) -> Gate.Comparison {
    for comparison in Gate.Comparison.allCases
    where characters[place...].starts(with: comparison.rawValue) {
      place += comparison.rawValue.count
      return comparison
    }
    throw error(
      at: place,
      place == characters.count ? "a comparison is missing" : "\"\(rest)\" is not a comparison",
      "Known: >=, <=, >, <, == and !=."
    )
  }

  private mutating func bar(of metric: GateMetric, _ name: String) throws(GateError) -> Gate.Bar {
    let start = place
    let word = take(while: \.isLetter)
    if word == "baseline" { return try .baseline(times: factor()) }
    place = start
    let digits = try digits(metric.example(name))
    skipBlanks()
    let unitStart = place
    let unit = next == "%" ? take { $0 == "%" } : take(while: \.isLetter)
    guard let power = metric.power(of: unit, name) else {
      throw error(
        at: unit.isEmpty ? start : unitStart,
        unit.isEmpty
          ? "\(name) is a time, but \(digits) has no unit"
          : "\(name) \(metric.nature), which cannot have the unit \"\(unit)\"",
        "Write for example \(metric.example(name))."
      )
    }
    let figure = try number(digits, power, at: start)
    guard metric.kind != .share || figure <= 1 else {
      throw error(
        at: start,
        "\(name) is a share, but \(digits)\(unit) is more than all",
        "Write for example 0.99 or 99 %."
      )
    }
    return .figure(figure)
  }

  /// Reads an optional star and factor after `baseline`; returns 1 if there is none.
  private mutating func factor() throws(GateError) -> Double {
    skipBlanks()
    guard next == "*" else { return 1 }
    place += 1
    skipBlanks()
    let start = place
    let digits = try digits("baseline*1.10")
    skipBlanks()
    let isPercent = next == "%"
    if isPercent { place += 1 }
    return try number(digits, isPercent ? -2 : 0, at: start)
  }

  private mutating func digits(_ example: String) throws(GateError) -> String {
    let start = place
    var digits = take(while: \.isDigit)
    if !digits.isEmpty, next == ".", place + 1 < characters.count, characters[place + 1].isDigit {
      place += 1
      digits += ".\(take(while: \.isDigit))"
    }
    guard !digits.isEmpty else {
      throw error(
        at: start,
        start == characters.count ? "a value is missing" : "\"\(rest)\" is not a value",
        "Write for example \(example)."
      )
    }
    return digits
  }

  /// Moves the decimal point in the text, so that 99.9 % is exactly the same number as 0.999.
  private func number(_ digits: String, _ power: Int, at start: Int) throws(GateError) -> Double {
    guard let number = Double("\(digits)e\(power)"), number <= 1e15 else {
      throw error(at: start, "the number is too large")
    }
    return number
  }

  // MARK: Characters

  private var next: Character? { place < characters.count ? characters[place] : nil }

  /// The remaining text, shortened for an error.
  private var rest: String { String(characters[place...].prefix(20)) }

  private mutating func take(while isMeant: (Character) -> Bool) -> String {
    let taken = characters[place...].prefix(while: isMeant)
    place = taken.endIndex
    return String(taken)
  }

  private mutating func skipBlanks() { _ = take(while: \.isBlank) }

  private func error(at place: Int, _ problem: String, _ fix: String? = nil) -> GateError {
    GateError(gate: text, column: place + 1, problem: problem, fix: fix)
  }
}

extension Character {
  fileprivate var isBlank: Bool { self == " " || self == "\t" }
  fileprivate var isDigit: Bool { isASCII && isNumber }
}

/// Finds the line of each gate in a scenario's text, so that a verdict can name it.
enum GateLines {
  /// Returns the lines of the gates under a key, in their order and counted from 1; empty if there
  /// are no gates.
  static func find(_ name: String, in text: Data) -> [Int] {
    guard let json = JSONText(Bytes(text)) else { return [] }
    let lists = json.members(of: json.whole).filter { json.text($0.name) == name }
    return lists.flatMap { json.elements(of: $0.value) }.map { element in
      1 + json.bytes[..<element.range.lowerBound].count { $0 == UInt8(ascii: "\n") }
    }
  }
}
