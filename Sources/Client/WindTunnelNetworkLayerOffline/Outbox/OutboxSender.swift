public import WindTunnelNetworkLayer

extension Outbox {
  /// The conditions that end ``send(by:until:)``.
  public enum StopCondition: Sendable, Hashable {
    /// The task that sends was cancelled.
    case cancelled
    /// No call waits any more.
    case empty
  }

  /// Sends the waiting calls. Each batch is a call of the client, with its slot, credential and
  /// breaker.
  ///
  /// The outbox determines the delays between attempts. The client retries a batch only if the
  /// endpoint sets `mostRetries`. Endpoints are sent concurrently, and the batches of one endpoint
  /// in sequence.
  ///
  /// A batch is sent again after a delay if it cannot be delivered yet. That is the case for the
  /// statuses 5xx, 401, 407, 408, 425 and 429, and if there is no response. It is also the case for
  /// a redirect to any URL, and for a response that violates the endpoint's rules.
  ///
  /// Every other 4xx turns the calls into dead letters. So does a 409 (RFC 9110 §15.5.10) if the
  /// batch was sent only once, or if it persists after five more attempts. A server that stores
  /// keys responds with 409 while it still processes the first request.
  ///
  /// If sending is already in progress, the method returns immediately.
  ///
  /// - Parameters:
  ///   - client: The client, whose `Networks` report whether there is a network.
  ///   - end: The condition that ends it; by default, the cancellation of its task.
  @concurrent
  public func send(by client: NetworkClient, until end: StopCondition = .cancelled) async {
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
  /// The maximum number of consecutive 409 responses that mean "the first request is in progress".
  private static let mostConflicts = 5

  let outbox: Outbox
  let endpoint: OutboxEndpoint
  let client: NetworkClient

  /// The numbers of failed attempts.
  private struct Tries {
    /// The number of consecutive failures, for any batch.
    var failures = 0
    /// The number of consecutive 409 responses to the batch with these calls.
    var conflicts = 0
    var numbers: ClosedRange<UInt64>?
  }

  /// The consequence of a response for its batch.
  private enum BatchResult {
    case delivered(status: Int)
    case refused(status: Int)
    case notNow(NetworkError)
  }

  func run(until end: Outbox.StopCondition) async {
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

  /// The time until the next waiting call expires; `nil` if no call waits.
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

  /// Waits for a network that the endpoint may use; `false` if the state must be checked again.
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

  /// Sends a batch once, and counts failures.
  private func send(_ frozen: FrozenBatch, _ tries: inout Tries) async {
    if tries.numbers != frozen.batch.numbers {
      (tries.numbers, tries.conflicts) = (frozen.batch.numbers, 0)
    }
    var call = endpoint.endpoint
    call.headers["Idempotency-Key"] = frozen.batch.key
    call.body = .data(frozen.content.body, contentType: frozen.content.contentType)
    call.priority = .deferrable
    // The outbox itself retries. With retries in the client as well, the number of requests during
    // an outage would be four times higher.
    call.mostRetries = call.mostRetries ?? 0
    // A redirect delivers nothing, and the status distinguishes the kinds of refusal.
    call.rules.statuses = call.rules.statuses.clamped(to: 200...299)
    call.rules.refusesRedirects = true
    call.rules.errors = nil
    let (result, attempts) = await client.counted(call)
    // If neither this call nor an earlier process sent the batch, the server cannot be processing
    // it.
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
      // Calls expire in time, even if the server requires a longer wait.
      if case .success(let rest?) = await work() { pause = min(pause, rest) }
      outbox.tell([.heldBack(frozen.batch, error, for: pause)])
      await wait(pause, after: error)
    }
  }

  private static func verdict(
    _ result: Result<CallResponse, NetworkError>,
    mayBeWorkedAt: Bool
  ) -> BatchResult {
    switch result {
    case .success(let answer): return .delivered(status: answer.status)
    case .failure(let error):
      switch error {
      // The request was too late, too early or unauthenticated. The next one may succeed.
      case .server(status: 408, _), .server(status: 425, _), .credentials(status: 401, _):
        return .notNow(error)
      // A server that stores keys responds with 409 while it processes the first request.
      case .server(status: 409, _) where mayBeWorkedAt: return .notNow(error)
      case .server(let status, _) where (400...499).contains(status):
        return .refused(status: status)
      case .credentials(let status, _): return .refused(status: status)
      default: return .notNow(error)
      }
    }
  }

  /// Removes the batch from the disk, and retries until it succeeds; `false` if the task is
  /// cancelled.
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

  /// Waits after a failure. If there was no network, it waits until there is one, at most for the
  /// delay.
  private func wait(_ pause: Duration, after error: NetworkError) async {
    guard case .offline = error, let networks = client.networks else { return await wait(pause) }
    let need = endpoint.waitsFor
    let coming = Task {
      // The current network may be the failing one.
      for await status in networks.changes.dropFirst() where need.isMet(by: status) { return }
    }
    await wait(for: coming, within: pause)
  }

  /// Waits for a delay. The caller's loop checks for a cancellation.
  private func wait(_ pause: Duration) async {
    do { try await outbox.time.sleep(for: pause) } catch {}
  }
}
