import Origins
import TestSupport
@_spi(WindTunnel) import WindTunnelCore
import WindTunnelNetworkLayer
import WindTunnelNetworkLayerOffline
import WindTunnelReferenceSubject
import WindTunnelSearch

/// A bug that is planted in ``startup(_:_:_:)``.
enum StartupBug: String, CaseIterable, Sendable {
  case trustsWhatItFetches, forgetsVersions, waitsLonger, takesLateAnswer, asksAgainAndAgain
  case knowsOneServer
}

/// A device that starts an app, a publisher of its configurations and two servers.
final class StartupWorld: StormWorld, StormOrigin {
  static let cassette = StormWire.cassette(
    "GET /config/app",
    "GET /near/probe",
    "GET /far/probe",
    "GET /near/home",
    "GET /far/home"
  )
  static let probe = Data("probe".utf8)
  static let servers = ["https://near.shop.example", "https://far.shop.example"]
  /// The budgets of a start: for its configuration, and for its probes.
  static let budgets = (fetch: Duration.seconds(2), dial: Duration.seconds(1))
  /// The field in which an app says which configuration it has.
  static let field = "X-Configuration"
  static let publisher = Result { try Ed25519Signer(seed: Data(repeating: 7, count: 32)) }
  private static let forger = Result { try Ed25519Signer(seed: Data(repeating: 8, count: 32)) }

  private struct State {
    /// The versions of good configurations that the device has had, whole.
    var handed: Set<Int> = []
    /// The next answer for a configuration, by what was lost before; `nil`: the newest one.
    var trap: Trap?
    var published = 1
    /// The highest version under which the device has asked for a page.
    var highest = 0
    /// The configuration that the app says it has.
    var applied = 0
    var starts = 0
    var requests: [String: Int] = [:]
    var homes: [String: (lost: Int, answered: Int)] = [:]
  }

  /// The things that a server hands out behind a fault: a copy at an edge that is behind, another's
  /// page with a signature, and one that was good last year.
  private enum Trap { case older, forged, expired }

  let device: StormDevice
  private let state = Locked(State())

  init() throws { device = try StormDevice() }

  func processEnded() {
    // What was under way is lost.
    state.withLock { $0.trap = $0.trap ?? .older }
    device.processEnded()
  }

  func runEnded() -> [Violation] { device.runEnded() }

  private func note(_ rule: String, _ seen: String) { device.note(Violation(rule, seen)) }

  // MARK: What the app says

  /// The highest version under which the device has asked for a page.
  var highest: Int { state.withLock { $0.highest } }

  /// Notes that a start begins.
  func starts() { state.withLock { $0.starts += 1 } }

  /// Notes that a start is over, and what the app goes on with.
  func started(_ startup: Startup, after time: Duration, isRenewal: Bool) {
    let most = Self.budgets.fetch + Self.budgets.dial
    if !isRenewal, time > most {
      note("over-budget", "A start took \(time), and may take \(most).")
    }
    let version = startup.record.source.version ?? 0
    state.withLock { $0.applied = version }
  }

  /// Notes that a page is asked for.
  func asksForHome() { state.withLock { $0.homes = [:] } }

  /// Notes that the app shows no page.
  func showsNothing() {
    let homes = state.withLock { $0.homes }
    for server in Self.servers {
      let name = Self.name(URL(string: server))
      let home = homes[name] ?? (0, 0)
      if home.lost == 0 || home.answered > 0 {
        note("no-useful-call", "\(name) could have been asked, or has answered.")
      }
    }
  }

  // MARK: What servers see

  func arrived(_ request: URLRequest, from process: StormDevice.Process) {
    let path = request.url?.path ?? ""
    let key = "\(Self.name(request.url))\(path)"
    let (count, starts, applied, highest) = state.withLock { state in
      state.requests[key, default: 0] += 1
      return (state.requests[key] ?? 0, state.starts, state.applied, state.highest)
    }
    if path != "/home", count > starts {
      note("asks-too-often", "\(key) was asked \(count) times in \(starts) starts.")
    }
    guard path == "/home" else { return }
    let version = request.value(forHTTPHeaderField: Self.field).flatMap { Int($0) } ?? 0
    let isGood = state.withLock { state in
      state.highest = max(highest, version)
      return version == 0 || state.handed.contains(version)
    }
    if !isGood {
      note("bad-configuration", "Version \(version) is in use, which nobody has published.")
    }
    if version < highest {
      note("version-fell", "Version \(version) is in use after version \(highest).")
    }
    if version != applied {
      note(
        "late-answer",
        "Version \(version) is in use, and \(applied) is what the start ended with."
      )
    }
  }

