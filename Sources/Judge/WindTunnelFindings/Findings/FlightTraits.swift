/// The things of which a flight has at least one, and without which rules over many calls have
/// nothing to look at: millions of calls have none, and are then looked at once for all rules.
struct FlightTraits: OptionSet, Sendable {
  let rawValue: UInt8

  /// A captive portal answered in the server's place.
  static let portal = Self(rawValue: 1)
  /// An answer was older than it may be when it came.
  static let staleOnArrival = Self(rawValue: 2)
  /// An answer came whole behind a fault, or named a date to come back at.
  static let answeredBehindFault = Self(rawValue: 4)
  /// An answer asked for a wait.
  static let limited = Self(rawValue: 8)
  /// A call ended behind the last window of the weather.
  static let afterWindow = Self(rawValue: 16)
  /// The memory of a call was looked at.
  static let memory = Self(rawValue: 32)
  /// A request went to another machine without TLS.
  static let inClear = Self(rawValue: 64)
  /// A call shows the answer of another, or ended before its answer had.
  static let unread = Self(rawValue: 128)
}

extension FlightTraits {
  /// Adds what a call has beside its attempts.
  mutating func insertAll(seenIn call: Observation) {
    if call.afterWindow != nil { insert(.afterWindow) }
    if call.memory != nil { insert(.memory) }
    if call.strangeAnswer != nil || call.leftAnswerBehind { insert(.unread) }
  }

  /// Adds what the attempts of a call have, looked at in their places: copies would cost as much as
  /// all the rest.
  mutating func insertAll(seenIn attempts: UnsafeBufferPointer<Observation.Attempt>) {
    for place in attempts.indices {
      if attempts[place].isStaleOnArrival { insert(.staleOnArrival) }
      if attempts[place].hasSent, attempts[place].sent?.isInClear == true { insert(.inClear) }
      if attempts[place].retryAfter != nil || attempts[place].retryNotBefore != nil {
        insert(.limited)
        if attempts[place].retryNotBefore != nil { insert(.answeredBehindFault) }
      }
      guard !attempts[place].decision.metNothing else { continue }
      if attempts[place].isOfPortal { insert(.portal) }
      if attempts[place].isAnswered { insert(.answeredBehindFault) }
    }
  }
}
