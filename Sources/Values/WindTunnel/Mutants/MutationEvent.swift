/// A line of the log that a mutated run of tests writes (JSON Lines).
package enum MutationEvent: Sendable, Hashable {
  /// The task, which is the first line; another one begins another run.
  case plan(MutationPlan)
  /// A test that was run twice unchanged.
  case test(MutatedTest)
  case begin(MutantRun)
  case end(MutantRun, MutantResult)
  /// A test that was run unchanged once more, after its mutants.
  case after(test: String, isGreen: Bool)
}

/// The task of a mutated run of tests.
package struct MutationPlan: Sendable, Hashable {
  package var seed: UInt64 = 1
  /// The time for all mutants; `nil` if there is no limit.
  package var budget: Duration?
  /// The requests whose recordings are mutated; empty for all.
  package var only: [RequestPattern] = []
  /// The names of the operators; `nil` for all.
  package var operators: [String]?
  /// The only run; `nil` for every run.
  package var run: MutantRun?
  /// Whether the process plays its parts once, with the mutants whose runs have begun in the log.
  package var isOfParts = false

  package init(operators: [String]? = nil, run: MutantRun? = nil) {
    (self.operators, self.run) = (operators, run)
  }
}

/// A test with a cassette, and its two runs without a mutant.
package struct MutatedTest: Sendable, Hashable {
  /// The result of the two runs without a mutant.
  package enum Plain: String, Sendable, CaseIterable {
    /// Both passed, and requested the same recordings, in any order.
    case green
    /// One of them failed.
    case red
    /// Both passed, but requested different recordings.
    case unsteady
  }

  /// The identifier, which is unique in the log.
  package var id = ""
  package var name = ""
  /// The path of the source file.
  package var file = ""
  package var line = 0
  /// The path of the cassette.
  package var cassette = ""
  package var plain = Plain.red
  /// The time of the slower run without a mutant.
  package var duration = Duration.zero
  /// The numbers of the recordings that the test used, from 1, in ascending order.
  package var recordings: [Int] = []
  /// Whether it is a part of a test, which cannot run again in its process (`withCassette`).
  ///
  /// The recordings of a part have a number for each request.
  package var isPart = false
  /// Whether it is all tests of a command, for the recordings that no single test needs.
  package var isSuite = false

  package init() {}
}

/// One run of a test with one mutant.
package struct MutantRun: Sendable, Hashable {
  /// The identifier of the test.
  package var test: String
  /// The number of the recording, from 1.
  package var recording: Int
  /// The name of the operator.
  package var mutant: String
  /// The JSON path of the member that changes; `nil` if there is none.
  package var path: String?

  package init(test: String, recording: Int, mutant: String, path: String? = nil) {
    (self.test, self.recording, self.mutant, self.path) = (test, recording, mutant, path)
  }
}

/// The result of a run with a mutant.
package enum MutantResult: Sendable, Hashable {
  package enum Killer: String, Sendable, CaseIterable { case assertion, error }

  /// The test failed, with the first message.
  case killed(by: Killer, message: String)
  /// The test passed, with these numbers of requests for the recording.
  ///
  /// More requests than without the mutant mean that the client retried.
  case survived(asked: Int, plainAsked: Int)
  /// The test passed and never received the mutated response.
  case notReached
  /// The change was not possible with the response.
  case noRoom(reason: String)
  /// The process of the tests ended. Only the command writes this result.
  case crashed
  /// The test did not end. Only the command writes this result.
  case hung
}
