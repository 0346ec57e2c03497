extension NetworkClient {
  /// Holds a conversation over a WebSocket with an endpoint for as long as a body runs, over as
  /// many connections as it takes.
  ///
  /// ```swift
  /// try await client.conversation(with: Endpoint(.get, "/prices"), over: engine) { prices in
  ///   try await prices.send(.text(#"{"subscribe":"EURUSD"}"#), .onEachConnection)
  ///   for try await message in prices { show(message) }
  /// }
  /// ```
  ///
  /// Each handshake is a call with its attempts, slot, breaker and credential. A connection that is
  /// lost, closed with a code that passes (``ConversationTerms/comesBack``), or without a pong, is
  /// followed by another, as long as an outage may last (``ConversationTerms/longestOutage``).
  ///
  /// - Parameters:
  ///   - endpoint: The endpoint, a `GET`'s; `Sec-WebSocket-Protocol` names subprotocols.
  ///   - engine: The engine that carries it.
  ///   - terms: The terms of pings and of coming back.
  ///   - body: Says and hears. When it returns the conversation is closed with 1000, and with 1001
  ///     where it throws.
  /// - Returns: The body's value.
  /// - Throws: The body's error.
  @concurrent
  public func conversation<Value: Sendable>(
    with endpoint: Endpoint,
    over engine: any ConversationEngine,
    on terms: ConversationTerms = ConversationTerms(),
    _ body: @Sendable (Conversation) async throws -> Value
  ) async throws -> Value {
    let conversation = Conversation(terms)
    let keeper = ConversationKeeper(
      client: self,
      endpoint: endpoint,
      engine: engine,
      terms: terms,
      conversation: conversation
    )
    return try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { await keeper.run() }
      defer { group.cancelAll() }
      do {
        let value = try await body(conversation)
        await conversation.close(code: 1000)
        return value
      } catch {
        await conversation.close(code: 1001)
        throw error
      }
    }
  }
}

/// The messages of a server over as many connections as it takes, and what is said to it.
///
/// As a sequence it has one reader at a time. It ends where the server closes it with 1000, and
/// fails with a ``NetworkError``: where the first connection cannot be opened, where the server
/// refuses another or closes it with a code from which it does not come back
/// (``NetworkError/closed(code:reason:)``), and where an outage lasts too long.
public final class Conversation: AsyncSequence, Sendable {
  /// One message of the server.
  public typealias Element = ConversationMessage

  /// The repetition of a message on later connections.
  public enum Repetition: Sendable {
    /// The message is sent once; where the connection is lost meanwhile, nobody knows whether it
    /// has arrived.
    case never
    /// The message is sent again first of all on each connection, in the order in which such were
    /// sent: a login, a subscription.
    case onEachConnection
    /// The message is sent again on each connection until the server has said something that
    /// acknowledges it. A server may get it twice.
    case until(@Sendable (ConversationMessage) -> Bool)
  }

  /// The name of a message that is sent again.
  public struct Sent: Sendable, Hashable { fileprivate let number: Int }

  private struct Standing {
    let sent: Sent
    let message: ConversationMessage
    let isAcknowledged: @Sendable (ConversationMessage) -> Bool
    /// The last connection that it was sent on.
    var connection = 0
  }

  private struct State {
    var connections = 0
    /// The connection on which all that is sent again has been sent; `nil`: there is none now.
    var open: (any ConversationConnection)?
    var standing: [Standing] = []

    /// The number of messages that are being sent.
    var sending = 0
    var inbox: [ConversationMessage] = []
    var end: Result<Void, NetworkError>?
  }

  private let terms: ConversationTerms
  /// Tasks wait here for a message, for a connection, and for room.
  private let state = Awaited(State())
  private let numbers = Counter()

  init(_ terms: ConversationTerms) { self.terms = terms }

  // MARK: For its user

  /// The number of connections so far that were opened.
  public var connectionCount: Int { state.withLock { $0.connections } }

  /// Sends a message; waits for a connection where there is none now, unless it is one that is sent
  /// again: that will be among the first on the next.
  ///
  /// - Returns: The name of the message, by which ``withdraw(_:)`` ends its repetition.
  /// - Throws: ``NetworkError`` where the conversation has ended, or, of a message that is never
  ///   sent again, where its connection was lost.
  @discardableResult
  public func send(
    _ message: ConversationMessage,
    _ repetition: Repetition = .never
  ) async throws(NetworkError) -> Sent {
    let acknowledged: @Sendable (ConversationMessage) -> Bool
    switch repetition {
    case .never: return try await sendOnce(message)
    case .onEachConnection: acknowledged = { _ in false }
    case .until(let rule): acknowledged = rule
    }
    let (sent, connection, end) = state.withLock {
      state -> (Sent, (any ConversationConnection)?, Result<Void, NetworkError>?) in
      let sent = Sent(number: numbers.next())
      var standing = Standing(sent: sent, message: message, isAcknowledged: acknowledged)
      if state.open != nil { standing.connection = state.connections }
      state.standing.append(standing)
      return (sent, state.open, state.end)
    }
    if let end { throw end.failure ?? .ended }
    // Where this fails the next connection has it again.
    if let connection {
      do throws(ConversationEnd) { try await send(message, on: connection) } catch {}
    }
    return sent
  }

