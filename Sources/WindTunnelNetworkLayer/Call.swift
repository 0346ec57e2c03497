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
  /// `nil`: there is none.
  private(set) var deadline: CallDeadline?
  /// The deadline, where nothing but its word ends a wait; `nil`: it cancels the task that this runs
  /// in.
  private(set) var waitsUntil: CallDeadline?

  init(_ client: NetworkClient, _ endpoint: Endpoint, isRevalidation: Bool = false) {
    self.client = client
    self.endpoint = endpoint
    self.isRevalidation = isRevalidation
    number = client.calls.next()
    start = client.time.uptime
    trace = client.sendsTraces ? TraceContext(client.draw) : nil
  }

  func run() async -> Result<Answer, NetworkError> {
    await run { answer throws(NetworkError) in answer }
  }

  /// Makes a value of the answer as a part of the call, so that records tell how that went, too.
  func run<Value>(
    _ decode: (Answer) throws(NetworkError) -> Value
  ) async -> Result<Value, NetworkError> {
    tell(.callStarted(endpoint))
    let end = await end()
    let value = end.result.flatMap { answer in
      Result { () throws(NetworkError) in try decode(answer) }
    }
    tell(.callEnded(value.flatMap { _ in end.result }, attempts: end.attempts))
    return value
  }

  private func end() async -> CallEnd {
    var request: URLRequest
    do {
      request = try client.builder.request(for: endpoint)
    } catch {
      return CallEnd(.failure(.invalidRequest(error)))
    }
    request.timeoutInterval = client.limits.attemptTimeout.seconds
    return await withDeadline { [request] call in await call.inOrder(request) }
  }

  /// The deadline runs beside the work, since no time-out of a session is one: an answer that drips
  /// never times out.
  func withDeadline(_ work: @escaping @Sendable (Call) async -> CallEnd) async -> CallEnd {
    guard let limit = client.limits.deadline else { return await work(self) }
    let deadline = CallDeadline()
    var call = self
    call.deadline = deadline
    let late: @Sendable () -> Void = { deadline.pass() }
    var end: CallEnd
    if client.keeper != nil, endpoint.priority != .deferrable {
      call.waitsUntil = deadline
      end = await client.time.run(within: limit, late: late) { [call] in await work(call) }
    } else {
      // Others' code understands a cancellation of its task and nothing else.
      call.waitsUntil = nil
      let task = Task { [call] in await work(call) }
      deadline.begin { task.cancel() }
      end = await client.time.run(within: limit, late: late) {
        await withTaskCancellationHandler {
          await task.value
        } onCancel: {
          task.cancel()
        }
      }
    }
    if deadline.hasPassed, !Task.isCancelled, end.result == .failure(.cancelled) {
      end.result = .failure(.deadlinePassed(limit))
    }
    return end
  }

  /// Whether nobody waits for the answer any more.
  var isGivenUp: Bool { Task.isCancelled || waitsUntil?.hasPassed ?? false }

  /// Waits for those before it that it must not overtake.
  private func inOrder(_ request: URLRequest) async -> CallEnd {
    guard let word = endpoint.order else { return await throughCache(request) }
    let queue = GateState.Ticket(host: word, endpoint: "")
    guard
      let place = await client.admission.queues.enter(
        queue,
        until: waitsUntil,
        queued: { tell(.waiting(.order)) }
      )
    else { return CallEnd(.failure(.cancelled)) }
    defer { client.admission.queues.leave(place) }
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
      await withDeadline { call in await call.attempts(at: request) }
    }
    return end ?? CallEnd(.failure(.cancelled))
  }

  var elapsed: Duration { client.time.uptime - start }

  /// What nobody hears is not even made.
  func tell(_ kind: @autoclosure () -> CallEvent.Kind) {
    guard let observer = client.observer else { return }
    observer.observe(
      CallEvent(call: number, elapsed: elapsed, environment: client.environment, kind: kind())
    )
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
