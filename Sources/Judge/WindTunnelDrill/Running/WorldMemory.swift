internal import Dispatch
internal import Foundation
@_spi(WindTunnel) internal import WindTunnelCore

/// Watches the memory of the programs in a world, from outside and in real time. In the world, time
/// does not advance while a program allocates memory.
final class WorldMemory: Sendable {
  private static let interval = DispatchTimeInterval.milliseconds(20)

  private struct State {
    /// The memory of each program at its first request, in bytes; `nil` before that.
    var before: [Int32: Int?] = [:]
    var isWatching = false
    var isOver = false
  }

  private let state = Locked(State())

  /// Handles a message about a program or an attempt.
  func take(_ message: WorkerMessage) {
    switch message {
    // For kill(2), 0 and -1 mean all processes.
    case .program(let program, runs: true) where program > 1:
      let isFirst = state.withLock { state in
        defer { state.isWatching = true }
        state.before[program] = .some(nil)
        return !state.isWatching
      }
      if isFirst { look() }
    case .program(let program, runs: false): state.withLock { $0.before[program] = nil }
    case .attempt:
      let new = state.withLock { $0.before.filter { $0.value == nil }.map(\.key) }
      for program in new {
        let bytes = ProcessMemory.bytes(of: program, atMost: false)
        state.withLock { if $0.before[program] != nil { $0.before[program] = bytes } }
      }
    default: break
    }
  }

  /// Stops watching the programs.
  func end() { state.withLock { $0.isOver = true } }

  private func look() {
    DispatchQueue.global().asyncAfter(deadline: .now() + Self.interval) { [weak self] in
      guard let self, !state.withLock({ $0.isOver }) else { return }
      for case (let program, let before?) in state.withLock({ $0.before }) {
        let bytes = ProcessMemory.bytes(of: program, atMost: false) ?? 0
        // The process that started the program interprets this signal as excessive memory.
        if bytes - before > MemoryWatch.growthMax { kill(-program, SIGKILL) }
      }
      look()
    }
  }
}
