import Origins
import TestSupport
import WindTunnelSymptoms

@testable import WindTunnelNetworkLayer
@testable import WindTunnelNetworkLayerOffline

/// The things that a fetched configuration changes, and those that it does not.
@Suite struct BootstrapTests {
  private let stand: BootstrapStand

  init() throws { stand = try BootstrapStand() }

  private static let offline = BootstrapStand.offline

  @Test func `three inputs are one configuration, with two outputs`() async throws {
    let layer = #"{"deadlineMilliseconds":2000,"headers":{"X-Fetched":"1"}}"#
    let (startup, events, requests) = try await stand.launch(stand.configuration(7, layer))
    expectEqual(requests, 1)
    expectEqual(events, [.configured(.fetched(version: 7))])
    expectEqual(startup.record.source, .fetched(version: 7))
    expectNil(startup.record.refusal)
    #expect(startup.record.fetch.map { $0 <= startup.record.elapsed } ?? false)
    expectEqual(
      startup.publicView,
      [
        "environment": "production", "baseURL": "https://api.example.test",
        "attemptTimeout": "15.0 seconds", "deadline": "2.0 seconds", "slots": "64",
        "slotsPerHost": "48", "headers.X-Start": "1", "headers.X-Fetched": "1",
        "extras.launch.app": "2.1", "extras.launch.layer": "1",
        "extras.launch.time": "784111777", "extras.launch.place": "DE",
        "extras.launch.network": "wifi", "secrets.key": "(secret)",
        "configuration.source": "fetched", "configuration.version": "7",
      ]
    )
    let sealed = try startup.sealed()
    expectNil(sealed.range(of: Data("hush-1".utf8)))
    let place = try FileKeyPlace(directory: stand.keys)
    let own = try VersionSeal(keyAt: place, app: "2.1", layer: "1")
    try expectEqual(NetworkConfiguration(opening: sealed, by: own.open), startup.configuration)
    let other = try VersionSeal(keyAt: place, app: "2.2", layer: "1")
    #expect(throws: SealingError.tampered) {
      try NetworkConfiguration(opening: sealed, by: other.open)
    }
    for position in sealed.indices {
      var changed = sealed
      changed[position] ^= 1
      #expect(throws: SealingError.tampered, "byte \(position)") { try own.open(changed) }
    }
  }

  @Test func `a start without a network uses the last valid configuration, at once`() async throws {
    let first = try await stand.launch(stand.configuration(7)).startup
    var least = Duration.seconds(60)
    // A busy machine makes some starts late, and no start early.
    for _ in 0..<200 where least >= .milliseconds(50) {
      let (startup, events, _) = try await stand.launch(Self.offline)
      expectEqual(startup.configuration, first.configuration)
      expectEqual(
        events,
        [
          .fetchRefused(.unreachable("There is no network: no network")),
          .configured(.lastGood(version: 7)),
        ]
      )
      least = min(least, startup.record.elapsed)
    }
    #expect(least < .milliseconds(50))
  }

  @Test func `a text with any bit changed or cut off anywhere changes nothing`() async throws {
    let good = try await stand.launch(stand.configuration(7)).startup.configuration
    let kept = try Data(contentsOf: stand.file)
    let next = try stand.configuration(8, #"{"deadlineMilliseconds":3000}"#)
    let refused: [StartupEvent] = [.fetchRefused(.unsigned), .configured(.lastGood(version: 7))]
    for place in next.indices {
      var changed = next
      changed[place] ^= 1 << (place % 8)
      let (startup, events, _) = try await stand.launch(changed)
      expectEqual(events, refused, "byte \(place)")
      expectEqual(startup.configuration, good)
      if place % 16 == 0 {
        try await expectEqual(stand.launch(next.prefix(place)).events, refused, "cut at \(place)")
      }
    }
    try await expectEqual(stand.launch(next + [0x20]).events, refused)
    // The signature's last letter, A, Q, g or w, has bits to spare: the letter behind it spells the
    // same bytes, and is refused all the same.
    var spelled = next
    spelled[85] += 1
    expectEqual(Data(base64Encoded: spelled[..<88]), Data(base64Encoded: next[..<88]))
    try await expectEqual(stand.launch(spelled).events, refused)
    try expectEqual(Data(contentsOf: stand.file), kept)
    // And as it was signed it is taken.
    let taken = try await stand.launch(next)
    expectEqual(taken.events, [.configured(.fetched(version: 8))])
  }

  struct Bad: Sendable {
    var name: String
    var refusal: FetchRefusal
    var answer: @Sendable (BootstrapStand) throws -> ServerResponse

    init(
      _ name: String,
      _ refusal: FetchRefusal,
      _ answer: @escaping @Sendable (BootstrapStand) throws -> Data
    ) {
      (self.name, self.refusal) = (name, refusal)
      self.answer = { ServerResponse(status: 200, body: try answer($0)) }
    }

    static func status(_ status: Int) -> Bad {
      var bad = Bad("status", .status(status)) { try $0.configuration(8) }
      bad.answer = { ServerResponse(status: status, body: try $0.configuration(8)) }
      return bad
    }
  }

  static let bad: [Bad] = [
    Bad("an older one again", .replayed(version: 6, known: 7)) { try $0.configuration(6) },
    Bad("another one of the same version", .replayed(version: 7, known: 7)) {
      try $0.configuration(7, #"{"deadlineMilliseconds":9}"#)
    },
    Bad("one that has expired", .expired(Date(timeIntervalSince1970: 1_700_000_000))) {
      try $0.configuration(8, expires: 1_700_000_000)
    },
    Bad("nothing", .unsigned) { _ in Data() },
    Bad("a page", .unsigned) { _ in Data("<html>Sign in to the airport's network</html>\n".utf8) },
    Bad("bytes", .unsigned) { _ in Data((0..<4096).map { UInt8(truncatingIfNeeded: $0 &* 31) }) },
    Bad("without a signature", .unsigned) { stand in
      let text = try stand.configuration(8)
      return Data(text.drop { $0 != 0x0A })
    },
    Bad("of another publisher", .unsigned) { stand in
      let other = try Ed25519Signer(seed: Data(repeating: 9, count: 32))
      return try stand.signed(#"{"version":8,"expires":1800000000,"layer":{}}"#, by: other)
    },
    Bad("too long", .oversized(most: Bootstrap.fetchedBytesMax)) { stand in
      let padding = String(repeating: " ", count: Bootstrap.fetchedBytesMax)
      return try stand.configuration(8, "{}" + padding)
    },
    Bad("version 0", .malformed("\"version\" is 0; it must be 1 or more.")) {
      try $0.configuration(0)
    },
    Bad(
      "what cannot be merged",
      .invalid(["\"slots\" is 65; it must be 1 to 64."])
    ) { try $0.configuration(8, #"{"slots":65}"#) },
    .status(500), .status(302), .status(204),
  ]

  @Test(arguments: bad.indices)
  func `one that is bad changes nothing and is told`(row: Int) async throws {
    let bad = Self.bad[row]
    let good = try await stand.launch(stand.configuration(7)).startup.configuration
    let kept = try Data(contentsOf: stand.file)
    let names = try FileManager.default.contentsOfDirectory(atPath: stand.keys.path).sorted()
    let answer = try bad.answer(stand)
    let (startup, events, requests) = try await stand.launch(.success(answer))
    expectEqual(
      events,
      [.fetchRefused(bad.refusal), .configured(.lastGood(version: 7))],
      "\(bad.name)"
    )
    expectEqual(startup.configuration, good)
    expectEqual(startup.record.refusal, bad.refusal.name)
    expectEqual(startup.publicView["configuration.refusal"], bad.refusal.name)
    expectEqual(requests, 1)
    try expectEqual(Data(contentsOf: stand.file), kept)
    try expectEqual(
      FileManager.default.contentsOfDirectory(atPath: stand.keys.path).sorted(),
      names
    )
    expectEqual(
      stand.counters.counts.startup,
      ["configured.fetched": 1, "configured.lastGood": 1, "fetchRefused.\(bad.refusal.name)": 1]
    )
    // Without a last good one it is what is built in.
    let fresh = try BootstrapStand()
    let refusedAlso = try await fresh.launch(.success(try bad.answer(fresh)))
    guard case .replayed = bad.refusal else {
      expectEqual(
        refusedAlso.events,
        [.fetchRefused(bad.refusal), .configured(.builtIn)],
        "\(bad.name)"
      )
      return
    }
    expectEqual(refusedAlso.events.count, 1)
  }

  @Test func `log lines name the events of a start, and contain no values of its configuration`()
    throws
  {
    let lines = Locked("")
    let log = Observers(
      JSONLines { line in
        lines.withLock { $0 += String(decoding: line, as: UTF8.self) }
      }
    )
    log.observeStartup(.fetchRefused(.off("hush")))
    log.observeStartup(.configured(.lastGood(version: 7)))
    var candidate = DialRecord.Candidate(try #require(URL(string: "https://hush.example.test")))
    candidate.requests = 3
    var record = DialRecord(network: "hush", servers: [])
    (record.candidates, record.elapsed) = ([candidate], .milliseconds(12))
    log.observeStartup(.dialed(record))
    expectEqual(
      lines.withLock { $0 },
      """
      {"event":"startup","name":"fetchRefused.off"}
      {"event":"startup","name":"configured.lastGood"}
      {"elapsedMilliseconds":12,"event":"startup","name":"dialed.probed","probes":3}

      """
    )
  }

  @Test func `a signed text that is no configuration is told, and where`() async throws {
    let (_, events, _) = try await stand.launch(stand.signed(#"{"version":"7"}"#))
    guard case .fetchRefused(.malformed(let text)) = events.first else {
      Issue.record("\(events)")
      return
    }
    #expect(text.contains("version"))
  }

  private static func engine(_ text: Data) -> ScriptedEngine {
    ScriptedEngine { _ throws(TransportError) in ServerResponse(status: 200, body: text) }
  }

  @Test
  func `a version that a kill kept from being written is known by the file, and written later`()
    async throws
  {
    let forgets = Locked(false)
    // As a kill between two writes does, it loses what is written.
    let place = WatchedPlace(place: try FileKeyPlace(directory: stand.keys)) {
      name throws(SealingError) in
      guard name.hasPrefix("configuration-version-"), forgets.withLock({ $0 }) else { return }
      throw SealingError.place("killed")
    }
    let bootstrap = try stand.bootstrap("https://config.example.test", keysAt: place)
    _ = try await bootstrap.launch(by: Self.engine(stand.configuration(7)))
    forgets.withLock { $0 = true }
    _ = try await bootstrap.launch(by: Self.engine(stand.configuration(8)))
    expectEqual(stand.observer.startupEvents.last, .configured(.fetched(version: 8)))
    // The file says 8, the place 7: the old one is one again.
    let replayed = try await bootstrap.launch(by: Self.engine(stand.configuration(7)))
    expectEqual(replayed.record.source, .lastGood(version: 8))
    expectEqual(replayed.record.refusal, "replayed")
    forgets.withLock { $0 = false }
    _ = try await bootstrap.launch(by: Self.engine(stand.configuration(8)))
    try FileManager.default.removeItem(at: stand.file)
    let last = try await bootstrap.launch(by: Self.engine(stand.configuration(7)))
    #expect(last.record.source == .builtIn && last.record.refusal == "replayed")
  }

  /// Refreshes by a text while another one, which was asked for before, is on its way.
  private static func refreshes(
    of bootstrap: Bootstrap,
    by text: Data,
    during late: Data
  ) async throws -> (Startup, late: Startup) {
    let (asked, ask) = AsyncStream<Void>.makeStream()
    let (gate, open) = AsyncStream<Void>.makeStream()
    let slow = ScriptedEngine { _ throws(TransportError) in
      ask.finish()
      for await _ in gate {}
      return ServerResponse(status: 200, body: late)
    }
    async let last = bootstrap.refresh(by: slow)
    for await _ in asked {}
    let first = try await bootstrap.refresh(by: engine(text))
    open.finish()
    return (first, late: try await last)
  }

  @Test func `of two refreshes at once the older keeps and changes nothing`() async throws {
    let bootstrap = try stand.bootstrap("https://config.example.test")
    let (eight, nine) = (try stand.configuration(8), try stand.configuration(9))
    let (new, older) = try await Self.refreshes(of: bootstrap, by: nine, during: eight)
    expectEqual(new.record.source, .fetched(version: 9))
    #expect(older.record.source == .builtIn && older.record.refusal == "replayed")
    try await expectEqual(stand.record().source, .lastGood(version: 9))
    let client = NetworkClient(builder: new.configuration.builder, transport: Self.engine(Data()))
    client.apply(new)
    client.apply(older)
    expectEqual(client.current().settings.limits, new.configuration.limits)
    #expect(new.configuration.limits != older.configuration.limits)
    // One that the app has made itself is taken.
    client.apply(try NetworkConfiguration(builtIn: BootstrapStand.builtIn))
    expectEqual(client.current().settings.limits, older.configuration.limits)
  }

  @Test(arguments: ["http://config.example.test", "https:///x", "https://config.example.test/#a?b"])
  func `a source that others can read, or whose query would be lost, is not asked`(url: String)
    async throws
  {
    let startup = try await stand.bootstrap(url).launch(by: Self.engine(stand.configuration(7)))
    #expect(startup.record.source == .builtIn && startup.record.refusal == "off")
  }

  @Test func `when it expires stands in the record`() async throws {
    let record = try await stand.record(stand.configuration(7))
    expectEqual(record.expires, Date(timeIntervalSince1970: 1_800_000_000))
    try await expectEqual(stand.record().expires, record.expires)
  }

  @Test func `the last good one expires, too`() async throws {
    _ = try await stand.launch(stand.configuration(7, expires: 1_700_000_100))
    let late = try await stand.launch(Self.offline, day: FixedDay(1_700_000_100))
    expectEqual(late.startup.record.source, .builtIn)
    expectEqual(
      late.events.first,
      .keptRefused("The configuration expired at \(Date(timeIntervalSince1970: 1_700_000_100)).")
    )
  }

  @Test func `one that has expired stays expired when the clock is set back`() async throws {
    let seven = try stand.configuration(7, expires: 1_700_100_000)
    _ = try await stand.launch(seven)
    let late = try await stand.launch(Self.offline, day: FixedDay(1_700_100_000))
    expectEqual(late.startup.record.source, .builtIn)
    let good = "The configuration expired at \(Date(timeIntervalSince1970: 1_700_100_000))."
    for day in [1_700_000_000, 0] {
      let back = try await stand.launch(Self.offline, day: FixedDay(day))
      expectEqual(back.startup.record.source, .builtIn)
      expectEqual(back.events.first, .keptRefused(good))
      // Nor is it taken when it is played again.
      let replayed = try await stand.record(seven, day: FixedDay(day))
      expectEqual(replayed.source, .builtIn)
      expectEqual(replayed.refusal, FetchRefusal.expired(.distantPast).name)
    }
    // Another one is, also by a clock that goes after.
    let eight = try stand.configuration(8, expires: 1_700_200_000)
    let next = try await stand.record(eight, day: FixedDay(1_700_000_000))
    expectEqual(next.source, .fetched(version: 8))
  }

  @Test func `the latest observed time of day stays valid if the clock is set back`() async throws {
    _ = try await stand.launch(stand.configuration(7, expires: 1_700_100_000))
    _ = try await stand.launch(Self.offline, day: FixedDay(1_700_090_000))
    // One that expires before what was seen is expired, whatever the clock says now.
    let eight = try stand.configuration(8, expires: 1_700_090_000 - 3600)
    let refused = try await stand.record(eight, day: FixedDay(1_700_000_000))
    #expect(refused.refusal == "expired" && refused.source == .lastGood(version: 7))
    // One that is taken by a clock that goes after takes nothing of it back.
    let nine = try stand.configuration(9, expires: 1_700_200_000)
    let taken = try await stand.record(nine, day: FixedDay(1_700_000_000))
    expectEqual(taken.source, .fetched(version: 9))
    let ten = try stand.configuration(10, expires: 1_700_090_000)
    let again = try await stand.record(ten, day: FixedDay(1_700_000_000))
    #expect(again.refusal == "expired" && again.source == .lastGood(version: 9))
  }

  @Test func `a clock that ran ahead costs what was known, and nothing that comes`() async throws {
    _ = try await stand.launch(stand.configuration(7))
    _ = try await stand.launch(Self.offline, day: FixedDay(4_000_000_000))
    try await expectEqual(stand.record().source, .builtIn)
    let next = try await stand.launch(stand.configuration(8, expires: 1_800_000_001))
    expectEqual(next.startup.record.source, .fetched(version: 8))
    try await expectEqual(stand.record().source, .lastGood(version: 8))
  }

  @Test func `a highest version under a key that leaked locks nobody out of the next key`()
    async throws
  {
    var stand = try BootstrapStand()
    let (old, new) = (stand.publisher, try Ed25519Signer(seed: Data(repeating: 2, count: 32)))
    let third = try Ed25519Signer(seed: Data(repeating: 3, count: 32))
    stand.publicKeys = [old.publicKey, new.publicKey]
    let leaked = try stand.configuration(.max, by: old)
    try await expectEqual(stand.record(leaked).source, .fetched(version: .max))
    // Under the same key nothing is higher.
    try await expectEqual(stand.record(stand.configuration(8, by: old)).refusal, "replayed")
    let client = NetworkClient(
      builder: RequestBuilder(baseURL: try Fixture.base()),
      transport: Self.engine(Data())
    )
    client.apply(try await stand.launch(leaked).startup)
    let eight = try stand.configuration(8, #"{"deadlineMilliseconds":8000}"#, by: new)
    let startup = try await stand.launch(eight).startup
    expectEqual(startup.record.source, .fetched(version: 8))
    // Nor does it hold a client that runs with it.
    client.apply(startup)
    expectEqual(client.current().settings.limits, startup.configuration.limits)
    // Whoever has the old key has nothing any more.
    let back = try await stand.record(leaked)
    expectEqual(back.source, .lastGood(version: 8))
    expectEqual(back.refusal, "retired")
    let lower = try await stand.record(stand.configuration(7, by: new))
    #expect(lower.source == .lastGood(version: 8) && lower.refusal == "replayed")
    // An update of the app takes the old key out, and knows the new one's version still.
    stand.publicKeys = [new.publicKey, third.publicKey]
    try await expectEqual(stand.record(stand.configuration(7, by: new)).refusal, "replayed")
    try await expectEqual(stand.record(leaked).refusal, "unsigned")
    let first = try stand.configuration(1, by: third)
    try await expectEqual(stand.record(first).source, .fetched(version: 1))
    try await expectEqual(stand.record().source, .lastGood(version: 1))
  }

  @Test func `two sources with keys of their own know their own versions, at one place`()
    async throws
  {
    let other = try Ed25519Signer(seed: Data(repeating: 2, count: 32))
    var beside = stand
    beside.publicKeys = [other.publicKey]
    beside.fileName = "other"
    try await expectEqual(stand.record(stand.configuration(9)).source, .fetched(version: 9))
    try await expectEqual(
      beside.record(stand.configuration(3, by: other)).source,
      .fetched(version: 3)
    )
    try await expectEqual(stand.record(stand.configuration(8)).refusal, "replayed")
    try await expectEqual(beside.record(stand.configuration(2, by: other)).refusal, "replayed")
  }

  @Test func `of two that have one version and come at once the first is kept`() async throws {
    let bootstrap = try stand.bootstrap("https://config.example.test")
    let eight = try stand.configuration(8)
    let other = try stand.configuration(8, #"{"deadlineMilliseconds":9}"#)
    let (first, second) = try await Self.refreshes(of: bootstrap, by: eight, during: other)
    expectEqual(first.record.source, .fetched(version: 8))
    #expect(second.record.refusal == "replayed" && second.record.source == .builtIn)
    let kept = try await stand.launch(Self.offline).startup
    expectEqual(kept.configuration.limits, first.configuration.limits)
  }

  @Test func `after an update it is the built-in one, and no older one can be played again`()
    async throws
  {
    _ = try await stand.launch(stand.configuration(7))
    let updated = try await stand.launch(Self.offline, app: "2.2")
    expectEqual(updated.startup.record.source, .builtIn)
    expectEqual(
      updated.events.first,
      .keptRefused(
        "\(stand.file.path) is of another version of the app or the layer, or was changed."
      )
    )
    let replayed = try await stand.launch(stand.configuration(6), app: "2.2")
    #expect(replayed.events.contains(.fetchRefused(.replayed(version: 6, known: 7))))
    expectEqual(replayed.startup.record.source, .builtIn)
    // The newest that there is is fetched again for the new version.
    let again = try await stand.launch(stand.configuration(7), app: "2.2")
    expectEqual(again.startup.record.source, .fetched(version: 7))
    try await expectEqual(stand.record(app: "2.2").source, .lastGood(version: 7))
  }

  @Test func `a file of the disk that was changed or put back is not used`() async throws {
    _ = try await stand.launch(stand.configuration(7))
    let old = try Data(contentsOf: stand.file)
    _ = try await stand.launch(stand.configuration(8))
    try old.write(to: stand.file)
    let back = try await stand.launch(Self.offline)
    expectEqual(
      back.events.first,
      .keptRefused(FetchRefusal.replayed(version: 7, known: 8).description)
    )
    for place in stride(from: 0, to: old.count, by: 7) {
      var changed = old
      changed[place] ^= 0x10
      try changed.write(to: stand.file)
      try await expectEqual(stand.record().source, .builtIn)
    }
  }

  @Test func `without cryptography no configuration is fetched, and the event states the reason`()
    async throws
  {
    let (startup, events, requests) = try await stand.launch(
      .success(ServerResponse(status: 200, body: try stand.configuration(7)))
    ) { _ throws(SealingError) in throw SealingError.unavailable("Install OpenSSL.") }
    expectEqual(events, [.fetchRefused(.off("Install OpenSSL.")), .configured(.builtIn)])
    expectEqual(requests, 0)
    #expect(throws: SealingError.self) { try startup.sealed() }
  }

  @Test func `where others can read the key nothing is fetched, and that is said`() async throws {
    _ = try await stand.launch(stand.configuration(7))
    let key = stand.keys.appending(path: "configuration-key").path
    try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: key)
    let (startup, events, requests) = try await stand.launch(stand.configuration(8))
    expectEqual(requests, 0)
    expectEqual(startup.record.source, .builtIn)
    expectEqual(
      events.first,
      .fetchRefused(
        .off(
          "The key file \(key) has mode 644, so other users may have read it. Remove it, or run "
            + "chmod 600 on it if the key is still secret."
        )
      )
    )
  }

  @Test func `one that cannot be kept is used, and that is told`() async throws {
    try FileManager.default.createDirectory(at: stand.file, withIntermediateDirectories: true)
    let (startup, events, _) = try await stand.launch(stand.configuration(7))
    expectEqual(startup.record.source, .fetched(version: 7))
    expectEqual(events.map(\.name), ["keptRefused", "notKept", "configured.fetched"])
  }
}

/// A client whose configuration changes.
@Suite struct ApplyTests {
  private static func configuration(_ base: String, slots: Int = 64) throws -> NetworkConfiguration
  {
    try NetworkConfiguration(
      builtIn: ConfigurationLayer(
        environment: base,
        baseURL: "https://\(base).example.test/\(base)",
        slots: slots,
        endpoints: ["/a": EndpointTerms(mostRetries: 0)]
      )
    )
  }

  @Test func `a call keeps what it began with, and the next has the new one`() async throws {
    let fixture = try HeldFixture()
    let copy = fixture.client
    // All but the deadline of a configuration.
    let passing = Task { await fixture.time.passAllSleeps(but: .seconds(60)) }
    let first = await fixture.start(Endpoint(.get, "/a"))
    await expectEqual(fixture.transport.next(), "/a")
    copy.apply(try Self.configuration("new"))
    let second = await fixture.start(Endpoint(.get, "/a"))
    await expectEqual(fixture.transport.next(), "/new/a")
    // Its retry is asked of the old one, which allows retries.
    fixture.transport.answer("/a", 503)
    await expectEqual(fixture.transport.next(), "/a")
    fixture.transport.answer("/a", body: "old")
    try await expectEqual(first.value.get().body, Data("old".utf8))
    fixture.transport.answer("/new/a", 503)
    await expectEqual(second.value, .failure(.server(status: 503, body: Data())))
    let environments = fixture.observer.events.map(\.environment)
    expectEqual(Set(environments), ["production", "new"])
    #expect(fixture.observer.events.allSatisfy { ($0.call == 2) == ($0.environment == "new") })
    fixture.client.apply(try Self.configuration("third"))
    let third = await fixture.start(Endpoint(.get, "/a"))
    await expectEqual(fixture.transport.next(), "/third/a")
    fixture.transport.answer("/third/a")
    _ = try await third.value.get()
    expectEqual(fixture.transport.requests, 4)
    fixture.time.endPassing()
    await passing.value
  }

  @Test func `caps that a configuration does not know stay as they were`() async throws {
    let fixture = try HeldFixture(.init(caps: TrafficCaps(total: 8, reserved: 0)))
    for slots in [1, 2] { fixture.client.apply(try Self.configuration("x", slots: slots)) }
    // Of two slots both are for deferrable calls, too.
    let held = [
      await fixture.start(Endpoint(.get, "/1", priority: .deferrable)),
      await fixture.start(Endpoint(.get, "/2", priority: .deferrable)),
    ]
    #expect(fixture.client.admission.load == (2, 0))
    for number in 1...2 { fixture.transport.answer("/x/\(number)") }
    for call in held { _ = try await call.value.get() }
    // And those that were reserved are again where there is room.
    let reserving = try HeldFixture(.init(caps: TrafficCaps(total: 8, reserved: 3)))
    for slots in [1, 4] { reserving.client.apply(try Self.configuration("x", slots: slots)) }
    let first = await reserving.start(Endpoint(.get, "/1", priority: .deferrable))
    let second = await reserving.start(Endpoint(.get, "/2", priority: .deferrable))
    #expect(reserving.client.admission.load == (1, 1))
    reserving.transport.answer("/x/1")
    _ = try await first.value.get()
    await expectEqual(reserving.transport.next(2), ["/x/1", "/x/2"])
    reserving.transport.answer("/x/2")
    _ = try await second.value.get()
  }

  @Test func `caps hold at once, and take no slot away`() async throws {
    let fixture = try HeldFixture()
    fixture.client.apply(try Self.configuration("x", slots: 2))
    let held = [
      await fixture.start(Endpoint(.get, "/1")), await fixture.start(Endpoint(.get, "/2")),
    ]
    let waiting = await fixture.start(Endpoint(.get, "/3"))
    #expect(fixture.client.admission.load == (2, 1))
    fixture.client.apply(try Self.configuration("x", slots: 1))
    #expect(fixture.client.admission.load == (2, 1))
    fixture.client.apply(try Self.configuration("x", slots: 3))
    #expect(fixture.client.admission.load == (3, 0))
    for number in 1...3 { fixture.transport.answer("/x/\(number)") }
    for call in held + [waiting] { _ = try await call.value.get() }
    #expect(fixture.client.admission.load == (0, 0))
  }
}
