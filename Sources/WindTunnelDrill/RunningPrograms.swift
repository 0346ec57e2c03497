internal import Foundation
internal import WindTunnel

#if canImport(Darwin)
  private import Darwin
#elseif canImport(Glibc)
  private import Glibc
#elseif canImport(Musl)
  private import Musl
#endif

/// The programs that this process has started and that have not ended, so that none outlives it.
final class RunningPrograms: Sendable {
  /// Those of this process.
  static let shared = RunningPrograms()

  // Only one thread at a time has to do with any of them, and that under the lock.
  private struct State: @unchecked Sendable {
    var running: [ObjectIdentifier: SpawnedProcess] = [:]
    var isOver = false
    var tell: (@Sendable (Telegram) -> Void)?
  }

  private let state = Locked(State())

  /// Starts a program, unless all are being ended.
  func start(_ program: SpawnedProcess) throws {
    // Under the lock: one that began beside the end of all would be missed.
    let tell = try state.withLock { state in
      if state.isOver { throw CancellationError() }
      try program.run()
      state.running[ObjectIdentifier(program)] = program
      return state.tell
    }
    // Outside it: where nobody listens any more, all are ended from there.
    tell?(.program(program.processIdentifier, runs: true))
  }

  /// Has somebody told of each that runs and ends, who ends those that this process leaves behind
  /// where it is killed.
  func tell(_ tell: @escaping @Sendable (Telegram) -> Void) { state.withLock { $0.tell = tell } }

  /// A program has ended.
  func ended(_ program: SpawnedProcess) {
    let tell = state.withLock { state in
      state.running[ObjectIdentifier(program)] = nil
      return state.tell
    }
    tell?(.program(program.processIdentifier, runs: false))
  }

  /// Kills every program with what it has started, and starts none from now on.
  func endAll() {
    state.withLock { state in
      state.isOver = true
      for program in state.running.values where program.isRunning {
        kill(-program.processIdentifier, SIGKILL)
      }
    }
  }
}
