import TestSupport
import WindTunnel

@testable import WindTunnelNetworkLayer

/// The deadline of a call that waits for its turn, in process and on the wire.
@Suite struct TurnFlightTests {
  @Test(.timeLimit(.minutes(1)), arguments: Stage.allCases)
  func `a waiting ordered call ends at its deadline, however long the previous call takes`(
    stage: Stage
  ) async throws {
    let deck = FlightStand.deck("/page", [.always(.always, .stall(.afterRequest))])
    try await FlightStand.run(deck, on: stage) { stand in
      let endless = Endpoint(.get, "/page", order: "cart")
      var timely = endless
      timely.limits = CallLimits(attemptTimeout: .seconds(3600), deadline: .seconds(2))
      let calls = await stand.start(inOrder: [endless, timely])
      while stand.time.sleeping < 1 { await Task.yield() }
      stand.time.advance(by: .seconds(2))
      await expectEqual(calls[1].value, .failure(.deadlinePassed(.seconds(2))))
      #expect(stand.client.admission.queues.load == (1, 0))
      calls[0].cancel()
      await expectEqual(calls[0].value, .failure(.cancelled))
      #expect(stand.client.admission.queues.load == (0, 0))
    }
  }
}
