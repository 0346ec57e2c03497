import TestSupport

@testable import WindTunnelNetworkLayer

@Suite struct GateTests {
  func endpoint(
    _ path: String,
    _ priority: CallPriority = .standard,
    order: String? = nil
  ) -> Endpoint {
    Endpoint(.get, path, priority: priority, order: order)
  }

  @Test func `eight attempts are in flight at once and no ninth`() async throws {
    let fixture = try HeldFixture(.init(caps: TrafficCaps(total: 12, perHost: 8)))
    var calls: [Task<Result<CallResponse, NetworkError>, Never>] = []
    for number in 0..<20 { calls.append(await fixture.start(endpoint("/\(number)"))) }
    #expect(fixture.client.admission.load == (8, 12))
    for _ in 0..<20 { fixture.transport.answer(await fixture.transport.next()) }
    for call in calls { await expectEqual(call.value, .success(CallResponse(status: 200))) }
    expectEqual(fixture.transport.most, 8)
    #expect(fixture.client.admission.load == (0, 0))
  }

  @Test func `a critical call overtakes those that wait, and they keep their order`() async throws {
    let fixture = try HeldFixture(.init(caps: TrafficCaps(total: 1)))
    var calls = [await fixture.start(endpoint("/first"))]
    calls.append(await fixture.start(endpoint("/deferrable", .deferrable)))
    calls.append(await fixture.start(endpoint("/a")))
    calls.append(await fixture.start(endpoint("/b")))
    calls.append(await fixture.start(endpoint("/critical", .critical)))
    var order: [String] = []
    for _ in calls {
      order.append(await fixture.transport.next())
      fixture.transport.answer(order.last ?? "")
    }
    expectEqual(order, ["/first", "/critical", "/a", "/b", "/deferrable"])
    for call in calls { _ = await call.value }
    expectEqual(fixture.waits, [.slot, .slot, .slot, .slot])
  }

  @Test func `what is deferrable leaves two slots to others`() async throws {
    let fixture = try HeldFixture(.init(caps: TrafficCaps(total: 4, reserved: 2)))
    var calls: [Task<Result<CallResponse, NetworkError>, Never>] = []
    for number in 0..<4 { calls.append(await fixture.start(endpoint("/\(number)", .deferrable))) }
    await expectEqual(fixture.transport.next(2), ["/0", "/1"])
    calls.append(await fixture.start(endpoint("/critical", .critical)))
    await expectEqual(fixture.transport.next(), "/critical")
    #expect(fixture.client.admission.load == (3, 2))
    for path in ["/critical", "/0", "/1"] { fixture.transport.answer(path) }
    for path in await fixture.transport.next(2) { fixture.transport.answer(path) }
    for call in calls { await expectEqual(call.value, .success(CallResponse(status: 200))) }
  }

  @Test func `nobody is overtaken more often than the caps say`() {
    var state = GateState(TrafficCaps(total: 1, reserved: 0, overtakingsMax: 3))
    func ticket(_ priority: CallPriority) -> GateState.Ticket {
      GateState.Ticket(host: "a", endpoint: "/", priority: priority)
    }
    var entered = [state.arrive(0, ticket(.critical)), state.arrive(1, ticket(.deferrable))]
    for id in 2..<8 { entered.append(state.arrive(id, ticket(.critical))) }
    expectEqual(entered, [true] + Array(repeating: false, count: 7))
    var admitted: [Int] = []
    var last = 0
    while let next = state.leave(last).first {
      admitted.append(next)
      last = next
    }
    expectEqual(admitted, [2, 3, 4, 1, 5, 6, 7])
    expectEqual(state.running.count, 0)
  }

