import TestSupport
import WindTunnelNetworkLayer
import WindTunnelSymptoms

@Suite struct CancellationTests {
  @Test(arguments: [
    (ScriptedTransport.Step.status(503), Duration.milliseconds(200)),
    (.status(503, takes: .seconds(9)), .seconds(9)),
  ])
  func `a call cancelled in a wait or in flight ends at once, and no attempt follows`(
    step: ScriptedTransport.Step,
    sleep: Duration
  ) async throws {
    let fixture = try Fixture([step, .status(200)])
    let call = fixture.start()
    await expectEqual(fixture.time.nextSleep(), sleep)
    call.cancel()
    await expectEqual(call.value, .failure(.cancelled))
    expectEqual(fixture.transport.instants, [.zero])
    expectEqual(fixture.time.sleeping, 0)
    expectEqual(
      fixture.observer.events.last,
      CallEvent(call: 1, elapsed: .zero, kind: .callEnded(.failure(.cancelled), attempts: 1))
    )
  }

  @Test func `a call cancelled before it begins sends nothing`() async throws {
    let fixture = try Fixture([.status(200)])
    let call = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return await fixture.result(of: Endpoint(.get, "/a"))
    }
    await expectEqual(call.value, .failure(.cancelled))
    #expect(fixture.transport.instants.isEmpty)
  }

  @Test func `a cancelled call with a deadline is cancelled, not late`() async throws {
    let fixture = try Fixture([.status(503, takes: .seconds(9))], deadline: .seconds(60))
    let call = fixture.start()
    let sleeps = [await fixture.time.nextSleep(), await fixture.time.nextSleep()]
    expectEqual(Set(sleeps), [.seconds(9), .seconds(60)])
    call.cancel()
    await expectEqual(call.value, .failure(.cancelled))
    expectEqual(fixture.time.sleeping, 0)
  }

  @Test func `a setback that comes with the cancellation is a cancellation`() async throws {
    // The transport looks at no cancellation: its attempt fails after one.
    struct Deaf: Transport {
      let entered: AsyncStream<Void>.Continuation
      let left: AsyncStream<Void>
      func send(_ request: URLRequest) async throws(TransportError) -> ServerResponse {
        entered.finish()
        await Task { for await _ in left {} }.value
        throw .failed(.connectionLost, text: "")
      }
    }
    let (entered, hasEntered) = AsyncStream<Void>.makeStream()
    let (left, mayLeave) = AsyncStream<Void>.makeStream()
    let client = NetworkClient(
      builder: RequestBuilder(baseURL: try Fixture.base()),
      transport: Deaf(entered: hasEntered, left: left),
      // A call whose time is over before it is sent would never get there.
      limits: CallLimits(attemptTimeout: .seconds(3600), deadline: nil)
    )
    let call = Task { try await client.call(Endpoint(.get, "/a")) }
    for await _ in entered {}
    call.cancel()
    mayLeave.finish()
    await #expect(throws: NetworkError.cancelled) { try await call.value }
  }
}
