public import Testing
public import WindTunnelReports

extension Report {
  /// Records an issue for each of these gates, and of the scenarios' own, that is not met.
  ///
  /// ```swift
  /// report.require(.successRate >= 0.99, .p95(of: "POST /payments") <= .seconds(3), .hangs == 0)
  /// ```
  ///
  /// An issue names the scenario, the gate and the measured figure. The test continues. XCTest does
  /// not receive issues: there, use the function with a list of gates, which throws.
  ///
  /// - Parameters:
  ///   - gates: The gates, such as `.successRate >= 0.99`.
  ///   - allowInconclusive: Whether gates pass that cannot be judged.
  ///   - baseline: The report for gates with a bar at the baseline.
  ///   - sourceLocation: The line of the issues.
  public func require(
    _ gates: Gate...,
    allowInconclusive: Bool = false,
    baseline: Report? = nil,
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    do {
      try require(gates, allowInconclusive: allowInconclusive, against: baseline)
    } catch {
      let lines = (error as? GatesNotMet)?.lines ?? ["\(error)"]
      guard Test.current != nil else { fatalError(lines.joined(separator: "\n")) }
      for line in lines { Issue.record(Comment(rawValue: line), sourceLocation: sourceLocation) }
    }
  }
}
