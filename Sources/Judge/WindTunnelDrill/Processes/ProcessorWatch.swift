internal import Dispatch
@_spi(WindTunnel) internal import WindTunnelCore

/// The time that a running program waits for a processor, looked at twice a second.
// What of `SpawnedProcess` is used here may be used on any thread.
final class ProcessorWatch: Sendable {
  /// A moment from which on is counted: what each thread had waited by then.
  typealias Mark = [String: Duration]

  private static let interval = DispatchTimeInterval.milliseconds(500)
  /// A call that is shorter has not waited for longer, and less is a machine's usual way.
  private static let least = Duration.milliseconds(100)

  private struct State {
    /// The wait of each thread by its folder in proc(5), and the last one of those that have ended.
    var delays: Mark = [:]
    var lookedAt: ContinuousClock.Instant?
    var isOver = false
  }

  private let process: SpawnedProcess
  private let state = Locked(State())

  init(_ process: SpawnedProcess) { self.process = process }

  /// Looks from now on, first after an interval: a program that ends before that costs no look.
  func start() {
    if VirtualWorld.isHere.withLock({ $0 }) { return }
    DispatchQueue.global().asyncAfter(deadline: .now() + Self.interval) { [weak self] in
      guard let self, process.isRunning, !state.withLock({ $0.isOver }) else { return }
      look()
      start()
    }
  }

  /// Ends the looks at it.
  func stop() { state.withLock { $0.isOver = true } }

  /// The moment at which it was last looked at, which is now or just before.
  var mark: Mark {
    lookUnlessJustDone()
    return state.withLock { $0.delays }
  }

  /// Returns the longest wait of a thread since then, as far as it was seen; `nil` where that is
  /// nothing to speak of.
  func longest(since mark: Mark) -> Duration? {
    lookUnlessJustDone()
    let longest = state.withLock { state in
      state.delays.map { $0.value - mark[$0.key, default: .zero] }.max()
    }
    guard let longest, longest >= Self.least else { return nil }
    return longest
  }

  /// Looks at it, unless it has waited too little since the last look to speak of.
  private func lookUnlessJustDone() {
    if let last = state.withLock({ $0.lookedAt }), last.duration(to: .now) < Self.least { return }
    look()
  }

  /// Looks at it once, now.
  func look() {
    guard process.isRunning, !VirtualWorld.isHere.withLock({ $0 }) else { return }
    let now = ContinuousClock.now
    let seen = ProcessDelay.threads(of: process.processIdentifier)
    state.withLock { state in
      // Those that have ended without a wait to speak of say nothing, and may be very many.
      let ended = state.delays.filter { $0.value >= Self.least && seen[$0.key] == nil }
      state.delays = seen.merging(ended) { seen, _ in seen }
      state.lookedAt = now
    }
  }
}
