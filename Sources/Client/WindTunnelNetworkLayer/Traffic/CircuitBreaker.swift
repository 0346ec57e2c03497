/// The rules of a circuit breaker, by which a host is not called because it failed too often.
public struct BreakerRules: Sendable, Hashable {
  /// The number of latest attempts that are considered; fewer decide nothing.
  public var window: Int
  /// The share of them that must have failed, in 0...1.
  public var share: Double
  /// The time for which the host is not called; then one attempt probes it.
  public var pause: Duration
  /// The longest pause: each failed probe doubles it.
  public var longestPause: Duration

  /// Makes rules; by default 18 of 20 failures open the circuit for 5 s, and for 60 s at most.
  public init(
    window: Int = 20,
    share: Double = 0.9,
    pause: Duration = .seconds(5),
    longestPause: Duration = .seconds(60)
  ) {
    self.window = max(1, window)
    self.share = share
    self.pause = pause
    self.longestPause = max(pause, longestPause)
  }
}

/// The state of one host: it may be asked or not, as a value.
package struct CircuitBreaker {
  /// The verdict on an attempt.
  package enum Admission: Hashable {
    /// The attempt may begin as usual.
    case go
    /// The attempt may begin, and alone decides what follows.
    case probe
    /// The attempt may not begin for this length of time.
    case refused(Duration)
  }

  private enum State {
    case closed
    case open(until: Duration)
    case probing
  }

  private let rules: BreakerRules
  private var state = State.closed
  private var failures: [Bool] = []
  private var pause: Duration

  init(_ rules: BreakerRules) {
    self.rules = rules
    pause = rules.pause
  }

  /// Decides on an attempt that wants to begin.
  mutating func admit(at now: Duration) -> Admission {
    switch state {
    case .closed: return .go
    case .open(let end) where now < end: return .refused(end - now)
    case .open:
      state = .probing
      return .probe
    // Whoever comes while the probe is out is no second one.
    case .probing: return .refused(rules.pause)
    }
  }

  /// Takes note of an attempt that is over; `nil` where it says nothing of the host, as after a
  /// cancellation.
  mutating func report(_ admission: Admission, hasFailed: Bool?, at now: Duration) {
    if admission == .probe {
      switch hasFailed {
      case true?:
        pause = min(pause * 2, rules.longestPause)
        state = .open(until: now + pause)
      case false?:
        self = CircuitBreaker(rules)
      case nil:
        // The next one probes.
        state = .open(until: now)
      }
      return
    }
    // What began before the pause does not prolong it.
    guard case .closed = state, let hasFailed else { return }
    failures.append(hasFailed)
    if failures.count > rules.window { failures.removeFirst() }
    let count = failures.count(where: \.self)
    guard failures.count == rules.window, Double(count) >= rules.share * Double(rules.window)
    else { return }
    failures = []
    state = .open(until: now + pause)
  }
}
