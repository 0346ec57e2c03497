import TestSupport
import WindTunnelVirtualTime

/// Whoever runs beside a run notices nothing of it.
@Suite(.onThisSystem, .timeLimit(.minutes(5))) struct NeighbourTests {
  private static func neighbour(_ kind: Int) async -> Duration {
    let start = ContinuousClock.now
    switch kind % 4 {
    case 0: try? await Task.sleep(for: .milliseconds(300))
    case 1: await Task { try? await Task.sleep(for: .milliseconds(300)) }.value
    case 2:
      await withTaskGroup(of: Void.self) { group in
        for _ in 0..<3 { group.addTask { try? await Task.sleep(for: .milliseconds(300)) } }
      }
    default:
      await withCheckedContinuation { continuation in
        DispatchQueue.global().asyncAfter(deadline: .now() + 0.3) { continuation.resume() }
      }
    }
    return ContinuousClock.now - start
  }

  @Test func `twenty neighbours sleep by the machine's time`() async throws {
    async let neighbours = withTaskGroup(of: Duration.self) { group in
      for kind in 0..<20 { group.addTask { await Self.neighbour(kind) } }
      return await group.reduce(into: [Duration]()) { $0.append($1) }
    }
    for _ in 0..<20 {
      try await VirtualTime.run {
        for _ in 0..<100 { try await Task.sleep(for: .seconds(60)) }
        await Task { try? await Task.sleep(for: .seconds(60)) }.value
      }
    }
    for slept in await neighbours {
      #expect(slept >= .milliseconds(300) && slept < .seconds(60))
    }
  }

  @Test func `a neighbour that a run wakes has the machine's time`() async throws {
    let (stream, continuation) = AsyncStream.makeStream(of: Int.self)
    let neighbour = Task {
      var slept: [Duration] = []
      for await _ in stream {
        let start = ContinuousClock.now
        try await Task.sleep(for: .milliseconds(20))
        slept.append(ContinuousClock.now - start)
        #expect(!VirtualTime.isRunning)
      }
      return slept
    }
    for number in 0..<10 {
      try await VirtualTime.run {
        continuation.yield(number)
        try await Task.sleep(for: .seconds(3600))
      }
    }
    continuation.finish()
    let slept = try await neighbour.value
    expectEqual(slept.count, 10)
    #expect(slept.allSatisfy { $0 >= .milliseconds(20) && $0 < .seconds(60) })
  }

  @Test func `runs that are asked for at once follow one another`() async throws {
    let slept = try await withThrowingTaskGroup(of: Duration.self) { group in
      for number in 1...20 {
        group.addTask {
          try await VirtualTime.run {
            let start = ContinuousClock.now
            try await Task.sleep(for: .seconds(number * 100))
            return ContinuousClock.now - start
          }
        }
      }
      return try await group.reduce(into: [Duration]()) { $0.append($1) }
    }
    expectEqual(slept.sorted(), (1...20).map { .seconds($0 * 100) })
  }

  @Test func `what a run leaves behind goes on by the machine's time`() async throws {
    let (task, start) = try await VirtualTime.run {
      (Task { try await Task.sleep(for: .milliseconds(400)) }, ContinuousClock.now)
    }
    _ = start
    let begun = ContinuousClock.now
    try await task.value
    #expect(ContinuousClock.now - begun > .milliseconds(100))
  }
}
