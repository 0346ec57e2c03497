import Origins
import TestSupport
import WindTunnel
import WindTunnelServer
import WindTunnelSymptoms

@testable import WindTunnelNetworkLayer
@testable import WindTunnelNetworkLayerOffline

/// Outboxes on the wire: what arrives, in which order, how often, and under which key.
@Suite struct OutboxFlightTests {
  private let stand = OutboxStand()

  private static let quick = OutboxLimits(
    backoff: Backoff(base: .milliseconds(1), cap: .milliseconds(2))
  )

  private static let bodies = (1...25).map { #"{"n":\#($0)}"# }

  /// Sends calls until none waits.
  private static func sent(
    _ bodies: [String],
    to origin: LedgerOrigin
  ) async throws -> (stand: OutboxStand, outbox: Outbox) {
    let stand = OutboxStand()
    let outbox = try stand.open(limits: quick)
    try await stand.enqueue(bodies, in: outbox)
    await outbox.send(by: try OutboxStand.client(origin.url), until: .empty)
    return (stand, outbox)
  }

  /// Freezes a batch that finds nobody, and ends the process when further calls have come.
  private static func frozen(
    _ bodies: [String],
    then further: [String] = []
  ) async throws -> OutboxStand {
    let stand = OutboxStand()
    let outbox = try stand.open(limits: quick)
    try await stand.enqueue(bodies, in: outbox)
    let client = try OutboxStand.client("http://127.0.0.1:1")
    let sending = Task { await outbox.send(by: client) }
    _ = await stand.next { if case .heldBack = $0 { true } else { false } }
    try await stand.enqueue(further, in: outbox)
    sending.cancel()
    await sending.value
    await outbox.close()
    return stand
  }

  @Test func `calls arrive whole, in batches and in their order`() async throws {
    let (origin, stand) = (try await LedgerOrigin(), OutboxStand())
    let outbox = try stand.open()
    let receipts = try await stand.enqueue(Self.bodies, in: outbox)
    expectEqual(receipts.map(\.number), Array(1...25))
    #expect(receipts.allSatisfy { $0.fellOut == [] })
    await outbox.send(by: try OutboxStand.client(origin.url), until: .empty)
    expectEqual(origin.arrivals.map(\.lines.count), [10, 10, 5])
    expectEqual(origin.applied, Self.bodies)
    #expect(origin.arrivals.allSatisfy { $0.type == "application/x-ndjson" })
    expectEqual(Set(origin.arrivals.map(\.key)).count, 3)
    expectEqual(outbox.count, 0)
    let delivered = stand.events.compactMap { event -> ClosedRange<UInt64>? in
      if case .delivered(let batch, status: 201) = event { batch.numbers } else { nil }
    }
    expectEqual(delivered, [1...10, 11...20, 21...25])
    expectEqual(stand.events.count, 3)
    await origin.stop()
  }

  @Test func `a batch of one has the key of its call`() async throws {
    let origin = try await LedgerOrigin()
    _ = try await Self.sent(["7"], to: origin)
    expectEqual(origin.arrivals.map(\.key), ["key-7"])
    await origin.stop()
  }

  @Test(arguments: [true, false])
  func `a lost answer repeats the same bytes under the same key`(keepsKeys: Bool) async throws {
    let origin = try await LedgerOrigin(
      keepsKeys: keepsKeys,
      rules: [.always(.attempt(2), .reset(afterBytes: 3))]
    )
    let sent = try await Self.sent(Self.bodies, to: origin)
    let keys = origin.arrivals.map(\.key)
    #expect(keys.count == 4 && keys[1] == keys[2] && Set(keys).count == 3)
    expectEqual(origin.arrivals[1].body, origin.arrivals[2].body)
    expectEqual(origin.firstArrivals(at: "/telemetry"), Self.bodies)
    let twice = keepsKeys ? [] : Self.bodies[10..<20]
    expectEqual(origin.applied.count, 25 + twice.count)
    expectEqual(Set(origin.applied), Set(Self.bodies))
    let held = sent.stand.events.filter { if case .heldBack = $0 { true } else { false } }
    expectEqual(held.count, 1)
    await origin.stop()
  }

  @Test(arguments: [401, 408, 425, 429, 500, 503])
  func `a status that is not the calls' fault is tried again`(status: Int) async throws {
    let origin = try await LedgerOrigin { _, number in number <= 2 ? status : 200 }
    let sent = try await Self.sent(Self.bodies, to: origin)
    let keys = origin.arrivals.map(\.key)
    #expect(keys.count == 5 && Set(keys.prefix(3)).count == 1)
    expectEqual(origin.applied, Self.bodies)
    try await expectEqual(sent.outbox.deadLetters(), [])
    await origin.stop()
  }

  @Test(arguments: [400, 403, 409, 413, 422])
  func `a refused batch is dead letters and holds nothing up`(status: Int) async throws {
    let origin = try await LedgerOrigin { _, number in number == 2 ? status : 200 }
    let sent = try await Self.sent(Self.bodies, to: origin)
    expectEqual(origin.arrivals.count, 3)
    expectEqual(origin.applied, Array(Self.bodies[..<10] + Self.bodies[20...]))
    let letters = Self.bodies[10..<20].enumerated().map { place, body in
      DeadLetter(
        template: "/telemetry",
        status: status,
        number: UInt64(11 + place),
        key: "key-\(body)",
        body: Data(body.utf8)
      )
    }
    try await expectEqual(sent.outbox.deadLetters(), letters)
    await sent.outbox.close()
    let next = try sent.stand.open()
    try await expectEqual(next.deadLetters(), letters)
    try await next.removeDeadLetters()
    try await expectEqual(next.deadLetters(), [])
    await origin.stop()
  }

  @Test(arguments: [[503, 409, 409], Array(repeating: 503, count: 6) + [409]])
  func `a repeat that is still worked at is no refusal`(statuses: [Int]) async throws {
    let origin = try await LedgerOrigin { _, number in statuses[safe: number - 1] ?? 200 }
    let sent = try await Self.sent(["1"], to: origin)
    expectEqual(origin.applied, ["1"])
    try await expectEqual(sent.outbox.deadLetters(), [])
    await origin.stop()
  }

  @Test func `a repeat within one call that is still worked at is no refusal, too`() async throws {
    // The first answer is lost, and the call's own retry comes while the origin works at it.
    let origin = try await LedgerOrigin(
      rules: [.always(.attempt(1), .reset(afterBytes: 3))]
    ) { _, number in number == 2 ? 409 : 200 }
    let outbox = try stand.open(limits: Self.quick)
    try await stand.enqueue(["1", "2"], in: outbox)
    let policy = RetryPolicy(backoff: Self.quick.backoff)
    let client = try OutboxStand.client(origin.url, policy: policy)
    await outbox.send(by: client, until: .empty)
    expectEqual(origin.arrivals.count, 3)
    expectEqual(Set(origin.arrivals.map(\.key)).count, 1)
    expectEqual(origin.applied, ["1", "2"])
    try await expectEqual(outbox.deadLetters(), [])
    await origin.stop()
  }

  @Test(arguments: [301, 302, 303, 307, 308])
  func `what answers behind a redirect has not taken a batch`(status: Int) async throws {
    let page: @Sendable (Request) -> Response = { _ in
      Response(
        status: 200,
        headers: ["Content-Type": "text/html", "Content-Length": "7"],
        body: Body("Sign in")
      )
    }
    let deck = Deck(
      [
        .post("/telemetry") { _ in
          Response(status: status, headers: ["Location": "/welcome", "Content-Length": "0"])
        },
        .get("/welcome", response: page), .post("/welcome", response: page),
      ],
      then: .repeat
    )
    let portal = try await ReplayServer(deck, .patient)
    let outbox = try stand.open(limits: Self.quick)
    try await stand.enqueue(["1", "2"], in: outbox)
    let client = try OutboxStand.client(portal.url)
    let sending = Task { await outbox.send(by: client) }
    let told = await stand.next {
      switch $0 {
      case .heldBack, .delivered: true
      default: false
      }
    }
    sending.cancel()
    await sending.value
    if case .heldBack(_, .transport(.tooManyRedirects, _), _) = told {
    } else {
      Issue.record("\(String(describing: told))")
    }
    expectEqual(outbox.count, 2)
    try await expectEqual(outbox.deadLetters(), [])
    await outbox.close()
    await portal.stop(grace: .zero)
    // At home it arrives.
    let origin = try await LedgerOrigin()
    let next = try stand.open()
    await next.send(by: try OutboxStand.client(origin.url), until: .empty)
    expectEqual(origin.applied, ["1", "2"])
    await origin.stop()
  }

  /// Puts a copy of a folder in the place of what was there.
  private static func put(_ copy: URL, at folder: URL) throws {
    if FileManager.default.fileExists(atPath: folder.path) {
      try FileManager.default.removeItem(at: folder)
    }
    try FileManager.default.copyItem(at: copy, to: folder)
  }

  /// Makes a backup of an outbox with calls, and each time that it is put back sends further ones
  /// with them, whose numbers it returns.
  private static func restored(
    with bodies: [String],
    sending further: [[String]],
    to origin: LedgerOrigin
  ) async throws -> [[UInt64]] {
    let stand = OutboxStand()
    let backup = stand.folder.appendingPathExtension("backup")
    defer { try? FileManager.default.removeItem(at: backup) }
    let client = try OutboxStand.client(origin.url)
    let outbox = try stand.open()
    try await stand.enqueue(bodies, in: outbox)
    await outbox.close()
    try put(stand.folder, at: backup)
    var numbers: [[UInt64]] = []
    for bodies in further {
      try put(backup, at: stand.folder)
      let again = try stand.open()
      numbers.append(try await stand.enqueue(bodies, in: again).map(\.number))
      await again.send(by: client, until: .empty)
      await again.close()
    }
    return numbers
  }

  @Test func `calls after a backup was put back are new ones to an origin that keeps keys`()
    async throws
  {
    let origin = try await LedgerOrigin()
    let further = [["1", "2"], ["3", "4"]]
    let numbers = try await Self.restored(with: [], sending: further, to: origin)
    // The numbers begin again.
    expectEqual(numbers, [[1, 2], [1, 2]])
    expectEqual(origin.applied, ["1", "2", "3", "4"])
    await origin.stop()
  }

  @Test func `calls that a backup holds are the same ones to an origin that keeps keys`()
    async throws
  {
    let origin = try await LedgerOrigin()
    _ = try await Self.restored(with: ["1", "2"], sending: [[], []], to: origin)
    expectEqual(origin.arrivals.map(\.lines), [["1", "2"], ["1", "2"]])
    expectEqual(origin.applied, ["1", "2"])
    await origin.stop()
  }

  @Test func `a batch that the process before may have sent may be worked at`() async throws {
    let stand = try await Self.frozen(["1"])
    let origin = try await LedgerOrigin { _, number in number == 1 ? 409 : 200 }
    let next = try stand.open(limits: Self.quick)
    await next.send(by: try OutboxStand.client(origin.url), until: .empty)
    expectEqual(origin.applied, ["1"])
    try await expectEqual(next.deadLetters(), [])
    await origin.stop()
  }

  @Test func `who hears of an event may ask the outbox`() async throws {
    let counts = Locked<[Int]>([])
    let asked = Locked<Outbox?>(nil)
    let (time, epoch) = (SetTime(.zero, ManualTime.epoch), ManualTime.epoch)
    let outbox = try Outbox(
      at: stand.folder,
      endpoints: [OutboxStand.telemetry],
      limits: OutboxLimits(longestAge: .seconds(1)),
      time: time
    ) { _ in
      if let outbox = asked.withLock({ $0 }) { counts.withLock { $0.append(outbox.count) } }
    }
    asked.withLock { $0 = outbox }
    try await stand.enqueue(["1"], in: outbox)
    time.set(.seconds(9), epoch)
    await outbox.send(by: try OutboxStand.client("http://127.0.0.1:1"), until: .empty)
    expectEqual(counts.withLock { $0 }, [0])
    asked.withLock { $0 = nil }
  }

  @Test func `a batch that was frozen is sent by the next process as it was`() async throws {
    let stand = try await Self.frozen(["1", "2"], then: ["3"])
    let origin = try await LedgerOrigin()
    let again = try stand.open()
    expectEqual(again.count, 3)
    await again.send(by: try OutboxStand.client(origin.url), until: .empty)
    expectEqual(origin.arrivals.map(\.lines), [["1", "2"], ["3"]])
    let held = stand.events.compactMap { event -> String? in
      if case .heldBack(let batch, _, _) = event { batch.key } else { nil }
    }
    expectEqual(Set(held), [try #require(origin.arrivals.first).key])
    await origin.stop()
  }

  @Test func `endpoints wait for themselves alone`() async throws {
    let origin = try await LedgerOrigin { arrival, _ in arrival.path == "/first" ? 503 : 200 }
    let (first, second) = (
      OutboxEndpoint(Endpoint(.post, "/first")), OutboxEndpoint(Endpoint(.post, "/second"))
    )
    let outbox = try stand.open([first, second], limits: Self.quick)
    try await outbox.enqueue(Data("a".utf8), to: first)
    try await outbox.enqueue(Data("b".utf8), to: second)
    let client = try OutboxStand.client(origin.url)
    let sending = Task { await outbox.send(by: client) }
    _ = await stand.next { if case .delivered = $0 { true } else { false } }
    expectEqual(origin.applied, ["b"])
    // A second one has nothing to do.
    await outbox.send(by: client)
    sending.cancel()
    await sending.value
    expectEqual(outbox.count, 1)
    await origin.stop()
  }

  @Test func `what waits is sent when a network comes that costs nothing`() async throws {
    let (origin, stand, networks) = (
      try await LedgerOrigin(), OutboxStand(), ScriptedNetworks(.offline)
    )
    let careful = OutboxEndpoint(Endpoint(.post, "/telemetry"), waitsFor: .unrestricted)
    let outbox = try stand.open([careful])
    try await stand.enqueue(["1"], in: outbox)
    let client = try OutboxStand.client(origin.url, networks: networks)
    let sending = Task { await outbox.send(by: client, until: .empty) }
    _ = await stand.next { $0 == .waitingForNetwork(template: "/telemetry", .unrestricted) }
    networks.change(to: .online(.expensive))
    networks.change(to: .online(.constrained))
    try await stand.enqueue(["2"], in: outbox)
    #expect(origin.arrivals.isEmpty)
    networks.change(to: .online)
    await sending.value
    expectEqual(origin.arrivals.map(\.lines), [["1", "2"]])
    expectEqual(networks.listenerCount, 0)
    await origin.stop()
  }

  @Test func `an array is one JSON text`() async throws {
    let (origin, stand) = (try await LedgerOrigin(), OutboxStand())
    let endpoint = OutboxEndpoint(Endpoint(.post, "/telemetry"), format: .jsonArray)
    let outbox = try stand.open([endpoint])
    for number in 1...3 { try await outbox.enqueue(json: ["n": number], to: endpoint) }
    await outbox.send(by: try OutboxStand.client(origin.url), until: .empty)
    expectEqual(origin.applied, [#"[{"n":1},{"n":2},{"n":3}]"#])
    expectEqual(origin.arrivals.map(\.type), ["application/json"])
    await origin.stop()
  }
}

extension Array {
  fileprivate subscript(safe place: Int) -> Element? {
    indices.contains(place) ? self[place] : nil
  }
}
