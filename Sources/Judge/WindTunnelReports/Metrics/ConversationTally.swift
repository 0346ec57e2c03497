/// The times of WebSocket conversations, their pings, and the messages at their clients.
struct ConversationTally: Sendable, Hashable {
  private(set) var reconnect = Waits()
  private(set) var resubscribe = Waits()
  private(set) var firstEvent = Distribution(exactMax: 10_000)
  private(set) var longestGap: Duration?
  private(set) var pings = 0
  private(set) var pongs = 0
  /// The messages of the clients that report what they received.
  private(set) var messages: MessageComparison?

  /// Waits, each with an end or without one.
  struct Waits: Sendable, Hashable {
    private var seen = Distribution(exactMax: 10_000)
    private var endless = 0

    /// The share of the waits that ended, or `nil` if there was no wait.
    var endedShare: Double? {
      let all = seen.count + endless
      return all > 0 ? Double(seen.count) / Double(all) : nil
    }

    /// The 95th percentile of the waits, or `nil` if it is a wait without an end.
    var p95: Duration? {
      Statistics.rank(0.95, of: seen.count + endless).flatMap { seen.sorted.value(atRank: $0) }
    }

    /// Adds a wait. `nil` means a wait without an end.
    mutating func add(_ wait: Duration?) {
      if let wait { seen.add(wait) } else { endless += 1 }
    }

    mutating func merge(_ other: Waits) {
      seen.merge(other.seen)
      endless += other.endless
    }
  }

  mutating func add(_ call: Observation) {
    // Most calls have no conversation, and this runs for millions of calls.
    guard call.attempts.indices.contains(where: { call.attempts[$0].status == 101 }) else { return }
    var moments: [Duration] = []
    for attempt in call.attempts {
      guard let opened = attempt.end, let log = attempt.conversation else { continue }
      pings += log.serverPings
      pongs += log.clientPongs
      let heard = log.messages.lazy.filter { $0.sender == .server }.map(\.at)
      if let first = heard.first { firstEvent.add(first) }
      moments += heard.map { opened + $0 }
    }
    moments.sort()
    for (moment, next) in zip(moments, moments.dropFirst()) {
      longestGap = max(longestGap ?? .zero, next - moment)
    }
    addWaits(of: call)
    add(MessageComparison(call))
  }

  /// Adds the waits after each loss of a call, including waits without an end.
  private mutating func addWaits(of call: Observation) {
    let followed = Dictionary(grouping: call.reconnections, by: \.before)
    for (place, attempt) in call.attempts.enumerated() where attempt.lostAt != nil {
      let next = followed[place]?.first
      // If a recorded conversation ends and the call succeeded, nothing was lost.
      if next == nil, attempt.decision.metNothing, call.ending == .succeeded { continue }
      reconnect.add(next?.wait)
      // A client that had no subscription does not need to repeat it.
      let hadAsked = attempt.conversation?.messages.contains(where: \.asks) == true
      if hadAsked || next?.waitToAsk != nil { resubscribe.add(next?.waitToAsk) }
    }
  }

  private mutating func add(_ more: MessageComparison?) {
    guard let more else { return }
    if messages?.add(more) == nil { messages = more }
  }

  mutating func merge(_ other: ConversationTally) {
    reconnect.merge(other.reconnect)
    resubscribe.merge(other.resubscribe)
    firstEvent.merge(other.firstEvent)
    if let gap = other.longestGap { longestGap = max(longestGap ?? .zero, gap) }
    pings += other.pings
    pongs += other.pongs
    add(other.messages)
  }
}
