internal import Foundation

/// The exchanges that somebody follows from their decision to their end.
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

    fileprivate mutating func take(at now: Date?) -> Bool {
      if let now {
        let passed = counted.map { max(0, now.timeIntervalSince($0)) } ?? 0
        left = min(Double(Self.burst), left + passed * Self.perSecond)
        counted = now
      }
      guard left >= 1 else { return false }
      left -= 1
      return true
    }
  }

  /// Tells whether an exchange is followed that is decided at this time of the caller's clock.
  mutating func takes(at now: Date?) -> Bool {
    switch self {
    case .everything: return true
    case .nothing: return false
    case .some(var allowance):
      defer { self = .some(allowance) }
      return allowance.take(at: now)
    }
  }
}
