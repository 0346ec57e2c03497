internal import Foundation
internal import WindTunnel
@_spi(WindTunnel) internal import WindTunnelCore
internal import WindTunnelNetworkLayer
internal import WindTunnelNetworkLayerSockets
internal import WindTunnelSymptoms
internal import WindTunnelVirtualTime

#if canImport(FoundationNetworking)
  internal import FoundationNetworking
#endif

/// The reference client with its default policy, as an app has it: all calls of a drill share
/// slots, retry budget, circuit breakers and a cache, and each screen has been seen before in good
/// weather.
struct NetworkLayerSubject: Subject {
  let name: String
  private let engine: NetworkLayerEngine?
  private let sockets = Locked<SocketTransport?>(nil)
  private let time: SystemTime
  private let admission: AdmissionController
  private let cache = ResponseCache()
  private let credential = DrillCredential()
  private let carrier = Locked<ConversationCarrier?>(nil)
  /// The start that each call begins with, where the cassette has one, and what an app that was
  /// launched before has kept.
  private let launch = Locked<(start: ReferenceStart, kept: ReferenceStart.Folder?)?>(nil)

  /// The share of a call's time after which it is given up. What is promised is promised to the
  /// caller, and to give up and to return takes a moment, too.
  private static let share = 0.95
  /// The share of it after which a silent attempt is. Where a round trip takes a second, an
  /// exchange by TLS takes four and, of every tenth packet lost, five on average: whoever gives
  /// each up at five seconds loses two in five, and at seven one in seven.
  private static let attemptShare = 0.7
  /// Nobody looks at a spinner for longer, however long the call may take; OkHttp gives up there.
  private static let attemptLimit = Duration.seconds(10)
  /// Each call asks its server; what it said before is shown where it cannot be had.
  private static let times = CacheTimes(staleIfError: .seconds(86_400))

  /// Makes one with an engine; `nil`: with that of apps, which no name says.
  init(_ engine: NetworkLayerEngine? = nil) {
    self.engine = engine
    name = engine?.subject ?? DrillPlan.networkLayerSubject
    time = SystemTime()
    admission = AdmissionController(time: time)
  }

  func anew() -> any Subject { NetworkLayerSubject(engine) }
  func holdsConversations(on stage: Stage) -> Bool { stage == .onTheWire }
  var canBeMadeAnew: Bool { true }
  func close() async { launch.withLock { $0 = nil } }

  func warmUp(_ rehearsal: Rehearsal) async {
    if let recorded = rehearsal.startup {
      let start = ReferenceStart(recorded, time)
      // Where nothing can be kept every launch is the first, as it is there in an app.
      let kept = (try? await start.folder(of: rehearsal.startupState)) ?? nil
      launch.withLock { $0 = (start, kept) }
      // Whoever was never launched has seen no screen.
      if rehearsal.startupState == .cold { return }
    }
    let transport = DirectTransport(exchange: rehearsal.exchange())
    // The first one last: a cache that is full gives up what was used longest ago.
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
      // What cannot be had in good weather is in no cache.
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
    let origin = Self.origin(of: call.request)
    let client: NetworkClient
    var endpoint = Self.endpoint(for: call.request, isCritical: call.isCritical)
    if let launch = launch.withLock({ $0 }) {
      do {
        let startup: Startup
        (client, startup) = try await started(launch, for: call, observer: observer)
        // Whoever has just asked every server in vain asks once more and shows what there is.
        if startup.record.dial?.isFound == false { endpoint.mostRetries = 0 }
      } catch {
        return .bad("\(error)".told(atMost: 200))
      }
    } else {
      client = NetworkClient(
        builder: RequestBuilder(baseURL: origin),
        authenticator: credential,
        transport: transport(of: call, from: origin),
        cache: cache,
        observer: observer,
        limits: CallLimits(
          attemptTimeout: Self.attemptTimeout(of: call),
          deadline: call.deadline * Self.share
        ),
        admission: admission,
        time: time
      )
    }
    if let dialogue = call.conversation.map(RecordedDialogue.init) {
      return await hold(dialogue, in: call, from: origin, by: client)
    }
    do {
      let answer = try await client.call(endpoint)
      call.servedStale(answer.isStale)
      guard let error = answer.standsInFor else { return .good(answer.body) }
      // The request failed all the same: a copy is something to look at, and no success.
      call.showed(!answer.body.isEmpty)
      return .bad(Self.reason(error))
    } catch {
      call.servedStale(false)
      return .bad(Self.reason(error))
    }
  }

