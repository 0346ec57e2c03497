import Mutations
import TestSupport
@_spi(WindTunnel) import WindTunnelCore

@testable import WindTunnelWire

@Suite(.timeLimit(.minutes(5))) struct EventLoopTests {
  @Test func `timers fire in the order of their deadlines, equal ones as scheduled`() async throws {
    let loop = try EventLoop()
    let fired = Events<Int>()
    loop.execute { reactor in
      let now = Moment.now()
      for (name, delay) in [(4, 3), (0, 0), (2, 2), (1, 1), (3, 2), (5, 3)] as [(Int, Int64)] {
        reactor.schedule(at: now + delay * 1_000_000) { _ in fired(name) }
      }
      let never = reactor.schedule(at: now) { _ in fired(-1) }
      reactor.cancel(never)
      reactor.cancel(never)
    }
    await expectEqual(fired.first(6), [0, 1, 2, 3, 4, 5])
    await loop.stop()
  }

  @Test func `a timer of one millisecond does not take two, nor fire early`() async throws {
    let loop = try EventLoop()
    var shortest = Int64.max
    // A busy machine is late now and then; a clock of whole milliseconds always is.
    for _ in 0..<500 where shortest >= 1_500_000 {
      let delay = Events<Int64>()
      loop.execute { reactor in
        let start = Moment.now()
        reactor.schedule(after: 1_000_000) { _ in delay(Moment.now() - start) }
      }
      shortest = min(shortest, try await delay.next())
    }
    #expect(1_000_000..<1_500_000 ~= shortest)
    await loop.stop()
  }

  @Test(arguments: UInt64(0)..<4)
  func `a heap gives what a sorted list would, cancelled ones left out`(seed: UInt64) {
    var numbers = Generator(seed: seed)
    var heap = TimerHeap<Int>()
    var model: [(deadline: Int64, name: Int)] = []
    var ids: [(Int, TimerHeap<Int>.ID)] = []
    for name in 0..<2000 {
      let deadline = Int64.random(in: 0..<100, using: &numbers)
      ids.append((name, heap.schedule(at: Moment(nanoseconds: deadline), name)))
      model.append((deadline, name))
      if name.isMultiple(of: 3), let (gone, id) = ids.randomElement(using: &numbers) {
        heap.cancel(id)
        model.removeAll { $0.name == gone }
      }
      if name.isMultiple(of: 7), let first = heap.popDue(Moment(nanoseconds: 50)) {
        let expected = model.filter { $0.deadline <= 50 }.min { ($0.0, $0.1) < ($1.0, $1.1) }
        expectEqual(first, expected?.name)
        model.removeAll { $0.name == first }
      }
    }
    var rest: [Int] = []
    while let name = heap.popDue(Moment(nanoseconds: 100)) { rest.append(name) }
    expectEqual(rest, model.sorted { ($0.0, $0.1) < ($1.0, $1.1) }.map(\.name))
    #expect(heap.count == 0 && heap.nextDeadline == nil)
  }

  @Test func `jobs of one thread run in their order, and those before a stop still run`()
    async throws
  {
    let loop = try EventLoop()
    let ran = Locked<[Int]>([])
    for number in 0..<1000 { loop.execute { _ in ran.withLock { $0.append(number) } } }
    await loop.stop()
    expectEqual(ran.withLock { $0 }, Array(0..<1000))
    #expect(!loop.execute { _ in })
    await #expect(throws: EventLoop.Stopped.self) { try await loop.run { _ in } }
    await loop.stop()
  }

  /// The stop may meet the loop before, within and after the round that takes the last jobs.
  @Test func `a stop comes through, however it meets the jobs before it`() async throws {
    for _ in 0..<300 {
      let loop = try EventLoop()
      let ran = Locked(0)
      for _ in 0..<20 { loop.execute { _ in ran.withLock { $0 += 1 } } }
      await loop.stop()
      expectEqual(ran.withLock { $0 }, 20)
    }
  }

  @Test func `a stop closes every connection and frees the port`() async throws {
    let loop = try EventLoop()
    let address = try await loop.serve { script in
      script.received = { channel, bytes in channel.write(bytes) }
    }
    let client = try RawClient(address)
    await client.send("x")
    await expectEqual(client.receive(atLeast: 1), [0x78])
    await loop.stop()
    #expect(await client.finish() == ([], .finished))
    let next = try EventLoop()
    try await expectEqual(next.serve(at: address) { _ in }, address)
    await next.stop()
  }

  @Test func `an event that ends a long wait is not dated before it`() async throws {
    let loop = try EventLoop()
    let dates = Events<Moment>()
    let address = try await loop.run { reactor in
      try Listener(on: reactor) { socket in
        dates(reactor.now)
        socket.close()
      }.address
    }
    for _ in 0..<20 {
      // Only a round that begins after this waits for the client: one that still goes on could
      // accept it, by a date of its own beginning.
      try await loop.run { _ in }
      let before = Moment.now()
      let client = try RawClient(address)
      #expect(try await dates.next() >= before)
      client.close()
    }
    await loop.stop()
  }
}
