package import Foundation

/// A recorded WebSocket conversation, analysed once: the cause of each server message, and an index
/// of the client's messages. It is immutable.
package final class Conversation: Sendable {
  /// The messages in order; each of the server's has its cause.
  package let messages: [WebSocketMessage]
  /// The numbers of the client's messages that are repeated heartbeats and request nothing.
  package let heartbeats: Set<Int>
  /// The number of the heartbeat that represents its kind, by key: the last one with a reply.
  private let lastHeartbeats: [Data: Int]
  /// For each message, the numbers of the messages that must be sent first.
  ///
  /// They are the previous message with the same cause and the previous message with the same
  /// correlation.
  package let predecessors: [[Int]]
  /// For each message, the numbers of the messages that must be sent after it.
  package let followers: [Int: [Int]]
  /// The numbers of the server's messages by their cause.
  package let effects: [Int: [Int]]
  /// The client's messages by their exact meaning: numbers in ascending order.
  private let exact: [Data: [Int]]
  /// The client's messages by their meaning without volatile parts.
  private let loose: [Data: [Int]]
  /// The client's messages with redacted parts.
  private let redacted: [(number: Int, content: MessageContent)]
  private let identifiers: MessageContent.Identifiers
  /// The configured paths to correlating values, which precede the built-in ones.
  private let correlated: [JSONPath]

  /// Analyses a conversation.
  ///
  /// - Parameters:
  ///   - messages: Its messages in the order in which they were sent.
  ///   - roundTrip: The duration of the handshake. A server message that follows a client message
  ///     sooner is not a response to it.
  ///   - correlated: The paths to values that correlate messages, which precede the built-in
  ///     members.
  package init(
    _ messages: [WebSocketMessage],
    roundTrip: Duration,
    correlatedBy correlated: [JSONPath] = []
  ) {
    let contents = messages.map { MessageContent($0.body.data, isText: $0.isText) }
    let heartbeats = Heartbeats(messages, contents, correlated)
    let correlations = contents.map { $0.correlations(at: correlated) }
    let causes = MessageCauses(messages, correlations, heartbeats, correlated, roundTrip: roundTrip)
    self.messages = zip(messages, causes.numbers).map { message, cause in
      var message = message
      message.cause = cause
      return message
    }
    self.heartbeats = Set(heartbeats.keys.keys)
    lastHeartbeats = heartbeats.last
    self.correlated = correlated
    identifiers = Self.identifiers(in: messages, contents, correlated)

    let order = MessageOrder(messages, causes, correlations, heartbeats)
    (predecessors, followers, effects) = (order.predecessors, order.followers, order.effects)

    var (exact, loose) = ([Data: [Int]](), [Data: [Int]]())
    var redacted: [(number: Int, content: MessageContent)] = []
    for (place, content) in contents.enumerated()
    where messages[place].sender == .client && !messages[place].isClose {
      exact[content.exactKey, default: []].append(place + 1)
      loose[content.looseKey(identifiers), default: []].append(place + 1)
      if RedactedText.mayBeIn(content.data) { redacted.append((place + 1, content)) }
    }
    (self.exact, self.loose, self.redacted) = (exact, loose, redacted)
  }

  /// Analyses the conversation of an interaction.
  package convenience init(_ interaction: Interaction, correlatedBy correlated: [JSONPath] = []) {
    let roundTrip = interaction.timing?.firstByte ?? .zero
    self.init(interaction.messages, roundTrip: roundTrip, correlatedBy: correlated)
  }

  /// Returns the places whose values identify messages rather than requested data.
  ///
  /// In addition to the built-in members, `id` and the paths are such places if the client's values
  /// are UUIDs or consecutive numbers.
  private static func identifiers(
    in messages: [WebSocketMessage],
    _ contents: [MessageContent],
    _ correlated: [JSONPath]
  ) -> MessageContent.Identifiers {
    let said = zip(messages, contents).filter { $0.0.sender == .client }.map(\.1)
    let namesID = nameMessages(said.map { $0.json?["id"]?.scalarText })
    return MessageContent.Identifiers(
      names: MessageContent.identifierFields.union(namesID ? ["id"] : []),
      paths: correlated.filter { path in nameMessages(said.map { $0.identifier(at: path) }) }
    )
  }

  /// Whether values identify messages: they are UUIDs or consecutive numbers.
  private static func nameMessages(_ all: [String?]) -> Bool {
    var values: [String] = []
    var known: Set<String> = []
    for value in all {
      guard let value, known.insert(value).inserted else { continue }
      values.append(value)
    }
    let numbers = values.compactMap { Int($0) }
    let isCounted =
      numbers.count == values.count && numbers.count > 1
      && zip(numbers, numbers.dropFirst()).allSatisfy { $1 == $0 + 1 }
    let areUUIDs = !values.isEmpty && values.allSatisfy(VolatileText.isUUID)
    return isCounted || areUUIDs
  }

  // MARK: - The client's messages

  /// Finds the recorded message for a message of the client.
  ///
  /// The first unused equal message is preferred, then the first unused message that differs only
  /// in volatile or redacted parts. Otherwise, a heartbeat may match, which may be repeated without
  /// limit.
  ///
  /// - Parameters:
  ///   - data: The content of the message.
  ///   - isText: Whether it is a text.
  ///   - uses: The messages received so far; the found message is added.
  ///   - bindings: The client's own values; new values are added.
  /// - Returns: The number of the recorded message; `nil` if there is none.
  package func match(
    _ data: Data,
    isText: Bool,
    in uses: inout Uses,
    _ bindings: inout Bindings
  ) -> Int? {
    let content = MessageContent(data, isText: isText)
    let (exactKey, looseKey) = (content.exactKey, content.looseKey(identifiers))
    let number =
      uses.first(of: exact[exactKey] ?? [], under: exactKey)
      ?? uses.first(of: loose[looseKey] ?? [], under: looseKey)
      ?? redacted.first {
        !uses.has($0.number) && $0.content.stands(for: content, identifiers)
      }?.number
      ?? lastHeartbeats[Heartbeats.key(of: content, correlatedBy: correlated)]
    guard let number else { return nil }
    uses.used.insert(number)
    bind(content, to: number, in: &bindings)
    return number
  }

  /// The client's messages that were received.
  package struct Uses: Sendable {
    fileprivate var used: Set<Int> = []
    /// The number of used messages at the start of each list, by the list's key.
    private var places: [Data: Int] = [:]

    package init() {}

    /// Whether a message was received.
    package func has(_ number: Int) -> Bool { used.contains(number) }

    /// Returns the first message of a list that was not received; `nil` if there is none.
    fileprivate mutating func first(of numbers: [Int], under key: Data) -> Int? {
      var place = places[key, default: 0]
      while place < numbers.count, used.contains(numbers[place]) { place += 1 }
      if place > 0 { places[key] = place }
      return place < numbers.count ? numbers[place] : nil
    }
  }

  /// The client's own values for recorded correlating values.
  package struct Bindings: Sendable {
    fileprivate var values: [MessageContent.Correlation: JSON] = [:]

    package init() {}
  }

  /// Records the correlating values in which a client's message differs from the recorded one.
  private func bind(_ content: MessageContent, to number: Int, in bindings: inout Bindings) {
    let recorded = MessageContent(messages[number - 1].body.data, isText: true)
    for path in correlated {
      // In the client's spelling: 40 is not sent back as 4e1.
      guard let old = recorded.identifier(at: path), let new = content.spelled?.first(at: path),
        let value = content.identifier(at: path)
      else { continue }
      let place = MessageContent.Correlation(field: path.description, value: old)
      bindings.values[place] = value == old ? Optional.none : new
    }
    guard case .object(let here)? = content.spelled, case .object(let there)? = recorded.json else {
      return
    }
    for field in MessageContent.correlationFields {
      guard let old = there.first(where: { $0.name.value == field })?.value,
        let new = here.first(where: { $0.name.value == field })?.value,
        let value = old.scalarText, new.scalarText != nil
      else { continue }
      let place = MessageContent.Correlation(field: field, value: value)
      // A plain `nil` would be JSON's null.
      bindings.values[place] = new.canonical().scalarText == value ? Optional.none : new
    }
  }

  /// Returns the content of a server's message with the client's own values in place of the
  /// recorded ones.
  package func content(of number: Int, _ bindings: Bindings) -> Data {
    let message = messages[number - 1]
    guard message.isText, !bindings.values.isEmpty,
      let (recorded, layout) = InteractionWriter.structure(message.body.data)
    else { return message.body.data }
    var isChanged = false
    let json = correlated.reduce(recorded) { json, path in
      json.replacing(at: path) { old in
        guard let value = old.scalarText,
          let own = bindings.values[.init(field: path.description, value: value)]
        else { return old }
        isChanged = true
        return own
      }
    }
    guard case .object(var members) = json else {
      return isChanged ? Data(json.bytes(layout)) : message.body.data
    }
    for index in members.indices {
      guard let value = members[index].value.scalarText else { continue }
      let place = MessageContent.Correlation(field: members[index].name.value, value: value)
      guard let own = bindings.values[place] else { continue }
      members[index].value = own
      isChanged = true
    }
    return isChanged ? Data(JSON.object(members).bytes(layout)) : message.body.data
  }

  /// The maximum number of recorded messages that an unknown message is compared with.
  private static let comparedMax = 200
  /// The maximum total size of these messages in bytes.
  private static let comparedBytesMax = 4 << 20

  /// Returns the most similar recorded message for a client's message, and its first difference.
  ///
  /// Messages that were not received yet are preferred. The number is `nil` if the recorded client
  /// sent no messages.
  package func nearest(
    to data: Data,
    isText: Bool,
    isUsed: (Int) -> Bool
  ) -> (number: Int?, difference: Mismatch.Difference) {
    let asked = MessageContent(data, isText: isText)
    let numbers = messages.indices.map { $0 + 1 }.filter {
      messages[$0 - 1].sender == .client && !messages[$0 - 1].isClose
    }
    let open = numbers.filter { !isUsed($0) }
    var bytesLeft = Self.comparedBytesMax
    let near = (open.isEmpty ? numbers : open).prefix(Self.comparedMax)
      .prefix { number in
        bytesLeft -= messages[number - 1].body.count
        return bytesLeft > 0
      }
      .map { (number: $0, comparison: difference(from: $0, to: asked)) }
      .min { $0.comparison.distance < $1.comparison.distance }
    guard let near else {
      return (nil, Mismatch.Difference(name: "all, because the client sends nothing there"))
    }
    return (near.number, near.comparison.first)
  }

  private func difference(
    from number: Int,
    to asked: MessageContent
  ) -> (distance: Int, first: Mismatch.Difference) {
    let message = messages[number - 1]
    let recorded = MessageContent(message.body.data, isText: message.isText)
    let shown: (JSON?) -> String? = { $0.map { RequestDistance.cut($0.description) } }
    if let there = recorded.json, let here = asked.json {
      let all = JSONDifference.all(there, here, ignoring: [])
      guard let first = all.first else { return (0, Self.none) }
      let path = JSONPath.spelled(first.steps)
      return (
        all.count,
        .init(name: path, at: path, recorded: shown(first.recorded), asked: shown(first.asked))
      )
    }
    if recorded.isText == asked.isText, recorded.data == asked.data { return (0, Self.none) }
    let distance = 1000 + abs(recorded.data.count - asked.data.count)
    return (distance, .init(name: "its content", recorded: recorded.shown, asked: asked.shown))
  }

  /// The difference of a message that was already received.
  private static let none = Mismatch.Difference(name: "nothing, but was already received")
}
