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
    let issues = Issues()
    let trait: IssueHandlingTrait = .compactMapIssues { issue in
      issues.add("\(issue)")
      return nil
    }
    guard let test = Test.current else {
      await flow()
      return []
    }
    // It throws only errors of the flow, which throws none.
    try? await trait.provideScope(for: test, testCase: Test.Case.current) { await flow() }
    return issues.all
  }

  /// The issues of a flow.
  private final class Issues: Sendable {
    private let sentences = Locked<[String]>([])
    var all: [String] { sentences.withLock { $0 } }
    func add(_ sentence: String) { sentences.withLock { $0.append(sentence) } }
  }
}
