internal import Foundation

#if canImport(FoundationNetworking)
  internal import FoundationNetworking
#endif

/// One call on its way through the four parts.
struct Call {
  let client: NetworkClient
  let number: Int
  let start: Duration

  func run(_ endpoint: Endpoint) async -> Result<Answer, NetworkError> {
    tell(.callStarted(endpoint))
    let end = await end(of: endpoint)
    tell(.callEnded(end.result, attempts: end.attempts))
    return end.result
  }

  private func end(of endpoint: Endpoint) async -> End {
    var request: URLRequest
    do {
      request = try client.builder.request(for: endpoint)
    } catch {
      return End(.failure(.invalidRequest(error)), attempts: 0)
    }
    request.timeoutInterval = client.limits.attemptTimeout.seconds
    guard let deadline = client.limits.deadline else { return await attempts(at: request) }
    return await attempts(at: request, within: deadline)
  }

  /// The deadline runs beside the attempts, since no time-out of a session is one: an answer that
  /// drips never times out.
  private func attempts(at request: URLRequest, within deadline: Duration) async -> End {
    await withTaskGroup(of: Leg.self) { group in
      group.addTask { .end(await attempts(at: request)) }
      group.addTask {
        do { try await client.time.sleep(for: deadline) } catch { return .noMatter }
        return .deadlinePassed
      }
      var isLate = false
      while let leg = await group.next() {
        switch leg {
        case .end(var end):
          group.cancelAll()
          if isLate, !Task.isCancelled, end.result == .failure(.cancelled) {
            end.result = .failure(.deadlinePassed(deadline))
          }
          return end
        case .deadlinePassed:
          isLate = true
          group.cancelAll()
        case .noMatter: break
        }
      }
      // Not reached: the attempts always bring an end.
      return End(.failure(.cancelled), attempts: 0)
    }
  }

  private func attempts(at request: URLRequest) async -> End {
    var attempt = 0
    while !Task.isCancelled {
      attempt += 1
      tell(.attemptStarted(attempt, request))
      let outcome = await outcome(of: request)
      tell(.attemptEnded(attempt, outcome))
      guard let delay = delay(after: outcome, attempt: attempt, of: request) else {
        return End(outcome.surfaced(attempts: attempt, at: client.time.date), attempts: attempt)
      }
      tell(.retryScheduled(after: attempt, delay: delay))
      // Whoever is cancelled in a wait is seen at the top of the loop.
      do { try await client.time.sleep(for: delay) } catch { break }
    }
    return End(.failure(.cancelled), attempts: attempt)
  }

  private func outcome(of request: URLRequest) async -> AttemptOutcome {
    do throws(TransportError) {
      return .success(try await client.transport.send(request))
    } catch {
      return .failure(Task.isCancelled ? .cancelled : error)
    }
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
    return delay
  }

  private var elapsed: Duration { client.time.uptime - start }

  private func tell(_ kind: CallEvent.Kind) {
    client.observer.observe(CallEvent(call: number, elapsed: elapsed, kind: kind))
  }

  /// How a call ended, and what it took.
  private struct End {
    var result: Result<Answer, NetworkError>
    var attempts: Int

    init(_ result: Result<Answer, NetworkError>, attempts: Int) {
      self.result = result
      self.attempts = attempts
    }
  }

  /// What runs beside what while a call with a deadline is under way.
  private enum Leg {
    case end(End)
    case deadlinePassed
    case noMatter
  }
}

extension AttemptOutcome {
  /// What a caller gets if this is the last attempt.
  fileprivate func surfaced(attempts: Int, at date: Date) -> Result<Answer, NetworkError> {
    switch self {
    case .failure(.cancelled): .failure(.cancelled)
    case .failure(.failed(let symptom, let text)): .failure(.transport(symptom, text: text))
    case .success(let answer) where answer.status == 429:
      .failure(.rateLimited(retryAfter: answer.retryAfter(at: date)))
    case .success(let answer) where answer.status >= 400:
      .failure(.server(status: answer.status, body: answer.body))
    case .success(let answer):
      .success(
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
