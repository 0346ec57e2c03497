internal import Foundation
internal import WindTunnelSymptoms

#if canImport(FoundationNetworking)
  internal import FoundationNetworking
#endif

/// One call on its way through the parts.
struct Call {
  private let client: NetworkClient
  private let endpoint: Endpoint
  private let limits: CallLimits
  private let number: Int
  private let start: Duration
  private let trace: TraceContext?
  /// The history of the call so far; `nil` before its first event.
  private let record = Locked<CallRecord?>(nil)
  /// The one who takes the content of answers; `nil`: it comes with the answer, in memory.
  private let receiver: (any Receiver)?
  private let progress: TransferProgress?
  /// The switch by which its next attempt may be held back.
  private let pause: CallPause?
  /// The file with the request's content; `nil`: it is in the request.
  private var file: URL?
  /// True where it is made to renew what the cache holds, so that nothing out of it will do.
  private let isRevalidation: Bool
  /// The call's deadline; `nil`: there is none.
  private var deadline: CallDeadline?
  /// The engines that all its attempts choose from.
  private let engines: EngineChoice
  /// The deadline, where nothing but its word ends a wait; `nil`: it cancels the task that this
  /// runs in.
  private var waitsUntil: CallDeadline?

  init(
    _ client: NetworkClient,
    _ endpoint: Endpoint,
    by receiver: (any Receiver)? = nil,
    telling progress: TransferProgress? = nil,
    pausedBy pause: CallPause? = nil,
    isRevalidation: Bool = false
  ) {
    // Whatever is applied meanwhile, all of a call is of one configuration.
    let client = client.current()
    var own = client.withTerms(endpoint)
    // Nobody waits for what is renewed behind, whatever is said of those who do.
    if isRevalidation { own.priority = endpoint.priority }
    let endpoint = own
    (self.client, self.endpoint, self.receiver) = (client, endpoint, receiver)
    (self.progress, self.pause, self.isRevalidation) = (progress, pause, isRevalidation)
    limits = endpoint.limits ?? client.limits
    engines = EngineChoice(engine: endpoint.engine, shares: client.engineShares)
    number = client.calls.next()
    start = client.time.uptime
    trace = client.sendsTraces ? TraceContext(client.draw) : nil
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
      answer.record = record.withLock { $0 }
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
    tell(.callStarted(endpoint))
    let end = await end()
    let value = end.result.flatMap { answer in
      Result { () throws(NetworkError) in try decode(answer) }
    }
    tell(.callEnded(value.flatMap { _ in end.result }, attempts: end.attempts))
    return (value, end.attempts)
  }

