/// A figure that a gate can ask for, as a list tells it.
package struct MetricRow: Sendable, Hashable {
  /// As a gate writes it.
  package let name: String
  /// Its name in a report's JSON.
  package let key: String
  /// `time`, `share`, `count` or `ratio`.
  package let nature: String
  /// A gate with it.
  package let example: String
  /// Tells whether there has to be an earlier report.
  package let needsBaseline: Bool
  /// A line about it.
  package let summary: String

  /// All figures that a gate can ask for.
  package static let all = GateMetric.allCases.map { metric in
    MetricRow(
      name: metric.rawValue,
      key: metric.key,
      nature: "\(metric.kind)",
      example: metric.example(metric.rawValue),
      needsBaseline: metric.isOfPair,
      summary: metric.figure.summary
    )
  }
}
