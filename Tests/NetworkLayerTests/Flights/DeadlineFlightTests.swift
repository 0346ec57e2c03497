import TestSupport
import WindTunnel

@testable import WindTunnelNetworkLayer

/// The deadline of a call wherever it may be waiting, in process and on the wire.
@Suite struct DeadlineFlightTests {
  /// However long the machine takes, an attempt waits for the deadline.
  static let limits = CallLimits(attemptTimeout: .seconds(3600), deadline: .seconds(2))
  static let page = Endpoint(.get, "/page")

  /// Waits until so many deadlines run.
  func running(_ count: Int, _ time: ManualTime) async {
    while time.sleeping < count { await Task.yield() }
  }

  @Test(arguments: Stage.allCases)
  func `an attempt in flight is given up, and its slot is free`(stage: Stage) async throws {
    let deck = FlightStand.deck("/page", [.always(.always, .stall(.afterRequest))])
    try await FlightStand.run(deck, on: stage, limits: Self.limits) { stand in
      let call = stand.start(Self.page)
      await running(1, stand.time)
      while deck.attempts("GET /page") == 0 { await Task.yield() }
      stand.time.advance(by: .seconds(2))
      await expectEqual(call.value, .failure(.deadlinePassed(.seconds(2))))
      expectEqual(deck.attempts("GET /page"), 1)
      #expect(stand.client.admission.load == (0, 0))
      expectEqual(stand.time.sleeping, 0)
    }
  }

  @Test(arguments: Stage.allCases, ["", "cart"])
  func `who waits for a slot or his turn is given up, and sends nothing`(
    stage: Stage,
    order: String
  ) async throws {
    let deck = FlightStand.deck("/page")
    try await FlightStand.run(deck, on: stage, limits: Self.limits) { stand in
      stand.client.admission.suspend()
      var endpoint = Self.page
      if !order.isEmpty { endpoint.order = order }
      let calls = await stand.start(inOrder: [endpoint, endpoint])
      await running(2, stand.time)
      stand.time.advance(by: .seconds(2))
      for call in calls { await expectEqual(call.value, .failure(.deadlinePassed(.seconds(2)))) }
      stand.client.admission.resume()
      expectEqual(deck.attempts("GET /page"), 0)
      #expect(stand.client.admission.load == (0, 0))
      #expect(stand.client.admission.queues.load == (0, 0))
      expectEqual(stand.time.sleeping, 0)
    }
  }

  @Test(arguments: Stage.allCases)
  func `what is deferrable has the same deadline`(stage: Stage) async throws {
    let deck = FlightStand.deck("/page", [.always(.always, .stall(.afterRequest))])
    try await FlightStand.run(deck, on: stage, limits: Self.limits) { stand in
      let call = stand.start(Endpoint(.get, "/page", priority: .deferrable))
      // Its own, and that of the work that others might share.
      await running(2, stand.time)
      while deck.attempts("GET /page") == 0 { await Task.yield() }
      stand.time.advance(by: .seconds(2))
      await expectEqual(call.value, .failure(.deadlinePassed(.seconds(2))))
      expectEqual(stand.client.shared.flights.count, 0)
      #expect(stand.client.admission.load == (0, 0))
    }
  }

  @Test(arguments: Stage.allCases)
  func `a server that takes too long is absent, and stale is shown where that is granted`(
    stage: Stage
  ) async throws {
    let fields: HeaderFields = [
      "Cache-Control": "max-age=1, stale-if-error=60", "Content-Length": "3",
    ]
    let deck = FlightStand.deck(
      "/page",
      [.always(.attempt(2), .stall(.afterRequest))],
      Response(headers: fields, body: Body("one"))
    )
    try await FlightStand.run(deck, on: stage, limits: Self.limits, cache: ResponseCache()) {
      stand in
      let first = stand.start(Self.page)
      try await expectEqual(first.value.get().source, .network)
      stand.time.advance(by: .seconds(10))
      let second = stand.start(Self.page)
      await running(1, stand.time)
      while deck.attempts("GET /page") < 2 { await Task.yield() }
      stand.time.advance(by: .seconds(2))
      let answer = try await second.value.get()
      expectEqual(answer.source, .stale)
      expectEqual(answer.body, Data("one".utf8))
    }
  }

  @Test(arguments: Stage.allCases)
  func `by the machine's own time a call ends at its deadline, too`(stage: Stage) async throws {
    let deck = FlightStand.deck("/page", [.always(.always, .stall(.afterRequest))])
    try await FlightStand.run(deck, on: stage) { stand in
      let limit = Duration.milliseconds(20)
      let client = NetworkClient(
        baseURL: stand.base,
        session: stand.session,
        limits: CallLimits(deadline: limit)
      )
      await #expect(throws: NetworkError.deadlinePassed(limit)) {
        try await client.call(Self.page)
      }
      #expect(client.admission.load == (0, 0))
    }
  }
}
