import TestSupport
@_spi(WindTunnel) import WindTunnelCore
import WindTunnelNetworkLayer
import WindTunnelNetworkLayerOffline
import WindTunnelReferenceSubject
import WindTunnelSearch

/// A bug that is planted in ``visits(_:_:_:)``.
enum OutboxBug: String, CaseIterable, Sendable {
  case promisesTooEarly, makesNewKeys, stampsBodies, hasTwoOutboxes, takesFailuresForRefusals
  case restoresBackups, takesAnyPage, dropsEndpoints
}

/// A device with an outbox, and an origin that notes each batch and refuses one.
final class OutboxWorld: StormWorld, StormOrigin {
  /// Without a login a batch waits: a later login sends it.
  static let allowed: Set<String> = ["repeats-refused-credential"]
  static let cassette = StormWire.cassette("POST /api/events", "POST /api/receipts")
  static let events = OutboxEndpoint(endpoint("/events"), mostCalls: 2)
  static let receipts = OutboxEndpoint(endpoint("/receipts"), mostCalls: 1)
  /// The call that the origin refuses.
  static let refused = "r2"

  /// Another's page, which a redirect may lead to, does not name its origin.
  private static func endpoint(_ path: String) -> Endpoint {
    Endpoint(.post, path, rules: .json(requiring: "origin"))
  }

  private struct State {
    /// The calls of each path, in the order in which they were promised to arrive.
    var promised: [String: [String]] = [:]
    /// The bytes that were sent under each key.
    var bytes: [String: Data] = [:]
    /// The key under which each call was sent.
    var keys: [String: String] = [:]
    /// The keys whose batch the device knows to have been answered.
    var answered: Set<String> = []
    /// The calls of each path in the order in which they were taken, each once.
    var taken: [String: [String]] = [:]
    /// The calls whose batches were refused.
    var refused: Set<String> = []
  }

  let device: StormDevice
  private let state = Locked(State())

  init() throws { device = try StormDevice() }

  func processEnded() { device.processEnded() }

  func runEnded() -> [Violation] { device.runEnded() }

  private func note(_ rule: String, _ seen: String) { device.note(Violation(rule, seen)) }

  // MARK: What the app says

  /// Tells whether a call was promised in this flight.
  func hasPromised(_ body: String, to path: String) -> Bool {
    state.withLock { $0.promised[path]?.contains(body) == true }
  }

  /// Notes that a call was promised to arrive.
  func promises(_ body: String, to path: String) {
    state.withLock { $0.promised[path, default: []].append(body) }
  }

  /// Notes how an outbox stands after a time in which the network was good.
  func stands(_ letters: [DeadLetter], waiting: Int) {
    let state = state.withLock { $0 }
    for letter in letters {
      let body = String(decoding: letter.body, as: UTF8.self)
      if !state.refused.contains(body) {
        note("buried", "\(body) is a dead letter for \(letter.status), and nobody refused it.")
      }
    }
    let buried = Set(letters.map { String(decoding: $0.body, as: UTF8.self) })
    if waiting > 0 { note("stuck", "\(waiting) calls wait, and the network was good.") }
    for (path, bodies) in state.promised.sorted(by: { $0.key < $1.key }) {
      let lost = bodies.filter { !(state.taken[path] ?? []).contains($0) && !buried.contains($0) }
      if !lost.isEmpty { note("lost", "\(lost) of \(path) have not arrived.") }
    }
  }

  // MARK: What the server sees

  func arrived(_ request: URLRequest, from process: StormDevice.Process) {
    let key = request.value(forHTTPHeaderField: "Idempotency-Key") ?? ""
    let body = request.httpBody ?? Data()
    let calls = Self.calls(in: body)
    let (bytes, isAnswered, others) = state.withLock { state in
      let bytes = state.bytes[key] ?? body
      let others = calls.compactMap { state.keys[$0] }.filter { $0 != key }
      state.bytes[key] = bytes
      for call in calls { state.keys[call] = state.keys[call] ?? key }
      return (bytes, state.answered.contains(key), others)
    }
    if bytes != body {
      note("other-bytes", "\(calls) came under the key of \(Self.calls(in: bytes)).")
    }
    if !others.isEmpty { note("other-key", "\(calls) came under another key than before.") }
    if isAnswered { note("sent-again", "\(calls) came again, and had been answered.") }
  }

  func answer(to request: URLRequest, for process: StormDevice.Process) -> ServerResponse {
    let path = request.url?.path ?? ""
    let calls = Self.calls(in: request.httpBody ?? Data())
    let key = request.value(forHTTPHeaderField: "Idempotency-Key") ?? ""
    state.withLock { _ = $0.answered.insert(key) }
    if calls.contains(Self.refused) {
      state.withLock { $0.refused.formUnion(calls) }
      return ServerResponse(status: 422)
    }
    take(calls, at: path)
    return ServerResponse(
      status: 201,
      headers: ["Content-Type": "application/json"],
      body: Data(StormWire.mark.utf8)
    )
  }

  private func take(_ calls: [String], at path: String) {
    let taken = state.withLock { state in
      for call in calls where !(state.taken[path] ?? []).contains(call) {
        state.taken[path, default: []].append(call)
      }
      return state.taken[path] ?? []
    }
    // Names rise by endpoint.
    if taken != taken.sorted() { note("out-of-order", "\(path) has taken \(taken).") }
  }

