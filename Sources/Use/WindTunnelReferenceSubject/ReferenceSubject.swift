internal import Foundation
@_spi(WindTunnel) internal import WindTunnelCore
internal import WindTunnelDrill
internal import WindTunnelNetworkLayer
internal import WindTunnelNetworkLayerOffline
internal import WindTunnelNetworkLayerSockets
internal import WindTunnelSymptoms
internal import WindTunnelVirtualTime

/// The reference client with its default policy, used as in an app.
///
/// All calls of a drill share slots, a retry budget, circuit breakers and a cache. The client has
/// requested each screen once without faults.
struct ReferenceSubject: Subject {
  /// The name of the client without an engine.
  static let name = "network-layer"

  let name: String
  private let engine: ReferenceEngine?
  private let sockets = Locked<SocketTransport?>(nil)
  private let time: SystemTime
  private let admission: AdmissionController
  private let cache = ResponseCache()
  private let credential = DrillCredential()
  private let carrier = Locked<ConversationCarrier?>(nil)
  /// The start of each call if the cassette has one, and the folder of an app that was launched
  /// before.
  private let launch = Locked<(start: ReferenceStart, kept: TemporaryFolder?)?>(nil)

  /// The fraction of a call's time after which the client gives up.
  ///
  /// The deadline belongs to the caller, and returning takes a moment, too.
  private static let share = 0.95
  /// The fraction of a call's time after which the client gives up a silent attempt.
  ///
  /// With a round trip of a second, an exchange with TLS takes four seconds, and five on average if
  /// every tenth packet is lost. A limit of five seconds loses two attempts in five, a limit of
  /// seven one in seven.
  private static let attemptShare = 0.7
  /// The maximum silence of an attempt, as in OkHttp. No user watches a spinner for longer.
  private static let attemptLimit = Duration.seconds(10)
  /// Each call sends its request. If that fails, the client returns an earlier response.
  private static let times = CacheTimes(staleIfError: .seconds(86_400))

  /// Creates a client with an engine; `nil` is the engine of apps, which its name omits.
  init(_ engine: ReferenceEngine? = nil) {
    self.engine = engine
    name = engine.map { "\(Self.name):\($0.rawValue)" } ?? Self.name
    time = SystemTime()
    admission = AdmissionController(time: time)
  }

  func anew() -> any Subject { ReferenceSubject(engine) }
  func holdsConversations(on stage: Stage) -> Bool { stage == .onTheWire }
  var hasOwnSockets: Bool { engine == .sockets }
  var runsOnlyIfNamed: Bool { engine != nil }
  var canBeMadeAnew: Bool { true }
  func close() async { launch.withLock { $0 = nil } }

  func warmUp(_ rehearsal: WarmUp) async {
    if let recorded = rehearsal.startup {
      let start = ReferenceStart(recorded: recorded, time: time)
      // Without a folder every launch is the first, as in an app.
      let kept = (try? await start.folder(of: rehearsal.startupState)) ?? nil
      launch.withLock { $0 = (start, kept) }
      // An app that was never launched has requested no screen.
      if rehearsal.startupState == .cold { return }
    }
    let transport = DirectTransport(exchange: rehearsal.exchange())
    // The first request last, because a full cache removes the least recently used response.
    for request in rehearsal.requests.reversed() where request.method == "GET" {
      if Task.isCancelled { return }
      let client = NetworkClient(
        builder: RequestBuilder(baseURL: Self.origin(of: request)),
        transport: transport,
        cache: cache,
        limits: CallLimits(attemptTimeout: .seconds(5), deadline: .seconds(5)),
        admission: AdmissionController(time: time),
        time: time
      )
      var endpoint = Self.endpoint(for: request, isCritical: false)
      endpoint.mostRetries = 0
      // A request that fails without faults is in no cache.
      _ = try? await client.call(endpoint)
    }
  }

  func run(_ call: DrillCall) async -> CallResult {
    let sent = SentCount()
    var result = await run(call, observer: sent)
    result.attempts = sent.count
    return result
  }

