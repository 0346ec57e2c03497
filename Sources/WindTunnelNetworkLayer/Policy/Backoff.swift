/// Waits that double from one retry to the next, up to a cap.
public struct Backoff: Sendable, Hashable {
  /// The wait before the first retry, without jitter.
  public var base: Duration
  /// The longest wait, jitter included.
  public var cap: Duration
  /// How chance changes a wait.
  public var jitter: Jitter

  /// Makes a back-off; by default 200 ms, 400 ms, 800 ms … 5 s, give or take a fifth.
  public init(
    base: Duration = .milliseconds(200),
    cap: Duration = .seconds(5),
    jitter: Jitter = .proportional(0.2)
  ) {
    self.base = base
    self.cap = cap
    self.jitter = jitter
  }

  /// The wait before the n-th retry of a call, from 1, for a draw in 0..<1.
  public func delay(beforeRetry retry: Int, draw: Double) -> Duration {
    var delay = min(base, cap)
    var doublings = retry - 1
    while doublings > 0, delay > .zero, delay < cap {
      delay = min(delay * 2, cap)
      doublings -= 1
    }
    return min(jitter.applied(to: delay, draw: draw), cap)
  }
}

/// How chance spreads waits, so that clients who failed together do not return together.
public enum Jitter: Sendable, Hashable {
  /// The wait as it is.
  case none
  /// The wait, give or take this part of it: 0.2 gives 80 % to 120 %.
  case proportional(Double)
  /// Anything from nothing to the wait.
  case full

  /// The wait for a draw in 0..<1, in whole nanoseconds.
  public func applied(to delay: Duration, draw: Double) -> Duration {
    switch self {
    case .none: delay
    case .proportional(let part): delay.scaled(by: 1 - part + 2 * part * draw)
    case .full: delay.scaled(by: draw)
    }
  }
}

extension Duration {
  /// Nanoseconds keep the product exact to the eye; attoseconds would show the rounding of `Double`.
  fileprivate func scaled(by factor: Double) -> Duration {
    let (seconds, attoseconds) = components
    let nanoseconds = Double(seconds) * 1e9 + Double(attoseconds) / 1e9
    return .nanoseconds(Int64((nanoseconds * max(0, factor)).rounded()))
  }
}
