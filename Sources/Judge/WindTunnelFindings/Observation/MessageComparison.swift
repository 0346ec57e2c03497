/// Compares the messages that a client reports as received with the messages that its server sent,
/// over all connections of a call.
///
/// A recorded message counts as one message, even if it was sent several times. A client that
/// reconnects receives the conversation from its beginning. It may report a repeated message once
/// or each time.
package struct MessageComparison: Sendable, Hashable {
  /// The time after its sending from which a message counts as late.
  package static let lateAfter = Duration.seconds(1)
  /// The time in which a reconnected client should repeat its subscription.
  package static let patience = Duration.seconds(5)

  /// The number of messages that the client did not receive, including ``away``.
  package private(set) var lost = 0
  /// The number of reports of a message beyond the number of connections on which it was sent.
  package private(set) var doubled = 0
  /// The number of messages that the client received after a later message of the same connection.
  package private(set) var outOfOrder = 0
  /// The number of messages that the client received more than ``lateAfter`` after their sending.
  package private(set) var late = 0
  /// The number of recorded messages after a lost conversation that the client did not request
  /// after it reconnected. `nil` if it lost no conversation, or was not observed long enough.
  package private(set) var away: Int?

  /// A message that was sent on one of the connections.
  private struct Sending {
    var connection: Int
    var recording: Recorded
    var digest: UInt64
    var at: Duration
  }

  /// The position of a message on the cassette.
  private struct Recorded: Hashable {
    var recording: Int?
    var number: Int
  }

  /// Compares the client's reports in a call with the sent messages.
  ///
  /// - Returns: `nil` if the client reports nothing, or if no conversation was observed completely.
  package init?(_ call: Observation) {
    guard let received = call.received, received.further == 0 else { return nil }
    let places = call.attempts.indices.filter { call.attempts[$0].conversation != nil }
    guard !places.isEmpty,
      places.allSatisfy({ call.attempts[$0].conversation?.further == 0 })
    else { return nil }
    let reports = Dictionary(grouping: received.messages, by: \.digest)
    let sendings = places.flatMap { Self.sendings(of: call.attempts[$0], at: $0) }
    countLost(sendings, reports, in: call, at: places)
    countDoubled(sendings, reports)
    compareOrder(of: received.messages, with: sendings)
    let known = Set(sendings.map(\.digest))
    away = Self.away(
      in: call,
      last: places.last,
      strange: received.messages.count { !known.contains($0.digest) }
    )
    lost += away ?? 0
  }

  /// Adds the numbers of messages of another call.
  package mutating func add(_ other: MessageComparison) {
    lost += other.lost
    doubled += other.doubled
    outOfOrder += other.outOfOrder
    late += other.late
  }

  /// Returns the messages sent on a connection, in their intended order.
  private static func sendings(of attempt: Observation.Attempt, at place: Int) -> [Sending] {
    guard let opened = attempt.end, let log = attempt.conversation else { return [] }
    let sent = log.messages.compactMap { message -> Sending? in
      guard let number = message.number, let digest = message.digest else { return nil }
      return Sending(
        connection: place,
        recording: Recorded(recording: attempt.source.number, number: number),
        digest: digest,
        at: opened + message.at
      )
    }
    let isSwapped = attempt.decision.faults.contains {
      if case .conversation(.message(.swap, _)) = $0 { true } else { false }
    }
    guard isSwapped else { return sent }
    return sent.sorted { $0.recording.number < $1.recording.number }
  }

  private mutating func countLost(
    _ sendings: [Sending],
    _ reports: [UInt64: [ReceivedMessages.Message]],
    in call: Observation,
    at places: [Int]
  ) {
    var digests: [Recorded: Set<UInt64>] = [:]
    var order: [Recorded] = []
    for place in places {
      var own = sendings.filter { $0.connection == place }
      // Messages that were still on their way when the client closed the conversation are not
      // missing.
      if call.attempts[place].conversation?.isEndedByServer == false {
        while let last = own.last, reports[last.digest] == nil { own.removeLast() }
      }
      for sending in own {
        if digests[sending.recording] == nil { order.append(sending.recording) }
        digests[sending.recording, default: []].insert(sending.digest)
      }
    }
    var left = reports.mapValues(\.count)
    for recording in order {
      guard let digest = digests[recording]?.first(where: { left[$0, default: 0] > 0 }) else {
        lost += 1
        continue
      }
      left[digest, default: 0] -= 1
    }
  }

  private mutating func countDoubled(
    _ sendings: [Sending],
    _ reports: [UInt64: [ReceivedMessages.Message]]
  ) {
    let sent = Dictionary(grouping: sendings, by: \.digest).mapValues { sendings in
      Dictionary(grouping: sendings, by: \.connection).values.reduce(0) { sum, ofOne in
        sum + Set(ofOne.map(\.recording)).count
      }
    }
    for (digest, reports) in reports {
      guard let sent = sent[digest] else { continue }
      doubled += max(0, reports.count - sent)
    }
  }

  private mutating func compareOrder(
    of messages: [ReceivedMessages.Message],
    with sendings: [Sending]
  ) {
    var places = Dictionary(grouping: sendings.indices) { sendings[$0].digest }
      .mapValues { $0[...] }
    let times = Dictionary(grouping: sendings, by: \.digest).mapValues { $0.map(\.at).sorted() }
    var furthest: [Int: Int] = [:]
    for message in messages {
      // A repeated report is a duplicate, and has no position of its own.
      guard let place = places[message.digest]?.popFirst() else { continue }
      let connection = sendings[place].connection
      if place < furthest[connection, default: 0] { outOfOrder += 1 }
      furthest[connection] = max(furthest[connection, default: 0], place)
      // If a message was sent several times, the last sending before the report is taken.
      let sent = times[message.digest]?.last { $0 <= message.at }
      if let sent, message.at - sent > Self.lateAfter { late += 1 }
    }
  }

  /// Returns the number of messages that the client did not request after it reconnected. Messages
  /// that it received in another way are subtracted: their number is that of the reports without a
  /// sending.
  private static func away(in call: Observation, last: Int?, strange: Int) -> Int? {
    guard let last, let pair = call.reconnections.last(where: { $0.after == last }) else {
      return nil
    }
    let attempt = call.attempts[last]
    guard attempt.decision.metNothing, let log = attempt.conversation else { return nil }
    guard log.waiting > 0 else { return 0 }
    guard let end = log.end ?? call.end.map({ $0 - pair.opened }), end >= patience else {
      return nil
    }
    // A message that the client sends now may request what it missed.
    if log.messages.contains(where: { $0.sender == .client && $0.number == nil }) { return nil }
    let logs = call.attempts[..<last].filter { $0.source.number == attempt.source.number }
      .compactMap(\.conversation)
    // In the same recording, the client misses only messages that it had requested before.
    let asked = logs.reduce(into: Set<Int>()) { $0.formUnion($1.numbersOfClient) }
    if !logs.isEmpty, asked.isSubset(of: log.numbersOfClient) { return 0 }
    let before = logs.reduce(into: Set<Int>()) { $0.formUnion($1.numbersOfServer) }
    return max(0, log.waiting - before.subtracting(log.numbersOfServer).count - strange)
  }
}

extension ConversationLog {
  /// Whether the server has ended the conversation, other than by falling silent.
  var isEndedByServer: Bool {
    switch ending {
    case .server, .serverLeft, .stopped: silentSince == nil
    case .client, .clientLeft, nil: false
    }
  }

  /// The numbers of the recorded messages that the client sent.
  fileprivate var numbersOfClient: Set<Int> {
    Set(messages.lazy.filter { $0.sender == .client }.compactMap(\.number))
  }

  /// The numbers of the recorded messages that the server sent, without replies to heartbeats.
  fileprivate var numbersOfServer: Set<Int> {
    Set(messages.lazy.filter { $0.digest != nil }.compactMap(\.number))
  }
}
