internal import Foundation

/// The exchanges of a deck that somebody follows from their decision to their end.
///
/// What nothing answers is followed whatever else is.
package enum Attention: Sendable, Hashable {
  case everything
  /// Some, for whoever comes later.
  case some(Allowance)
  case nothing

  /// The first exchanges at which nobody looks, and a few a second behind them: what a person does
  /// is followed, and what a load generator does is not.
  package struct Allowance: Sendable, Hashable {
    /// The number of exchanges that are followed at once.
    package static let burst = 1000
    /// The number that comes back in a second.
    package static let perSecond = 5.0

    private var left = Double(burst)
    /// The time at which `left` was counted last.
    private var counted: Date?

    /// Makes one of which nothing is used.
    package init() {}

    fileprivate func count(at now: Date?) -> Double {
      guard let now, let counted else { return left }
      // A clock that is set back gives some, once, and not nothing for as long.
      let passed = abs(now.timeIntervalSince(counted))
      return min(Double(Self.burst), left + passed * Self.perSecond)
    }

    fileprivate mutating func take(at now: Date?) {
      left = count(at: now) - 1
      counted = now ?? counted
    }
  }

  /// Tells whether an exchange is followed that is decided at this time of the caller's clock.
  func takes(at now: Date?) -> Bool {
    switch self {
    case .everything: true
    case .some(let allowance): allowance.count(at: now) >= 1
    case .nothing: false
    }
  }

  /// Takes note of one that is followed.
  mutating func took(at now: Date?) {
    guard case .some(var allowance) = self else { return }
    allowance.take(at: now)
    self = .some(allowance)
  }
}

extension Deck {
  /// Whoever is told of a deck's events.
  package struct Observer: Sendable {
    let tell: @Sendable (ExchangeEvent) -> Void
    /// Tells whether it is told of everything; else of exchanges that somebody follows, of what was
    /// not done, of recordings that order alone chose, of what a client says beside a recorded
    /// conversation, and of tunnels.
    let takesAll: Bool

    /// Makes an observer of a closure.
    package init(takingAll takesAll: Bool = true, tell: @escaping @Sendable (ExchangeEvent) -> Void)
    {
      (self.takesAll, self.tell) = (takesAll, tell)
    }
  }
}
