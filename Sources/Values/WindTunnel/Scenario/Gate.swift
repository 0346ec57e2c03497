internal import Foundation

/// A bar that a client has to clear: `METRIC OP VALUE` or `METRIC(ENDPOINT) OP VALUE`, perhaps
/// with a prefix.
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
/// A gate tests the point estimate; `successRate.lower` tests the lower bound of its interval. The
/// prefix is the name of a scenario, a class of scenarios (`all`, `some` or `none`, by the calls
/// that can succeed) or `run`, which stands for all calls of the run together. The name of a
/// scenario precedes the other meanings.
public struct Gate: Sendable, CustomStringConvertible {
  /// The relation between the metric and the bar.
  public enum Comparison: String, Sendable, Hashable, CaseIterable {
    case atLeast = ">="
    case atMost = "<="
    case equal = "=="
    case unequal = "!="
    case above = ">"
    case below = "<"

    /// Returns whether a figure has this relation to a bar.
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
    /// At a figure, in the metric's own unit.
    case figure(Double)
    /// At so many times the baseline's figure.
    case baseline(times: Double)
  }

  /// The text of the gate, as it was written.
  public fileprivate(set) var description: String
  package let metric: GateMetric
  /// The calls that are meant; `nil`: all.
  package let endpoint: RequestPattern?
  package let comparison: Comparison
  package let bar: Bar
  /// The text before the colon; `nil` if there is no colon.
  package var prefix: String?
  /// The place in a file where the gate was written; gates that differ in it alone are equal.
  public var place: FilePlace?

  /// A place in a user's file.
  public struct FilePlace: Sendable, Hashable {
    /// The path, as it was given.
    public var file: String
    /// The line, counted from 1.
    public var line: Int

    package init(file: String, line: Int) { (self.file, self.line) = (file, line) }
  }

  /// The greatest length of a gate's text, in characters; a longer one is refused.
  public static let charactersMax = 500

  /// Whether the gate compares with another report.
  public var needsBaseline: Bool {
    guard case .figure = bar else { return true }
    return metric.isOfPair
  }

  /// Returns whether the gate is about calls that make a request.
  package func isAbout(_ request: Request) -> Bool { endpoint?.matches(request) ?? true }
}

extension Gate {
  /// Creates a gate of its parts, with the text that is read as the same gate.
  ///
  /// - Parameters:
  ///   - metric: The metric.
  ///   - endpoint: The calls that are meant; `nil`: all.
  ///   - comparison: The relation between the metric and the bar.
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
}

extension Gate: Hashable {
  /// Returns whether two gates have the same text, whatever their places.
  public static func == (one: Gate, other: Gate) -> Bool {
    one.description == other.description && one.metric == other.metric
      && one.endpoint == other.endpoint && one.comparison == other.comparison
      && one.bar == other.bar && one.prefix == other.prefix
  }

  /// Hashes the text of the gate.
  public func hash(into hasher: inout Hasher) { hasher.combine(description) }
}

/// The error of a gate that cannot be parsed: its text, the place in it, and what was expected.
public struct GateError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The text of the gate, as it was written.
  public var gate: String
  /// The position of the wrong character, counted from 1.
  public var column: Int
  /// The problem, as half a sentence.
  public var problem: String
  /// The fix, as a sentence; `nil` where it is obvious.
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

/// A parser of a gate's text, from left to right, with the position of an error.
private struct GateParser {
  private let text: String
  private let characters: [Character]
  private var place = 0

  init(_ text: String) {
    self.text = text
    // Longer ones are refused; there is no need to look at all of them.
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
      throw error(at: place, "nothing should follow the value, and \"\(rest)\" does")
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
      throw error(at: start, "a metric should stand here", "Write for example successRate >= 0.99.")
    }
    if let metric = GateMetric(name: name) { return (metric, name) }
    let near = nearest(to: name, in: GateMetric.names).map { "Did you mean \($0)?" }
    let all = GateMetric.allCases.map(\.rawValue).joined(separator: ", ")
    throw error(at: start, "there is no metric \"\(name)\"", near ?? "There are \(all).")
  }

  private mutating func endpoint() throws(GateError) -> RequestPattern? {
    guard next == "(" else { return nil }
    let open = place
    // A path may hold parentheses of its own, and no value does.
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
        "\"\(String(inner))\" is no endpoint",
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
      place == characters.count ? "a comparison is missing" : "\"\(rest)\" is no comparison",
      "There are >=, <=, >, <, == and !=."
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
          ? "\(name) is a time, and \(digits) has no unit"
          : "\(name) \(metric.nature) and not measured in \"\(unit)\"",
        "Write for example \(metric.example(name))."
      )
    }
    let figure = try number(digits, power, at: start)
    guard metric.kind != .share || figure <= 1 else {
      throw error(
        at: start,
        "\(name) is a share, and \(digits)\(unit) is more than all",
        "Write for example 0.99 or 99 %."
      )
    }
    return .figure(figure)
  }

  /// Reads behind `baseline` nothing, or a star and a factor.
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
        start == characters.count ? "a value is missing" : "\"\(rest)\" is no value",
        "Write for example \(example)."
      )
    }
    return digits
  }

  /// The decimal point is moved in the text, so 99.9 % is the very number that 0.999 is.
  private func number(_ digits: String, _ power: Int, at start: Int) throws(GateError) -> Double {
    guard let number = Double("\(digits)e\(power)"), number <= 1e15 else {
      throw error(at: start, "the number is too large")
    }
    return number
  }

  // MARK: Characters

  private var next: Character? { place < characters.count ? characters[place] : nil }

  /// The text that is left, as far as an error shows it.
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

/// On which line each gate of a scenario's text stands, so that a verdict can point there.
enum GateLines {
  /// Returns the lines of the gates under a key, in their order and counted from 1; none if there
  /// are no gates.
  static func find(_ name: String, in text: Data) -> [Int] {
    guard let json = JSONText(Bytes(text)) else { return [] }
    let lists = json.members(of: json.whole).filter { json.text($0.name) == name }
    return lists.flatMap { json.elements(of: $0.value) }.map { element in
      1 + json.bytes[..<element.range.lowerBound].count { $0 == UInt8(ascii: "\n") }
    }
  }
}
