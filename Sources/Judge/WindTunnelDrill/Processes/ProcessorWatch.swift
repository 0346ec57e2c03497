internal import Dispatch
@_spi(WindTunnel) internal import WindTunnelCore

/// Measures twice a second how long a running program has waited for a processor.
// The members of `SpawnedProcess` that this class uses are safe on any thread.
final class ProcessorWatch: Sendable {
  /// A starting point for measurements: the wait of each thread up to then.
  typealias Mark = [String: Duration]

  private static let interval = DispatchTimeInterval.milliseconds(500)
  /// The minimum wait that is reported, and the minimum time between two measurements. Shorter
  /// waits are normal on any machine, and a shorter call cannot have waited longer.
  private static let least = Duration.milliseconds(100)

  private struct State {
    /// The wait of each thread, by its folder in proc(5). A thread that has ended keeps its last
    /// value.
    var delays: Mark = [:]
    var lookedAt: ContinuousClock.Instant?
    var isOver = false
  }

  private let process: SpawnedProcess
  private let state = Locked(State())

  init(_ process: SpawnedProcess) { self.process = process }

  /// Starts the measurements, the first after an interval. A program that ends earlier needs no
  /// measurement.
  func start() {
    if VirtualWorld.isHere.withLock({ $0 }) { return }
    DispatchQueue.global().asyncAfter(deadline: .now() + Self.interval) { [weak self] in
      guard let self, process.isRunning, !state.withLock({ $0.isOver }) else { return }
      look()
      start()
    }
  }

  /// Stops measuring the waits of the program.
  func stop() { state.withLock { $0.isOver = true } }

  /// The waits of the latest measurement, which is taken now or was taken just before.
  var mark: Mark {
    lookUnlessJustDone()
    return state.withLock { $0.delays }
  }

  /// Returns the longest measured wait of a thread since a mark, or `nil` if it is less than the
  /// minimum.
  func longest(since mark: Mark) -> Duration? {
    lookUnlessJustDone()
    let longest = state.withLock { state in
      state.delays.map { $0.value - mark[$0.key, default: .zero] }.max()
    }
    guard let longest, longest >= Self.least else { return nil }
    return longest
  }

  /// Measures the waits, unless the last measurement is too recent to differ.
  private func lookUnlessJustDone() {
    if let last = state.withLock({ $0.lookedAt }), last.duration(to: .now) < Self.least { return }
    look()
  }

  /// Measures the waits once, now.
  func look() {
    guard process.isRunning, !VirtualWorld.isHere.withLock({ $0 }) else { return }
    let now = ContinuousClock.now
    let seen = ProcessDelay.threads(of: process.processIdentifier)
    state.withLock { state in
      // Threads that ended with a short wait are dropped, because there can be very many.
      let ended = state.delays.filter { $0.value >= Self.least && seen[$0.key] == nil }
      state.delays = seen.merging(ended) { seen, _ in seen }
      state.lookedAt = now
    }
  }
}
