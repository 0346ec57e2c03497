/// A comparison of a client with the judged one in the same drill, call by call. For example, it is
/// the same client with another engine.
///
/// All clients of a drill meet the same fault plan. Call *n* of one client is therefore paired with
/// call *n* of the other, as with an earlier report.
public struct SubjectComparison: Sendable, Hashable, JSONObject {
  /// The name of the judged client. Its calls are the previous ones in the comparison.
  public var subject: String
  /// The comparison of this client with the judged one.
  public var comparison: BaselineComparison

  /// Creates a comparison from its parts.
  public init(with subject: String, _ comparison: BaselineComparison) {
    (self.subject, self.comparison) = (subject, comparison)
  }

  /// The comparison as text, each part as a clause.
  var words: [String] {
    let pair = comparison
    guard pair.pairs > 0 else { return ["no call can be paired"] }
    var words: [String] = []
    if let flips = pair.flips { words.append("\(flips.lost) lost, \(flips.won) won") }
    if let difference = pair.successDifference {
      words.append("success \(Figures.points(difference)) points")
    }
    if pair.hasOtherLatencies { return words + ["latencies not comparable"] }
    words.append("P95 × \(Figures.ratio(pair.p95Ratio))")
    words.append("median × \(Figures.ratio(pair.medianRatio))")
    if pair.isSlower { words.append("slower") }
    if pair.isFaster { words.append("faster") }
    return words
  }

  package static let blank = Self(with: "", .blank)

  package mutating func list(_ fields: inout JSONFields) throws(FormatError) {
    try fields.string("subject", &subject, ("subject", "it is missing"))
    try comparison.list(&fields)
    // A reader calculates the value from the others.
    if fields.isReading { return _ = fields.object.take("successDifference") }
    var difference = comparison.successDifference
    try fields.ratio("successDifference", &difference)
  }
}

extension BaselineComparison {
  /// The difference of the success rates of the paired calls, now minus before, with its 95 %
  /// confidence interval. It is Wald's interval with half a call added to each way in which a pair
  /// can end (Agresti and Min 2005). `nil` if there are no pairs.
  public var successDifference: Ratio? {
    // A file may contain any values.
    guard let flips, pairs > 0, 0...pairs ~= flips.won, 0...pairs ~= flips.lost,
      flips.won + flips.lost <= pairs
    else { return nil }
    let (won, lost, count) = (Double(flips.won) + 0.5, Double(flips.lost) + 0.5, Double(pairs) + 2)
    let middle = (won - lost) / count
    let spread =
      1.959_964 * ((won + lost - (won - lost) * (won - lost) / count).squareRoot()) / count
    return Ratio(
      value: Double(flips.won - flips.lost) / Double(pairs),
      lower: max(-1, middle - spread),
      upper: min(1, middle + spread)
    )
  }
}

extension Report {
  /// The name of the fact with the compared clients, the judged one first.
  package static let compared = "compared"

  /// Compares each client with the judged one in every scenario, and adds a fact about it to the
  /// report.
  ///
  /// - Returns: This report with the comparisons.
  public func comparingSubjects() -> Report {
    var report = self
    for place in scenarios.indices {
      let rows = scenarios[place].subjects
      guard let judged = rows.first else { continue }
      for (number, row) in rows.enumerated().dropFirst() {
        report.scenarios[place].subjects[number].against = SubjectComparison(
          with: judged.name,
          BaselineComparison(row.observations, to: judged.observations, seed: seed)
        )
      }
    }
    return report
  }

  /// A client that is compared with the judged one. It has a comparison for each scenario and, if
  /// there are several, one for all of them together.
  struct ComparedSubject {
    var name: String
    var other: String
    var rows: [(scenario: String, comparison: BaselineComparison)]
  }

  /// The name of the row of all scenarios together.
  static let together = "together"

  /// The compared clients, in the order of their first rows.
  var comparedSubjects: [ComparedSubject] {
    let rows = scenarios.flatMap { flown in
      flown.subjects.compactMap { row in row.against.map { (flown.name, row.name, $0) } }
    }
    return rows.grouped(by: \.1).map { name, all in
      let rows = all.map { ($0.0, $0.2.comparison) }
      let other = all[0].2.subject
      let whole = rows.count > 1 ? [(Self.together, comparison(of: name, with: other))] : []
      return ComparedSubject(name: name, other: other, rows: rows + whole)
    }
  }

  /// Pairs the calls of all scenarios at once.
  private func comparison(of subject: String, with other: String) -> BaselineComparison {
    let names = scenarios.filter { flown in
      Set(flown.subjects.map(\.name)).isSuperset(of: [subject, other])
    }.map(\.name)
    let (now, before) = (rows(of: subject, in: names), rows(of: other, in: names))
    return BaselineComparison(
      now.flatMap(\.observations),
      to: before.flatMap(\.observations),
      seed: seed
    )
  }
}

/// A column of the tables about comparisons.
enum PairColumn: String {
  case pairs, now, lost, won
  case before = "success before"
  case points = "success, points"
  case p95 = "P95 ratio"
  case median = "median ratio"

  /// The columns of a comparison with an earlier report.
  static let ofBaseline: [Self] = [.before, .now, .lost, .won, .p95, .median]
  /// The columns of a comparison with another client.
  static let ofSubjects: [Self] = [.pairs, .lost, .won, .points, .p95, .median]

  func text(_ pair: BaselineComparison) -> String {
    switch self {
    case .pairs: "\(pair.pairs)"
    case .before: Figures.percent(pair.successRate.before)
    case .now: Figures.percent(pair.successRate.now)
    case .lost: Figures.count(pair.flips?.lost)
    case .won: Figures.count(pair.flips?.won)
    case .points: pair.successDifference.map { Figures.points($0) } ?? Figures.unseen
    case .p95: Figures.ratio(pair.p95Ratio)
    case .median: Figures.ratio(pair.medianRatio)
    }
  }
}

extension Figures {
  /// Returns a difference of shares with its interval in percentage points: `+1.7 (-0.4 to +3.8)`.
  static func points(_ difference: BaselineComparison.Ratio) -> String {
    func text(_ share: Double) -> String {
      let tenths = (share * 1000).rounded()
      let sign = tenths > 0 ? "+" : tenths < 0 ? "-" : ""
      let size = Int(tenths.magnitude)
      return "\(sign)\(size / 10).\(size % 10)"
    }
    guard let lower = difference.lower, let upper = difference.upper else {
      return text(difference.value)
    }
    return "\(text(difference.value)) (\(text(lower)) to \(text(upper)))"
  }
}