  func answer(to request: URLRequest, for process: StormDevice.Process) -> ServerResponse {
    switch request.url?.path {
    case "/app": return configuration()
    case "/probe": return ServerResponse(status: 200, body: Self.probe)
    default:
      let name = Self.name(request.url)
      state.withLock { $0.homes[name, default: (0, 0)].answered += 1 }
      return ServerResponse(status: 200, body: Data("home".utf8))
    }
  }

  func lost(_ request: URLRequest, _ answer: ServerResponse?, for process: StormDevice.Process) {
    let name = Self.name(request.url)
    state.withLock { state in
      switch request.url?.path {
      case "/app": state.trap = answer == nil ? .older : answer?.status == 200 ? .expired : .forged
      case "/home": state.homes[name, default: (0, 0)].lost += 1
      default: break
      }
    }
  }

  private func configuration() -> ServerResponse {
    let text: Data? = state.withLock { state in
      defer { state.trap = nil }
      switch state.trap {
      case nil:
        state.published += 1
        state.handed.insert(state.published)
        return Self.text(state.published, by: Self.publisher)
      case .older:
        state.handed.insert(1)
        return Self.text(1, by: Self.publisher)
      case .forged: return Self.text(90, by: Self.forger)
      case .expired: return Self.text(91, expires: 1_700_000_000, by: Self.publisher)
      }
    }
    return ServerResponse(status: 200, body: text ?? Data())
  }

