internal import Foundation

/// The exchanges of a deck that are observed from their decision to their end.
///
/// A request without a recording is always observed.
package enum Attention: Sendable, Hashable {
  case everything
  /// Some exchanges, to keep capacity for later ones.
  case some(Allowance)
  case nothing

  /// An allowance of exchanges: a number at once, and then a few per second.
  ///
  /// A person's requests are observed, and most requests of a load generator are not.
  package struct Allowance: Sendable, Hashable {
    /// The maximum number of exchanges that are observed at once.
    package static let burst = 1000
    /// The number of exchanges that are added to the allowance per second.
    package static let perSecond = 5.0

    private var left = Double(burst)
    /// The time at which `left` was last updated.
    private var counted: Date?

    /// Creates a full allowance.
    package init() {}

    fileprivate func count(at now: Date?) -> Double {
      guard let now, let counted else { return left }
      // A clock that is set back adds some once, instead of nothing for that long.
      let passed = abs(now.timeIntervalSince(counted))
      return min(Double(Self.burst), left + passed * Self.perSecond)
    }

    fileprivate mutating func take(at now: Date?) {
      left = count(at: now) - 1
      counted = now ?? counted
    }
  }

  /// Returns whether an exchange is observed that is decided at this time of the caller's clock.
  func takes(at now: Date?) -> Bool {
    switch self {
    case .everything: true
    case .some(let allowance): allowance.count(at: now) >= 1
    case .nothing: false
    }
  }

  /// Counts an exchange that is observed.
  mutating func took(at now: Date?) {
    guard case .some(var allowance) = self else { return }
    allowance.take(at: now)
    self = .some(allowance)
  }
}

extension Deck {
  /// An observer of a deck's events.
  package struct Observer: Sendable {
    let tell: @Sendable (ExchangeEvent) -> Void
    /// Whether the observer receives all events.
    ///
    /// Otherwise it receives selected exchanges, faults that did not happen, recordings that were
    /// selected by order alone, messages that a recorded conversation does not have, and tunnels.
    let takesAll: Bool

    /// Creates an observer from a closure.
    package init(takingAll takesAll: Bool = true, tell: @escaping @Sendable (ExchangeEvent) -> Void)
    {
      (self.takesAll, self.tell) = (takesAll, tell)
    }
  }
}