  private func end() async -> CallEnd {
    defer { progress?.end() }
    var call = self
    var request: URLRequest
    let content: SentFile?
    do {
      request = try client.builder.request(for: endpoint)
      content = try endpoint.body?.sentFile()
    } catch {
      return CallEnd(result: .failure(.invalidRequest(error)))
    }
    request.timeoutInterval = limits.attemptTimeout.seconds
    if let content {
      call.file = content.url
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
    call.deadline = deadline
    let late: @Sendable () -> Void = { deadline.pass() }
    var end: CallEnd
    if client.keeper != nil, endpoint.priority != .deferrable {
      call.waitsUntil = deadline
      end = await client.time.run(within: limit, late: late) { [call] in await work(call) }
    } else {
      // Others' code understands a cancellation of its task and nothing else. The task is a child,
      // which runs where its parent does.
      call.waitsUntil = nil
      end = await client.time.run(within: limit, late: late) { [call] in
        await withTaskGroup(of: CallEnd.self) { group in
          let (isOver, over) = AsyncStream.makeStream(of: Never.self)
          group.addTask {
            defer { over.finish() }
            return await work(call)
          }
          deadline.begin { over.finish() }
          for await _ in isOver {}
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
        until: waitsUntil,
        queued: { tell(.waiting(.order)) }
      )
    else { return CallEnd(result: .failure(.cancelled)) }
    defer { client.admission.queues.leave(place) }
    return await throughCache(request)
  }

  /// Answers out of the cache where that may be, and asks where it may not.
  private func throughCache(_ request: URLRequest) async -> CallEnd {
    guard receiver == nil, let cache = client.cache, endpoint.caching != .never else {
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
      tell(.foundInCache(.fresh))
      return CallEnd(result: .success(kept.answer(.cache)))
    case .staleWhileRevalidating where !isRevalidation && revalidates("\(generation) \(kept.key)"):
      tell(.foundInCache(.staleWhileRevalidating))
      return CallEnd(result: .success(kept.answer(.stale)))
    default: break
    }
    tell(.foundInCache(.stale))
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
      let request = try? client.builder.request(for: endpoint)
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
    return client.revalidations.launch(for: key) { [client, endpoint] in
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
      if error == .cancelled, deadline?.hasPassed ?? false, let limit = limits.deadline {
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
    guard receiver == nil, endpoint.priority == .deferrable,
      ["GET", "HEAD"].contains(request.httpMethod)
    else { return await attempts(at: request) }
    let end = await client.flights.value(
      for: FlightKey(
        request,
        endpoint.rules,
        by: engines.look { client.transport.engine(for: request) },
        after: [client.changes.current, client.cache?.generation(of: request) ?? 0]
      ),
      joined: { tell(.waiting(.sharedResponse)) }
    ) {
      // Whoever shares it may have come later: it has a deadline of its own.
      await withDeadline { call in await call.attempts(at: request) }
    }
    return end ?? CallEnd(result: .failure(.cancelled))
  }

  /// Sends until there is something to show, or nothing more to hope for.
  private func attempts(at request: URLRequest) async -> CallEnd {
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
        if !isRenewed, isRefused(outcome) {
          isRenewed = await renew(after: sent, attempt)
          // Whoever gave up meanwhile is seen at the top of the loop.
          if isRenewed || isGivenUp { continue }
        }
      case .stopped(let error):
        // What an earlier attempt brought says more than that there is no further one.
        if let last, error.isOfAdmission {
          return CallEnd(result: surfaced(last, of: request, attempts: attempt), attempts: attempt)
        }
        return CallEnd(result: .failure(error), attempts: attempt)
      }
      // The device itself had no network.
      if case .failure(.failed(.offline, _)) = outcome, await hasWaitedForNetwork() { continue }
      // The attempt after which the credential was renewed is none that a retry was spent on.
      let tries = isRenewed ? attempt - 1 : attempt
      guard let delay = delay(after: outcome, attempt, tries, of: request) else {
        return CallEnd(result: surfaced(outcome, of: request, attempts: attempt), attempts: attempt)
      }
      last = outcome
      tell(.retryScheduled(after: attempt, delay: delay))
      // Whoever is cancelled in a wait is seen at the top of the loop.
      do { try await client.time.sleep(for: delay) } catch { break }
    }
    return CallEnd(result: .failure(.cancelled), attempts: attempt)
  }

  /// The end of one passage through slot, middleware and transport.
  private enum Passage {
    /// The request was sent like this.
    case answered(AttemptOutcome, sent: URLRequest)
    /// The request was not sent, or its answer is of no use.
    case stopped(NetworkError)
  }

  /// Sends once, as soon as there is a slot.
  private func pass(_ request: URLRequest, attempt: Int) async -> Passage {
    let place = RateLimits.Place(
      host: request.url?.origin ?? "",
      method: request.httpMethod,
      endpoint: endpoint.template
    )
    let gate = client.admission.gate
    let slot: Int
    do throws(NetworkError) { slot = try await self.slot(at: gate, for: place) } catch {
      return .stopped(error)
    }
    defer { gate.leave(slot) }
    do throws(MiddlewareError) {
      let sent = try await prepared(receiver?.asking(request) ?? request, attempt)
      let admission = client.admission.admit(place.host)
      if case .refused(let wait) = admission {
        return .stopped(.circuitOpen(host: place.host, retryAfter: wait))
      }
      let engine = engines.look { client.transport.engine(for: sent) }
      tell(.attemptStarted(attempt, sent, engine: engine))
      let outcome = await engines.make { await self.outcome(of: sent) }
      client.admission.report(place, admission, outcome)
      if outcome.hasChanged(request) {
        _ = client.changes.next()
        client.cache?.invalidate(request)
      }
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

  /// Waits for a slot, and while the call is suspended or the server wants to be left alone,
  /// without one. For that it waits once: a server may ask for ever.
  private func slot(at gate: Gate, for place: RateLimits.Place) async throws(NetworkError) -> Int {
    let ticket = GateState.Ticket(
      host: place.host,
      endpoint: place.endpoint,
      priority: endpoint.priority
    )
    var wasHeld = false
    while true {
      await pause?.pass(until: waitsUntil) { tell(.waiting(.pause)) }
      await network()
      if let limit = client.admission.limit(on: place), !wasHeld || limit.isTooLong {
        try await wait(for: limit)
        wasHeld = true
        continue
      }
      guard !isGivenUp,
        let slot = await gate.enter(ticket, until: waitsUntil, queued: { tell(.waiting(.slot)) })
      else { throw .cancelled }
      let isHeld = client.admission.limit(on: place).map { !wasHeld || $0.isTooLong } ?? false
      if pause?.isSuspended != true, !isHeld { return slot }
      // That came while it was in the queue, and others may have the slot meanwhile.
      gate.leave(slot)
    }
  }

  /// Waits for a network that the endpoint may use, where it says that it does.
  private func network() async {
    guard let networks = client.networks, let need = endpoint.waitsForNetwork,
      !need.isMet(by: networks.status)
    else { return }
    tell(.waiting(.network))
    let waiting = Task { await networks.wait(for: need) }
    await withGivingUp(at: waitsUntil) {
      await waiting.value
    } onGivingUp: {
      waiting.cancel()
    }
  }

  /// Waits after an attempt that found no network; false where the endpoint does not wait, or has
  /// no time to.
  private func hasWaitedForNetwork() async -> Bool {
    guard let networks = client.networks, let need = endpoint.waitsForNetwork else { return false }
    // The next attempt waits for it.
    guard need.isMet(by: networks.status) else { return true }
    // A device that takes itself for online is asked again, but not without end in no time.
    let pause = Duration.seconds(1)
    if let deadline = limits.deadline, elapsed + pause >= deadline { return false }
    tell(.waiting(.network))
    // A cancelled sleep is seen before the next attempt.
    do { try await client.time.sleep(for: pause) } catch {}
    return true
  }

  /// Waits as long as the server has asked, unless that is too long for anybody, or for this call.
  private func wait(for limit: RateLimits.Limit) async throws(NetworkError) {
    func isTooLate(_ wait: Duration) -> Bool {
      limits.deadline.map { elapsed + wait >= $0 } ?? false
    }
    if limit.isTooLong || isTooLate(limit.rest) { throw .rateLimited(retryAfter: limit.rest) }
    // Those who wait do not come back in step, where there is the time for it.
    var wait = limit.rest + limit.rest * client.draw() / 10
    if isTooLate(wait) { wait = limit.rest }
    tell(.waiting(.retryAfter))
    do { try await client.time.sleep(for: wait) } catch { throw .cancelled }
  }

  private func prepared(_ request: URLRequest, _ attempt: Int) async throws(MiddlewareError)
    -> URLRequest
  {
    var request = request
    if let trace {
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
      guard receiver != nil || progress != nil || file != nil else {
        if let keeper = client.keeper, let waitsUntil {
          return .success(try await keeper.send(request, until: waitsUntil))
        }
        return .success(try await client.transport.send(request))
      }
      return .success(try await streamed(request))
    } catch {
      return .failure(isGivenUp ? .cancelled : error)
    }
  }

  /// Sends it, and has the answer's content taken as it comes.
  private func streamed(_ request: URLRequest) async throws(TransportError) -> ServerResponse {
    let upload = Upload(file: file) { [progress] in progress?.sent($0, of: $1) }
    let begun = client.time.uptime
    let answer =
      if let keeper = client.keeper, let waitsUntil {
        try await keeper.open(request, upload, until: waitsUntil)
      } else {
        try await client.transport.open(request, upload)
      }
    let head = client.time.uptime
    let receiver = receiver ?? MemoryReceiver(progress: progress)
    var taken = try await withGivingUp(at: waitsUntil) { () -> AttemptOutcome in
      do throws(TransportError) { return .success(try await receiver.take(answer)) } catch {
        // Whatever is still on its way is nobody's.
        answer.cancel()
        return .failure(error)
      }
    } onGivingUp: {
      answer.cancel()
    }.get()
    // What is read as it comes is measured here, whatever carried it.
    let isRead = !(receiver is StreamReceiver)
    taken.stages =
      taken.stages
      ?? StageTimings(receive: isRead ? client.time.uptime - head : nil, head: head - begun)
    return taken
  }

  /// Returns whether a server no longer takes the credential.
  private func isRefused(_ outcome: AttemptOutcome) -> Bool {
    guard let authenticator = client.authenticator, case .success(let answer) = outcome else {
      return false
    }
    return authenticator.isRefused(by: answer)
  }

  private func renew(after sent: URLRequest, _ attempt: Int) async -> Bool {
    guard let authenticator = client.authenticator else { return false }
    // One for all who were refused the same credential; nobody's cancellation ends it for others.
    let credential = sent.value(forHTTPHeaderField: "Authorization") ?? ""
    let isRenewed = await client.renewals.value(for: credential) {
      await authenticator.renew(after: sent)
    }
    guard isRenewed == true else { return false }
    _ = client.changes.next()
    tell(.credentialRenewed(after: attempt))
    return true
  }

  /// Returns the wait before the next attempt; `nil` where there will be none.
  ///
  /// A wait that would reach the deadline is not begun: the caller gets what is there, and gets it
  /// now.
  private func delay(
    after outcome: AttemptOutcome,
    _ attempt: Int,
    _ tries: Int,
    of request: URLRequest
  ) -> Duration? {
    let decision = client.policy.decide(
      after: outcome,
      attempt: tries,
      of: request,
      at: client.time.date,
      draw: client.draw()
    )
    guard case .retry(let delay) = decision, endpoint.mostRetries.map({ tries <= $0 }) ?? true
    else { return nil }
    if let deadline = limits.deadline, elapsed + delay >= deadline { return nil }
    guard client.admission.spend() else {
      tell(.retryNotPaid(after: attempt))
      return nil
    }
    return delay
  }

  /// Returns the result that a caller gets if this is the last attempt.
  private func surfaced(
    _ outcome: AttemptOutcome,
    of request: URLRequest,
    attempts: Int
  ) -> Result<CallResponse, NetworkError> {
    switch outcome {
    case .failure(let error): return .failure(error.asNetworkError)
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
        CallResponse(
          status: answer.status,
          headers: answer.headers,
          body: answer.body,
          attempts: attempts
        )
      )
    }
  }

  /// True where nobody waits for the answer any more.
  private var isGivenUp: Bool { Task.isCancelled || waitsUntil?.hasPassed ?? false }

  private var elapsed: Duration { client.time.uptime - start }

  /// Notes an event, and tells the observer.
  private func tell(_ kind: CallEvent.Kind) {
    let event = CallEvent(
      call: number,
      elapsed: elapsed,
      environment: client.environment,
      kind: kind
    )
    record.withLock { record in
      if record == nil { record = CallRecord(event) } else { record?.hear(event) }
    }
    client.observer?.observe(event)
  }
}

extension NetworkError {
  /// True where the client itself let nothing be sent, which says less than any answer.
  fileprivate var isOfAdmission: Bool {
    switch self {
    case .circuitOpen, .rateLimited: true
    default: false
    }
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
