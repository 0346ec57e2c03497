internal import Foundation
internal import WindTunnelSymptoms

#if canImport(FoundationNetworking)
  internal import FoundationNetworking
#endif

extension Call {
  /// Sends until there is something to show, or nothing more to hope for.
  func attempts(at request: URLRequest) async -> CallEnd {
    client.admission.earn()
    var attempt = 0
    var isRenewed = false
    var last: AttemptOutcome?
    while !isGivenUp {
      let passage = await pass(request, attempt: attempt + 1)
      let outcome: AttemptOutcome
      switch passage {
      case .answered(let came, let sent):
        attempt += 1
        outcome = came
        if !isRenewed, outcome.isUnauthorized {
          isRenewed = await renew(after: sent, attempt)
          // Whoever gave up meanwhile is seen at the top of the loop.
          if isRenewed || isGivenUp { continue }
        }
      case .stopped(let error):
        // What an earlier attempt brought says more than that there is no further one.
        if let last, case .circuitOpen = error {
          return CallEnd(surfaced(last, of: request, attempts: attempt), attempts: attempt)
        }
        return CallEnd(.failure(error), attempts: attempt)
      }
      guard let delay = delay(after: outcome, attempt: attempt, of: request) else {
        return CallEnd(surfaced(outcome, of: request, attempts: attempt), attempts: attempt)
      }
      last = outcome
      tell(.retryScheduled(after: attempt, delay: delay))
      // Whoever is cancelled in a wait is seen at the top of the loop.
      do { try await client.time.sleep(for: delay) } catch { break }
    }
    return CallEnd(.failure(.cancelled), attempts: attempt)
  }

  /// What became of the wish to send.
  private enum Passage {
    /// It was sent like this.
    case answered(AttemptOutcome, sent: URLRequest)
    /// It was not sent, or what came back is of no use.
    case stopped(NetworkError)
  }

  /// Sends once, as soon as there is a slot.
  private func pass(_ request: URLRequest, attempt: Int) async -> Passage {
    let host = request.url?.origin ?? ""
    let ticket = GateState.Ticket(
      host: host,
      endpoint: endpoint.template,
      priority: endpoint.priority
    )
    let gate = client.admission.gate
    guard
      let slot = await gate.enter(
        ticket,
        until: waitsUntil,
        queued: { tell(.waiting(.slot)) }
      )
    else { return .stopped(.cancelled) }
    defer { gate.leave(slot) }
    do throws(MiddlewareError) {
      let sent = try await prepared(request)
      let admission = client.admission.admit(host)
      if case .refused(let wait) = admission {
        return .stopped(.circuitOpen(host: host, retryAfter: wait))
      }
      tell(.attemptStarted(attempt, sent, engine: client.transport.engine(for: sent)))
      let outcome = await outcome(of: sent)
      client.admission.report(host, admission, outcome)
      tell(.attemptEnded(attempt, outcome))
      guard case .success(var answer) = outcome else { return .answered(outcome, sent: sent) }
      for middleware in client.middleware.reversed() {
        answer = try await middleware.incoming(answer, to: sent)
      }
      return .answered(.success(answer), sent: sent)
    } catch {
      return .stopped(isGivenUp ? .cancelled : .middleware(error.text))
    }
  }

  private func prepared(_ request: URLRequest) async throws(MiddlewareError) -> URLRequest {
    var request = request
    if let trace {
      request.setValue(trace.traceparent(client.draw), forHTTPHeaderField: "traceparent")
    }
    if let authenticator = client.authenticator {
      request = try await authenticator.authorize(request)
    }
    for middleware in client.middleware { request = try await middleware.outgoing(request) }
    return request
  }

  private func outcome(of request: URLRequest) async -> AttemptOutcome {
    do throws(TransportError) {
      if let keeper = client.keeper, let waitsUntil {
        return .success(try await keeper.send(request, until: waitsUntil))
      }
      return .success(try await client.transport.send(request))
    } catch {
      return .failure(isGivenUp ? .cancelled : error)
    }
  }

  private func renew(after sent: URLRequest, _ attempt: Int) async -> Bool {
    guard let authenticator = client.authenticator else { return false }
    // One for all who were refused the same credential; nobody's cancellation ends it for others.
    let credential = sent.value(forHTTPHeaderField: "Authorization") ?? ""
    let isRenewed = await client.renewals.value(for: credential) {
      await authenticator.renew(after: sent)
    }
    guard isRenewed == true else { return false }
    tell(.credentialRenewed(after: attempt))
    return true
  }

  /// The wait before the next attempt; `nil` where there will be none.
  ///
  /// A wait that would reach the deadline is not begun: the caller gets what is there, and gets it
  /// now.
  private func delay(
    after outcome: AttemptOutcome,
    attempt: Int,
    of request: URLRequest
  ) -> Duration? {
    let decision = client.policy.decide(
      after: outcome,
      attempt: attempt,
      of: request,
      at: client.time.date,
      draw: client.draw()
    )
    guard case .retry(let delay) = decision else { return nil }
    if let deadline = client.limits.deadline, elapsed + delay >= deadline { return nil }
    guard client.admission.spend() else {
      tell(.retryNotPaid(after: attempt))
      return nil
    }
    return delay
  }

  /// What a caller gets if this is the last attempt.
  private func surfaced(
    _ outcome: AttemptOutcome,
    of request: URLRequest,
    attempts: Int
  ) -> Result<Answer, NetworkError> {
    switch outcome {
    case .failure(.cancelled): return .failure(.cancelled)
    case .failure(.failed(.offline, let text)): return .failure(.offline(text: text))
    case .failure(.failed(let symptom, let text)): return .failure(.transport(symptom, text: text))
    case .success(let answer) where answer.status == 429:
      return .failure(.rateLimited(retryAfter: answer.retryAfter(at: client.time.date)))
    case .success(let answer):
      // 304 has no content to look at, and whoever asked the question knows what it means.
      if answer.status != 304 || !request.isConditional,
        let breach = endpoint.rules.breach(by: answer)
      {
        return .failure(breach)
      }
      return .success(
        Answer(
          status: answer.status,
          headers: answer.headers,
          body: answer.body,
          attempts: attempts
        )
      )
    }
  }
}

extension AttemptOutcome {
  /// Whether a server no longer takes the credential (RFC 9110 §15.5.2).
  fileprivate var isUnauthorized: Bool {
    if case .success(let answer) = self { answer.status == 401 } else { false }
  }
}

extension URL {
  /// The host with its port (RFC 6454 §4, without the scheme).
  var origin: String {
    let name = host ?? ""
    return port.map { "\(name):\($0)" } ?? name
  }
}
