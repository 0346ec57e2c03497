internal import WindTunnelSymptoms

/// The one who opens the connections of a conversation, listens on them, and asks whether they are
/// alive.
struct ConversationKeeper {
  let client: NetworkClient
  let endpoint: Endpoint
  let engine: any ConversationEngine
  let terms: ConversationTerms
  let conversation: Conversation

  /// Far more than the wait between two connections: one that was open for so long was of use, if
  /// nothing was said on it.
  private static let aWhile = Duration.seconds(10)

  /// The times for a pong that pass while a large message of the client's is on its way, which the
  /// ping waits behind.
  private static let pongTimeoutsWhileSending = 6

  /// Runs until the conversation has ended, or the task is cancelled.
  func run() async {
    do throws(NetworkError) {
      var attempt = 1
      /// The time at which the conversation was last alive; `nil`: it has not been open yet.
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
          // Only what passes is waited out, and only once there was anything to come back to.
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

  /// Waits before the next attempt, as long as the outage may last.
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

  /// Listens until a connection has ended.
  ///
  /// - Returns: The end, and whether it has brought a message.
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
      // Who has given up says so, in the time that the engine gives to that.
      if Task.isCancelled { await connection.close(code: 1001, reason: "") }
      connection.cancel()
      group.cancelAll()
      return end ?? .lost(.cancelled)
    }
    conversation.closed()
    let hasMessages = messages.withLock { $0 > 0 }
    guard isDead.withLock({ $0 }) else { return (end, hasMessages) }
    let text = "No pong came within \(terms.pongTimeout)."
    return (.lost(.failed(.timedOut, text: text)), hasMessages)
  }

  /// Receives all that a connection brings, also what has come before its end; `nil`: it was given
  /// up.
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

  /// Asks again and again whether the other side is there, and ends a connection that is not.
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
        // A pong waits behind messages that nobody reads here, and a ping behind one that is being
        // sent.
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

  /// Tells whether a pong comes in time, or the connection has ended meanwhile: that is told by who
  /// receives.
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
