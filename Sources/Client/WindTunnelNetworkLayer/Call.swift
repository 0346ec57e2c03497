internal import Foundation
internal import WindTunnelSymptoms

#if canImport(FoundationNetworking)
  internal import FoundationNetworking
#endif

/// One call on its way through the parts.
struct Call {
  private var context: CallContext
  /// True where it is made to renew what the cache holds, so that nothing out of it will do.
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
    // Whatever is applied meanwhile, all of a call is of one configuration.
    let client = client.current()
    var own = client.withTerms(endpoint)
    // Nobody waits for what is renewed behind, whatever is said of those who do.
    if isRevalidation { own.priority = endpoint.priority }
    context = CallContext(client, own, receiver, progress, pause)
  }

  /// Makes the call, and brings its record with the answer.
  ///
  /// - Parameter finish: The last step of the call, when there is an answer.
  /// - Returns: The answer, or the error.
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

  /// Makes a value of the answer as a part of the call, so that records tell how that went, too.
  func run<Value>(
    _ decode: (CallResponse) throws(NetworkError) -> Value
  ) async -> Result<Value, NetworkError> {
    await counted(decode).result
  }

  /// Does the same, and tells how many attempts the call took, also where it failed.
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
      // What signs a request signs this in place of a content that is not there to be looked at.
      request.setValue("sha-256=:\(content.sha256):", forHTTPHeaderField: "Content-Digest")
    }
    let end = await call.withDeadline { [request] call in await call.inOrder(request) }
    // The file is there until now.
    withExtendedLifetime(content) {}
    return end
  }

  /// The deadline runs beside the work, since no time-out of a session is one: an answer that drips
  /// never times out.
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
      // Others' code understands a cancellation of its task and nothing else. The task is a child,
      // which runs where its parent does.
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

  /// Waits for those before it that it must not overtake.
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

  /// Answers out of the cache where that may be, and asks where it may not.
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

  /// Looks for an answer that the endpoint's rules accept: one that was kept under others, such as
  /// those of an earlier version of the app, may break them.
  private func found(_ request: URLRequest, in cache: ResponseCache) -> ResponseCache.Found {
    let found = cache.find(request, endpoint.cacheTimes, at: client.time.date)
    guard let kept = found.kept,
      endpoint.rules.breach(
        by: ServerResponse(status: kept.status, headers: kept.headers, body: kept.body)
      ) == nil
    else { return .nothing }
    return found
  }

  /// Returns the answer that the cache holds, marked as stale unless it is fresh; `nil` where it
  /// holds none.
  func cached() -> CallResponse? {
    guard let cache = client.cache, endpoint.caching != .never,
      let request = try? client.settings.builder.request(for: endpoint)
    else { return nil }
    // A request that cannot be made is told of by the call itself.
    switch found(request, in: cache) {
    case .nothing: return nil
    case .fresh(let found): return found.answer(.cache)
    case .staleWhileRevalidating(let found), .stale(let found):
      return cache.mayGoAhead(found, endpoint.cacheTimes) ? found.answer(.stale) : nil
    }
  }

  /// Has a newer answer fetched by nobody who waits; false where nobody would do it. One at a time
  /// is enough.
  private func revalidates(_ key: String) -> Bool {
    var endpoint = endpoint
    endpoint.priority = .deferrable
    return client.shared.revalidations.launch(for: key) { [client, endpoint] in
      _ = await Call(client, endpoint, isRevalidation: true).run()
    }
  }

  /// Asks whether a stale answer is still good, and shows it if the server cannot be had and that
  /// is granted.
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
      // A server that takes too long is absent, too.
      if error == .cancelled, context.deadline?.hasPassed ?? false, let limit = limits.deadline {
        error = .deadlinePassed(limit)
      }
      // Whoever asks for a newer one has this.
      if !isRevalidation, cache.mayStandIn(kept, endpoint.cacheTimes, for: error, at: now) {
        let answer = kept.answer(.stale, attempts: end.attempts)
        end.result = .success(answer.standing(inFor: error))
      }
    }
    return end
  }

  /// Equal calls that nobody waits for share one answer.
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
      // Whoever shares it may have come later: it has a deadline of its own.
      await withDeadline { call in await Attempts(call.context, at: request).run() }
    }
    return end ?? CallEnd(result: .failure(.cancelled))
  }
}

extension Endpoint {
  /// The times of its answers in a cache; `nil`: those of their header fields.
  fileprivate var cacheTimes: CacheTimes? {
    if case .kept(let times) = caching { times } else { nil }
  }
}

/// The end of a call, and the attempts that it took.
struct CallEnd: Sendable {
  var result: Result<CallResponse, NetworkError>
  var attempts = 0
}

/// The parts by which two requests are equal.
struct FlightKey: Hashable {
  private let method: String?
  private let url: URL?
  private let fields: [String: String]
  private let rules: ResponseRules
  /// The engine that carries it: an answer by one is none by another.
  private let engine: String
  /// Whoever asks after a change wants what is there since.
  private let changes: [Int]

  init(_ request: URLRequest, _ rules: ResponseRules, by engine: String, after changes: [Int]) {
    method = request.httpMethod
    url = request.url
    fields = request.allHTTPHeaderFields ?? [:]
    (self.rules, self.engine, self.changes) = (rules, engine, changes)
  }
}
