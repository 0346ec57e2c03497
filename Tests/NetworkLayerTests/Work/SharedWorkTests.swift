import TestSupport

@testable import WindTunnelNetworkLayer

@Suite struct SharedWorkTests {
  let endpoint = Endpoint(.get, "/news", priority: .deferrable)

  @Test(arguments: [false, true])
  func `equal deferrable calls share one response`(runs: Bool) async throws {
    let fixture = try HeldFixture()
    let runner = runs ? await running(fixture.client) : nil
    var calls = [await fixture.start(endpoint)]
    for _ in 0..<4 { calls.append(await fixture.start(endpoint)) }
    calls.append(await fixture.start(Endpoint(.get, "/old", priority: .deferrable)))
    await expectEqual(fixture.transport.next(2), ["/news", "/old"])
    fixture.transport.answer("/old", body: "1")
    fixture.transport.answer("/news", body: "1")
    for call in calls { try await expectEqual(call.value.get().body, Data("1".utf8)) }
    expectEqual(fixture.waits, Array(repeating: .sharedResponse, count: 4))
    expectEqual(fixture.transport.requests, 2)
    runner?.cancel()
    await runner?.value
    expectEqual(fixture.client.shared.flights.count, 0)
  }

  @Test func `a cancelled caller does not take the shared response from the other callers`()
    async throws
  {
    let fixture = try HeldFixture()
    let runner = await running(fixture.client)
    let first = await fixture.start(endpoint)
    let second = await fixture.start(endpoint)
    await expectEqual(fixture.transport.next(), "/news")
    first.cancel()
    await expectEqual(first.value, .failure(.cancelled))
    fixture.transport.answer("/news", body: "1")
    try await expectEqual(second.value.get().body, Data("1".utf8))
    expectEqual(fixture.transport.requests, 1)
    runner.cancel()
    await runner.value
  }

  @Test func `where nobody runs errands another caller takes over`() async throws {
    let fixture = try HeldFixture()
    let first = await fixture.start(endpoint)
    let second = await fixture.start(endpoint)
    await expectEqual(fixture.transport.next(), "/news")
    first.cancel()
    await expectEqual(first.value, .failure(.cancelled))
    await expectEqual(fixture.transport.next(), "/news")
    fixture.transport.answer("/news", body: "1")
    try await expectEqual(second.value.get().body, Data("1".utf8))
    expectEqual(fixture.client.shared.flights.count, 0)
  }

  @Test func `the end of the errands cancels what is under way, and a caller takes over`()
    async throws
  {
    let fixture = try HeldFixture()
    let runner = await running(fixture.client)
    let call = await fixture.start(endpoint)
    await expectEqual(fixture.transport.next(), "/news")
    runner.cancel()
    await runner.value
    await expectEqual(fixture.transport.next(), "/news")
    fixture.transport.answer("/news", body: "1")
    try await expectEqual(call.value.get().body, Data("1".utf8))
  }

  @Test func `errands can be run again, and none is taken on in between`() async {
    let background = BackgroundTasks()
    #expect(!background.add {})
    for _ in 0..<3 {
      let (done, isDone) = AsyncStream<Void>.makeStream()
      let runner = Task { await background.run() }
      while !background.add({ isDone.finish() }) { await Task.yield() }
      for await _ in done {}
      runner.cancel()
      await runner.value
      #expect(!background.add {})
    }
  }

  @Test func `of a thousand shared calls with half of the callers cancelled, all others complete`()
    async
  {
    let background = BackgroundTasks()
    let flights = SingleFlight<Int, Int>(background)
    let runner = Task { await background.run() }
    let values = await withTaskGroup(of: Int?.self) { group in
      for number in 0..<1000 {
        group.addTask {
          let task = Task {
            await flights.value(for: number % 7) {
              await Task.yield()
              return number % 7
            }
          }
          if number.isMultiple(of: 2) { task.cancel() }
          return await task.value.map { $0 == number % 7 ? 1 : -1 }
            ?? (number.isMultiple(of: 2) ? nil : -1)
        }
      }
      return await group.reduce(into: [Int?]()) { $0.append($1) }
    }
    #expect(!values.contains(-1))
    #expect(values.count { $0 == 1 } >= 500)
    runner.cancel()
    await runner.value
    expectEqual(flights.count, 0)
  }

  /// Runs a client's errands, from before this returns.
  private func running(_ client: NetworkClient) async -> Task<Void, Never> {
    let runner = Task { await client.run() }
    while !client.shared.background.add({}) { await Task.yield() }
    return runner
  }
}
