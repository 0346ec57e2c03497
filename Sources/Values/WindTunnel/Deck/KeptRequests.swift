internal import Foundation
@_spi(WindTunnel) internal import WindTunnelCore

/// The requests that were sent to a deck, and the callers that wait for one.
struct KeptRequests: Sendable {
  /// Hands a request to the caller that waits for it; called outside of the deck's lock.
  typealias Awaited = @Sendable (Deck) -> Void

  /// The facts about a request that a stage knows and that decide nothing.
  struct Facts: Sendable {
    var connection: SentRequest.Connection?
    /// The whole content, or `nil` if it is not there; no value for the request's own.
    var content: Body??
  }

  /// The last exchanges; `nil` if none are kept.
  var exchanges: ExchangeRecords?
  /// The callers that wait, in the order in which they came.
  private(set) var waiters: [(pattern: RequestPattern, next: Promise<ExchangeRecord?>)] = []

  init(isKept: Bool) { if isKept { beginKeeping() } }

  mutating func beginKeeping() { if exchanges == nil { exchanges = ExchangeRecords() } }

  /// Keeps the record of an exchange, and returns what hands it to a caller that waits for it.
  mutating func keep(
    _ entry: Journal.Entry,
    of prepared: PreparedRequest,
    _ facts: Facts?,
    _ source: Outcome.Source,
    at now: Date?
  ) -> Awaited? {
    guard exchanges != nil else { return nil }
    var record = ExchangeRecord(
      entry,
      (prepared.boxedRequest, prepared.request.headBytes, prepared.bodyBytes),
      source,
      at: now,
      on: facts?.connection,
      content: facts?.content ?? nil
    )
    let place =
      waiters.isEmpty ? nil : waiters.firstIndex { $0.pattern.matches(prepared.request) }
    record.isReturned = place != nil
    exchanges?.append(record)
    return place.map { place in
      let next = waiters.remove(at: place).next
      return { [record] in next.keep($0.exchange(record.id) ?? record) }
    }
  }

  /// Gives a caller the next request of a pattern, now or when it comes.
  mutating func give(_ pattern: RequestPattern, to next: Promise<ExchangeRecord?>) {
    if let record = exchanges?.next(pattern) { return next.keep(record) }
    waiters.append((pattern, next))
  }

  /// Ends the wait of a caller; false if a request was found for it.
  mutating func stopWaiting(_ next: Promise<ExchangeRecord?>) -> Bool {
    let count = waiters.count
    waiters.removeAll { $0.next === next }
    return waiters.count < count
  }
}
