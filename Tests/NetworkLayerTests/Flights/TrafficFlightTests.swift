import TestSupport
import WindTunnel
import WindTunnelTesting

@testable import WindTunnelNetworkLayer

/// What calls do to each other, in process and on the wire: who goes first, who waits, who shares.
@Suite(.cassette("flights", matching: .pathAndQuery, then: .repeat))
struct TrafficFlightTests {
  @Test(arguments: Stage.allCases)
  func `the critical go first, the deferrable last, each kind in its order`(
    stage: Stage
  ) async throws {
    let paths = ["/d", "/a", "/b", "/c", "/e"]
    try await FlightStand.run(on: stage, .init(caps: TrafficCaps(total: 1))) {
      stand async throws in
      let calls = await stand.start(
        suspended: [
          Endpoint(.get, "/d", priority: .deferrable), Endpoint(.get, "/a"), Endpoint(.get, "/b"),
          Endpoint(.get, "/c", priority: .critical), Endpoint(.get, "/e", priority: .critical),
        ],
        waiting: 5
      )
      try await expectEqual(stand.bodies(of: calls), paths)
      expectEqual(stand.sent, ["/c", "/e", "/a", "/b", "/d"])
      expectEqual(
        paths.map { Deck.current.attempts(RequestPattern("GET \($0)")) },
        [1, 1, 1, 1, 1]
      )
      #expect(stand.client.admission.load == (0, 0))
    }
  }

  @Test(.faults([.always(.always, .delay(.exactly(.milliseconds(5))))]), arguments: Stage.allCases)
  func `caps of all, of an endpoint and of what is deferrable hold`(stage: Stage) async throws {
    let caps = TrafficCaps(total: 4, perEndpoint: ["/slow": 1], reserved: 2)
    try await FlightStand.run(on: stage, .init(caps: caps)) { stand async throws in
      let calls = await stand.start(
        suspended: (0..<12).map { number in
          number < 6
            ? Endpoint(.get, "/slow")
            : Endpoint(.get, "/later/\(number)", priority: .deferrable)
        }
      )
      for call in calls { try await expectEqual(call.value.get().attempts, 1) }
      let bodies = (0..<12).map { $0 < 6 ? "/slow" : "/later/\($0)" }
      try await expectEqual(stand.bodies(of: calls), bodies)
      let (most, slow) = stand.mostUnderWay("/slow")
      expectEqual(slow, 1)
      // One to the slow endpoint, and of the four slots two are kept from what is deferrable.
      #expect(most <= 3)
      expectEqual(Deck.current.attempts("GET /slow"), 6)
    }
  }

  @Test(arguments: Stage.allCases)
  func `equal calls that nobody waits for are one request`(stage: Stage) async throws {
    try await FlightStand.run(on: stage) { stand async throws in
      let news = Endpoint(.get, "/news", priority: .deferrable)
      let calls = await stand.start(
        suspended: [news, news, Endpoint(.get, "/old", priority: .deferrable), news]
      )
      try await expectEqual(stand.bodies(of: calls), ["/news", "/news", "/old", "/news"])
      expectEqual(stand.sent.sorted(), ["/news", "/old"])
      expectEqual(Deck.current.requests().count, 2)
      expectEqual(stand.client.shared.flights.count, 0)
    }
  }

  @Test(.faults([.on("GET /1", .first(2), .status(503))]), arguments: Stage.allCases)
  func `ordered calls wait for all attempts of the one before`(stage: Stage) async throws {
    try await FlightStand.run(on: stage) { stand async throws in
      let calls = await stand.start(
        suspended: (1...3).map { Endpoint(.get, "/\($0)", order: "cart") }
      )
      await expectEqual(stand.time.passSleeps(2), [.milliseconds(200), .milliseconds(400)])
      try await expectEqual(stand.bodies(of: calls), ["/1", "/2", "/3"])
      expectEqual(stand.sent, ["/1", "/1", "/1", "/2", "/3"])
      expectEqual((1...3).map { Deck.current.attempts(RequestPattern("GET /\($0)")) }, [3, 1, 1])
      #expect(stand.client.admission.queues.load == (0, 0))
    }
  }

  @Test(.faults([.on("GET /a", .first(1), .status(503))]), arguments: Stage.allCases)
  func `who waits between attempts keeps no slot from others`(stage: Stage) async throws {
    try await FlightStand.run(on: stage, .init(caps: TrafficCaps(total: 1))) {
      stand async throws in
      let first = stand.start(Endpoint(.get, "/a"))
      let wait = await stand.time.nextSleep()
      expectEqual(wait, .milliseconds(200))
      #expect(stand.client.admission.load == (0, 0))
      try await expectEqual(stand.start(Endpoint(.get, "/b")).value.get().status, 200)
      expectEqual(stand.sent, ["/a", "/b"])
      stand.time.advance(by: .milliseconds(200))
      try await expectEqual(first.value.get().attempts, 2)
    }
  }
}

extension FlightStand {
  /// Starts calls one after the other, none of which goes before all have come.
  fileprivate func start(
    suspended endpoints: [Endpoint],
    waiting: Int? = nil
  ) async -> [Task<Result<WindTunnelNetworkLayer.CallResponse, NetworkError>, Never>] {
    client.admission.suspend()
    let calls = await start(inOrder: endpoints)
    if let waiting { #expect(client.admission.load == (0, waiting)) }
    client.admission.resume()
    return calls
  }

  /// What calls brought.
  fileprivate func bodies(
    of calls: [Task<Result<WindTunnelNetworkLayer.CallResponse, NetworkError>, Never>]
  ) async throws -> [String] {
    var bodies: [String] = []
    for call in calls {
      bodies.append(String(decoding: try await call.value.get().body, as: UTF8.self))
    }
    return bodies
  }

  /// How many attempts were under way at once, at most: of all, and to one path.
  func mostUnderWay(_ path: String) -> (all: Int, path: Int) {
    var now: [Int: String] = [:]
    var most = (all: 0, path: 0)
    for event in observer.events {
      switch event.kind {
      case .attemptStarted(_, let request, _): now[event.call] = request.url?.path ?? ""
      case .attemptEnded: now[event.call] = nil
      default: break
      }
      most = (max(most.all, now.count), max(most.path, now.values.count { $0 == path }))
    }
    return most
  }
}
