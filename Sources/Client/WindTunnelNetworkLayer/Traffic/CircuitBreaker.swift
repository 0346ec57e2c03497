/// The rules of a circuit breaker, which stops calls to a host that fails too often.
public struct BreakerRules: Sendable, Hashable {
  /// The number of latest attempts that are considered. With fewer attempts the circuit stays
  /// closed.
  public var window: Int
  /// The share of failures among them that opens the circuit, in 0...1.
  public var share: Double
  /// The time during which the host is not called. After it, one attempt probes the host.
  public var pause: Duration
  /// The maximum pause. Each failed probe doubles the pause.
  public var longestPause: Duration

  /// Creates rules; by default 18 failures of 20 open the circuit for 5 s, and for at most 60 s.
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

/// The circuit breaker of one host, as a value.
package struct CircuitBreaker {
  /// The decision on an attempt.
  package enum Admission: Hashable {
    /// The attempt may begin normally.
    case go
    /// The attempt may begin, and its outcome alone decides whether the circuit closes.
    case probe
    /// The attempt may not begin for this duration.
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

  /// Decides whether an attempt may begin.
  mutating func admit(at now: Duration) -> Admission {
    switch state {
    case .closed: return .go
    case .open(let end) where now < end: return .refused(end - now)
    case .open:
      state = .probing
      return .probe
    // Only one probe is in flight at a time.
    case .probing: return .refused(rules.pause)
    }
  }

  /// Records a finished attempt; `nil` if it reveals nothing about the host, such as a
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
        // The next attempt is the probe.
        state = .open(until: now)
      }
      return
    }
    // An attempt that began before the pause does not extend it.
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