  /// Sends a message no more on later connections, as of a subscription that has ended.
  public func withdraw(_ sent: Sent) {
    state.withLock { $0.standing.removeAll { $0.sent == sent } }
  }

  /// Closes the conversation with a code of 1000, or 3000 to 4999, and words of at most 123 bytes;
  /// nothing more is said or heard. Where the body returns without it, it is closed with 1000.
  public func close(code: Int, reason: String = "") async {
    let open = state.withLock { $0.open }
    end(.failure(.cancelled))
    await open?.close(code: code, reason: reason)
  }

  /// Makes an iterator; all of them take from the same messages.
  public func makeAsyncIterator() -> Iterator { Iterator(conversation: self) }

  /// An iterator of the server's messages.
  public struct Iterator: AsyncIteratorProtocol {
    fileprivate let conversation: Conversation

    /// Returns the next message; `nil` where the server has closed with 1000.
    ///
    /// - Throws: ``NetworkError``.
    @concurrent public func next() async throws -> ConversationMessage? {
      try await conversation.next()
    }
  }

  private func sendOnce(_ message: ConversationMessage) async throws(NetworkError) -> Sent {
    while true {
      if Task.isCancelled { throw .cancelled }
      let (open, end) = state.withLock { ($0.open, $0.end) }
      if let end { throw end.failure ?? .ended }
      guard let open else {
        await state.wait { $0.open != nil || $0.end != nil }
        continue
      }
      do throws(ConversationEnd) { try await send(message, on: open) } catch {
        throw error.asNetworkError
      }
      return Sent(number: numbers.next())
    }
  }

  private func send(
    _ message: ConversationMessage,
    on connection: any ConversationConnection
  ) async throws(ConversationEnd) {
    state.withLock { $0.sending += 1 }
    defer { state.withLock { $0.sending -= 1 } }
    try await connection.send(message)
  }

  private func next() async throws(NetworkError) -> ConversationMessage? {
    while true {
      if Task.isCancelled { throw .cancelled }
      let (message, end) = state.withLock { state in
        (state.inbox.isEmpty ? nil : state.inbox.removeFirst(), state.end)
      }
      if let message {
        state.change { _ in }
        return message
      }
      if let end {
        try end.get()
        return nil
      }
      await state.wait { !$0.inbox.isEmpty || $0.end != nil }
    }
  }

  // MARK: For its keeper

  /// Counts a connection that is there, and returns its number.
  func opens() -> Int {
    state.withLock { state in
      state.connections += 1
      return state.connections
    }
  }

  /// Says on a new connection what is said on each, and opens it to all others.
  func open(_ connection: any ConversationConnection) async throws(ConversationEnd) {
    let number = connectionCount
    while true {
      let next = state.withLock { state -> ConversationMessage? in
        guard let place = state.standing.firstIndex(where: { $0.connection != number }) else {
          state.open = connection
          return nil
        }
        state.standing[place].connection = number
        return state.standing[place].message
      }
      guard let next else { break }
      try await send(next, on: connection)
    }
    state.change { _ in }
  }

  func closed() { state.withLock { $0.open = nil } }

  /// Keeps a message for its reader, where there is room, or as soon as there is.
  func take(_ message: ConversationMessage) async {
    let most = mostWaiting
    while !Task.isCancelled, state.withLock({ $0.inbox.count >= most }) {
      await state.wait { $0.inbox.count < most || $0.end != nil }
      if state.withLock({ $0.end != nil }) { return }
    }
    // The rules are the user's, who may ask for something here.
    let acknowledged = state.withLock { $0.standing }.filter { $0.isAcknowledged(message) }
    state.change { state in
      if !acknowledged.isEmpty {
        let names = Set(acknowledged.map(\.sent))
        state.standing.removeAll { names.contains($0.sent) }
      }
      state.inbox.append(message)
    }
  }

  /// Tells whether the server waits for a reader here, so that its pongs cannot come.
  var isFull: Bool { state.withLock { $0.inbox.count >= mostWaiting } }

  /// Tells whether a message is on its way to the server.
  var isSending: Bool { state.withLock { $0.sending > 0 } }

  private var mostWaiting: Int { Swift.max(1, terms.waitingMessagesMax) }

  func end(_ end: Result<Void, NetworkError>) {
    state.change { state in
      state.open = nil
      if state.end == nil { state.end = end }
    }
  }

  /// Tells whether nobody says or hears anything any more.
  var hasEnded: Bool { state.withLock { $0.end != nil } }

}

extension Result {
  fileprivate var failure: Failure? { if case .failure(let error) = self { error } else { nil } }
}

extension NetworkError {
  /// The error of who says something when the server has closed the conversation in good order.
  fileprivate static let ended = closed(code: 1000, reason: "")
}

extension ConversationEnd {
  var asNetworkError: NetworkError {
    switch self {
    case .closed(let code, let reason): .closed(code: code, reason: reason)
    case .lost(let error): error.asNetworkError
    }
  }
}
