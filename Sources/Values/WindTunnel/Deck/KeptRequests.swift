internal import Foundation

/// The requests that a deck received, and the callers that wait for one.
struct KeptRequests: Sendable {
  /// Passes a request to the caller that waits for it; called outside the deck's lock.
  typealias Awaited = @Sendable (Deck) -> Void

  /// The facts about a request that a stage knows and that do not affect decisions.
  struct Facts: Sendable {
    var connection: SentRequest.Connection?
    /// The whole content, or `nil` if it is not available; no value for the request's own.
    var content: Body??
  }

  /// The last exchanges; `nil` if none are kept.
  var exchanges: ExchangeRecords?
  /// The waiting callers, in order.
  private(set) var waiters: [(pattern: RequestPattern, next: Promise<ExchangeRecord?>)] = []

  init(isKept: Bool) { if isKept { beginKeeping() } }

  mutating func beginKeeping() { if exchanges == nil { exchanges = ExchangeRecords() } }

  /// Keeps the record of an exchange, and returns the work that passes it to a waiting caller.
  mutating func keep(
    _ entry: Journal.Record,
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

  /// Passes the next request that matches a pattern to a caller, now or when it arrives.
  mutating func give(_ pattern: RequestPattern, to next: Promise<ExchangeRecord?>) {
    if let record = exchanges?.next(pattern) { return next.keep(record) }
    waiters.append((pattern, next))
  }

  /// Ends the wait of a caller; returns false if a request was found for it.
  mutating func stopWaiting(_ next: Promise<ExchangeRecord?>) -> Bool {
    let count = waiters.count
    waiters.removeAll { $0.next === next }
    return waiters.count < count
  }
}