  func lost(_ request: URLRequest, _ answer: ServerResponse?, for process: StormDevice.Process) {
    guard let status = answer?.status else { return }
    // Damaged on its way, but nobody else's.
    if status == 200, String(decoding: answer?.body ?? Data(), as: UTF8.self).contains("origin") {
      return take(Self.calls(in: request.httpBody ?? Data()), at: request.url?.path ?? "")
    }
    // The others may be taken the next time.
    guard (400...499).contains(status), ![401, 408, 425, 429].contains(status) else { return }
    let calls = Self.calls(in: request.httpBody ?? Data())
    state.withLock { $0.refused.formUnion(calls) }
  }

  private static func calls(in body: Data) -> [String] {
    String(decoding: body, as: UTF8.self).split(separator: "\n").map(String.init)
      .filter { !$0.hasPrefix("sent ") }
  }
}

/// An app that takes calls in two visits, each of which sends what it can, and is then closed. At
/// the end it has a network without a fault set, and sends the rest.
@Sendable func visits(
  _ flow: DrillCall,
  _ world: OutboxWorld,
  _ bug: OutboxBug?
) async throws -> String {
  let process = world.device.process
  let wire = StormWire(flow.transport, of: process, to: world)
  let folder = process.folder.appending(path: "outbox")
  let backup = process.folder.appending(path: "backup")
  if bug == .restoresBackups, FileManager.default.fileExists(atPath: backup.path) {
    try FileManager.default.removeItem(at: folder)
    try FileManager.default.copyItem(at: backup, to: folder)
  }

  var (events, receipts) = (OutboxWorld.events, OutboxWorld.receipts)
  if bug == .takesAnyPage {
    events.endpoint.rules = ResponseRules()
    receipts.endpoint.rules = ResponseRules()
  }
  // A release that knows an endpoint no more.
  let isNarrow = bug == .dropsEndpoints && process.number > 0
  let endpoints = isNarrow ? [events] : [events, receipts]

  @Sendable func open(_ name: String = "outbox") throws -> Outbox {
    let outbox = try Outbox(
      at: process.folder.appending(path: name),
      endpoints: endpoints,
      draw: { 0.5 }
    )
    process.whenEnded { Task { await outbox.close() } }
    return outbox
  }
  @Sendable func client(_ network: any Transport) throws -> NetworkClient {
    guard let url = URL(string: "https://api.shop.example") else { throw URLError(.badURL) }
    return NetworkClient(
      builder: RequestBuilder(baseURL: url),
      middleware: bug == .makesNewKeys || bug == .stampsBodies ? [Meddling(bug: bug)] : [],
      transport: bug == .takesFailuresForRefusals ? Strict(network: network) : network,
      limits: CallLimits(attemptTimeout: .seconds(5), deadline: .seconds(19)),
      draw: { 0.5 }
    )
  }
  @Sendable func take(_ body: String, _ endpoint: OutboxEndpoint, by outbox: Outbox) async throws {
    let path = endpoint.endpoint.path
    // What was promised before the process ended is not taken again.
    guard !world.hasPromised(body, to: path) else { return }
    if bug == .promisesTooEarly {
      world.promises(body, to: path)
      try await Task.sleep(for: .milliseconds(50))
    }
    try await outbox.enqueue(Data(body.utf8), to: endpoint, key: "key-\(body)")
    if process.isAlive, bug != .promisesTooEarly { world.promises(body, to: path) }
  }
  @Sendable func send(_ outbox: Outbox, by client: NetworkClient, for time: Duration) async {
    await withTaskGroup(of: Void.self) { group in
      group.addTask { await outbox.send(by: client, until: .empty) }
      group.addTask { try? await Task.sleep(for: time) }
      await group.next()
      group.cancelAll()
    }
  }

  let visits = [
    [("e1", events), ("e2", events), ("r1", receipts)], [("e3", events), ("r2", receipts)],
  ]
  for (number, calls) in visits.enumerated() {
    let outbox = try open()
    let urgent = bug == .hasTwoOutboxes && number > 0 ? try open("urgent") : outbox
    for (body, endpoint) in calls where !isNarrow || endpoint.endpoint.path == "/events" {
      try await take(body, endpoint, by: body == "e3" ? urgent : outbox)
    }
    if bug == .restoresBackups, number == 0,
      !FileManager.default.fileExists(atPath: backup.path)
    {
      try FileManager.default.copyItem(at: folder, to: backup)
    }
    if bug == .hasTwoOutboxes, number > 0 {
      await send(urgent, by: try client(wire), for: .seconds(25))
    }
    await send(outbox, by: try client(wire), for: .seconds(25))
    await outbox.close()
    if bug == .hasTwoOutboxes, number > 0 { await urgent.close() }
    if !process.isAlive || Task.isCancelled { throw CancellationError() }
  }
  let outbox = try open()
  let calm = CalmWire(process: process, origin: world)
  await send(outbox, by: try client(calm), for: .seconds(600))
  if process.isAlive, !Task.isCancelled {
    world.stands(try await outbox.deadLetters(), waiting: outbox.count)
  }
  await outbox.close()
  return "sent"
}

/// A middleware that changes what has to stay as it is.
private struct Meddling: Middleware {
  let bug: OutboxBug?

  func outgoing(_ request: URLRequest) async throws(MiddlewareError) -> URLRequest {
    var request = request
    if bug == .makesNewKeys {
      request.setValue(UUID().uuidString, forHTTPHeaderField: "Idempotency-Key")
    } else {
      let now = ContinuousClock.now
      request.httpBody = (request.httpBody ?? Data()) + Data("sent at \(now)\n".utf8)
    }
    return request
  }
}

/// A transport that takes each failure of a server for a refusal.
private struct Strict: Transport {
  let network: any Transport

  func send(_ request: URLRequest) async throws(TransportError) -> ServerResponse {
    var answer = try await network.send(request)
    if answer.status >= 500 { answer.status = 400 }
    return answer
  }
}