  private func run(_ call: DrillCall, observer: any Observer) async -> CallResult {
    let client: NetworkClient
    var endpoint = Self.endpoint(for: call.request, isCritical: call.isCritical)
    do {
      let isFound: Bool
      (client, isFound) = try await self.client(for: call, observer: observer)
      // If the probes of all servers failed, one attempt is enough.
      if !isFound { endpoint.mostRetries = 0 }
    } catch {
      return .bad("\(error)".told(atMost: 200))
    }
    if let dialogue = call.conversation.map(RecordedDialogue.init) {
      return await hold(dialogue, in: call, from: Self.origin(of: call.request), by: client)
    }
    do {
      let answer = try await client.call(endpoint)
      call.servedStale(answer.isStale)
      guard let error = answer.standsInFor else { return .good(answer.body) }
      // The request failed nevertheless: a copy can be shown, but is no success.
      call.showed(!answer.body.isEmpty)
      return .bad(Self.reason(error))
    } catch {
      call.servedStale(false)
      return .bad(Self.reason(error))
    }
  }

  /// Returns the client of a call, and whether a server was found.
  ///
  /// If the cassette has a start, the app is launched. Of an earlier launch, only the cached pages
  /// exist, which an app has on disk.
  private func client(
    for call: DrillCall,
    observer: any Observer
  ) async throws -> (NetworkClient, isFound: Bool) {
    let origin = Self.origin(of: call.request)
    let transport = transport(of: call, from: origin)
    let limit = call.deadline * Self.share
    let most = max(call.attemptTimeout, min(Self.attemptLimit, call.deadline * Self.attemptShare))
    var limits = CallLimits(attemptTimeout: most, deadline: limit)
    var (admission, cache) = (admission, Optional(cache))
    var startup: Startup?
    if let launch = launch.withLock({ $0 }) {
      let begin = time.uptime
      admission = AdmissionController(time: time)
      if launch.kept == nil { cache = nil }
      let folder = try TemporaryFolder(copying: launch.kept)
      // The folder is removed with its last reference.
      defer { withExtendedLifetime(folder) {} }
      let started = try await launch.start.launch(
        in: folder,
        by: transport,
        feeding: admission,
        within: limit
      )
      let left = max(.milliseconds(1), limit - (time.uptime - begin))
      limits.deadline = min(left, started.configuration.limits.deadline ?? left)
      startup = started
    }
    let client = NetworkClient(
      builder: startup?.configuration.builder ?? RequestBuilder(baseURL: origin),
      authenticator: credential,
      transport: transport,
      cache: cache,
      observer: observer,
      limits: limits,
      endpoints: startup?.configuration.endpoints ?? [:],
      admission: admission,
      time: time
    )
    return (client, startup?.record.dial?.isFound != false)
  }

  /// Holds the call's conversation until every recorded message of the server was received, over
  /// several connections if necessary.
  private func hold(
    _ dialogue: RecordedDialogue,
    in call: DrillCall,
    from origin: URL,
    by client: NetworkClient
  ) async -> CallResult {
    // An engine needs a thread, and few drills have conversations.
    let carrier = carrier.value(orMade: { ConversationCarrier() })
    let engine = ReaddressingEngine(
      servers: Self.servers(of: call, knownAs: origin),
      engine: carrier.engine(session: call.session)
    )
    let endpoint = Endpoint(
      .get,
      target: call.request.url.target,
      headers: Headers(
        call.request.fieldsOfClient.filter { !Self.isOfHandshake($0.name) }
          .map { Headers.Field($0.name, $0.value) }
      ),
      priority: call.isCritical ? .critical : .standard
    )
    let limit = call.deadline * Self.share
    do {
      let shown = try await client.conversation(
        with: endpoint,
        over: engine,
        on: ConversationTerms(longestOutage: limit)
      ) { [time] conversation in
        try await dialogue.hold(by: conversation, within: limit, on: time) { call.received($0) }
      }
      return .good(shown)
    } catch let error as NetworkError {
      return .bad(Self.reason(error))
    } catch {
      return .bad("\(error)".told(atMost: 200))
    }
  }