  @Test func `a busy host or endpoint delays no other`() {
    let caps = TrafficCaps(total: 4, perHost: 2, perEndpoint: ["/slow": 1], reserved: 0)
    var state = GateState(caps)
    func ticket(_ host: String, _ endpoint: String) -> GateState.Ticket {
      GateState.Ticket(host: host, endpoint: endpoint)
    }
    let entered = [
      state.arrive(1, ticket("a", "/slow")), state.arrive(2, ticket("a", "/slow")),
      state.arrive(3, ticket("a", "/x")), state.arrive(4, ticket("a", "/y")),
      state.arrive(5, ticket("b", "/slow")), state.arrive(6, ticket("b", "/x")),
    ]
    expectEqual(entered, [true, false, true, false, false, true])
    // The endpoint is free again, and the first that waited for it gets it.
    let admitted = [state.leave(1), state.leave(3), state.leave(2)]
    expectEqual(admitted, [[2], [4], [5]])
    expectEqual(state.waiting.count, 0)
  }

  @Test func `a call cancelled in the queue leaves it, sends nothing and keeps no slot`()
    async throws
  {
    let fixture = try HeldFixture(.init(caps: TrafficCaps(total: 1)))
    let first = await fixture.start(endpoint("/first"))
    let second = await fixture.start(endpoint("/second"))
    let third = await fixture.start(endpoint("/third"))
    second.cancel()
    await expectEqual(second.value, .failure(.cancelled))
    #expect(fixture.client.admission.load == (1, 1))
    await expectEqual(fixture.transport.next(), "/first")
    first.cancel()
    await expectEqual(first.value, .failure(.cancelled))
    await expectEqual(fixture.transport.next(), "/third")
    fixture.transport.answer("/third")
    await expectEqual(third.value, .success(CallResponse(status: 200)))
    #expect(fixture.client.admission.load == (0, 0))
    expectEqual(fixture.transport.requests, 2)
  }

  @Test func `ten thousand who come, go and give up leave no slot behind`() async {
    let gate = Gate(TrafficCaps(total: 3))
    let counts = Locked((now: 0, most: 0, passed: 0))
    await concurrently(0..<10_000) { number in
      let task = Task {
        let ticket = GateState.Ticket(
          host: "\(number % 2)",
          endpoint: "/",
          priority: CallPriority.allCases[number % 3]
        )
        guard let slot = await gate.enter(ticket) else { return }
        counts.withLock {
          $0.now += 1
          $0.most = max($0.most, $0.now)
        }
        await Task.yield()
        counts.withLock {
          $0.now -= 1
          $0.passed += 1
        }
        gate.leave(slot)
      }
      if number.isMultiple(of: 2) { task.cancel() }
      await task.value
    }
    #expect(gate.load == (0, 0))
    expectEqual(counts.withLock { $0.now }, 0)
    expectEqual(counts.withLock { $0.most }, 3)
    #expect(counts.withLock { $0.passed } >= 5_000)
  }

  @Test func `ordered calls do not overtake each other, others do`() async throws {
    let fixture = try HeldFixture()
    let first = await fixture.start(endpoint("/1", order: "cart"))
    let second = await fixture.start(endpoint("/2", order: "cart"))
    let third = await fixture.start(endpoint("/3", .critical, order: "cart"))
    let other = await fixture.start(endpoint("/other", order: "mail"))
    expectEqual(Set(await fixture.transport.next(2)), ["/1", "/other"])
    fixture.transport.answer("/1", 503)
    // With all its attempts: the second waits for the retry of the first.
    _ = await fixture.time.nextSleep()
    expectEqual(fixture.transport.requests, 2)
    fixture.time.advance(by: .seconds(1))
    await expectEqual(fixture.transport.next(), "/1")
    fixture.transport.answer("/1")
    await expectEqual(fixture.transport.next(), "/2")
    second.cancel()
    await expectEqual(second.value, .failure(.cancelled))
    await expectEqual(fixture.transport.next(), "/3")
    fixture.transport.answer("/3")
    fixture.transport.answer("/other")
    for call in [first, third, other] { _ = try await call.value.get() }
    #expect(fixture.client.admission.queues.load == (0, 0))
  }
}
