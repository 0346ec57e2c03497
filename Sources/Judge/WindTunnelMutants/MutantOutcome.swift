/// The results of one mutant with each test that uses its recording.
package struct MutantOutcome: Sendable {
  /// The result with one test; `nil` if the mutant was not tried.
  package typealias Run = (test: MutatedTest, result: MutantResult?)

  /// The outcome over all tests.
  package enum MutantVerdict: Sendable {
    /// At least one test failed.
    case noticed
    /// No test failed, and at least one received the mutated response and passed.
    case survived
    /// No test failed or passed: the mutant was not met, had no room, was not tried, or ended the
    /// suite.
    case undecided
  }

  /// The path of the cassette.
  package let cassette: String
  package let mutant: Mutant
  package let runs: [Run]
  let interaction: Interaction

  /// The path of the cassette and the number of the recording.
  var recording: String { "\(cassette) \(mutant.recording)" }

  package var verdict: MutantVerdict {
    if runs.contains(where: { $0.result.isKill }) { return .noticed }
    return survivors.isEmpty ? .undecided : .survived
  }

  /// Whether a test hung.
  var hasHung: Bool { runs.contains { $0.result == .hung } }

  /// Whether an untried run may still change that no test has failed.
  var isOpen: Bool { verdict != .noticed && runs.contains { $0.result == nil } }

  /// The reaction of a test. Over a recorded error another error, or none, is an error to the test
  /// as well: most accusations there were wrong when the rules were tried on public suites.
  var expectation: MutationOperator.Expectation {
    let isError = interaction.response.map { $0.status >= 400 } ?? false
    let isSame = ["reset", "stall", "status-500"].contains(mutant.operator.name)
    return isError && isSame ? .noted : mutant.operator.expectation
  }

  /// The tests that passed.
  package var survivors: [MutatedTest] {
    runs.filter { if case .survived = $0.result { true } else { false } }.map(\.test)
  }
}

extension MutantResult? {
  var isKill: Bool { if case .killed = self { true } else { false } }

  /// The name of the result, with the kind of a failure and a message.
  var shown: (word: String, by: String?, message: String?) {
    switch self {
    case .killed(let killer, let message): ("killed", killer.rawValue, message)
    case .survived(let asked, let plainAsked) where asked > plainAsked:
      ("survived after a retry", nil, "\(asked) requests, without the fault \(plainAsked)")
    case .survived: ("survived", nil, nil)
    case .notReached: ("not reached", nil, nil)
    case .noRoom(let reason): ("no room", nil, reason)
    case .crashed: ("crashed", nil, nil)
    case .hung: ("hung", nil, nil)
    case nil: ("not tried", nil, nil)
    }
  }
}
