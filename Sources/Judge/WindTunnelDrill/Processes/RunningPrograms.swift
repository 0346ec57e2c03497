internal import Foundation
@_spi(WindTunnel) internal import WindTunnelCore

/// The programs that this process has started and of which something is left, so that nothing
/// outlives it.
final class RunningPrograms: Sendable {
  /// Those of this process.
  static let shared = RunningPrograms()

  // Only one thread at a time has to do with any of them, and that under the lock.
  private struct State: @unchecked Sendable {
    var running: [ObjectIdentifier: SpawnedProcess] = [:]
    var isOver = false
    var report: (@Sendable (_ group: Int32, _ runs: Bool) -> Void)?
    var heldOpen: Int32 = -1
  }

  private let state = Locked(State())

  /// Starts a program, unless all are being ended.
  func start(_ program: SpawnedProcess) throws {
    // Under the lock: one that began beside the end of all would be missed.
    let report = try state.withLock { state in
      if state.isOver { throw CancellationError() }
      (program.isSupervised, program.heldOpen) = (true, state.heldOpen)
      try program.run()
      state.running[ObjectIdentifier(program)] = program
      return state.report
    }
    // Outside it: where nobody listens any more, all are ended from there.
    report?(program.processIdentifier, true)
  }

  /// Has somebody told of each that runs and ends, who ends those that this process leaves behind
  /// where it is killed; a descriptor is held open until nothing is left of any of them.
  func report(
    holding descriptor: Int32,
    _ report: @escaping @Sendable (_ group: Int32, _ runs: Bool) -> Void
  ) {
    state.withLock { ($0.report, $0.heldOpen) = (report, descriptor) }
  }

  /// A program goes on to run for longer than anybody had expected. Its own group is not told: it
  /// may have ended by now, and the number may soon be another's.
  func oneRunsOn() { state.withLock { $0.report }?(0, true) }

  /// A program has ended, and may have left something behind.
  func ended(_ program: SpawnedProcess) {
    state.withLock { $0.report }?(program.processIdentifier, false)
  }

  /// Nothing of a program is left.
  func gone(_ program: SpawnedProcess) {
    state.withLock { $0.running[ObjectIdentifier(program)] = nil }
  }

  /// Kills every program with what it has started or left behind, and starts none from now on.
  func endAll() {
    state.withLock { state in
      state.isOver = true
      for program in state.running.values { program.killAll() }
    }
  }
}
