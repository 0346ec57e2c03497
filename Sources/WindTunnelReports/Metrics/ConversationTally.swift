/// The times of conversations by WebSocket, and the pings in them.
struct ConversationTally: Sendable, Hashable {
  private(set) var reconnect = Distribution(exactMax: 10_000)
  private(set) var resubscribe = Distribution(exactMax: 10_000)
  private(set) var firstEvent = Distribution(exactMax: 10_000)
  private(set) var longestGap: Duration?
  private(set) var pings = 0
  private(set) var pongs = 0

  mutating func add(_ call: Observation) {
    // Most calls have none, and those of millions are looked at.
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
    for reconnection in call.reconnections {
      reconnect.add(reconnection.wait)
      if let wait = reconnection.waitToAsk { resubscribe.add(wait) }
    }
  }

  mutating func merge(_ other: ConversationTally) {
    reconnect.merge(other.reconnect)
    resubscribe.merge(other.resubscribe)
    firstEvent.merge(other.firstEvent)
    if let gap = other.longestGap { longestGap = max(longestGap ?? .zero, gap) }
    pings += other.pings
    pongs += other.pongs
  }
}
