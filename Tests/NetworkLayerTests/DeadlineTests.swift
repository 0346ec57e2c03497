import TestSupport
import WindTunnelNetworkLayer
import WindTunnelTesting

@Suite struct DeadlineTests {
  @Test(.cassette("calls")) func `a wait that would reach the deadline is not begun`() async throws
  {
    let fixture = try Fixture(at: "/outage", deadline: .milliseconds(1400))
    let call = fixture.start()
    // The waits are 200, 400 and 800 ms; the third would end at the deadline itself.
    var waits: Set<Duration> = []
    while waits.count < 3, let wait = await fixture.time.nextSleep() {
      waits.insert(wait)
      if wait < .milliseconds(1400) { fixture.time.advance(by: wait) }
    }
    expectEqual(waits, [.milliseconds(200), .milliseconds(400), .milliseconds(1400)])
    await expectEqual(call.value, .failure(.server(status: 503, body: Data("last".utf8))))
    expectEqual(fixture.transport.instants, [.zero, .milliseconds(200), .milliseconds(600)])
    expectEqual(fixture.time.uptime, .milliseconds(600))
    expectEqual(fixture.time.sleeping, 0)
  }

  @Test func `an attempt in flight at the deadline is given up`() async throws {
    let fixture = try Fixture([.status(200, takes: .seconds(9))], deadline: .seconds(2))
    let call = fixture.start()
    let sleeps = [await fixture.time.nextSleep(), await fixture.time.nextSleep()]
    expectEqual(Set(sleeps), [.seconds(9), .seconds(2)])
    fixture.time.advance(by: .seconds(2))
    await expectEqual(call.value, .failure(.deadlinePassed(.seconds(2))))
    expectEqual(fixture.time.sleeping, 0)
    expectEqual(
      fixture.observer.events.map(\.kind).suffix(2),
      [
        .attemptEnded(1, .failure(.cancelled)),
        .callEnded(.failure(.deadlinePassed(.seconds(2))), attempts: 1),
      ]
    )
  }

  @Test(.cassette("calls"))
  func `an answer before the deadline leaves nothing running`() async throws {
    let fixture = try Fixture(at: "/fine", deadline: .seconds(2))
    let fine = CallResponse(status: 200, body: Data("fine".utf8))
    await expectEqual(fixture.start().value, .success(fine))
    expectEqual(fixture.time.sleeping, 0)
  }
}
