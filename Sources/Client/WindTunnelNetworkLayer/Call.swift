internal import Foundation

/// One call on its way through cache, queue, shared responses and attempts.
struct Call {
  private var context: CallContext
  /// Whether the call renews a cached response, and therefore must not return one from the cache.
  private let isRevalidation: Bool

  private var client: NetworkClient { context.client }
  private var endpoint: Endpoint { context.endpoint }
  private var limits: CallLimits { context.limits }

  init(
    _ client: NetworkClient,
    _ endpoint: Endpoint,
    by receiver: (any Receiver)? = nil,
    telling progress: TransferProgress? = nil,
    pausedBy pause: CallPause? = nil,
    isRevalidation: Bool = false
  ) {
    self.isRevalidation = isRevalidation
    // The whole call uses one configuration, even if another one is applied meanwhile.
    let client = client.current()
    let terms = client.settings.endpoints[endpoint.template]
    var own = terms?.applied(to: endpoint, upon: client.settings.limits) ?? endpoint
    // No caller waits for a renewal in the background, so the configured priority does not apply.
    if isRevalidation { own.priority = endpoint.priority }
    context = CallContext(client, own, receiver, progress, pause)
  }

  /// Performs the call and adds its record to the response.
  ///
  /// - Parameter finish: The last step of the call, performed if there is a response.
  /// - Returns: The response, or the error.
  func run(
    finishing finish: (CallResponse) throws(NetworkError) -> Void = { _ in }
  ) async -> Result<CallResponse, NetworkError> {
    await run { answer throws(NetworkError) in
      try finish(answer)
      return answer
    }.map { answer in
      var answer = answer
      answer.record = context.record.withLock { $0 }
      return answer
    }
  }

  /// Performs the call and decodes the response as part of it, so that records include the
  /// decoding.
  func run<Value>(
    _ decode: (CallResponse) throws(NetworkError) -> Value
  ) async -> Result<Value, NetworkError> {
    await counted(decode).result
  }

  /// Performs the call like `run(_:)` and also returns the number of attempts, even if it failed.
  func counted<Value>(
    _ decode: (CallResponse) throws(NetworkError) -> Value
  ) async -> (result: Result<Value, NetworkError>, attempts: Int) {
    context.tell(.callStarted(endpoint))
    let end = await end()
    let value = end.result.flatMap { answer in
      Result { () throws(NetworkError) in try decode(answer) }
    }
    context.tell(.callEnded(value.flatMap { _ in end.result }, attempts: end.attempts))
    return (value, end.attempts)
  }

  private func end() async -> CallEnd {
    defer { context.progress?.end() }
    var call = self
    var request: URLRequest
    let content: SentFile?
    do {
      request = try client.settings.builder.request(for: endpoint)
      content = try endpoint.body?.sentFile()
    } catch {
      return CallEnd(result: .failure(.invalidRequest(error)))
    }
    request.timeoutInterval = limits.attemptTimeout.seconds
    if let content {
      call.context.file = content.url
      // Request signing uses this digest, because the content of a file is not in the request.
      request.setValue("sha-256=:\(content.sha256):", forHTTPHeaderField: "Content-Digest")
    }
    let end = await call.withDeadline { [request] call in await call.inOrder(request) }
    // The temporary file must exist until here.
    withExtendedLifetime(content) {}
    return end
  }

  /// Runs work with the call's deadline beside it.
  ///
  /// A session's time-out is no deadline: a response that arrives byte by byte never times out.
  private func withDeadline(_ work: @escaping @Sendable (Call) async -> CallEnd) async -> CallEnd {
    guard let limit = limits.deadline else { return await work(self) }
    let deadline = CallDeadline()
    var call = self
    call.context.deadline = deadline
    let late: @Sendable () -> Void = { deadline.pass() }
    var end: CallEnd
    if client.keeper != nil, endpoint.priority != .deferrable {
      call.context.waitsUntil = deadline
      end = await client.time.run(within: limit, late: late) { [call] in await work(call) }
    } else {
      // Code of other authors reacts only to the cancellation of its task. Therefore the work runs
      // in a child task, on the same executor as its parent.
      call.context.waitsUntil = nil
      end = await client.time.run(within: limit, late: late) { [call] in
        await withTaskGroup(of: CallEnd.self) { group in
          let over = Promise<Void>()
          group.addTask {
            defer { over.keep(()) }
            return await work(call)
          }
          await withGivingUp(at: deadline) {
            await over.value
          } onGivingUp: {
            over.keep(())
          }
          group.cancelAll()
          return await group.next() ?? CallEnd(result: .failure(.cancelled))
        }
      }
    }
    if deadline.hasPassed, !Task.isCancelled, end.result == .failure(.cancelled) {
      end.result = .failure(.deadlinePassed(limit))
    }
    return end
  }

  /// Waits for the earlier calls of the same ordered queue.
  private func inOrder(_ request: URLRequest) async -> CallEnd {
    guard let word = endpoint.order else { return await throughCache(request) }
    let queue = GateState.Ticket(host: word, endpoint: "")
    guard
      let place = await client.admission.queues.enter(
        queue,
        until: context.waitsUntil,
        queued: { context.tell(.waiting(.order)) }
      )
    else { return CallEnd(result: .failure(.cancelled)) }
    defer { client.admission.queues.leave(place) }
    return await throughCache(request)
  }

