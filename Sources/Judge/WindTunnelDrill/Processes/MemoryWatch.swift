internal import Dispatch
internal import Foundation
@_spi(WindTunnel) internal import WindTunnelCore
internal import WindTunnelFindings

/// The memory of a running program, looked at some fifty times a second, and an end to it before it
/// fills the machine.
// What of `SpawnedProcess` is used here may be used on any thread.
final class MemoryWatch: Sendable {
  /// A program that has grown by more since its first request is ended: what it would take beyond
  /// that is others'.
  static let growthMax = 768 << 20
  /// The words of the call of one that was ended.
  static let endedWords = "ended by the drill for its memory"

  private static let interval = DispatchTimeInterval.milliseconds(20)

  private struct State {
    var before: Int?
    var peak = 0
    var wasEnded = false
    var isOver = false
  }

  private let process: SpawnedProcess
  private let livesOn: Bool
  private let growthMax: Int
  private let state = Locked(State())

  /// Looks at a program that is ended with its call, or goes on living.
  init(_ process: SpawnedProcess, livesOn: Bool, growthMax: Int = MemoryWatch.growthMax) {
    (self.process, self.livesOn, self.growthMax) = (process, livesOn, growthMax)
  }

  /// Takes what it has now for what it has without the answer: called at its first request. What it
  /// had at most before that is its own, and only the first time counts.
  func noteBefore() {
    guard let bytes = bytes() else { return }
    state.withLock { state in
      if state.before == nil { (state.before, state.peak) = (bytes, bytes) }
    }
  }

  /// Looks from now on. One that has too much is killed, and somebody told of it.
  func start(_ hasOutgrown: @escaping @Sendable () -> Void) {
    // Virtual time does not pass while a program takes memory. It is watched from outside.
    if VirtualWorld.isHere.withLock({ $0 }) { return }
    DispatchQueue.global().asyncAfter(deadline: .now() + Self.interval) { [weak self] in
      guard let self, !state.withLock({ $0.isOver }) else { return }
      if look() {
        process.killAll()
        return hasOutgrown()
      }
      start(hasOutgrown)
    }
  }

  /// Tells whether it has grown by more than a client should by one answer.
  var hasGrown: Bool {
    state.withLock { state in
      state.before.map { state.peak - $0 > Observation.Memory.growthMax } ?? false
    }
  }

  /// Ends looking, and returns what was seen; `nil` where nothing was.
  /// A program that hangs was killed by the drill itself.
  func stop(isHung: Bool = false) -> Observation.Memory? {
    look()
    let wasKilled = !isHung && VirtualWorld.isHere.withLock { $0 } && process.wasKilled
    return state.withLock { state in
      state.isOver = true
      // In a world only the watch from outside kills a program.
      if wasKilled, let before = state.before {
        (state.peak, state.wasEnded) = (max(state.peak, before + growthMax), true)
      }
      guard state.peak > 0 else { return nil }
      return Observation.Memory(
        beforeBytes: state.before,
        peakBytes: state.peak,
        wasEnded: state.wasEnded
      )
    }
  }

  /// Looks once, and tells whether it is too much.
  @discardableResult
  func look() -> Bool {
    guard let bytes = bytes() else { return false }
    return state.withLock { state in
      state.peak = max(state.peak, bytes)
      // Before its first request no answer can be the reason.
      guard let before = state.before, bytes - before > growthMax, !state.isOver, !state.wasEnded
      else { return false }
      state.wasEnded = true
      return true
    }
  }

  private func bytes() -> Int? {
    guard process.isRunning else { return nil }
    return ProcessMemory.bytes(of: process.processIdentifier, atMost: !livesOn)
  }
}
