/// A comparison of a subject with the judged one in the same drill, call by call: the same client
/// with another engine, for example.
///
/// All subjects of a drill meet the same story, so that call *n* of one is paired with call *n* of
/// the other, as with an earlier report.
public struct SubjectComparison: Sendable, Hashable {
  /// The name of the judged subject, which stands in for what was before.
  public var subject: String
  /// The comparison, of this subject with that.
  public var comparison: BaselineComparison

  /// Makes one of its parts.
  public init(with subject: String, _ comparison: BaselineComparison) {
    (self.subject, self.comparison) = (subject, comparison)
  }
}

extension BaselineComparison {
  /// The difference of the success rates of the calls that are paired, now less before, with its
  /// 95 % confidence interval: Wald's with half a call added to each way in which a pair can end
  /// (Agresti and Min 2005). `nil` without pairs.
  public var successDifference: Ratio? {
    // A file may say anything.
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
  /// The fact that names the subjects that are compared, the judged one first.
  package static let compared = "compared"

  /// Compares each subject with the judged one in every scenario, and says so in the report.
  ///
  /// - Returns: This report with the comparisons in it.
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

  /// A subject that is compared with the judged one, with the comparison in each scenario and, of
  /// several, in all of them together.
  struct ComparedSubject {
    var name: String
    var other: String
    var rows: [(scenario: String, comparison: BaselineComparison)]
  }

  /// The name of the row of all scenarios together.
  static let together = "together"

  /// The subjects that are compared, in the order of their first rows.
  var comparedSubjects: [ComparedSubject] {
    var found: [ComparedSubject] = []
    for flown in scenarios {
      for row in flown.subjects {
        guard let against = row.against else { continue }
        if !found.contains(where: { $0.name == row.name }) {
          found.append(ComparedSubject(name: row.name, other: against.subject, rows: []))
        }
        for place in found.indices where found[place].name == row.name {
          found[place].rows.append((flown.name, against.comparison))
        }
      }
    }
    for place in found.indices where found[place].rows.count > 1 {
      found[place].rows.append((Self.together, comparisonOfAll(found[place])))
    }
    return found
  }

  /// Pairs the calls of all scenarios at once.
  private func comparisonOfAll(_ subject: ComparedSubject) -> BaselineComparison {
    var (now, before): ([Observation], [Observation]) = ([], [])
    var first = 0
    for flown in scenarios {
      guard let row = flown.subjects.first(where: { $0.name == subject.name }),
        let other = flown.subjects.first(where: { $0.name == subject.other })
      else { continue }
      now += row.observations.map { $0.numbered(after: first) }
      before += other.observations.map { $0.numbered(after: first) }
      first += 1 + (row.observations + other.observations).reduce(0) { max($0, $1.call) }
    }
    return BaselineComparison(now, to: before, seed: seed)
  }
}

extension Observation {
  /// The same call among those of several scenarios.
  fileprivate func numbered(after count: Int) -> Observation {
    var call = self
    call.call += count
    return call
  }
}

extension SubjectComparison {
  /// The comparison in words, half a sentence each.
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

  var json: JSON {
    let difference = comparison.successDifference?.json ?? .null
    return .object(
      [JSON.Member("subject", .text(subject))] + comparison.json.members
        + [JSON.Member("successDifference", difference)]
    )
  }

  init(reading object: consuming ObjectReader) throws(FormatError) {
    let subject = try object.required("subject")
    // Worked out of the others.
    _ = object.take("successDifference")
    self.init(with: subject, try BaselineComparison(reading: object))
  }
}

extension Figures {
  /// Writes a difference of shares with its interval, in hundredths: `+1.7 (-0.4 to +3.8)`.
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
