internal import Foundation
@_spi(WindTunnel) internal import WindTunnelCore

/// The programs that this process has started and that are still running, at least in part. The
/// list ensures that none of them outlives the process.
final class RunningPrograms: Sendable {
  /// The programs of this process.
  static let shared = RunningPrograms()

  // The lock ensures that only one thread at a time uses a program.
  private struct State: @unchecked Sendable {
    var running: [ObjectIdentifier: SpawnedProcess] = [:]
    var isOver = false
    var report: (@Sendable (_ group: Int32, _ runs: Bool) -> Void)?
    var heldOpen: Int32 = -1
  }

  private let state = Locked(State())

  /// Starts a program. Throws `CancellationError` if all programs are being ended.
  func start(_ program: SpawnedProcess) throws {
    // Under the lock: otherwise `endAll` would miss a program that starts at the same time.
    let report = try state.withLock { state in
      if state.isOver { throw CancellationError() }
      (program.isSupervised, program.heldOpen) = (true, state.heldOpen)
      try program.run()
      state.running[ObjectIdentifier(program)] = program
      return state.report
    }
    // Outside the lock: if the report has no reader any more, it ends all programs.
    report?(program.processIdentifier, true)
  }

  /// Sets the function that receives the beginning and end of each program. Its receiver ends the
  /// programs that remain if this process is killed. Each program holds the descriptor open until
  /// all its processes have ended.
  func report(
    holding descriptor: Int32,
    _ report: @escaping @Sendable (_ group: Int32, _ runs: Bool) -> Void
  ) {
    state.withLock { ($0.report, $0.heldOpen) = (report, descriptor) }
  }

  /// Reports that a program runs for longer than expected. The group is 0: the program's own group
  /// may have ended, and its number may soon belong to another.
  func oneRunsOn() { state.withLock { $0.report }?(0, true) }

  /// Reports that a program has ended. Processes that it has started may still run.
  func ended(_ program: SpawnedProcess) {
    state.withLock { $0.report }?(program.processIdentifier, false)
  }

  /// Removes a program of which no process is left.
  func gone(_ program: SpawnedProcess) {
    state.withLock { $0.running[ObjectIdentifier(program)] = nil }
  }

  /// Kills every program with all processes that it has started. Later starts fail.
  func endAll() {
    state.withLock { state in
      state.isOver = true
      for program in state.running.values { program.killAll() }
    }
  }
}