  /// Returns a response from the cache if the rules allow that, and sends the request otherwise.
  private func throughCache(_ request: URLRequest) async -> CallEnd {
    guard context.receiver == nil, let cache = client.cache, endpoint.caching != .never else {
      return await shared(request)
    }
    let generation = cache.generation(of: request)
    let found = found(request, in: cache)
    guard let kept = found.kept else {
      let end = await shared(request)
      if case .success(let answer) = end.result,
        let kept = CachedResponse(answer, to: request, at: client.time.date)
      {
        cache.keep(kept, generation: generation)
      }
      return end
    }
    switch found {
    case .fresh where !isRevalidation:
      context.tell(.foundInCache(.fresh))
      return CallEnd(result: .success(kept.answer(.cache)))
    case .staleWhileRevalidating where !isRevalidation && revalidates("\(generation) \(kept.key)"):
      context.tell(.foundInCache(.staleWhileRevalidating))
      return CallEnd(result: .success(kept.answer(.stale)))
    default: break
    }
    context.tell(.foundInCache(.stale))
    return await confirmed(kept, request, in: cache, generation: generation)
  }

  /// Finds a cached response that satisfies the endpoint's rules.
  ///
  /// A response stored under other rules, such as an earlier app version's, may violate them.
  private func found(_ request: URLRequest, in cache: ResponseCache) -> ResponseCache.Found {
    let found = cache.find(request, endpoint.cacheTimes, at: client.time.date)
    guard let kept = found.kept,
      endpoint.rules.breach(
        by: ServerResponse(status: kept.status, headers: kept.headers, body: kept.body)
      ) == nil
    else { return .nothing }
    return found
  }

  /// Returns the cached response, marked as stale unless it is fresh; `nil` if there is none.
  func cached() -> CallResponse? {
    guard let cache = client.cache, endpoint.caching != .never,
      let request = try? client.settings.builder.request(for: endpoint)
    else { return nil }
    // The call itself reports a request that cannot be built.
    switch found(request, in: cache) {
    case .nothing: return nil
    case .fresh(let found): return found.answer(.cache)
    case .staleWhileRevalidating(let found), .stale(let found):
      // Without times of the app, the server may require a validation first.
      let mayGoAhead = endpoint.cacheTimes != nil || !CacheControl(found.headers).wantsQuestion
      return mayGoAhead ? found.answer(.stale) : nil
    }
  }

  /// Starts a renewal in the background; `false` if background work is not running.
  ///
  /// One renewal at a time is enough for a response.
  private func revalidates(_ key: String) -> Bool {
    var endpoint = endpoint
    endpoint.priority = .deferrable
    return client.shared.revalidations.launch(for: key) { [client, endpoint] in
      _ = await Call(client, endpoint, isRevalidation: true).run()
    }
  }

  /// Validates a stale response with the server. Returns it if the server is unreachable and the
  /// rules allow that.
  private func confirmed(
    _ kept: CachedResponse,
    _ request: URLRequest,
    in cache: ResponseCache,
    generation: Int
  ) async -> CallEnd {
    let question = kept.question(request)
    var end = await shared(question ?? request)
    let now = client.time.date
    switch end.result {
    case .success(let answer) where answer.status == 304 && question != nil:
      let confirmed = kept.confirmed(by: answer, at: now)
      cache.keep(confirmed, generation: generation)
      end.result = .success(confirmed.answer(.revalidated, attempts: end.attempts))
    case .success(let answer):
      if let new = CachedResponse(answer, to: request, at: now) {
        cache.keep(new, generation: generation)
      }
    case .failure(var error):
      // A server that takes too long counts as unreachable, too.
      if error == .cancelled, context.deadline?.hasPassed ?? false, let limit = limits.deadline {
        error = .deadlinePassed(limit)
      }
      // A caller that requests an update has the stale response already.
      if !isRevalidation, cache.mayStandIn(kept, endpoint.cacheTimes, for: error, at: now) {
        let answer = kept.answer(.stale, attempts: end.attempts)
        end.result = .success(answer.standing(inFor: error))
      }
    }
    return end
  }

  /// Sends the request, or shares the response of an equal call in progress, if no caller waits.
  private func shared(_ request: URLRequest) async -> CallEnd {
    guard context.receiver == nil, endpoint.priority == .deferrable,
      ["GET", "HEAD"].contains(request.httpMethod)
    else { return await Attempts(context, at: request).run() }
    let end = await client.shared.flights.value(
      for: FlightKey(
        request,
        endpoint.rules,
        by: context.engines.look { client.transport.engine(for: request) },
        after: [client.shared.changes.current, client.cache?.generation(of: request) ?? 0]
      ),
      joined: { context.tell(.waiting(.sharedResponse)) }
    ) {
      // A call that joins later has its own deadline.
      await withDeadline { call in await Attempts(call.context, at: request).run() }
    }
    return end ?? CallEnd(result: .failure(.cancelled))
  }
}

extension Endpoint {
  /// The cache times of the endpoint's responses; `nil` if their header fields decide.
  fileprivate var cacheTimes: CacheTimes? {
    if case .kept(let times) = caching { times } else { nil }
  }
}

/// The result of a call, and the number of its attempts.
struct CallEnd: Sendable {
  var result: Result<CallResponse, NetworkError>
  var attempts = 0
}

/// The properties that equal requests have in common.
struct FlightKey: Hashable {
  private let method: String?
  private let url: URL?
  private let fields: [String: String]
  private let rules: ResponseRules
  /// The engine that carries the request. Calls on different engines do not share responses.
  private let engine: String
  /// The number of changes so far: a call after a change needs a response from after that change.
  private let changes: [Int]

  init(_ request: URLRequest, _ rules: ResponseRules, by engine: String, after changes: [Int]) {
    method = request.httpMethod
    url = request.url
    fields = request.allHTTPHeaderFields ?? [:]
    (self.rules, self.engine, self.changes) = (rules, engine, changes)
  }
}
