internal import Foundation

/// The client's messages that keep a connection alive: they occur at least three times and differ
/// only in volatile parts.
struct Heartbeats {
  static let least = 3

  /// The number of each heartbeat and the key of its kind.
  private(set) var keys: [Int: Data] = [:]
  /// The numbers of the replies, each with the number of its heartbeat.
  private(set) var replies: [Int: Int] = [:]

  /// The members that identify or number a message. They do not distinguish kinds of heartbeats.
  private static let names = MessageContent.identifierFields.union(["id"])

  /// Returns the key of a heartbeat's kind.
  static func key(of content: MessageContent, correlatedBy paths: [JSONPath]) -> Data {
    content.looseKey(MessageContent.Identifiers(names: names, paths: paths))
  }

  init(_ messages: [WebSocketMessage], _ contents: [MessageContent], _ paths: [JSONPath]) {
    var groups: [WebSocketMessage.Sender: [Data: [Int]]] = [.client: [:], .server: [:]]
    for (place, message) in messages.enumerated() where !message.isClose {
      groups[message.sender]?[Self.key(of: contents[place], correlatedBy: paths), default: []]
        .append(place + 1)
    }
    let answers = Dictionary(grouping: (groups[.server] ?? [:]).values) { $0.count }
    for (key, group) in groups[.client] ?? [:] where group.count >= Self.least {
      for number in group { keys[number] = key }
      // Each heartbeat has a later reply, except perhaps the last one.
      let replies = [group.count, group.count - 1].flatMap { answers[$0] ?? [] }
        .filter { answer in zip(group, answer).allSatisfy { $0 < $1 } }
      let reply = replies.min { delay($0, group) < delay($1, group) } ?? pulled(by: group)
      for (heartbeat, reply) in zip(group, reply) { self.replies[reply] = heartbeat }
    }

    /// Returns the message after each one of a group, if the client sends each request after the
    /// previous reply.
    func pulled(by group: [Int]) -> [Int] {
      let isInTurn = zip(group, group.dropFirst()).allSatisfy { number, next in
        next == number + 2 && messages[number].sender == .server
      }
      guard isInTurn else { return [] }
      return group.map { $0 + 1 }.filter {
        $0 <= messages.count && messages[$0 - 1].sender == .server
      }
    }

    func delay(_ answer: [Int], _ group: [Int]) -> Duration {
      zip(group, answer).reduce(.zero) { sum, pair in
        sum + messages[pair.1 - 1].offset - messages[pair.0 - 1].offset
      }
    }
  }

  /// The number of the heartbeat that represents its kind, by key: the last one with a reply.
  var last: [Data: Int] {
    let answered = Set(replies.values)
    return keys.reduce(into: [:]) { last, heartbeat in
      let best = last[heartbeat.value]
      let isBetter = best.map { old in
        (answered.contains(heartbeat.key) ? 1 : 0, heartbeat.key)
          > (answered.contains(old) ? 1 : 0, old)
      }
      if isBetter ?? true { last[heartbeat.value] = heartbeat.key }
    }
  }
}

/// The causes of a server's messages: the client's message that each responds to, or the handshake.
struct MessageCauses {
  /// For each message, the number of its cause, from 1, or 0 for the handshake; `nil` for the
  /// client's messages.
  private(set) var numbers: [Int?] = []

  /// The members that identify one message.
  private static let counting = MessageContent.identifierFields.union(["id"])

  init(
    _ messages: [WebSocketMessage],
    _ correlations: [[MessageContent.Correlation]],
    _ heartbeats: Heartbeats,
    _ paths: [JSONPath],
    roundTrip: Duration
  ) {
    let counting = Self.counting.union(paths.map(\.description))
    var correlated: [MessageContent.Correlation: Int] = [:]
    var asked: [Int] = []
    // The newest client message that is old enough is the cause. The number of old enough messages
    // only increases.
    var oldEnough = 0
    var lastClose: Int?
    for (place, message) in messages.enumerated() {
      let number = place + 1
      guard message.sender == .server else {
        numbers.append(nil)
        if message.kind == .close(1006) { continue }
        if message.isClose { lastClose = number }
        let isHeartbeat = heartbeats.keys[number] != nil
        // A heartbeat with a number of its own is only correlated by that number.
        for correlation in correlations[place]
        where !isHeartbeat || counting.contains(correlation.field) {
          correlated[correlation] = number
        }
        if !isHeartbeat { asked.append(number) }
        continue
      }
      while oldEnough < asked.count,
        messages[asked[oldEnough] - 1].offset <= message.offset - roundTrip
      {
        oldEnough += 1
      }
      numbers.append(
        message.cause
          // A close is the response to a close (RFC 6455 §5.5.1).
          ?? (message.isClose ? lastClose : nil)
          ?? correlations[place].lazy.compactMap { correlated[$0] }.first
          ?? heartbeats.replies[number]
          ?? (oldEnough > 0 ? asked[oldEnough - 1] : 0)
      )
    }
  }
}

/// The order in which the server's messages are sent.
struct MessageOrder {
  /// For each message, the numbers of the messages that must be sent first.
  ///
  /// They are the previous message with the same cause and the previous message with the same
  /// correlation.
  private(set) var predecessors: [[Int]] = []
  /// For each message, the numbers of the messages that must be sent after it.
  private(set) var followers: [Int: [Int]] = [:]
  /// The numbers of the server's messages by their cause.
  private(set) var effects: [Int: [Int]] = [:]

  init(
    _ messages: [WebSocketMessage],
    _ causes: MessageCauses,
    _ correlations: [[MessageContent.Correlation]],
    _ heartbeats: Heartbeats
  ) {
    var lastOfCorrelation: [MessageContent.Correlation: Int] = [:]
    var hasEnded = false
    for (place, cause) in causes.numbers.enumerated() {
      var before: Set<Int> = []
      if let cause {
        if let last = effects[cause]?.last { before.insert(last) }
        // A reply to a heartbeat only waits for replies of the same kind.
        if heartbeats.replies[place + 1] == nil, let correlation = correlations[place].first {
          if let last = lastOfCorrelation[correlation] { before.insert(last) }
          lastOfCorrelation[correlation] = place + 1
        }
        // Nothing is sent after a close, so all other messages precede it.
        if messages[place].isClose, !hasEnded {
          hasEnded = true
          before = Set(effects.filter { heartbeats.keys[$0.key] == nil }.values.joined())
        }
        effects[cause, default: []].append(place + 1)
      }
      predecessors.append(before.sorted())
      for number in before { followers[number, default: []].append(place + 1) }
    }
  }
}
