internal import WindTunnelSymptoms

/// Opens the connections of a conversation, receives their messages, and checks that they are
/// alive.
struct ConversationKeeper {
  let client: NetworkClient
  let endpoint: Endpoint
  let engine: any ConversationEngine
  let terms: ConversationTerms
  let conversation: Conversation

  /// Much longer than the wait between two connections. A connection that was open for this time
  /// counts as useful even without messages.
  private static let aWhile = Duration.seconds(10)

  /// The maximum number of pong time-outs while a large message is being sent.
  ///
  /// The ping is queued behind that message.
  private static let pongTimeoutsWhileSending = 6

  /// Runs until the conversation has ended, or the task is cancelled.
  func run() async {
    do throws(NetworkError) {
      var attempt = 1
      /// The time at which the conversation was last alive; `nil` before the first connection.
      var alive: Duration?
      while true {
        let lost: NetworkError
        do throws(NetworkError) {
          let (connection, headers) = try await client.connection(to: endpoint, over: engine)
          let opened = client.time.uptime
          terms.onChange(.opened(conversation.opens(), headers))
          let (end, hasMessages) = await listen(on: connection)
          if Task.isCancelled || conversation.hasEnded { throw .cancelled }
          let now = client.time.uptime
          let wasOpenForAWhile = now - opened >= Self.aWhile
          if wasOpenForAWhile { attempt = 1 }
          alive = hasMessages || wasOpenForAWhile ? now : alive ?? opened
          switch end {
          case .closed(code: 1000, _): return conversation.end(.success(()))
          case .closed(let code, _) where !terms.comesBack(code): throw end.asNetworkError
          case .closed, .lost: lost = end.asNetworkError
          }
        } catch {
          // Only temporary errors lead to another attempt, and only after a first connection.
          guard alive != nil, [.retry, .wait].contains(error.kind) else { throw error }
          lost = error
        }
        try await wait(after: lost, attempt, since: alive)
        attempt += 1
      }
    } catch {
      conversation.end(.failure(error))
    }
  }

  /// Waits before the next attempt, within the limit for an outage.
  private func wait(
    after lost: NetworkError,
    _ attempt: Int,
    since alive: Duration?
  ) async throws(NetworkError) {
    var delay = terms.backoff.delay(beforeRetry: attempt, draw: client.draw())
    if case .rateLimited(let wait?) = lost { delay = max(delay, wait) }
    guard let alive, client.time.uptime + delay - alive <= terms.longestOutage else { throw lost }
    terms.onChange(.lost(lost, nextAfter: delay))
    do { try await client.time.sleep(for: delay) } catch { throw .cancelled }
  }

  /// Receives messages until a connection has ended.
  ///
  /// - Returns: The end, and whether a message was received.
  private func listen(
    on connection: any ConversationConnection
  ) async -> (end: ConversationEnd, hasMessages: Bool) {
    let (messages, isDead) = (Locked(0), Locked(false))
    let end = await withTaskGroup(of: ConversationEnd?.self) { group in
      group.addTask { await receive(on: connection, messages) }
      group.addTask {
        await ping(on: connection, messages, isDead)
        return nil
      }
      var end: ConversationEnd?
      while end == nil, let next = await group.next() { end = next }
      // A cancelled client sends a close frame, within the time that the engine allows for it.
      if Task.isCancelled { await connection.close(code: 1001, reason: "") }
      connection.cancel()
      group.cancelAll()
      return end ?? .lost(.cancelled)
    }
    conversation.closed()
    let hasMessages = messages.withLock { $0 > 0 }
    guard isDead.withLock({ $0 }) else { return (end, hasMessages) }
    let text = "No pong arrived within \(terms.pongTimeout)."
    return (.lost(.failed(.timedOut, text: text)), hasMessages)
  }

  /// Receives all messages of a connection, including those received before its end; `nil` if
  /// cancelled.
  private func receive(
    on connection: any ConversationConnection,
    _ messages: Locked<Int>
  ) async -> ConversationEnd? {
    do throws(ConversationEnd) {
      try await terms.onOpen(connection)
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

  /// Sends pings at intervals, and cancels a connection that does not reply.
  private func ping(
    on connection: any ConversationConnection,
    _ messages: Locked<Int>,
    _ isDead: Locked<Bool>
  ) async {
    guard let interval = terms.pingInterval else { return }
    var silences = 0
    while true {
      do { try await client.time.sleep(for: interval) } catch { return }
      let before = messages.withLock { $0 }
      while !Task.isCancelled {
        if await hasPong(from: connection) {
          silences = 0
          break
        }
        // A pong is queued behind unread messages, and a ping behind a message that is being sent.
        let isAlive = conversation.isFull || messages.withLock { $0 } != before
        silences = isAlive ? 0 : silences + 1
        if isAlive { break }
        if silences >= (conversation.isSending ? Self.pongTimeoutsWhileSending : 1) {
          isDead.withLock { $0 = true }
          return connection.cancel()
        }
      }
    }
  }

  /// Returns whether a pong arrives in time, or the connection ends meanwhile.
  ///
  /// The receiving task reports the end of a connection.
  private func hasPong(from connection: any ConversationConnection) async -> Bool {
    await withTaskGroup(of: Bool.self) { group in
      group.addTask {
        do throws(ConversationEnd) { try await connection.ping() } catch {}
        return true
      }
      group.addTask { [time = client.time, timeout = terms.pongTimeout] in
        do { try await time.sleep(for: timeout) } catch { return true }
        return false
      }
      defer { group.cancelAll() }
      return await group.next() ?? true
    }
  }
}