  /// Launches the app, and returns its client and what the start came to. What a launch before it
  /// had in memory is gone, but for the pages that were seen, which an app has on disk.
  private func started(
    _ launch: (start: ReferenceStart, kept: ReferenceStart.Folder?),
    for call: DrillCall,
    observer: any Observer
  ) async throws -> (NetworkClient, Startup) {
    let begin = time.uptime
    let admission = AdmissionController(time: time)
    let transport = self.transport(of: call, from: Self.origin(of: call.request))
    let folder = try ReferenceStart.Folder(copying: launch.kept)
    // Nothing of it is on the disk when the last one lets it go.
    defer { withExtendedLifetime(folder) {} }
    let startup = try await launch.start.launch(
      in: folder,
      by: transport,
      feeding: admission,
      within: call.deadline * Self.share
    )
    let configuration = startup.configuration
    let left = max(.milliseconds(1), call.deadline * Self.share - (time.uptime - begin))
    let client = NetworkClient(
      builder: configuration.builder,
      authenticator: credential,
      transport: transport,
      cache: launch.kept == nil ? nil : cache,
      observer: observer,
      limits: CallLimits(
        attemptTimeout: Self.attemptTimeout(of: call),
        deadline: min(left, configuration.limits.deadline ?? left)
      ),
      endpoints: configuration.endpoints,
      admission: admission,
      time: time
    )
    return (client, startup)
  }

  private static func attemptTimeout(of call: DrillCall) -> Duration {
    max(call.attemptTimeout, min(attemptLimit, call.deadline * attemptShare))
  }

  /// Holds the call's conversation until all that the cassette has of it has come, over as many
  /// connections as that takes.
  private func hold(
    _ dialogue: RecordedDialogue,
    in call: DrillCall,
    from origin: URL,
    by client: NetworkClient
  ) async -> CallResult {
    // It has a thread, and few drills have conversations.
    let carrier = carrier.value(orMade: { ConversationCarrier() })
    let engine = ReaddressingEngine(
      Self.servers(of: call, knownAs: origin),
      by: carrier.engine(session: call.session)
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

  /// Tells whether an engine sets a field by itself; the subprotocols are the client's.
  private static func isOfHandshake(_ field: String) -> Bool {
    let name = field.lowercased()
    return name.hasPrefix("sec-websocket-") && name != "sec-websocket-protocol"
  }

  private static func endpoint(for request: Request, isCritical: Bool) -> Endpoint {
    var endpoint = Endpoint(
      HTTPMethod(rawValue: request.method),
      target: request.url.target,
      headers: Headers(request.headers.map { Headers.Field($0.name, $0.value) }),
      body: request.body.data.isEmpty ? nil : .data(request.body.data),
      priority: isCritical ? .critical : .standard
    )
    endpoint.rules = rules(for: request)
    endpoint.caching = .kept(times)
    return endpoint
  }

  /// The origin that an app knows its server by, whatever address a call has.
  private static func origin(of request: Request) -> URL {
    URL(string: request.url.origin ?? "http://localhost") ?? URL(filePath: "/")
  }

  /// In virtual time there is no session: its queues go by the machine's.
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

  /// The transport of all calls, as an app has one: it has a thread, and few drills ask for it.
  private var socketTransport: SocketTransport { sockets.value(orMade: { SocketTransport() }) }

  /// A client that speaks JSON expects it, and takes no page for an answer.
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

/// The number of requests that the client meant to send.
private struct SentCount: Observer {
  private let sent = Locked(0)

  var count: Int { sent.withLock { $0 } }

  func observe(_ event: CallEvent) {
    guard case .attemptStarted = event.kind else { return }
    sent.withLock { $0 += 1 }
  }
}

/// The reference client's token: an invented one, and another where a server no longer takes it.
/// All calls of a drill have the same, as the calls of an app do.
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
