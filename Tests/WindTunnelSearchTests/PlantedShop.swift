import TestSupport
import WindTunnelSearch

/// A bug that is planted in ``Shop``; each is a line or two of it.
enum PlantedBug: String, CaseIterable, Sendable {
  // Policy.
  case repeatsPost, ignoresRetryAfter, givesUpOnReset, triesTwiceOnly, triesForEver
  case retriesNotFound, newKeyForEachAttempt, takesErrorForAnswer
  // Cache.
  case cachesErrors, keepsFailedLoad, fillsCacheTwice
  // Breaker and budget.
  case breakerNeverCloses, breakerCountsTwice, budgetIsNeverRefilled
  // Token.
  case tokenIsRenewedTwice, waitersAreForgotten, renewsForEver, keepsOldToken
  // Slots and races.
  case slotIsKeptOnError, slotIsKeptOnCancel, countsLoseUpdates, readsBeforeLoaded
  case swallowsErrors
}

/// The requests of the shop.
enum ShopCassette {
  static let cassette = Cassette([
    get("/home", #"{"title":"Shop"}"#),
    get("/news", #"{"news":[]}"#),
    get("/users/7", #"{"id":7,"name":"Ada"}"#),
    get("/cart", #"{"items":[1,2,3]}"#),
    Interaction(
      Request("POST", RequestURL("https://shop.example/token")),
      .response(answer(#"{"token":"planted-token"}"#, 200))
    ),
    Interaction(
      Request("POST", RequestURL("https://shop.example/payments")),
      .response(answer(#"{"id":99}"#, 201))
    ),
  ])

  private static func get(_ path: String, _ body: String) -> Interaction {
    Interaction(
      Request("GET", RequestURL("https://shop.example\(path)")),
      .response(answer(body, 200))
    )
  }

  private static func answer(_ body: String, _ status: Int) -> Response {
    Response(
      status: status,
      headers: ["Content-Type": "application/json"],
      body: Body(Data(body.utf8))
    )
  }
}

struct ShopError: Error, CustomStringConvertible {
  var description: String
  init(_ description: String) { self.description = description }
}

/// A client as many write it, by hand: a policy of retries, a breaker, a budget, a cache with a
/// single flight, a token that is renewed, and slots. Without a bug it is sound.
actor Shop {
  private let bug: PlantedBug?
  private let call: DrillCall
  private var token = 1
  private var renewal: Task<Void, any Error>?
  private var renewalWaiters: [CheckedContinuation<Void, any Error>] = []
  private var isRenewing = false
  private var cache: [String: Data] = [:]
  private var loads: [String: Task<Data, any Error>] = [:]
  private var failures = 0
  private var openUntil: ContinuousClock.Instant?
  private var isOpenForGood = false
  private var budget = 10
  private let slots: Slots

  init(_ call: DrillCall, _ bug: PlantedBug?) {
    (self.call, self.bug) = (call, bug)
    slots = Slots(bug == .slotIsKeptOnCancel ? 1 : 2)
  }

  private func has(_ bug: PlantedBug) -> Bool { self.bug == bug }

  // MARK: What users of it call

  func get(_ path: String) async throws -> Data { try await send("GET", path) }

  func cached(_ path: String) async throws -> Data {
    if let data = cache[path] { return data }
    if has(.fillsCacheTwice) {
      // Between the look and the load another task has its turn.
      await Task.yield()
      await Task.yield()
      if loads[path] == nil || cache[path] == nil {
        let data = try await send("GET", path)
        cache[path] = data
        return data
      }
    }
    if let load = loads[path] { return try await load.value }
    let load = Task { try await send("GET", path) }
    loads[path] = load
    do {
      let data = try await withTaskCancellationHandler {
        try await load.value
      } onCancel: {
        load.cancel()
      }
      loads[path] = nil
      cache[path] = data
      return data
    } catch {
      if !has(.keepsFailedLoad) { loads[path] = nil }
      throw error
    }
  }

  func pay() async throws -> Data {
    try await send("POST", "/payments", key: "payment-of-this-cart")
  }

  // MARK: The policy

  private func send(_ method: String, _ path: String, key: String? = nil) async throws -> Data {
    try await slots.take()
    do {
      let data = try await attempts(method, path, key)
      await slots.giveBack()
      return data
    } catch is CancellationError {
      if !has(.slotIsKeptOnCancel) { await slots.giveBack() }
      throw CancellationError()
    } catch {
      if !has(.slotIsKeptOnError) { await slots.giveBack() }
      throw error
    }
  }

  private func attempts(_ method: String, _ path: String, _ key: String?) async throws -> Data {
    let deadline = ContinuousClock.now + .seconds(19)
    var renewals = 0
    var attempt = 0
    while true {
      attempt += 1
      try checkBreaker()
      var headers: [(String, String)] = [("Authorization", "Bearer planted-\(token)")]
      let used = token
      if has(.newKeyForEachAttempt) {
        if key != nil { headers.append(("Idempotency-Key", "key-\(attempt)")) }
      } else if let key, !has(.repeatsPost) {
        headers.append(("Idempotency-Key", key))
      }
      var reason = ""
      var wait = Duration.milliseconds(200) * (1 << min(attempt, 6))
      do {
        let answer = try await exchange(method, path, headers)
        switch answer.status {
        case 200..<300:
          failures = 0
          if !has(.budgetIsNeverRefilled) { budget = min(10, budget + 1) }
          // A page in the place of an answer is none.
          guard (try? JSONSerialization.jsonObject(with: answer.body.data)) != nil else {
            throw ShopError("no JSON")
          }
          return answer.body.data
        case 401 where renewals < 2 || has(.renewsForEver):
          renewals += 1
          do { try await renew(used) } catch is URLError { throw ShopError("no token") }
          continue
        case 404:
          guard has(.retriesNotFound), attempt < 4 else { throw ShopError("404") }
          reason = "404"
        case 429, 503:
          count()
          reason = "\(answer.status)"
          if let asked = answer.headers["Retry-After"], !has(.ignoresRetryAfter) {
            guard let seconds = Int(asked), seconds >= 0 else { throw ShopError(reason) }
            wait = max(wait, .seconds(seconds))
          }
        case 500, 502, 504:
          count()
          reason = "\(answer.status)"
          if key == nil, answer.status == 500 { throw ShopError(reason) }
        default:
          if has(.takesErrorForAnswer) { return answer.body.data }
          throw ShopError("status \(answer.status)")
        }
        if has(.cachesErrors), method == "GET" { cache[path] = answer.body.data }
      } catch let error as URLError {
        count()
        let passing: Set<URLError.Code> = [
          .networkConnectionLost, .timedOut, .cannotConnectToHost, .unknown, .badServerResponse,
        ]
        guard passing.contains(error.code), !has(.givesUpOnReset) else { throw error }
        reason = "\(error.code.rawValue)"
      }
      if has(.swallowsErrors), path == "/users/7" { return Data("{}".utf8) }
      let most = has(.triesTwiceOnly) ? 2 : 5
      guard has(.triesForEver) || attempt < most,
        ContinuousClock.now + wait < deadline || has(.triesForEver)
      else { throw ShopError(reason) }
      guard has(.triesForEver) || budget > (has(.budgetIsNeverRefilled) ? 8 : 0) else {
        throw ShopError("budget")
      }
      budget -= 1
      try await Task.sleep(for: wait)
    }
  }

  private func exchange(
    _ method: String,
    _ path: String,
    _ headers: [(String, String)]
  ) async throws -> Response {
    guard call.baseURL.host == "shop.example" else {
      return try await exchangeOnTheWire(method, path, headers)
    }
    let fields = HeaderFields(headers.map { HeaderField($0.0, $0.1) })
    return try await call.send(
      Request(method, RequestURL("https://shop.example\(path)"), headers: fields)
    )
  }

  private func exchangeOnTheWire(
    _ method: String,
    _ path: String,
    _ headers: [(String, String)]
  ) async throws -> Response {
    var request = URLRequest(url: call.baseURL.appending(path: path), timeoutInterval: 5)
    request.httpMethod = method
    for (name, value) in headers { request.setValue(value, forHTTPHeaderField: name) }
    let (data, answer) = try await call.session.data(for: request)
    guard let http = answer as? HTTPURLResponse else { throw URLError(.badServerResponse) }
    let fields = http.allHeaderFields.compactMap { field in
      (field.key as? String).map { HeaderField($0, "\(field.value)") }
    }
    return Response(status: http.statusCode, headers: HeaderFields(fields), body: Body(data))
  }

  // MARK: The breaker

  private func checkBreaker() throws {
    if has(.triesForEver) { return }
    if has(.breakerNeverCloses), isOpenForGood { throw ShopError("open") }
    if let openUntil, .now < openUntil { throw ShopError("open") }
  }

  private func count() {
    failures += has(.breakerCountsTwice) ? 2 : 1
    guard failures >= (has(.breakerNeverCloses) ? 2 : 4) else { return }
    failures = 0
    openUntil = .now + .seconds(30)
    isOpenForGood = true
  }

  // MARK: The token

  private func renew(_ used: Int) async throws {
    if token != used { return }
    if has(.tokenIsRenewedTwice) {
      _ = try await exchange("POST", "/token", [])
      token += 1
      return
    }
    if has(.waitersAreForgotten) { return try await renewForgetting() }
    if let renewal { return try await renewal.value }
    let renewal = Task { [self] in
      let answer = try await exchange("POST", "/token", [])
      guard answer.status == 200 else { throw ShopError("no token") }
    }
    self.renewal = renewal
    defer { self.renewal = nil }
    try await renewal.value
    if token == used, !has(.keepsOldToken) { token += 1 }
  }

  private func renewForgetting() async throws {
    if isRenewing { return try await withCheckedThrowingContinuation { renewalWaiters.append($0) } }
    isRenewing = true
    let answer = try await exchange("POST", "/token", [])
    guard answer.status == 200 else { throw ShopError("no token") }
    token += 1
    isRenewing = false
    for waiter in renewalWaiters { waiter.resume() }
    renewalWaiters = []
  }
}

/// Places for calls at once.
actor Slots {
  private var free: Int
  private var waiters: [(id: Int, continuation: CheckedContinuation<Void, any Error>)] = []
  private var lastID = 0

  init(_ count: Int) { free = count }

  func take() async throws {
    try Task.checkCancellation()
    if free > 0 {
      free -= 1
      return
    }
    lastID += 1
    let id = lastID
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { waiters.append((id, $0)) }
    } onCancel: {
      Task { await self.leave(id) }
    }
  }

  func giveBack() {
    if waiters.isEmpty { free += 1 } else { waiters.removeFirst().continuation.resume() }
  }

  private func leave(_ id: Int) {
    guard let place = waiters.firstIndex(where: { $0.id == id }) else { return }
    waiters.remove(at: place).continuation.resume(throwing: CancellationError())
  }
}

/// A number that several tasks count up.
actor Counter {
  private(set) var value = 0
  func set(_ value: Int) { self.value = value }
  func add() { value += 1 }
}

/// What one user of the shop does.
@concurrent
func visit(
  _ flow: DrillCall,
  _ bug: PlantedBug?,
  awayFor pause: Duration = .seconds(120)
) async throws -> [String] {
  let shop = Shop(flow, bug)
  let counter = Counter()
  var seen: [String] = []
  func count() async {
    if bug == .countsLoseUpdates {
      let value = await counter.value
      await counter.set(value + 1)
    } else {
      await counter.add()
    }
  }
  // Nobody waits for what is asked for in advance.
  async let news: Void = { _ = try? await shop.cached("/news") }()
  async let home: Data = {
    let data = try await shop.cached("/home")
    await count()
    return data
  }()
  async let again: Data = {
    try await Task.sleep(for: .milliseconds(150))
    let data = try await shop.cached("/home")
    await count()
    return data
  }()
  async let user: Data = {
    let data = try await shop.get("/users/7")
    await count()
    return data
  }()
  async let other: Data = {
    try await Task.sleep(for: .milliseconds(150))
    await Task.yield()
    await count()
    return Data()
  }()
  seen.append(String(decoding: try await home, as: UTF8.self))
  seen.append(String(decoding: try await again, as: UTF8.self))
  if bug == .readsBeforeLoaded { seen.append("\(await counter.value)") }
  seen.append(String(decoding: try await user, as: UTF8.self))
  _ = try await other
  await news
  let cart = try await flow.step("cart") { try await shop.get("/cart") }
  seen.append(String(decoding: cart, as: UTF8.self))
  seen.append(String(decoding: try await shop.pay(), as: UTF8.self))
  seen.append("\(await counter.value)")
  try await Task.sleep(for: pause)
  // Whoever comes back later finds the shop as it was.
  seen.append(String(decoding: try await shop.cached("/news"), as: UTF8.self))
  return seen
}
