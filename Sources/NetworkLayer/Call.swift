internal import Foundation

#if canImport(FoundationNetworking)
  internal import FoundationNetworking
#endif

/// One call on its way through the parts.
struct Call {
  let client: NetworkClient
  let endpoint: Endpoint
  let number: Int
  let start: Duration
  let trace: TraceContext?
  /// Whether it is made to renew what the cache holds, so that nothing out of it will do.
  let isRevalidation: Bool

  init(_ client: NetworkClient, _ endpoint: Endpoint, isRevalidation: Bool = false) {
    self.client = client
    self.endpoint = endpoint
    self.isRevalidation = isRevalidation
    number = client.calls.next()
    start = client.time.uptime
    trace = client.sendsTraces ? TraceContext(client.draw) : nil
  }

  func run() async -> Result<Answer, NetworkError> {
    tell(.callStarted(endpoint))
    let end = await end()
    tell(.callEnded(end.result, attempts: end.attempts))
    return end.result
  }

  private func end() async -> CallEnd {
    var request: URLRequest
    do {
      request = try client.builder.request(for: endpoint)
    } catch {
      return CallEnd(.failure(.invalidRequest(error)))
    }
    request.timeoutInterval = client.limits.attemptTimeout.seconds
    return await withDeadline { [request] in await inOrder(request) }
  }

  /// The deadline runs beside the work, since no time-out of a session is one: an answer that drips
  /// never times out.
  func withDeadline(_ work: @escaping @Sendable () async -> CallEnd) async -> CallEnd {
    guard let deadline = client.limits.deadline else { return await work() }
    return await withTaskGroup(of: Leg.self) { group in
      group.addTask { .end(await work()) }
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
      // Not reached: the work always brings an end.
      return CallEnd(.failure(.cancelled))
    }
  }

  /// Waits for those before it that it must not overtake.
  private func inOrder(_ request: URLRequest) async -> CallEnd {
    guard let word = endpoint.order else { return await throughCache(request) }
    let queue = GateState.Ticket(host: word, endpoint: "")
    guard
      let place = await client.governor.queues.enter(queue, queued: { tell(.waiting(.order)) })
    else { return CallEnd(.failure(.cancelled)) }
    defer { client.governor.queues.leave(place) }
    return await throughCache(request)
  }

  /// Equal calls that nobody waits for share one answer.
  func shared(_ request: URLRequest) async -> CallEnd {
    guard endpoint.priority == .deferrable, ["GET", "HEAD"].contains(request.httpMethod) else {
      return await attempts(at: request)
    }
    let end = await client.flights.value(
      for: FlightKey(request, endpoint.rules),
      joined: { tell(.waiting(.sharedAnswer)) }
    ) {
      // Whoever shares it may have come later: it has a deadline of its own.
      await withDeadline { await attempts(at: request) }
    }
    return end ?? CallEnd(.failure(.cancelled))
  }

  var elapsed: Duration { client.time.uptime - start }

  func tell(_ kind: CallEvent.Kind) {
    client.observer.observe(CallEvent(call: number, elapsed: elapsed, kind: kind))
  }

  /// What runs beside what while a call with a deadline is under way.
  private enum Leg {
    case end(CallEnd)
    case deadlinePassed
    case noMatter
  }
}

/// How a call ended, and what it took.
struct CallEnd: Sendable {
  var result: Result<Answer, NetworkError>
  var attempts: Int

  init(_ result: Result<Answer, NetworkError>, attempts: Int = 0) {
    self.result = result
    self.attempts = attempts
  }
}

/// What makes two requests equal.
struct FlightKey: Hashable {
  private let method: String?
  private let url: URL?
  private let fields: [String: String]
  private let rules: ResponseRules

  init(_ request: URLRequest, _ rules: ResponseRules) {
    method = request.httpMethod
    url = request.url
    fields = request.allHTTPHeaderFields ?? [:]
    self.rules = rules
  }
}