  private static func text(
    _ version: Int,
    expires: Int = 1_900_000_000,
    by signer: Result<Ed25519Signer, any Error>
  ) -> Data? {
    let layer = #"{"headers":{"\#(field)":"\#(version)"}}"#
    let json = Data(#"{"version":\#(version),"expires":\#(expires),"layer":\#(layer)}"#.utf8)
    // Where nobody can sign, a test of calm finds that no configuration is in use.
    guard let signature = try? signer.get().sign(json) else { return nil }
    return Data(signature.base64EncodedString().utf8) + Data("\n".utf8) + json
  }

  private static func name(_ url: URL?) -> String {
    url?.host?.split(separator: ".").first.map(String.init) ?? ""
  }
}

/// An app that starts and shows its home page. Where its configuration did not come it asks for it
/// again then.
@Sendable func startup(
  _ flow: DrillCall,
  _ world: StartupWorld,
  _ bug: StartupBug?
) async throws -> String {
  let process = world.device.process
  let servers = StartupWorld.servers.compactMap { URL(string: $0) }
  guard let base = servers.first, let source = URL(string: "https://config.shop.example/app") else {
    throw URLError(.badURL)
  }
  let kept = ["keys", "configuration"].map { process.folder.appending(path: $0) }
  // A developer's clean start that was left in; nothing is there at the first one.
  if bug == .forgetsVersions { for file in kept { try? FileManager.default.removeItem(at: file) } }
  let admission = AdmissionController()
  let network = StormWire(flow.transport, of: process, to: world)
  let client = NetworkClient(
    builder: RequestBuilder(baseURL: base, commonHeaders: [StartupWorld.field: "0"]),
    transport: network,
    admission: admission
  )
  let overheard = Locked(Data())
  let wire = Eavesdropper(network, stays: bug == .takesLateAnswer) { text in
    overheard.withLock { $0 = text }
    if bug == .takesLateAnswer, let layer = layer(of: text) {
      try client.apply(NetworkConfiguration(builtIn: layer))
    }
  }
  let dialTest = DialTest(
    candidates: servers,
    path: "/probe",
    expecting: StartupWorld.probe,
    samples: 1,
    budget: StartupWorld.budgets.dial
  )
  func bootstrap(_ dialTest: DialTest?) throws -> Bootstrap {
    Bootstrap(
      builtIn: ConfigurationLayer(
        baseURL: base.absoluteString,
        attemptTimeoutMilliseconds: 5000,
        deadlineMilliseconds: 19_000,
        headers: [StartupWorld.field: "0"]
      ),
      facts: LaunchFacts(app: "2.1", layer: "1", network: "wifi"),
      fetching: .init(
        url: source,
        publicKeys: [try StartupWorld.publisher.get().publicKey],
        budget: bug == .waitsLonger ? .seconds(60) : StartupWorld.budgets.fetch
      ),
      keptIn: kept[1],
      keysAt: try FileKeyPlace(directory: kept[0]),
      dialTest: dialTest
    )
  }

  func start(isRenewal: Bool) async throws -> Startup {
    world.starts()
    let begun = ContinuousClock.now
    var startup =
      isRenewal
      ? try await bootstrap(nil).refresh(by: wire)
      : try await bootstrap(dialTest).launch(by: wire, feeding: admission)
    let time = ContinuousClock.now - begun
    if bug == .asksAgainAndAgain, startup.record.source == .builtIn {
      startup = try await bootstrap(dialTest).launch(by: wire, feeding: admission)
    }
    client.apply(startup)
    if bug == .trustsWhatItFetches, startup.record.refusal != nil,
      let layer = layer(of: overheard.withLock { $0 })
    {
      client.apply(try NetworkConfiguration(builtIn: layer))
    }
    if process.isAlive { world.started(startup, after: time, isRenewal: isRenewal) }
    return startup
  }
  func home(_ startup: Startup, of dial: DialRecord?) async throws -> String {
    world.asksForHome()
    do {
      let answer = try await client.call(Endpoint(.get, "/home"))
      return String(decoding: answer.body, as: UTF8.self)
    } catch {
      guard error != .cancelled else { throw error }
      if bug != .knowsOneServer,
        let next = dial?.order.first(where: { $0 != startup.configuration.baseURL })
      {
        client.apply(try startup.configuration.moved(to: next))
        if let answer = try? await client.call(Endpoint(.get, "/home")) {
          return String(decoding: answer.body, as: UTF8.self)
        }
      }
      if process.isAlive, !Task.isCancelled { world.showsNothing() }
      throw error
    }
  }

  let first = try await start(isRenewal: false)
  // Whoever comes for the first time reads the terms.
  try await Task.sleep(for: .seconds(15))
  let page = try await home(first, of: first.record.dial)
  if first.record.refusal == nil { return page }
  return try await home(start(isRenewal: true), of: first.record.dial)
}

/// Returns the layer of a configuration, whoever has signed it, upon what a client needs.
private func layer(of text: Data) -> ConfigurationLayer? {
  guard let end = text.firstIndex(of: UInt8(ascii: "\n")),
    let object = try? JSONSerialization.jsonObject(with: Data(text[(end + 1)...])),
    let layer = (object as? [String: Any])?["layer"] as? [String: Any],
    let headers = layer["headers"] as? [String: String]
  else { return nil }
  return ConfigurationLayer(baseURL: StartupWorld.servers[0], headers: headers)
}

/// A transport that overhears configurations; it may stay for those that nobody waits for any more.
private struct Eavesdropper: Transport {
  private let network: StormWire
  private let stays: Bool
  private let hear: @Sendable (Data) throws -> Void

  init(_ network: StormWire, stays: Bool, _ hear: @escaping @Sendable (Data) throws -> Void) {
    (self.network, self.stays, self.hear) = (network, stays, hear)
  }

  func send(_ request: URLRequest) async throws(TransportError) -> ServerResponse {
    guard request.url?.path == "/app" else { return try await network.send(request) }
    let (answers, next) = AsyncStream<Result<ServerResponse, TransportError>>.makeStream()
    let sending = Task {
      do throws(TransportError) {
        let answer = try await network.send(request)
        // What is no configuration is not heard.
        try? hear(answer.body)
        next.yield(.success(answer))
      } catch {
        next.yield(.failure(error))
      }
      next.finish()
    }
    defer { if !stays { sending.cancel() } }
    for await answer in answers { return try answer.get() }
    throw .cancelled
  }
}
