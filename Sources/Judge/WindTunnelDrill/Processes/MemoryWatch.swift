internal import Dispatch
internal import Foundation
@_spi(WindTunnel) internal import WindTunnelCore

/// Checks the memory of a running program about fifty times a second, and kills the program before
/// it uses up the machine's memory.
// The members of `SpawnedProcess` that this class uses are safe on any thread.
final class MemoryWatch: Sendable {
  /// The maximum growth in bytes since the first request. A program that has grown by more is
  /// killed, because other processes need the rest of the memory.
  static let growthMax = 768 << 20
  /// The reason in the result of a call whose program was killed for its memory.
  static let endedWords = "ended by the drill: too much memory"

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

  /// Creates a watch of a program. `livesOn` is `true` if the program continues after the call.
  init(_ process: SpawnedProcess, livesOn: Bool, growthMax: Int = MemoryWatch.growthMax) {
    (self.process, self.livesOn, self.growthMax) = (process, livesOn, growthMax)
  }

  /// Takes the current memory as the memory before the response. The caller calls it at the first
  /// request, and only the first call counts. An earlier peak of the program is not counted.
  func noteBefore() {
    guard let bytes = bytes() else { return }
    state.withLock { state in
      if state.before == nil { (state.before, state.peak) = (bytes, bytes) }
    }
  }

  /// Starts the checks. A program with too much memory is killed, and `hasOutgrown` is then called.
  func start(_ hasOutgrown: @escaping @Sendable () -> Void) {
    // Virtual time does not advance while a program allocates memory. The tracer outside watches
    // it.
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

  /// Whether the program has grown by more than a client should grow for one response.
  var hasGrown: Bool {
    state.withLock { state in
      state.before.map { state.peak - $0 > Observation.Memory.growthMax } ?? false
    }
  }

  /// Stops the checks and returns the measurements, or `nil` if there are none. A program that
  /// hangs was killed by the drill itself.
  func stop(isHung: Bool = false) -> Observation.Memory? {
    look()
    let wasKilled = !isHung && VirtualWorld.isHere.withLock { $0 } && process.wasKilled
    return state.withLock { state in
      state.isOver = true
      // In a world, only the watch outside kills a program.
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

  /// Measures the memory once, and returns whether it is too much.
  @discardableResult
  func look() -> Bool {
    guard let bytes = bytes() else { return false }
    return state.withLock { state in
      state.peak = max(state.peak, bytes)
      // Before the first request, no response can be the reason.
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
