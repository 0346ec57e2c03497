internal import Foundation
internal import WindTunnelSymptoms

/// The attempts of a call: slots, middleware, the transport, and the waits between attempts.
struct Attempts {
  private let call: CallContext
  private let request: URLRequest
  /// The host, method and endpoint that circuit breakers and rate limits refer to.
  private let place: RateLimits.Endpoint

  private var client: NetworkClient { call.client }

  /// Creates the attempts of a call for a request.
  init(_ call: CallContext, at request: URLRequest) {
    (self.call, self.request) = (call, request)
    place = RateLimits.Endpoint(
      host: request.url?.origin ?? "",
      method: request.httpMethod,
      endpoint: call.endpoint.template
    )
  }

  /// Sends the request until there is a result to return or no retry remains.
  func run() async -> CallEnd {
    client.admission.earn()
    var attempt = 0
    var isRenewed = false
    var last: AttemptOutcome?
    while !call.isGivenUp {
      let passage = await pass(attempt: attempt + 1)
      let outcome: AttemptOutcome
      switch passage {
      case .answered(let came, let sent):
        attempt += 1
        outcome = came
        if !isRenewed, case .success(let answer) = outcome,
          client.authenticator?.isRefused(by: answer) == true
        {
          isRenewed = await renew(after: sent, attempt)
          // The loop condition checks for a cancellation.
          if isRenewed || call.isGivenUp { continue }
        }
      case .stopped(let error):
        // An earlier attempt's outcome is more informative than a refusal by the client itself.
        if let last, error.isOfAdmission {
          return CallEnd(result: surfaced(last, attempts: attempt), attempts: attempt)
        }
        return CallEnd(result: .failure(error), attempts: attempt)
      }
      // The device itself had no network.
      if case .failure(.failed(.offline, _)) = outcome, await hasWaitedForNetwork() { continue }
      // The attempt before the credential was renewed does not count as a retry.
      let tries = isRenewed ? attempt - 1 : attempt
      guard let delay = delay(after: outcome, attempt, tries) else {
        return CallEnd(result: surfaced(outcome, attempts: attempt), attempts: attempt)
      }
      last = outcome
      call.tell(.retryScheduled(after: attempt, delay: delay))
      // The loop condition checks for a cancellation during the wait.
      do { try await client.time.sleep(for: delay) } catch { break }
    }
    return CallEnd(result: .failure(.cancelled), attempts: attempt)
  }

  /// The result of one pass through slot, middleware and transport.
  private enum Passage {
    /// The request was sent in this form.
    case answered(AttemptOutcome, sent: URLRequest)
    /// The request was not sent, or its response cannot be used.
    case stopped(NetworkError)
  }

  /// Sends the request once, as soon as a slot is free.
  private func pass(attempt: Int) async -> Passage {
    let gate = client.admission.gate
    let slot: Int
    do throws(NetworkError) { slot = try await self.slot(at: gate) } catch {
      return .stopped(error)
    }
    defer { gate.leave(slot) }
    do throws(MiddlewareError) {
      let sent = try await prepared(call.receiver?.asking(request) ?? request, attempt)
      let admission = client.admission.admit(place.host)
      if case .refused(let wait) = admission {
        return .stopped(.circuitOpen(host: place.host, retryAfter: wait))
      }
      let engine = call.engines.look { client.transport.engine(for: sent) }
      call.tell(.attemptStarted(attempt, sent, engine: engine))
      let outcome = await call.engines.make { await self.outcome(of: sent) }
      client.admission.report(place, admission, outcome)
      if outcome.hasChanged(request) {
        _ = client.shared.changes.next()
        client.cache?.invalidate(request)
      }
      call.tell(.attemptEnded(attempt, outcome))
      guard case .success(var answer) = outcome else { return .answered(outcome, sent: sent) }
      for middleware in client.middleware.reversed() {
        answer = try await middleware.incoming(answer, to: sent)
      }
      return .answered(.success(answer), sent: sent)
    } catch {
      return .stopped(call.isGivenUp ? .cancelled : .middleware(error.text))
    }
  }

