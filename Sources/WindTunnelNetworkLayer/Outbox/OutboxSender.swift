internal import Foundation

extension Outbox {
  /// The moments at which ``send(by:until:)`` ends.
  public enum End: Sendable, Hashable {
    /// The end of the task that sends.
    case cancelled
    /// The moment at which no call waits any more.
    case empty
  }

  /// Sends what waits, each batch as a call of the client, with its slot, credential, retries and
  /// breaker.
  ///
  /// Endpoints are sent beside each other, and the batches of one after each other. A batch that
  /// cannot be delivered now (5xx, 401, 407, 408, 425, 429, no answer, a redirect, an answer that
  /// breaks the endpoint's rules) is sent again after a wait; every other 4xx makes its calls dead
  /// letters. Where somebody sends already it returns at once.
  ///
  /// - Parameters:
  ///   - client: The client, whose ``Networks`` say when there is one.
  ///   - end: The moment at which it ends, by default the end of its task.
  @concurrent
  public func send(by client: NetworkClient, until end: End = .cancelled) async {
    guard beginSending() else { return }
    defer { endSending() }
    await withTaskGroup(of: Void.self) { group in
      for endpoint in endpoints {
        group.addTask { await OutboxSender(self, endpoint, client).run(until: end) }
      }
    }
  }
}

/// Sends the batches of one endpoint.
private struct OutboxSender {
  /// The most times in a row that 409 is taken for "the first one is still being worked at".
  private static let mostConflicts = 5

  private let outbox: Outbox
  private let endpoint: OutboxEndpoint
  private let client: NetworkClient

  init(_ outbox: Outbox, _ endpoint: OutboxEndpoint, _ client: NetworkClient) {
    (self.outbox, self.endpoint, self.client) = (outbox, endpoint, client)
  }

  /// The meaning of an answer for its batch.
  private enum Verdict {
    case delivered(status: Int)
    case refused(status: Int)
    case notNow(NetworkError)
  }

  /// The next thing that is to be done.
  private enum Work: Sendable {
    case none
    /// Calls wait, the next of them for this long before it is too old.
    case some(Duration)
  }

  func run(until end: Outbox.End) async {
    var wakes = outbox.wakes(of: endpoint.name).makeAsyncIterator()
    var failures = 0
    while !Task.isCancelled {
      switch await work() {
      case .failure: return
      case .success(.none):
        if end == .empty { return }
        _ = await wakes.next()
      case .success(.some(let rest)):
        guard await hasNetwork(within: rest) else { continue }
        switch await nextBatch() {
        case .success(nil): break
        case .success(let batch?): failures = await send(batch, after: failures)
        case .failure(.closed): return
        case .failure(let error):
          outbox.tell([.diskFailed(error)])
          failures += 1
          await wait(pause(after: failures))
        }
      }
    }
  }

  private func work() async -> Result<Work, OutboxError> {
    let (outbox, name) = (outbox, endpoint.name)
    return await outbox.onDisk { store in
      var events: [OutboxEvent] = []
      store.age(telling: &events)
      outbox.tell(events)
      return .success(store.timeToAge(of: name).map(Work.some) ?? .none)
    }
  }

  private func nextBatch() async -> Result<FrozenBatch?, OutboxError> {
    let (outbox, endpoint) = (outbox, endpoint)
    return await outbox.onDisk { store in
      var events: [OutboxEvent] = []
      defer { outbox.tell(events) }
      return Result { () throws(OutboxError) in
        try store.nextBatch(of: endpoint, telling: &events)
      }
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
    let waiting = Task { await networks.wait(for: need) }
    await outbox.time.run(within: rest, late: { waiting.cancel() }) {
      await withTaskCancellationHandler {
        await waiting.value
      } onCancel: {
        waiting.cancel()
      }
    }
    return false
  }

  /// Sends a batch once, and returns how many times in a row that was in vain.
  private func send(_ frozen: FrozenBatch, after failures: Int) async -> Int {
    var call = endpoint.endpoint
    call.headers["Idempotency-Key"] = frozen.batch.key
    call.body = .data(frozen.content.body, contentType: frozen.content.contentType)
    call.priority = .deferrable
    // A redirect has delivered nothing, and what is refused is told apart by its status.
    call.rules.statuses = call.rules.statuses.clamped(to: 200...299)
    call.rules.errors = nil
    let result: Result<Answer, NetworkError>
    do throws(NetworkError) { result = .success(try await client.call(call)) } catch {
      result = .failure(error)
    }
    switch Self.verdict(result, after: failures) {
    case .delivered(let status):
      if await leave() { outbox.tell([.delivered(frozen.batch, status: status)]) }
      return 0
    case .refused(let status):
      if await bury(status), await leave() {
        outbox.tell([.deadLettered(frozen.batch, status: status)])
      }
      return 0
    case .notNow(let error):
      if Task.isCancelled { return failures }
      let pause = pause(after: failures + 1, error)
      outbox.tell([.heldBack(frozen.batch, error, for: pause)])
      await wait(pause)
      return failures + 1
    }
  }

  private static func verdict(
    _ result: Result<Answer, NetworkError>,
    after failures: Int
  ) -> Verdict {
    switch result {
    case .success(let answer): return .delivered(status: answer.status)
    case .failure(let error):
      switch error {
      // It came too late, too early or without a login: the next time it may be taken.
      case .server(status: 408, _), .server(status: 425, _), .credentials(status: 401, _):
        return .notNow(error)
      // A server that keeps keys says so while it works at the first one.
      case .server(status: 409, _) where (1...mostConflicts).contains(failures):
        return .notNow(error)
      case .server(let status, _) where (400...499).contains(status):
        return .refused(status: status)
      case .credentials(let status, _): return .refused(status: status)
      default: return .notNow(error)
      }
    }
  }

  /// Has the batch leave the disk, however long it takes; false where the task ended before.
  private func leave() async -> Bool {
    let name = endpoint.name
    return await untilDone { store throws(OutboxError) in try store.leaveBatch(of: name) }
  }

  private func bury(_ status: Int) async -> Bool {
    let (outbox, name) = (outbox, endpoint.name)
    return await untilDone { store throws(OutboxError) in
      let fallen = try store.addLetters(of: name, status: status)
      if fallen > 0 { outbox.tell([.deadLettersFellOut(fallen)]) }
    }
  }

  private func untilDone(
    _ work: @escaping @Sendable (inout OutboxStore) throws(OutboxError) -> Void
  ) async -> Bool {
    var failures = 0
    while true {
      let result = await outbox.onDisk { store in
        Result { () throws(OutboxError) in try work(&store) }
      }
      switch result {
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

  /// A wait that is cancelled is seen by whoever loops.
  private func wait(_ pause: Duration) async {
    do { try await outbox.time.sleep(for: pause) } catch {}
  }
}
