internal import Foundation
internal import Testing
internal import WindTunnel

/// Knows whether a part of a test has failed, by an expectation that did not hold, too.
///
/// Issues that are known do not count, nor do warnings. Where no test of Swift Testing runs, as in
/// XCTest, nothing is heard: there a part fails by what it throws.
final class FailureWatch: Sendable {
  private let heard = Locked(false)
  /// What is said with the first failure.
  private let words: String

  init(_ words: String) { self.words = words }

  /// Whether a failure was heard of.
  var hasFailed: Bool { heard.withLock { $0 } }

  /// Runs a part of the test that runs here.
  func run(_ body: @Sendable () async throws -> Void) async throws {
    guard let test = Test.current else { return try await body() }
    let trait: IssueHandlingTrait = .compactMapIssues { [self] issue in
      guard issue.isFailure else { return issue }
      let isFirst = heard.withLock { heard in
        defer { heard = true }
        return !heard
      }
      guard isFirst else { return issue }
      var issue = issue
      issue.comments.append(Comment(rawValue: words))
      return issue
    }
    try await trait.provideScope(for: test, testCase: Test.Case.current, performing: body)
  }
}