  /// Returns whether an engine sets a field by itself. The client sets the subprotocols.
  private static func isOfHandshake(_ field: String) -> Bool {
    let name = field.lowercased()
    return name.hasPrefix("sec-websocket-") && name != "sec-websocket-protocol"
  }

  private static func endpoint(for request: Request, isCritical: Bool) -> Endpoint {
    var endpoint = Endpoint(request, priority: isCritical ? .critical : .standard)
    endpoint.rules = rules(for: request)
    endpoint.caching = .kept(times)
    return endpoint
  }

  /// The origin of an app's server, which is the same for all addresses.
  private static func origin(of request: Request) -> URL {
    URL(string: request.url.origin ?? "http://localhost") ?? URL(filePath: "/")
  }

  /// The transport of a call. Virtual time uses no session, because its queues run in real time.
  private func transport(of call: DrillCall, from origin: URL) -> any Transport {
    if VirtualTime.isRunning, let exchange = call.exchange {
      return DirectTransport(exchange: exchange)
    }
    let transport: any Transport =
      switch engine {
      case .sockets: socketTransport
      case .urlsession, nil: URLSessionTransport(session: call.session)
      }
    let servers = Self.servers(of: call, knownAs: origin)
    if servers.allSatisfy({ $0.base == $0.origin }) { return transport }
    return ReaddressingTransport(servers, by: transport)
  }

  /// The servers of the cassette's start, or the only one.
  private static func servers(of call: DrillCall, knownAs origin: URL) -> [CallServer] {
    call.servers.isEmpty ? [CallServer(origin: origin, base: call.baseURL)] : call.servers
  }

  /// The transport of all calls, as in an app. It needs a thread, and few drills use it.
  private var socketTransport: SocketTransport { sockets.value(orMade: { SocketTransport() }) }

  /// The rules for a response: a client that sends or accepts JSON refuses a page.
  private static func rules(for request: Request) -> ResponseRules {
    let types = ["Accept", "Content-Type"].compactMap { request.headers[$0] }
    return ResponseRules(
      contentTypes: types.contains("application/json") ? ["application/json"] : []
    )
  }

  private static func reason(_ error: NetworkError) -> String {
    switch error {
    case .offline: Symptom.offline.rawValue
    case .transport(let symptom, _): symptom.rawValue
    case .server(let status, _): "status \(status)"
    case .credentials(let status, _): "status \(status)"
    case .proxyCredentials: "status 407"
    case .rateLimited: "status 429"
    case .cancelled: Symptom.cancelled.rawValue
    case .deadlinePassed: Symptom.timedOut.rawValue
    case .circuitOpen: "circuit open"
    case .invalidRequest, .business, .decode, .file, .middleware, .closed: "\(error)"
    }
  }
}

/// The number of requests that the client started to send.
private struct SentCount: Observer {
  private let sent = Locked(0)

  var count: Int { sent.withLock { $0 } }

  func observe(_ event: CallEvent) {
    guard case .attemptStarted = event.kind else { return }
    sent.withLock { $0 += 1 }
  }
}

/// The reference client's invented token, and the next one if a server refuses it. All calls of a
/// drill share it, as the calls of an app do.
private final class DrillCredential: Authenticator {
  private let number = Locked(1)

  private static func value(_ number: Int) -> String { "Bearer wind-tunnel-\(number)" }

  func authorize(_ request: URLRequest) async throws(MiddlewareError) -> URLRequest {
    var request = request
    request.setValue(Self.value(number.withLock { $0 }), forHTTPHeaderField: "Authorization")
    return request
  }

  func renew(after request: URLRequest) async -> Bool {
    let refused = request.value(forHTTPHeaderField: "Authorization")
    // Another call may have renewed it meanwhile.
    number.withLock { if refused == Self.value($0) { $0 += 1 } }
    return true
  }
}
