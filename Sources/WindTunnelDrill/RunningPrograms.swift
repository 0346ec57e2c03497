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
  }

  private let state = Locked(State())

  /// Starts a program, unless all are being ended.
  func start(_ program: SpawnedProcess) throws {
    // Under the lock: one that began beside the end of all would be missed.
    try state.withLock { state in
      if state.isOver { throw CancellationError() }
      try program.run()
      state.running[ObjectIdentifier(program)] = program
    }
  }

  /// A program has ended.
  func ended(_ program: SpawnedProcess) {
    state.withLock { $0.running[ObjectIdentifier(program)] = nil }
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
