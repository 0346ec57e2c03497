public import WindTunnelNetworkLayer

extension Outbox {
  /// The moments at which ``send(by:until:)`` ends.
  public enum End: Sendable, Hashable {
    /// The end of the task that sends.
    case cancelled
    /// The moment at which no call waits any more.
    case empty
  }

  /// Sends what waits, each batch as a call of the client, with its slot, credential and breaker.
  /// The waits between two tries are the outbox's: the client retries a batch only where the
  /// endpoint has a `mostRetries` of its own.
  ///
  /// Endpoints are sent beside each other, and the batches of one after each other. A batch that
  /// cannot be delivered now (5xx, 401, 407, 408, 425, 429, no answer, a redirect whatever it leads
  /// to, an answer that breaks the endpoint's rules) is sent again after a wait; every other 4xx
  /// makes its calls dead letters. A 409 (RFC 9110 §15.5.10) does so where the batch was sent once,
  /// and where it stays after five more times: a server that keeps keys says it while it works at
  /// the first. Where somebody sends already it returns at once.
  ///
  /// - Parameters:
  ///   - client: The client, whose `Networks` say when there is one.
  ///   - end: The moment at which it ends, by default the end of its task.
  @concurrent
  public func send(by client: NetworkClient, until end: End = .cancelled) async {
    guard beginSending() else { return }
    defer { endSending() }
    await withTaskGroup(of: Void.self) { group in
      for endpoint in endpoints {
        let sender = OutboxSender(outbox: self, endpoint: endpoint, client: client)
        group.addTask { await sender.run(until: end) }
      }
    }
  }
}

/// Sends the batches of one endpoint.
private struct OutboxSender {
  /// The most times in a row that 409 is taken for "the first one is still being worked at".
  private static let mostConflicts = 5

  let outbox: Outbox
  let endpoint: OutboxEndpoint
  let client: NetworkClient

  /// The counts of what was tried in vain.
  private struct Tries {
    /// The times in a row, whatever was sent.
    var failures = 0
    /// The times in a row that the batch with these calls was answered 409.
    var conflicts = 0
    var numbers: ClosedRange<UInt64>?
  }

  /// The meaning of an answer for its batch.
  private enum Verdict {
    case delivered(status: Int)
    case refused(status: Int)
    case notNow(NetworkError)
  }

  func run(until end: Outbox.End) async {
    var wakes = outbox.wakes(of: endpoint.name).makeAsyncIterator()
    var tries = Tries()
    while !Task.isCancelled {
      switch await work() {
      case .failure: return
      case .success(nil):
        if end == .empty { return }
        _ = await wakes.next()
      case .success(let rest?):
        guard await hasNetwork(within: rest) else { continue }
        switch await nextBatch() {
        case .success(nil): break
        case .success(let batch?): await send(batch, &tries)
        case .failure(.closed): return
        case .failure(let error):
          outbox.tell([.diskFailed(error)])
          tries.failures += 1
          await wait(pause(after: tries.failures))
        }
      }
    }
  }

  /// The time until the next call that waits is too old; `nil` if no call waits.
  private func work() async -> Result<Duration?, OutboxError> {
    let (outbox, name) = (outbox, endpoint.name)
    return await outbox.onDisk { store, events in
      store.age(of: name, telling: &events)
      return store.timeToAge(of: name)
    }
  }

  private func nextBatch() async -> Result<FrozenBatch?, OutboxError> {
    let (outbox, endpoint) = (outbox, endpoint)
    return await outbox.onDisk { store, events throws(OutboxError) in
      try store.nextBatch(of: endpoint, telling: &events)
    }
  }

  /// Waits for a network that the endpoint may use; false where something else may have come up
  /// meanwhile.
  private func hasNetwork(within rest: Duration) async -> Bool {
    guard let networks = client.networks, !endpoint.waitsFor.isMet(by: networks.status) else {
      return true
    }
    outbox.tell([.waitingForNetwork(template: endpoint.name, endpoint.waitsFor)])
    let need = endpoint.waitsFor
    await wait(for: Task { await networks.wait(for: need) }, within: rest)
    return false
  }

  private func wait(for waiting: Task<Void, Never>, within rest: Duration) async {
    await outbox.time.run(within: rest, late: { waiting.cancel() }) {
      await withTaskCancellationHandler {
        await waiting.value
      } onCancel: {
        waiting.cancel()
      }
    }
  }

