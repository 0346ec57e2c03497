internal import Foundation
internal import WindTunnelSymptoms

#if canImport(FoundationNetworking)
  internal import FoundationNetworking
#endif

/// The one who opens the connections of a conversation, listens on them, and asks whether they are
/// alive.
struct ConversationKeeper {
  private let client: NetworkClient
  private let endpoint: Endpoint
  private let engine: any ConversationEngine
  private let terms: ConversationTerms
  private let conversation: Conversation

  /// The least wait before the next connection: nobody is to be asked without a pause.
  private static let leastWait = Duration.milliseconds(50)

  /// Far more than the wait between two connections: one that was open for so long was of use, if
  /// nothing was said on it.
  private static let aWhile = Duration.seconds(10)

  init(
    _ client: NetworkClient,
    _ endpoint: Endpoint,
    _ engine: any ConversationEngine,
    _ terms: ConversationTerms,
    _ conversation: Conversation
  ) {
    (self.client, self.endpoint, self.engine) = (client, endpoint, engine)
    (self.terms, self.conversation) = (terms, conversation)
  }

  /// Runs until the conversation has ended, or the task is cancelled.
  func run() async {
    do throws(NetworkError) {
      var fruitless = 0
      while true {
        let connection = try await client.connection(to: endpoint, over: engine)
        let opened = client.time.uptime
        let (end, hasMessages) = await listen(on: connection)
        if Task.isCancelled || conversation.hasEnded { throw .cancelled }
        let lost: TransportError
        switch end {
        case .closed(code: 1000, _): return conversation.end(.success(()))
        case .closed(let code, let reason) where !terms.comesBack(code):
          throw .closed(code: code, reason: reason)
        case .closed(let code, let reason):
          lost = .failed(.connectionLost, text: "The server closed with \(code) \(reason)")
        case .lost(let error): lost = error
        }
        let wasOfUse = hasMessages || client.time.uptime - opened >= Self.aWhile
        fruitless = wasOfUse ? 1 : fruitless + 1
        try await wait(after: lost, fruitless)
      }
    } catch {
      conversation.end(.failure(error))
    }
  }

  /// Waits before the next connection, as the policy says.
  private func wait(after lost: TransportError, _ fruitless: Int) async throws(NetworkError) {
    let request: URLRequest
    do throws(RequestError) {
      request = try client.builder.request(for: client.withTerms(endpoint))
    } catch {
      throw .invalidRequest(error)
    }
    // Whatever has ended an open connection, one that is lost is what it is to the caller.
    let decision = client.policy.decide(
      after: .failure(.failed(.connectionLost, text: "")),
      attempt: fruitless,
      of: request,
      at: client.time.date,
      draw: client.draw()
    )
    // One that has brought something has paid for the next.
    guard case .retry(let delay) = decision, fruitless == 1 || client.admission.spend() else {
      throw lost.asNetworkError
    }
    do { try await client.time.sleep(for: max(delay, Self.leastWait)) } catch { throw .cancelled }
  }

  /// Listens until a connection has ended.
  ///
  /// - Returns: The end, and whether it has brought a message.
  private func listen(
    on connection: any ConversationConnection
  ) async -> (end: ConversationEnd, hasMessages: Bool) {
    let (messages, isDead) = (Locked(0), Locked(false))
    let end = await withTaskGroup(of: ConversationEnd?.self) { group in
      group.addTask { await receive(on: connection, messages) }
      group.addTask { await ping(on: connection, isDead) }
      var end: ConversationEnd?
      while end == nil, let next = await group.next() { end = next }
      conversation.closed()
      // Who has given up says so, in the time that the engine gives to that.
      if Task.isCancelled { await connection.close(code: 1001, reason: "") }
      connection.cancel()
      group.cancelAll()
      return end ?? .lost(.cancelled)
    }
    let hasMessages = messages.withLock { $0 > 0 }
    guard isDead.withLock({ $0 }) else { return (end, hasMessages) }
    let text = "No pong came within \(terms.pongTimeout)."
    return (.lost(.failed(.timedOut, text: text)), hasMessages)
  }

  private func receive(
    on connection: any ConversationConnection,
    _ messages: Locked<Int>
  ) async -> ConversationEnd? {
    do throws(ConversationEnd) {
      try await conversation.open(connection)
      while !Task.isCancelled {
        let message = try await connection.receive()
        messages.withLock { $0 += 1 }
        await conversation.take(message)
      }
      return nil
    } catch {
      return error
    }
  }

  /// Asks again and again whether the other side is there, and ends a connection that is not.
  private func ping(
    on connection: any ConversationConnection,
    _ isDead: Locked<Bool>
  ) async -> ConversationEnd? {
    guard let interval = terms.pingInterval else { return nil }
    while true {
      do { try await client.time.sleep(for: interval) } catch { return nil }
      // A server that waits for a reader here is not heard.
      if conversation.isFull { continue }
      let result = await client.time.run(within: terms.pongTimeout) {
        isDead.withLock { $0 = true }
        connection.cancel()
      } _: {
        await answered(connection)
      }
      if case .failure(let end) = result { return end }
    }
  }

  private func answered(
    _ connection: any ConversationConnection
  ) async -> Result<Void, ConversationEnd> {
    do throws(ConversationEnd) { return .success(try await connection.ping()) } catch {
      return .failure(error)
    }
  }
}
