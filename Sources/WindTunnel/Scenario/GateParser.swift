extension Gate {
  /// Reads a gate.
  public init(_ text: String) throws(GateError) {
    var parser = GateParser(text)
    self = try parser.gate()
  }
}

/// Takes a gate's text apart from left to right and says where it cannot go on.
struct GateParser {
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
    return Gate(
      description: text,
      metric: metric,
      endpoint: endpoint,
      comparison: comparison,
      bar: bar
    )
  }

  // MARK: Parts

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

  /// What stands behind `baseline`: nothing, or a star and a factor.
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

  /// What is left, as far as an error shows it.
  private var rest: String { String(characters[place...].prefix(20)) }

  private mutating func take(while isMeant: (Character) -> Bool) -> String {
    let taken = characters[place...].prefix(while: isMeant)
    place = taken.endIndex
    return String(taken)
  }

  private mutating func skipBlanks() { _ = take(while: \.isBlank) }

  private func error(at place: Int, _ problem: String, _ remedy: String? = nil) -> GateError {
    GateError(gate: text, column: place + 1, problem: problem, remedy: remedy)
  }
}

extension Character {
  fileprivate var isBlank: Bool { self == " " || self == "\t" }
  fileprivate var isDigit: Bool { isASCII && isNumber }
}