  /// Returns a slot once the call may be sent.
  ///
  /// While the call is suspended or the server limits the rate, it waits without a slot. It waits
  /// only once for a rate limit, because a server may extend one indefinitely.
  private func slot(at gate: Gate) async throws(NetworkError) -> Int {
    let ticket = GateState.Ticket(
      host: place.host,
      endpoint: place.endpoint,
      priority: call.endpoint.priority
    )
    var wasHeld = false
    while true {
      await call.pause?.pass(until: call.waitsUntil) { call.tell(.waiting(.pause)) }
      await network()
      if let limit = client.admission.limit(on: place), !wasHeld || limit.isTooLong {
        try await wait(for: limit)
        wasHeld = true
        continue
      }
      guard !call.isGivenUp,
        let slot = await gate.enter(
          ticket,
          until: call.waitsUntil,
          queued: { call.tell(.waiting(.slot)) }
        )
      else { throw .cancelled }
      let isHeld = client.admission.limit(on: place).map { !wasHeld || $0.isTooLong } ?? false
      if call.pause?.isSuspended != true, !isHeld { return slot }
      // The call was suspended or limited while it was queued: other calls may use the slot
      // meanwhile.
      gate.leave(slot)
    }
  }

  /// Waits for a network that the endpoint may use, if the endpoint requires that.
  private func network() async {
    guard let networks = client.networks, let need = call.endpoint.waitsForNetwork,
      !need.isMet(by: networks.status)
    else { return }
    call.tell(.waiting(.network))
    let waiting = Task { await networks.wait(for: need) }
    await withGivingUp(at: call.waitsUntil) {
      await waiting.value
    } onGivingUp: {
      waiting.cancel()
    }
  }

  /// Waits after an attempt that found no network.
  ///
  /// Returns `false` if the endpoint does not wait, or if the deadline leaves no time to wait.
  private func hasWaitedForNetwork() async -> Bool {
    guard let networks = client.networks, let need = call.endpoint.waitsForNetwork else {
      return false
    }
    // The next attempt waits for the network.
    guard need.isMet(by: networks.status) else { return true }
    // A device that considers itself online is checked again after a pause, to avoid a busy loop.
    let pause = Duration.seconds(1)
    if let deadline = call.limits.deadline, call.elapsed + pause >= deadline { return false }
    call.tell(.waiting(.network))
    // The loop in `run()` detects a cancelled sleep before the next attempt.
    do { try await client.time.sleep(for: pause) } catch {}
    return true
  }

  /// Waits as long as the server requires. Throws if that exceeds the maximum wait or the deadline.
  private func wait(for limit: RateLimits.Limit) async throws(NetworkError) {
    func isTooLate(_ wait: Duration) -> Bool {
      call.limits.deadline.map { call.elapsed + wait >= $0 } ?? false
    }
    if limit.isTooLong || isTooLate(limit.rest) { throw .rateLimited(retryAfter: limit.rest) }
    // Jitter keeps the waiting calls from resuming all at once, if the deadline allows it.
    var wait = limit.rest + limit.rest * client.draw() / 10
    if isTooLate(wait) { wait = limit.rest }
    call.tell(.waiting(.retryAfter))
    do { try await client.time.sleep(for: wait) } catch { throw .cancelled }
  }

  private func prepared(_ request: URLRequest, _ attempt: Int) async throws(MiddlewareError)
    -> URLRequest
  {
    var request = request
    if let trace = call.trace {
      request.setValue(trace.traceparent(client.draw), forHTTPHeaderField: "traceparent")
      request.setValue(trace.requestID(ofAttempt: attempt), forHTTPHeaderField: "X-Request-ID")
    }
    if let authenticator = client.authenticator {
      request = try await authenticator.authorize(request)
    }
    for middleware in client.middleware { request = try await middleware.outgoing(request) }
    return request
  }

