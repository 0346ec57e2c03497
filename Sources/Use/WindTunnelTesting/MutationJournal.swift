internal import Foundation
internal import WindTunnel
@_spi(WindTunnel) internal import WindTunnelCore

/// The log of mutants, which this process reads once and appends to.
final class MutationJournal: Sendable {
  /// The log that `WINDTUNNEL_MUTATE` names; `nil` if it is not set.
  @TaskLocal static var current: Result<MutationJournal, any Error>? =
    ProcessInfo.processInfo.environment["WINDTUNNEL_MUTATE"].map { path in
      Result { try MutationJournal(URL(filePath: path)) }
    }

  /// The file of the log.
  let file: URL
  private let state: Locked<MutationLog>
  private let mutants = Locked<[String: Mutants]>([:])
  private let deadline: ContinuousClock.Instant?

  /// Opens the log for appending.
  init(_ file: URL) throws {
    let data = try FileError.reading(file, bytesMax: MutationLog.bytesMax)
    let log = MutationLog(try MutationLog.events(in: data))
    (self.file, state) = (file, Locked(log))
    deadline = log.plan.budget.map { .now + $0 }
  }

  /// The plan of the run.
  var plan: MutationPlan { state.withLock { $0.plan } }

  /// Whether the time budget for mutants is used up.
  var isOver: Bool { deadline.map { .now >= $0 } ?? false }

  /// Returns the runs of a test that have begun and not ended.
  func begun(of id: String) -> [MutantRun] {
    state.withLock { $0.unended.filter { $0.test == id } }
  }

  /// Returns whether a run is still to be done.
  func isDue(_ run: MutantRun) -> Bool { state.withLock { $0.isDue(run) } }

  /// Returns the mutants of a cassette according to the plan. All tests of the cassette share them.
  func mutants(of interactions: [Interaction], from cassette: URL) -> Mutants {
    let plan = plan
    return mutants.withLock { known in
      let mutants = known[cassette.path] ?? Mutants(of: interactions, by: plan)
      known[cassette.path] = mutants
      return mutants
    }
  }

  /// Appends the line of an event. A test that already has a line is not logged again.
  func append(_ event: MutationEvent) throws {
    try state.withLock { log in
      if case .test(let test) = event, log.has(test) { return }
      log.add(event)
      try MutationLog.append([event.line], to: file)
    }
  }
}
