import TestSupport
@_spi(WindTunnel) import WindTunnelCore
import WindTunnelNetworkLayer
import WindTunnelNetworkLayerOffline
import WindTunnelReferenceSubject
import WindTunnelSearch

/// A bug that is planted in ``screens(_:_:_:)``.
enum TokenBug: String, CaseIterable, Sendable {
  case hasTwoClients, keepsFirstTriesOnly, signsOutOnErrors, beginsAnew, renewsAtLaunch
  case trustsMirrors, insists, hidesSignIn
}

/// A device with a token that is not good any more, the servers of its app, and who renews tokens.
final class TokenWorld: StormWorld, StormOrigin {
  static let cassette = StormWire.cassette(
    "GET /api/home",
    "GET /api/orders",
    "GET /mirror/home",
    "POST /auth/token"
  )
  private static let first = "token-1"

  private struct State {
    /// The tokens that are good, by the keys of the requests that they were made for.
    var tokens: [String: String] = [:]
    /// The token that the device was handed last.
    var handed = TokenWorld.first
    /// The tokens that were refused to the device.
    var refused: Set<String> = []
    /// The number of renewals that are under way.
    var renewals = 0
    /// The number of renewals that were refused, and whether the last one was.
    var refusedRenewals = 0
    var wasRefused = false
    /// The token with which the process began.
    var atLaunch: String? = TokenWorld.first
    /// The number of the last process that has asked for a page.
    var lastAsking = -1
    /// The last status of each page.
    var statuses: [String: Int] = [:]
  }

  let device: StormDevice
  private let state = Locked(State())

  init() throws {
    device = try StormDevice()
    try TokenStore(Self.place(device.process)).keep(Self.first)
  }

  /// The place of a process's keys.
  static func place(_ process: StormDevice.Process) throws(SealingError) -> FileKeyPlace {
    try FileKeyPlace(directory: process.folder.appending(path: "keys"))
  }

  func processEnded() {
    expectTokenIsKept("when the process ended")
    let kept = kept
    state.withLock { ($0.renewals, $0.atLaunch) = (0, kept) }
    device.processEnded()
  }

  func runEnded() -> [Violation] {
    expectTokenIsKept("at the end")
    return device.runEnded()
  }

  private func note(_ rule: String, _ seen: String) { device.note(Violation(rule, seen)) }

  /// The token in the device's store.
  private var kept: String? {
    do { return try TokenStore(Self.place(device.process)).token() } catch {
      note("store", "The store cannot be read: \(error)")
      return nil
    }
  }

  private func expectTokenIsKept(_ moment: String) {
    let (handed, kept) = (state.withLock { $0.handed }, kept)
    if kept != handed {
      note(
        "token-lost",
        "The store had \(kept ?? "nothing") \(moment), and \(handed) was handed out."
      )
    }
  }

  // MARK: What the app says

  /// Notes the error that a screen shows in the place of a page, such as `api/home`.
  func shows(_ error: NetworkError, in page: String) {
    let isRefused = state.withLock { $0.statuses[page] == 401 && $0.wasRefused }
    if isRefused, error != .cancelled, error.kind != .signIn {
      note("no-sign-in", "\(page) was refused for its token, and its screen has \(error).")
    }
  }

  // MARK: What servers see

  func arrived(_ request: URLRequest, from process: StormDevice.Process) {
    let (host, path) = (request.url?.host ?? "", request.url?.path ?? "")
    let token = Self.token(of: request)
    if let token, host != "api.shop.example" {
      note("credential-elsewhere", "\(token) went to \(host).")
    }
    let kept = kept
    if path == "/token" {
      let (renewals, isRefused) = state.withLock { state in
        state.renewals += 1
        return (state.renewals, kept.map(state.refused.contains) ?? true)
      }
      if renewals > 1 { note("two-renewals", "\(renewals) renewals were under way at once.") }
      if !isRefused {
        note("needless-renewal", "\(kept ?? "") was to be renewed, and nobody had refused it.")
      }
      let refusals = state.withLock { $0.refusedRenewals }
      // Each of two pages may ask once, in each process.
      if refusals >= 2 * (process.number + 1) {
        note("insists", "A renewal was sent after \(refusals) had been refused.")
      }
      return
    }
    guard host == "api.shop.example" else { return }
    let (isFirst, had) = state.withLock { state in
      defer { state.lastAsking = process.number }
      return (state.lastAsking < process.number, state.atLaunch)
    }
    if isFirst, token != had {
      note(
        "token-not-used",
        "A launch began with \(token ?? "no token"), and had \(had ?? "none")."
      )
    }
    if let token, token != kept, !state.withLock({ $0.refused.contains(token) }) {
      note("used-before-kept", "\(token) was used, and the store had \(kept ?? "nothing").")
    }
  }