  private func outcome(of request: URLRequest) async -> AttemptOutcome {
    do throws(TransportError) {
      guard call.receiver != nil || call.progress != nil || call.file != nil else {
        if let keeper = client.keeper, let waitsUntil = call.waitsUntil {
          return .success(try await keeper.send(request, until: waitsUntil))
        }
        return .success(try await client.transport.send(request))
      }
      return .success(try await streamed(request))
    } catch {
      return .failure(call.isGivenUp ? .cancelled : error)
    }
  }

  /// Sends the request and passes the response's content to the receiver as it arrives.
  private func streamed(_ request: URLRequest) async throws(TransportError) -> ServerResponse {
    let upload = Upload(file: call.file) { [progress = call.progress] in progress?.sent($0, of: $1)
    }
    let begun = client.time.uptime
    let answer =
      if let keeper = client.keeper, let waitsUntil = call.waitsUntil {
        try await keeper.open(request, upload, until: waitsUntil)
      } else {
        try await client.transport.open(request, upload)
      }
    let head = client.time.uptime
    let receiver = call.receiver ?? MemoryReceiver(progress: call.progress)
    var taken = try await withGivingUp(at: call.waitsUntil) { () -> AttemptOutcome in
      do throws(TransportError) { return .success(try await receiver.take(answer)) } catch {
        // The rest of the response has no reader.
        answer.cancel()
        return .failure(error)
      }
    } onGivingUp: {
      answer.cancel()
    }.get()
    // The duration of reading is measured here, because it does not depend on the transport.
    let isRead = !(receiver is StreamReceiver)
    taken.stages =
      taken.stages
      ?? StageTimings(receive: isRead ? client.time.uptime - head : nil, head: head - begun)
    return taken
  }

  private func renew(after sent: URLRequest, _ attempt: Int) async -> Bool {
    guard let authenticator = client.authenticator else { return false }
    // All calls with the same refused credential share one renewal. Cancelling one of them does not
    // end it for the others.
    let credential = sent.value(forHTTPHeaderField: "Authorization") ?? ""
    let isRenewed = await client.shared.renewals.value(for: credential) {
      await authenticator.renew(after: sent)
    }
    guard isRenewed == true else { return false }
    _ = client.shared.changes.next()
    call.tell(.credentialRenewed(after: attempt))
    return true
  }

  /// Returns the wait before the next attempt; `nil` if there is no next attempt.
  ///
  /// A wait that would reach the deadline is not started: the caller receives the current outcome
  /// immediately.
  private func delay(
    after outcome: AttemptOutcome,
    _ attempt: Int,
    _ tries: Int
  ) -> Duration? {
    let decision = client.policy.decide(
      after: outcome,
      attempt: tries,
      of: request,
      at: client.time.date,
      draw: client.draw()
    )
    guard case .retry(let delay) = decision, call.endpoint.mostRetries.map({ tries <= $0 }) ?? true
    else { return nil }
    if let deadline = call.limits.deadline, call.elapsed + delay >= deadline { return nil }
    guard client.admission.spend() else {
      call.tell(.retryNotPaid(after: attempt))
      return nil
    }
    return delay
  }

  /// Returns the result that the caller receives if this attempt is the last one.
  private func surfaced(
    _ outcome: AttemptOutcome,
    attempts: Int
  ) -> Result<CallResponse, NetworkError> {
    switch outcome {
    case .failure(let error): return .failure(error.asNetworkError)
    case .success(let answer) where answer.status == 429:
      return .failure(.rateLimited(retryAfter: answer.retryAfter(at: client.time.date)))
    case .success(let answer):
      // A 304 response has no content to check, and the sender of the conditional request handles
      // it.
      if answer.status != 304 || !request.isConditional,
        let breach = call.endpoint.rules.breach(by: answer)
      {
        return .failure(breach)
      }
      return .success(
        CallResponse(
          status: answer.status,
          headers: answer.headers,
          body: answer.body,
          attempts: attempts
        )
      )
    }
  }
}

extension NetworkError {
  /// Whether the client itself refused to send, which says less than any response.
  fileprivate var isOfAdmission: Bool {
    switch self {
    case .circuitOpen, .rateLimited: true
    default: false
    }
  }
}
