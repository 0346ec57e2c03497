extension Report {
  /// The table that a person reads, 80 columns wide where the names are short.
  public func text() -> String {
    let heads = ["scenario", "stage", "subject", "calls", "success", "retries", "P95", "blank", ""]
    var rows: [[String]] = []
    for flown in scenarios {
      for (index, row) in flown.subjects.enumerated() {
        let metrics = row.metrics
        rows.append([
          index == 0 ? flown.name : "", index == 0 ? flown.stage.rawValue : "", row.name,
          String(metrics.calls), Self.percent(metrics.successRate),
          Self.decimal(metrics.averageRetries), Self.time(metrics.p95),
          Self.percent(metrics.blankPageRate), Self.falls(metrics),
        ])
      }
    }
    let widths = heads.indices.map { column in
      ([heads] + rows).map { $0[column].count }.max() ?? 0
    }
    let lines = ([heads] + rows).map { row in
      row.indices.map { column in
        // Words stand left, figures right.
        let padding = String(repeating: " ", count: widths[column] - row[column].count)
        return column < 3 || column == 8 ? row[column] + padding : padding + row[column]
      }.joined(separator: "  ").trimmingEnd
    }
    let title = "seed \(seed), decisions \(decisionHash.prefix(12)), errors \(platformErrors)"
    return ([title] + warnings + [""] + lines + verdicts).joined(separator: "\n") + "\n"
  }

  /// How many gates were met, and a line for each that was not.
  private var verdicts: [String] {
    let all = judgements
    guard !all.isEmpty else { return [] }
    let fallen = all.filter { $0.result.verdict != .met }
    let failed = fallen.count { $0.result.verdict == .failed }
    let counts = [
      (all.count - fallen.count, "met"), (failed, "failed"),
      (fallen.count - failed, "inconclusive"),
    ]
    let words = counts.filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }
    return ["", "gates: \(words.joined(separator: ", "))"] + fallen.map { "  \($0)" }
  }

  /// What a reader has to know before reading a latency.
  private var warnings: [String] {
    var warnings: [String] = []
    if environment.contains(Fact("build", "debug")) {
      warnings.append(
        "debug build: part of each latency is the harness's own; for figures use a release build"
      )
    }
    if environment.contains(.sharedProcess) {
      warnings.append("flown in the test's own process: a crash would have ended the test")
    }
    return warnings
  }

  private static func falls(_ metrics: Metrics) -> String {
    var words: [String] = []
    if metrics.crashes > 0 { words.append("\(metrics.crashes) crashed") }
    if metrics.hangs > 0 { words.append("\(metrics.hangs) hung") }
    return words.joined(separator: ", ")
  }

  private static func percent(_ share: Double?) -> String {
    guard let share else { return "–" }
    // 2999 of 3000 are not all, and one of them is not none.
    let rounded = (share * 1000).rounded()
    let shown = share < 1 && rounded == 1000 ? 999 : share > 0 && rounded == 0 ? 1 : rounded
    return "\(fixed(shown / 10, places: 1)) %"
  }

  private static func decimal(_ value: Double?) -> String {
    value.map { fixed($0, places: 2) } ?? "–"
  }

  private static func time(_ value: Duration?) -> String {
    guard let value else { return "–" }
    let milliseconds = value.inMilliseconds
    return milliseconds < 9_999.5
      ? "\(fixed(milliseconds, places: milliseconds < 99.95 ? 1 : 0)) ms"
      : "\(fixed(milliseconds / 1000, places: 1)) s"
  }

  private static func fixed(_ value: Double, places: Int) -> String {
    let scale = places == 0 ? 1 : places == 1 ? 10 : 100
    let units = Int((value * Double(scale)).rounded())
    guard places > 0 else { return String(units) }
    let fraction = String(units % scale)
    let zeros = String(repeating: "0", count: places - fraction.count)
    return "\(units / scale).\(zeros)\(fraction)"
  }
}

extension String {
  fileprivate var trimmingEnd: String {
    var text = self[...]
    while text.last == " " { text.removeLast() }
    return String(text)
  }
}