  func answer(to request: URLRequest, for process: StormDevice.Process) -> ServerResponse {
    let path = request.url?.path ?? ""
    if path == "/token" {
      let key = request.value(forHTTPHeaderField: "Idempotency-Key") ?? ""
      return state.withLock { state in
        state.renewals -= 1
        state.wasRefused = false
        let token = state.tokens[key] ?? "token-\(state.tokens.count + 2)"
        (state.tokens[key], state.handed) = (token, token)
        return ServerResponse(
          status: 200,
          headers: ["Content-Type": "application/json"],
          body: Data(#"{"token":"\#(token)"}"#.utf8)
        )
      }
    }
    let (token, page) = (Self.token(of: request), Self.page(request))
    let isGood = state.withLock { state in
      let isGood = state.tokens.values.contains { $0 == token } || request.url?.host != Self.api
      if !isGood, let token { state.refused.insert(token) }
      state.statuses[page] = isGood ? 200 : 401
      return isGood
    }
    return ServerResponse(status: isGood ? 200 : 401, body: Data("page".utf8))
  }

  func lost(_ request: URLRequest, _ answer: ServerResponse?, for process: StormDevice.Process) {
    let page = Self.page(request)
    state.withLock { state in
      if page == "auth/token" {
        state.renewals -= 1
        state.wasRefused = [400, 401, 403].contains(answer?.status)
        if state.wasRefused { state.refusedRenewals += 1 }
        return
      }
      state.statuses[page] = answer?.status
      if answer?.status == 401, let token = Self.token(of: request) { state.refused.insert(token) }
    }
  }

  private static let api = "api.shop.example"

  private static func page(_ request: URLRequest) -> String {
    "\(request.url?.host?.split(separator: ".").first ?? "")\(request.url?.path ?? "")"
  }

  private static func token(of request: URLRequest) -> String? {
    request.value(forHTTPHeaderField: "Authorization").map { String($0.dropFirst(7)) }
  }
}

/// An app that shows two screens at once, with a token that has to be renewed.
@Sendable func screens(
  _ flow: DrillCall,
  _ world: TokenWorld,
  _ bug: TokenBug?
) async throws -> String {
  let process = world.device.process
  let wire = StormWire(flow.transport, of: process, to: world)
  let limits = CallLimits(attemptTimeout: .seconds(5), deadline: .seconds(19))
  func client(of server: String, _ authenticator: (any Authenticator)? = nil) throws
    -> NetworkClient
  {
    guard let url = URL(string: "https://\(server).shop.example") else { throw URLError(.badURL) }
    return NetworkClient(
      builder: RequestBuilder(baseURL: url),
      authenticator: authenticator,
      transport: wire,
      limits: limits
    )
  }
  let auth = try client(of: "auth")
  let place = DroppingPlace(place: try TokenWorld.place(process))
  let store = TokenStore(place)
  // A renewal whose answer was lost is asked for again under the key that it had.
  let renewal = Locked(UUID().uuidString)
  let fetch: @Sendable () async throws -> String = {
    var tries = 0
    while true {
      tries += 1
      do {
        let key = renewal.withLock { $0 }
        let answer = try await auth.call(
          Endpoint(.post, "/token", headers: ["Idempotency-Key": key])
        )
        let token = try JSONDecoder().decode([String: String].self, from: answer.body)["token"]
        guard let token else { throw URLError(.cannotParseResponse) }
        renewal.withLock { $0 = UUID().uuidString }
        place.isOff.withLock { $0 = bug == .keepsFirstTriesOnly && answer.attempts > 1 }
        return token
      } catch let error as NetworkError where bug == .insists && tries < 20 {
        guard case .credentials = error else { throw error }
      }
    }
  }
  if bug == .beginsAnew, process.number > 0 { try store.keep(nil) }
  if bug == .renewsAtLaunch, process.number > 0 { try store.keep(await fetch()) }
  let tokens = try BearerTokens(in: store, fetch: fetch)
  let api = try client(of: "api", tokens)
  let second = bug == .hasTwoClients ? try client(of: "api", tokens) : api
  let mirror = try client(of: "mirror", bug == .trustsMirrors ? tokens : nil)

  @Sendable func page(
    _ path: String,
    of server: String = "api",
    by client: NetworkClient
  ) async throws -> String {
    do throws(NetworkError) {
      return String(decoding: try await client.call(Endpoint(.get, path)).body, as: UTF8.self)
    } catch {
      var shown = error
      if bug == .hidesSignIn, error.kind == .signIn { shown = .server(status: 500, body: Data()) }
      if bug == .signsOutOnErrors { try store.keep(nil) }
      if process.isAlive { world.shows(shown, in: server + path) }
      throw shown
    }
  }
  return try await withThrowingTaskGroup(of: Void.self) { group in
    group.addTask { await api.run() }
    if bug == .hasTwoClients { group.addTask { await second.run() } }
    defer { group.cancelAll() }
    async let home = {
      do { return try await page("/home", by: api) } catch let error as NetworkError {
        // A public page has a copy elsewhere.
        guard error.kind == .retry || error.kind == .wait else { throw error }
        return try await page("/home", of: "mirror", by: mirror)
      }
    }()
    async let orders = {
      // In calm the token is renewed by then.
      if bug == .hasTwoClients { try await Task.sleep(for: .milliseconds(150)) }
      return try await page("/orders", by: second)
    }()
    return try await home + orders
  }
}

/// A place of keys that may drop what is written.
private struct DroppingPlace: KeyPlace {
  let place: FileKeyPlace
  let isOff = Locked(false)

  func read(_ name: String) throws(SealingError) -> Data? { try place.read(name) }

  func write(_ data: Data, as name: String) throws(SealingError) {
    if !isOff.withLock({ $0 }) { try place.write(data, as: name) }
  }

  func add(_ data: Data, as name: String) throws(SealingError) -> Data {
    try place.add(data, as: name)
  }

  func remove(_ name: String) throws(SealingError) { try place.remove(name) }
}
