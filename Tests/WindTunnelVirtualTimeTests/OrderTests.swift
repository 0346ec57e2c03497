import Foundation
import TestSupport
import Testing
import WindTunnelVirtualTime

/// The order of turns: the same each time, and of the same seed.
@Suite(.onThisSystem, .timeLimit(.minutes(5))) struct OrderTests {
  private actor Log {
    var lines: [String] = []
    func add(_ line: String) { lines.append(line) }
  }

  private static func flight(_ order: TurnOrder, seed: UInt64? = 7) async throws -> [String] {
    try await VirtualTime.run(in: order, seed: seed, startingAt: Date(timeIntervalSince1970: 1000))
    {
      let log = Log()
      await withTaskGroup(of: Void.self) { group in
        for number in 0..<40 {
          group.addTask {
            for attempt in 0..<3 {
              try? await Task.sleep(for: .milliseconds(Int.random(in: 1...5) * 100))
              await log.add("\(number).\(attempt) \(Date().timeIntervalSince1970)")
            }
          }
        }
      }
      return await log.lines
    }
  }

  @Test func `the same seed has the same turns, draws and times`() async throws {
    let first = try await Self.flight(.arrival)
    expectEqual(first.count, 120)
    for _ in 0..<20 { try await expectEqual(Self.flight(.arrival), first) }
    #expect(try await Self.flight(.arrival, seed: 8) != first)
    #expect(try await Self.flight(.arrival, seed: nil) != first, "the system draws")
  }

  /// An actor that yields in the midst of its work, in which others have their turns.
  private actor Yielding {
    var lines: [String] = []

    func work(_ number: Int) async {
      for round in 0..<3 {
        lines.append("\(number) \(round) before")
        await Task.yield()
        lines.append("\(number) \(round) after")
        // Long enough for another thread to come in between.
        lines.append("\((0..<2000).reduce(0) { ($0 &* 31) ^ $1 })")
      }
    }
  }

  /// A yield within an actor goes to the global executor by Dispatch, past the hook for jobs.
  @Test func `those who yield within an actor have the same turns each time`() async throws {
    @Sendable func flight() async throws -> [String] {
      try await VirtualTime.run {
        let actor = Yielding()
        async let one: Void = actor.work(1)
        async let two: Void = actor.work(2)
        async let three: Void = actor.work(3)
        let four = Task { await actor.work(4) }
        _ = await (one, two, three, four.value)
        return await actor.lines
      }
    }
    let first = try await flight()
    for _ in 0..<300 { try await expectEqual(flight(), first) }
  }

  /// Keeps a processor busy for so many milliseconds of its own time.
  private static func burn(_ milliseconds: Int) {
    func spent() -> Int {
      var time = timespec()
      clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
      return time.tv_sec * 1000 + time.tv_nsec / 1_000_000
    }
    let end = spent() + milliseconds
    while spent() < end {}
  }

  @Test func `work that is out and goes on has its place before what is ready`() async throws {
    for _ in 0..<3 {
      let lines = try await VirtualTime.run {
        let log = Log()
        let other = Task { await log.add("ready") }
        await withCheckedContinuation { continuation in
          DispatchQueue.global().async {
            Self.burn(80)
            continuation.resume()
          }
          // The turn that this one waits behind is not to go before the work.
          Task { for round in 0..<3 { await log.add("\(round)") } }
        }
        await log.add("work")
        await other.value
        return await log.lines
      }
      expectEqual(lines, ["work", "ready", "0", "1", "2"])
    }
  }

  @Test func `two pieces of work come back in their order, whichever is done first`() async throws {
    let lines = try await VirtualTime.run {
      let log = Log()
      await withTaskGroup(of: Void.self) { group in
        for (number, length) in [60, 1].enumerated() {
          group.addTask {
            await withCheckedContinuation { continuation in
              DispatchQueue.global().async {
                Self.burn(length)
                continuation.resume()
              }
            }
            await log.add("\(number)")
          }
        }
      }
      return await log.lines
    }
    expectEqual(lines, ["0", "1"])
  }

  @Test func `work that waits for what is ready does not hold it up`() async throws {
    try await VirtualTime.run {
      let moment = DispatchSemaphore(value: 0)
      let queue = DispatchQueue(label: "own")
      await withCheckedContinuation { continuation in
        queue.async { moment.wait() }
        // It does not begin before the one in front of it is done.
        queue.async { continuation.resume() }
        Task { moment.signal() }
      }
    }
  }

  @Test func `a queue that is resumed by what is ready does not hold it up`() async throws {
    try await VirtualTime.run {
      let queue = DispatchQueue(label: "own")
      queue.suspend()
      await withCheckedContinuation { continuation in
        queue.async { continuation.resume() }
        Task { queue.resume() }
      }
    }
  }

  @Test func `a drawn order is another, and repeats by its seed`() async throws {
    let arrival = try await Self.flight(.arrival)
    let orders = try await [1, 2, 3].asyncMap { try await Self.flight(.drawn(seed: $0)) }
    for order in orders { #expect(order != arrival) }
    expectEqual(Set(orders).count, 3)
    try await expectEqual(Self.flight(.drawn(seed: 2)), orders[1])
  }

  /// A cache that two fill when both look before either has an answer.
  @Test func `a race shows in some order, and by its seed again`() async throws {
    final class Box: @unchecked Sendable { var token: Int?; var fetched = 0 }
    @Sendable func fetched(_ order: TurnOrder) async throws -> Int {
      try await VirtualTime.run(in: order) {
        let box = Box()
        @Sendable func token() async -> Int {
          if let token = box.token { return token }
          await Task.yield()
          box.fetched += 1
          box.token = box.fetched
          return box.fetched
        }
        async let a = token()
        async let b = token()
        _ = await (a, b)
        return box.fetched
      }
    }
    var counts: Set<Int> = []
    for seed in 0..<30 {
      let count = try await fetched(.drawn(seed: UInt64(seed)))
      try await expectEqual(fetched(.drawn(seed: UInt64(seed))), count)
      counts.insert(count)
    }
    expectEqual(counts, [1, 2])
  }
}

extension Array {
  fileprivate func asyncMap<Other>(_ transform: (Element) async throws -> Other) async rethrows
    -> [Other]
  {
    var others: [Other] = []
    for element in self { others.append(try await transform(element)) }
    return others
  }
}