  /// Sends a batch once, and counts what was in vain.
  private func send(_ frozen: FrozenBatch, _ tries: inout Tries) async {
    if tries.numbers != frozen.batch.numbers {
      (tries.numbers, tries.conflicts) = (frozen.batch.numbers, 0)
    }
    var call = endpoint.endpoint
    call.headers["Idempotency-Key"] = frozen.batch.key
    call.body = .data(frozen.content.body, contentType: frozen.content.contentType)
    call.priority = .deferrable
    // The outbox tries again: two that do so, one in the other, send at an outage four times as
    // often.
    call.mostRetries = call.mostRetries ?? 0
    // A redirect has delivered nothing, and what is refused is told apart by its status.
    call.rules.statuses = call.rules.statuses.clamped(to: 200...299)
    call.rules.refusesRedirects = true
    call.rules.errors = nil
    let (result, attempts) = await client.counted(call)
    // A batch that nobody sent before, nor an earlier attempt of this call, is worked at by nobody.
    let wasSent = frozen.mayBeSent || attempts > 1
    let mayBeWorkedAt = wasSent && tries.conflicts < Self.mostConflicts
    switch Self.verdict(result, mayBeWorkedAt: mayBeWorkedAt) {
    case .delivered(let status):
      if await leave(frozen.batch) { outbox.tell([.delivered(frozen.batch, status: status)]) }
      tries = Tries()
    case .refused(let status):
      let isBuried = await untilDone { store, events throws(OutboxError) in
        try store.addLetters(of: frozen.batch, status: status, telling: &events)
      }
      if isBuried, await leave(frozen.batch) {
        outbox.tell([.deadLettered(frozen.batch, status: status)])
      }
      tries = Tries()
    case .notNow(let error):
      if Task.isCancelled { return }
      tries.failures += 1
      if case .server(status: 409, _) = error { tries.conflicts += 1 } else { tries.conflicts = 0 }
      var pause = pause(after: tries.failures, error)
      // However long a server asks to wait, calls fall out in time.
      if case .success(let rest?) = await work() { pause = min(pause, rest) }
      outbox.tell([.heldBack(frozen.batch, error, for: pause)])
      await wait(pause, after: error)
    }
  }

  private static func verdict(
    _ result: Result<CallResponse, NetworkError>,
    mayBeWorkedAt: Bool
  ) -> Verdict {
    switch result {
    case .success(let answer): return .delivered(status: answer.status)
    case .failure(let error):
      switch error {
      // It came too late, too early or without a login: the next time it may be taken.
      case .server(status: 408, _), .server(status: 425, _), .credentials(status: 401, _):
        return .notNow(error)
      // A server that keeps keys says so while it works at the first one.
      case .server(status: 409, _) where mayBeWorkedAt: return .notNow(error)
      case .server(let status, _) where (400...499).contains(status):
        return .refused(status: status)
      case .credentials(let status, _): return .refused(status: status)
      default: return .notNow(error)
      }
    }
  }

  /// Has the batch leave the disk, however long it takes; false where the task ended before.
  private func leave(_ batch: OutboxBatch) async -> Bool {
    await untilDone { store, _ throws(OutboxError) in try store.leaveBatch(batch) }
  }

  private func untilDone(
    _ work:
      @escaping @Sendable (inout OutboxStore, inout [OutboxEvent]) throws(OutboxError) -> Void
  ) async -> Bool {
    var failures = 0
    while true {
      switch await outbox.onDisk(work) {
      case .success: return true
      case .failure(.closed): return false
      case .failure(let error):
        outbox.tell([.diskFailed(error)])
        failures += 1
        await wait(pause(after: failures))
        if Task.isCancelled { return false }
      }
    }
  }

  private func pause(after failures: Int, _ error: NetworkError? = nil) -> Duration {
    let pause = outbox.limits.backoff.delay(beforeRetry: failures, draw: outbox.draw())
    switch error {
    case .rateLimited(let wait?): return max(pause, wait)
    case .circuitOpen(_, let wait): return max(pause, wait)
    default: return pause
    }
  }

  /// Waits after a failure; after one for want of a network, until one comes.
  private func wait(_ pause: Duration, after error: NetworkError) async {
    guard case .offline = error, let networks = client.networks else { return await wait(pause) }
    let need = endpoint.waitsFor
    let coming = Task {
      // The network that there is now may be the one that was in vain.
      for await status in networks.changes.dropFirst() where need.isMet(by: status) { return }
    }
    await wait(for: coming, within: pause)
  }

  /// A wait that is cancelled is seen by whoever loops.
  private func wait(_ pause: Duration) async {
    do { try await outbox.time.sleep(for: pause) } catch {}
  }
}
