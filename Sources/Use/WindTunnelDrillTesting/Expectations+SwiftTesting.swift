internal import Testing
@_spi(WindTunnel) internal import WindTunnelCore
public import WindTunnelSearch

extension Expectations {
  /// The `#expect` and `#require` of Swift Testing in a flow: each failure counts as a finding.
  ///
  /// ```swift
  /// var plan = SearchPlan()
  /// plan.expectations = .swiftTesting
  /// ```
  public static let swiftTesting = Expectations { flow in
    let issues = Locked<[String]>([])
    let trait: IssueHandlingTrait = .compactMapIssues { issue in
      issues.withLock { $0.append("\(issue)") }
      return nil
    }
    guard let test = Test.current else {
      await flow()
      return []
    }
    // It throws only errors of the flow, which throws none.
    try? await trait.provideScope(for: test, testCase: Test.Case.current) { await flow() }
    return issues.withLock { $0 }
  }
}
