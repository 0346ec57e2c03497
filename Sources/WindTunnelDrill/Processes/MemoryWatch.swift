internal import Dispatch
internal import Foundation
@_spi(WindTunnel) internal import WindTunnelCore
internal import WindTunnelFindings

/// The memory of a running program, looked at some fifty times a second, and an end to it before it
/// fills the machine.
// What of `SpawnedProcess` is used here may be used on any thread.
final class MemoryWatch: Sendable {
  /// A program that has grown by more is ended: what it would take beyond that is others'.
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
  private let state = Locked(State())

  /// Looks at a program that is ended with its call, or goes on living.
  init(_ process: SpawnedProcess, livesOn: Bool) {
    (self.process, self.livesOn) = (process, livesOn)
  }

  /// Takes what it has now for what it has without the answer.
  func noteBefore() {
    guard let bytes = bytes() else { return }
    state.withLock { state in
      (state.before, state.peak) = (state.before ?? bytes, max(state.peak, bytes))
    }
  }

  /// Looks from now on. One that has too much is killed, and somebody told of it.
  func start(_ hasOutgrown: @escaping @Sendable () -> Void) {
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
  func stop() -> Observation.Memory? {
    look()
    return state.withLock { state in
      state.isOver = true
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
  private func look() -> Bool {
    guard let bytes = bytes() else { return false }
    return state.withLock { state in
      state.peak = max(state.peak, bytes)
      guard bytes - (state.before ?? 0) > Self.growthMax, !state.isOver, !state.wasEnded else {
        return false
      }
      state.wasEnded = true
      return true
    }
  }

  private func bytes() -> Int? {
    guard process.isRunning else { return nil }
    return ProcessMemory.bytes(of: process.processIdentifier, atMost: !livesOn)
  }
}
