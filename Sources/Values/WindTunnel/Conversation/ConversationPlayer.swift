package import Foundation

/// The server of a recorded conversation: a state machine whose inputs are the client's messages,
/// and whose outputs are the messages to send.
///
/// A message is sent at its recorded distance from its cause. Its cause must have arrived, and
/// earlier messages with the same cause or correlation must have been sent. A client's message is
/// searched among all that it has not sent yet, so the client may use another order.
package struct ConversationPlayer: Sendable {
  /// An event that a courier reports.
  package enum Event: Sendable, Hashable {
    /// The response to the handshake has been sent.
    case opened
    /// The client has sent a message.
    case message(Data, isText: Bool)
    /// The client has sent a close frame; 1005 if it has no code.
    case closed(code: Int, reason: String)
    /// The time at which the player requested a call.
    case tick
  }

  /// An action for a courier; actions are performed in order.
  package enum Action: Sendable, Hashable {
    /// Send a recorded message, in frames with these proportions, or in one frame if there are
    /// none.
    case send(Data, isText: Bool, fragments: [Int], number: Int)
    /// Send a close frame, without a code for 1005, and end the connection.
    case close(code: Int, reason: String)
    /// End the connection without a close frame.
    case drop
    /// Call the player at this time.
    case wake(Duration)
  }

  /// A message that is not on the cassette, with the nearest recorded message.
  package struct Stray: Sendable, Hashable {
    /// The number of the nearest recorded message, from 1; `nil` if the cassette has no client
    /// message.
    package var nearest: Int?
    /// The first difference between the two messages.
    package var difference: Mismatch.Difference

    /// The reason for a close frame, whose maximum is 123 bytes (RFC 6455 §5.5).
    package var reason: String {
      nearest.map { "not on the cassette; nearest: #\($0), differs in \(difference)" }
        ?? "not on the cassette, which has no messages of the client"
    }
  }

  /// The messages that wait for one of the client's messages.
  package struct Waiting: Sendable, Hashable, CustomStringConvertible {
    /// The number of the client's message, from 1.
    package var cause: Int
    /// The number of messages that wait for it.
    package var count: Int

    package var description: String {
      count == 1 ? "1 message waits for #\(cause)" : "\(count) messages wait for #\(cause)"
    }
  }

  /// The time within which messages keep the recorded order if their causes arrive at different
  /// times.
  ///
  /// It covers the differences of a client's clock and the system's scheduling.
  package static let orderSlack = Duration.milliseconds(100)

  /// A message that will be sent.
  private struct Item {
    var number: Int
    /// The serial number of the item, because it is in two queues.
    var serial: Int
    var due: Duration
    /// The content of a reply that is sent again; `nil` for the recorded content.
    var repeated: Data?
  }

  private enum State: UInt8 { case waits, isPlanned, hasGone }

  private let conversation: Conversation
  private let pace: Pace
  private var bindings = Conversation.Bindings()
  /// The time at which each client message arrived, by number; 0 is the handshake.
  private var arrivals: [Int: Duration] = [:]
  /// The state of each of the server's messages.
  private var states: [State]
  /// The client's messages that have arrived.
  private var uses = Conversation.Uses()
  /// The messages that are due later, the earliest first.
  private var later = Heap<Item> { ($0.due, $0.number) < ($1.due, $1.number) }
  /// The messages that are due now or within the slack, by their recorded order and by their times.
  private var inOrder = Heap<Item> { $0.number < $1.number }
  private var byTime = Heap<Item> { ($0.due, $0.number) < ($1.due, $1.number) }
  /// The serial numbers of the items that have not been sent.
  private var open: Set<Int> = []
  private var lastSerial = 0
  private var isOver = false
  /// The message because of which the player has closed the conversation; `nil` for none.
  package private(set) var stray: Stray?
  /// The number of the client's last message that is on the cassette; `nil` if none has arrived.
  package private(set) var lastHeard: Int?

  /// Creates a player at the beginning of a conversation.
  package init(_ conversation: Conversation, pace: Pace) {
    (self.conversation, self.pace) = (conversation, pace)
    states = [State](repeating: .waits, count: conversation.messages.count + 1)
  }

  /// Processes an event; returns the actions to perform at once, in order.
  package mutating func next(_ event: Event, at now: Duration) -> [Action] {
    guard !isOver else { return [] }
    switch event {
    case .opened: came(0, at: now)
    case .message(let data, let isText):
      guard let number = conversation.match(data, isText: isText, in: &uses, &bindings) else {
        let stray = stray(data, isText: isText)
        self.stray = stray
        isOver = true
        return [.close(code: 1008, reason: stray.reason)]
      }
      lastHeard = number
      // A heartbeat may be repeated.
      if arrivals[number] != nil { again(number, at: now) } else { came(number, at: now) }
    case .closed(let code, let reason):
      isOver = true
      return [lastWord(after: code, reason)]
    case .tick: break
    }
    return release(at: now)
  }

  // MARK: The client's messages

  private func stray(_ data: Data, isText: Bool) -> Stray {
    let nearest = conversation.nearest(to: data, isText: isText) { uses.has($0) }
    return Stray(nearest: nearest.number, difference: nearest.difference)
  }

  /// Returns the server's close frame after the client's: the recorded one, or the same code (RFC
  /// 6455 §5.5.1).
  private func lastWord(after code: Int, _ reason: String) -> Action {
    let recorded = conversation.messages.indices.last { place in
      conversation.messages[place].sender == .server && conversation.messages[place].isClose
        && conversation.messages[place].cause.map { $0 > 0 && isClientsEnd($0) } == true
    }
    guard let recorded, case .close(let own) = conversation.messages[recorded].kind else {
      return .close(code: code, reason: code == 1005 ? "" : reason)
    }
    if own == 1006 { return .drop }
    return .close(code: own, reason: conversation.messages[recorded].body.text ?? "")
  }

  private func isClientsEnd(_ number: Int) -> Bool { conversation.messages[number - 1].isClose }

  // MARK: The server's messages

  /// Records that a cause has arrived, and schedules its effects.
  private mutating func came(_ number: Int, at now: Duration) {
    arrivals[number] = now
    for effect in conversation.effects[number] ?? [] { plan(effect) }
  }

  /// Replies to a heartbeat that arrives more often than recorded, with the last recorded reply.
  private mutating func again(_ number: Int, at now: Duration) {
    for effect in conversation.effects[number] ?? [] where states[effect] != .waits {
      let content = conversation.content(of: effect, bindings)
      plan(effect, at: now + distance(of: effect), repeating: content)
    }
  }

  /// Returns the time between a message and its cause.
  private func distance(of number: Int) -> Duration {
    let message = conversation.messages[number - 1]
    let cause = message.cause ?? 0
    return pace.wait(
      message.offset - (cause == 0 ? .zero : conversation.messages[cause - 1].offset)
    )
  }

  /// Schedules a message if its cause has arrived and all its predecessors have been sent.
  private mutating func plan(_ number: Int) {
    let before = conversation.predecessors[number - 1]
    guard states[number] == .waits,
      let came = conversation.messages[number - 1].cause.flatMap({ arrivals[$0] }),
      before.allSatisfy({ states[$0] == .hasGone })
    else { return }
    states[number] = .isPlanned
    plan(number, at: came + distance(of: number))
  }

  private mutating func plan(_ number: Int, at due: Duration, repeating content: Data? = nil) {
    lastSerial += 1
    open.insert(lastSerial)
    later.insert(Item(number: number, serial: lastSerial, due: due, repeated: content))
  }

  /// Sends the messages that may be sent.
  ///
  /// Among the messages that are due within the slack, the first in recorded order is sent first.
  /// The exception is a message that is overdue by more than the slack.
  private mutating func release(at now: Duration) -> [Action] {
    var actions: [Action] = []
    while !isOver {
      while let item = later.first, item.due <= now + Self.orderSlack {
        later.removeFirst()
        inOrder.insert(item)
        byTime.insert(item)
      }
      while let item = inOrder.first, !open.contains(item.serial) { inOrder.removeFirst() }
      while let item = byTime.first, !open.contains(item.serial) { byTime.removeFirst() }
      guard let first = inOrder.first, let earliest = byTime.first else { break }
      if first.due <= now {
        send(first, &actions)
      } else if earliest.due + Self.orderSlack <= now {
        send(earliest, &actions)
      } else {
        let isLate = earliest.due <= now
        actions.append(
          .wake(isLate ? min(first.due, earliest.due + Self.orderSlack) : earliest.due)
        )
        return actions
      }
    }
    if !isOver, let next = later.first { actions.append(.wake(next.due)) }
    return actions
  }

  private mutating func send(_ item: Item, _ actions: inout [Action]) {
    let message = conversation.messages[item.number - 1]
    open.remove(item.serial)
    states[item.number] = .hasGone
    switch message.kind {
    case .close(1006):
      isOver = true
      actions.append(.drop)
    case .close(let code):
      isOver = true
      actions.append(.close(code: code, reason: message.body.text ?? ""))
    case .text, .binary:
      actions.append(
        .send(
          item.repeated ?? conversation.content(of: item.number, bindings),
          isText: message.isText,
          fragments: message.fragments,
          number: item.number
        )
      )
      for follower in conversation.followers[item.number] ?? [] { plan(follower) }
    }
  }

  /// Returns whether a server's message is a reply to a heartbeat.
  package func answersHeartbeat(_ number: Int) -> Bool {
    conversation.messages[number - 1].cause.map(conversation.heartbeats.contains) ?? false
  }

  /// Returns whether a client's message has several replies on the cassette and is not a heartbeat.
  package func asks(_ number: Int) -> Bool {
    (conversation.effects[number] ?? []).count > 1 && !conversation.heartbeats.contains(number)
  }

  /// The messages that wait for a client's message that has not arrived, by its number.
  ///
  /// Replies to heartbeats and close frames are not counted.
  package var waiting: [Waiting] {
    var blockers = [Int?](repeating: nil, count: states.count)
    var counts: [Int: Int] = [:]
    for (place, message) in conversation.messages.enumerated() where states[place + 1] == .waits {
      guard let cause = message.cause, !message.isClose, !conversation.heartbeats.contains(cause)
      else { continue }
      let blocker =
        arrivals[cause] == nil
        ? cause : conversation.predecessors[place].lazy.compactMap { blockers[$0] }.first
      blockers[place + 1] = blocker
      if let blocker { counts[blocker, default: 0] += 1 }
    }
    return counts.sorted { $0.key < $1.key }.map { Waiting(cause: $0.key, count: $0.value) }
  }
}
