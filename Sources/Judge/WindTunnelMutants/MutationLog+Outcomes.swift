extension MutationLog {
  /// Returns the outcome of each mutant of a recording that a passing test used, with the mutants
  /// that were not tried.
  func outcomes(in cassettes: [String: Cassette]) -> [MutantOutcome] {
    tests.filter { $0.plain == .green }.grouped(by: \.cassette).flatMap { path, tests in
      let interactions = cassettes[path]?.interactions ?? []
      let mutants = Mutants(of: interactions, by: plan)
      let users = tests.reduce(into: [Int: [MutatedTest]]()) { users, test in
        for recording in Set(test.recordings) { users[recording, default: []].append(test) }
      }
      return users.keys.sorted().flatMap { recording in
        mutants[recording].map { mutant in
          MutantOutcome(
            cassette: path,
            mutant: mutant,
            runs: (users[recording] ?? []).map {
              ($0, results[mutant.run(of: $0.id)]?.withoutSecrets)
            },
            interaction: interactions[recording - 1]
          )
        }
      }
    }
  }
}

extension MutationEvent {
  /// The event with no secret in the message of a test.
  package var withoutSecrets: MutationEvent {
    guard case .end(let run, let result) = self else { return self }
    return .end(run, result.withoutSecrets)
  }
}

extension MutantResult {
  /// The result with no secret in its message.
  package var withoutSecrets: MutantResult {
    switch self {
    case .killed(let by, let message): .killed(by: by, message: message.withoutSecrets)
    case .noRoom(let reason): .noRoom(reason: reason.withoutSecrets)
    case .survived, .notReached, .crashed, .hung: self
    }
  }
}
