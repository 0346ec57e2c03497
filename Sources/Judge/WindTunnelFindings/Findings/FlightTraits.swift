/// The traits that at least one call of a run has. A rule about many calls needs some of them, or
/// it has nothing to judge. Millions of calls may have none, so the traits are determined once for
/// all rules.
struct FlightTraits: OptionSet, Sendable {
  let rawValue: UInt8

  /// A captive portal responded in place of the server.
  static let portal = Self(rawValue: 1)
  /// A response was already stale when it arrived.
  static let staleOnArrival = Self(rawValue: 2)
  /// A response was complete despite a fault, or had a date for the next attempt.
  static let answeredBehindFault = Self(rawValue: 4)
  /// A response requested a wait.
  static let limited = Self(rawValue: 8)
  /// A call ended after the last window of the scenario.
  static let afterWindow = Self(rawValue: 16)
  /// The memory of a call was measured.
  static let memory = Self(rawValue: 32)
  /// A request was sent to another machine without TLS.
  static let inClear = Self(rawValue: 64)
  /// A call shows the response of another call, ended before its response did, or has a query.
  static let unread = Self(rawValue: 128)

  /// Adds the traits of a call without the traits of its attempts.
  mutating func insertAll(seenIn call: Observation) {
    if call.afterWindow != nil { insert(.afterWindow) }
    if call.memory != nil { insert(.memory) }
    if call.strangeAnswer != nil || call.leftAnswerBehind { insert(.unread) }
  }

  /// Adds the traits of a call's attempts. They are read in place, because copies would take as
  /// long as the whole analysis.
  mutating func insertAll(seenIn attempts: UnsafeBufferPointer<Observation.Attempt>) {
    for place in attempts.indices {
      if !contains(.unread), attempts[place].key.utf8.contains(UInt8(ascii: "?")) {
        insert(.unread)
      }
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
