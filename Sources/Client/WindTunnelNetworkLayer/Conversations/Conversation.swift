extension NetworkClient {
  /// Holds a WebSocket conversation with an endpoint while a body runs, and reconnects when
  /// necessary.
  ///
  /// ```swift
  /// try await client.conversation(with: Endpoint(.get, "/prices"), over: engine) { prices in
  ///   try await prices.send(.text(#"{"subscribe":"EURUSD"}"#), .onEachConnection)
  ///   for try await message in prices { show(message) }
  /// }
  /// ```
  ///
  /// Each handshake is a call with attempts, a slot, a circuit breaker and a credential. A new
  /// connection is opened if one is lost, if a pong is missing, or if the server closes it with a
  /// temporary code (``ConversationTerms/comesBack``). Reconnecting stops after
  /// ``ConversationTerms/longestOutage``.
  ///
  /// - Parameters:
  ///   - endpoint: The endpoint with the method `GET`; `Sec-WebSocket-Protocol` names subprotocols.
  ///   - engine: The engine that carries the conversation.
  ///   - terms: The terms for pings and reconnecting.
  ///   - body: Sends and receives messages. When it returns, the conversation is closed with 1000;
  ///     if it throws, with 1001.
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

/// A WebSocket conversation with a server, over any number of connections.
///
/// As a sequence of the server's messages it has one reader at a time. It ends if the server closes
/// it with 1000. It fails with a ``NetworkError`` in these cases:
///
/// - The first connection cannot be opened.
/// - The server refuses another connection, or closes one with a permanent code
///   (``NetworkError/closed(code:reason:)``).
/// - An outage lasts too long.
public final class Conversation: AsyncSequence, Sendable {
  /// One message from the server.
  public typealias Element = ConversationMessage

  /// The way in which a message is repeated on later connections.
  public enum Repetition: Sendable {
    /// The message is sent once. If the connection is lost meanwhile, its delivery is unknown.
    case never
    /// The message is sent again at the start of each connection, such as a login or a
    /// subscription.
    ///
    /// Such messages keep their order, and no other message is sent before them.
    case onEachConnection
    /// The message is sent again on each connection until a message from the server acknowledges
    /// it.
    ///
    /// A server may receive it twice.
    case until(@Sendable (ConversationMessage) -> Bool)
  }

  /// An identifier of a message that is sent again.
  public struct Sent: Sendable, Hashable { fileprivate let number: Int }

  private struct Standing {
    let sent: Sent
    let message: ConversationMessage
    let isAcknowledged: @Sendable (ConversationMessage) -> Bool
    /// The number of the last connection on which the message was sent.
    var connection = 0
  }

  private struct State {
    var connections = 0
    /// The connection, after all repeated messages were sent on it; `nil` if there is none.
    var open: (any ConversationConnection)?
    var standing: [Standing] = []

    /// The number of messages that are being sent.
    var sending = 0
    var inbox: [ConversationMessage] = []
    var end: Result<Void, NetworkError>?
  }

  private let terms: ConversationTerms
  /// Tasks wait here for a message, for a connection, and for room in the inbox.
  private let state = Awaited(State())
  private let numbers = Counter()

  init(_ terms: ConversationTerms) { self.terms = terms }

  // MARK: For its user

  /// The number of connections opened so far.
  public var connectionCount: Int { state.withLock { $0.connections } }

  /// Sends a message.
  ///
  /// A message that is never repeated waits for a connection. A repeated message is sent at the
  /// start of the next connection, if there is none now.
  ///
  /// - Returns: The identifier of the message. Pass it to ``withdraw(_:)`` to end the repetition.
  /// - Throws: ``NetworkError`` if the conversation has ended. For a message that is never
  ///   repeated, also if its connection is lost.
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
    // If this fails, the next connection sends the message again.
    if let connection {
      do throws(ConversationEnd) { try await send(message, on: connection) } catch {}
    }
    return sent
  }

  /// Stops repeating a message on later connections, such as after unsubscribing.
  public func withdraw(_ sent: Sent) {
    state.withLock { $0.standing.removeAll { $0.sent == sent } }
  }

  /// Closes the conversation; nothing more is sent or received.
  ///
  /// If the body returns without calling it, the conversation is closed with 1000.
  ///
  /// - Parameters:
  ///   - code: The close code: 1000, or 3000 to 4999.
  ///   - reason: The close reason, at most 123 bytes.
  public func close(code: Int, reason: String = "") async {
    let open = state.withLock { $0.open }
    end(.failure(.cancelled))
    await open?.close(code: code, reason: reason)
  }

  /// Creates an iterator. All iterators share the same messages.
  public func makeAsyncIterator() -> Iterator { Iterator(conversation: self) }

  /// An iterator over the server's messages.
  public struct Iterator: AsyncIteratorProtocol {
    fileprivate let conversation: Conversation

    /// Returns the next message; `nil` if the server closed the conversation with 1000.
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

  /// Counts a new connection, and returns its number.
  func opens() -> Int {
    state.withLock { state in
      state.connections += 1
      return state.connections
    }
  }

  /// Sends the repeated messages on a new connection, and opens it for all other messages.
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

  /// Stores a message for the reader, as soon as there is room.
  func take(_ message: ConversationMessage) async {
    let most = mostWaiting
    while !Task.isCancelled, state.withLock({ $0.inbox.count >= most }) {
      await state.wait { $0.inbox.count < most || $0.end != nil }
      if state.withLock({ $0.end != nil }) { return }
    }
    // The rules are the app's code, which may call this conversation. They run outside the lock.
    let acknowledged = state.withLock { $0.standing }.filter { $0.isAcknowledged(message) }
    state.change { state in
      if !acknowledged.isEmpty {
        let names = Set(acknowledged.map(\.sent))
        state.standing.removeAll { names.contains($0.sent) }
      }
      state.inbox.append(message)
    }
  }

  /// Whether the inbox is full, so that the connection is not read and pongs cannot arrive.
  var isFull: Bool { state.withLock { $0.inbox.count >= mostWaiting } }

  /// Whether a message is being sent to the server.
  var isSending: Bool { state.withLock { $0.sending > 0 } }

  private var mostWaiting: Int { Swift.max(1, terms.waitingMessagesMax) }

  func end(_ end: Result<Void, NetworkError>) {
    state.change { state in
      state.open = nil
      if state.end == nil { state.end = end }
    }
  }

  /// Whether the conversation has ended.
  var hasEnded: Bool { state.withLock { $0.end != nil } }

}

extension Result {
  fileprivate var failure: Failure? { if case .failure(let error) = self { error } else { nil } }
}

extension NetworkError {
  /// The error for sending a message after the server closed the conversation normally.
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
