import Origins
import TestSupport
import WindTunnel
import WindTunnelServer
import WindTunnelSymptoms

/// What fails before there is a request: made for real at a port, a closed port or a name, and the
/// same by name in process.
@Suite struct ConnectionConformanceTests {
  private static func inProcess(_ fault: ConnectionFault) async throws -> Seen {
    let deck = Deck(
      [.get("http://api.example.test/n", json: [:])],
      scenario: [.always(.always, .connection(fault))]
    )
    return try await Theatre.play(deck, on: .inProcess) { theatre async throws in
      try await theatre.ask("/n")
    }
  }

  private static func asking(_ url: String) async throws -> Seen {
    let configuration = URLSessionConfiguration.ephemeral
    configuration.urlCache = nil
    let request = URLRequest(url: try #require(URL(string: url)))
    return await Seen.asking(request, configuration, follows: true)
  }

  @Test(
    arguments: TLSFault.allCases.filter { !$0.needsCertificate && $0 != .stallAfterClientHello }
  )
  func `a handshake fails as it is said to`(fault: TLSFault) async throws {
    let expected = Seen(nil, "", fault.symptom)
    try await expectEqual(Self.inProcess(.tls(fault)), expected)
    let deck = Deck([], scenario: [.always(.always, .connection(.tls(fault)))])
    let server = try await ReplayServer(deck, .patient)
    let port = try await server.openPort(lane: Lane("call/1"))
    try await expectEqual(Self.asking("https://127.0.0.1:\(port)/n"), expected)
    await server.stop(grace: .zero)
    let decision = deck.scenario.decideConnection(seed: deck.seed, lane: Lane("call/1"), ordinal: 1)
    expectEqual(deck.journal.all.map(\.decision).first, decision)
  }

  /// Faults of certificates that a client finds without trusting anybody for the test's sake.
  @Test(
    .enabled(if: speaksTLS, "OpenSSL 3 is not on this machine."),
    arguments: TLSFault.allCases.filter { $0.needsCertificate && !$0.needsTrust }
  )
  func `a certificate fails as it is said to`(fault: TLSFault) async throws {
    let expected = Seen(nil, "", fault.symptom)
    try await expectEqual(Self.inProcess(.tls(fault)), expected)
    let deck = Deck([], scenario: [.always(.always, .connection(.tls(fault)))])
    var options = ReplayServer.Options.patient
    options.tls = try ServerTLS()
    let server = try await ReplayServer(deck, options)
    try await expectEqual(Self.asking("\(server.url)/n"), expected)
    await server.stop(grace: .zero)
  }

  private static let speaksTLS: Bool = {
    do {
      _ = try CertificateAuthority()
      return true
    } catch { return false }
  }()

  @Test func `a server without TLS refuses weather of certificates by name`() async throws {
    let scenario = Scenario("bad", rules: [.always(.first(1), .connection(.tls(.expired)))])
    let error = try await #require(throws: ServerError.self) {
      _ = try await ReplayServer(Deck([], scenario: scenario), .patient)
    }
    expectEqual(
      "\(error)",
      "Cannot listen: scenario \"bad\" fails handshakes with invalid certificates, but "
        + "this server has no TLS."
    )
  }

  #if !canImport(Darwin)
    @Test(arguments: Stage.allCases)
    func `a connection that nobody answers times out`(stage: Stage) async throws {
      let deck = Deck(
        [.get("http://api.example.test/n", json: [:])],
        scenario: [.always(.always, .connection(.connectTimeout))]
      )
      try await Theatre.play(deck, on: stage, timeout: 2) { theatre async throws in
        try await expectEqual(theatre.ask("/n"), Seen(nil, "", .timedOut))
      }
    }

    @Test(arguments: Stage.allCases)
    func `a connection comes late by what it lost, and the next in time`(stage: Stage)
      async throws
    {
      let deck = Deck(
        [.get("http://api.example.test/n", json: ["n": 1], then: .repeat)],
        scenario: [.always(.first(1), .connection(.lostSYNs(1)))],
        matcher: .pathAndQuery
      )
      try await Theatre.play(deck, on: stage) { theatre async throws in
        let start = ContinuousClock.now
        try await expectEqual(theatre.ask("/n"), Seen(200, #"{"n":1}"#))
        #expect(.now - start >= .seconds(1))
        try await expectEqual(theatre.ask("/n"), Seen(200, #"{"n":1}"#))
      }
      expectEqual(deck.journal.all.filter { $0.take == .connection }.count, 1)
      expectEqual(deck.journal.all.filter { $0.take == .recording(0) }.count, 2)
    }
  #endif

  @Test func `only the connections that a rule means fail`() async throws {
    let deck = Deck(
      [.get("/n", json: ["n": 1], then: .repeat)],
      scenario: [.always(.first(1), .connection(.tls(.closeAfterClientHello)))]
    )
    let server = try await ReplayServer(deck, .patient)
    let port = try await server.openPort(lane: Lane("call/1"))
    try await expectEqual(
      Self.asking("https://127.0.0.1:\(port)/n").symptom,
      .secureConnectionFailed
    )
    // The second connection of this lane goes through; another lane's first does not.
    try await expectEqual(Self.asking("http://127.0.0.1:\(port)/n"), Seen(200, #"{"n":1}"#))
    let other = try await server.openPort(lane: Lane("call/2"))
    try await expectEqual(
      Self.asking("https://127.0.0.1:\(other)/n").symptom,
      .secureConnectionFailed
    )
    server.closePort(other)
    await server.stop(grace: .zero)
  }

  @Test func `a closed port refuses`() async throws {
    let port = try ClosedPort()
    let expected = Seen(nil, "", .connectionRefused)
    try await expectEqual(Self.inProcess(.refused), expected)
    try await expectEqual(Self.asking("http://127.0.0.1:\(port.port)/n"), expected)
    withExtendedLifetime(port) {}
  }

  @Test func `a name that is too long has no address`() async throws {
    let labels = Array(repeating: String(repeating: "a", count: 60), count: 5)
    let expected = Seen(nil, "", .hostNotFound)
    try await expectEqual(Self.inProcess(.hostNotFound), expected)
    try await expectEqual(Self.asking("http://\(labels.joined(separator: "."))/n"), expected)
  }

  @Test func `without a network a platform says what it says`() async throws {
    #if canImport(Darwin)
      try await expectEqual(Self.inProcess(.offline), Seen(nil, "", .offline))
    #else
      // Linux has no word of its own for it: the connection attempt fails.
      try await expectEqual(Self.inProcess(.offline), Seen(nil, "", .connectionRefused))
    #endif
  }

  @Test(arguments: Stage.allCases)
  func `a connection rule on a request surfaces on both stages`(stage: Stage) async throws {
    let deck = Deck(
      [.get("http://api.example.test/n", json: ["n": 1])],
      scenario: [.on("GET /n", .first(1), .connection(.refused))]
    )
    try await Theatre.play(deck, on: stage) { theatre async throws in
      #expect(try await theatre.ask("/n").symptom != nil)
      try await expectEqual(theatre.ask("/n"), Seen(200, #"{"n":1}"#))
    }
  }
}
