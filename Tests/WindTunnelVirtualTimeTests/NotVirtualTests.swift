import Dispatch
import TestSupport
import WindTunnelVirtualTime

/// What goes by the machine's time is named, and never passes for a result.
@Suite(.onThisSystem, .timeLimit(.minutes(5))) struct NotVirtualTests {
  private static func reason(_ work: @escaping @Sendable () async throws -> Void) async
    -> NotVirtual.Reason?
  {
    do {
      try await VirtualTime.run(work)
      return nil
    } catch {
      return (error as? NotVirtual)?.reason
    }
  }

  /// Waits for a thread of its own, which waits until somebody says so, or not at all.
  private static func hop(until moment: DispatchSemaphore? = nil) async {
    await withCheckedContinuation { continuation in
      Thread {
        moment?.wait()
        continuation.resume()
      }.start()
    }
  }

  @Test func `a thread that time went on without`() async {
    for _ in 0..<10 {
      let reason = await Self.reason {
        let moment = DispatchSemaphore(value: 0)
        await withTaskGroup(of: Void.self) { group in
          group.addTask { await Self.hop(until: moment) }
          group.addTask {
            try? await Task.sleep(for: .seconds(5))
            moment.signal()
          }
        }
      }
      expectEqual(reason, .cameBackLate)
    }
  }

  @Test func `a thread of a task without a preference, likewise`() async {
    let reason = await Self.reason {
      let moment = DispatchSemaphore(value: 0)
      let task = Task { await Self.hop(until: moment) }
      try await Task.sleep(for: .seconds(5))
      moment.signal()
      await task.value
    }
    expectEqual(reason, .cameBackLate)
  }

  @Test func `a thread at whose instant nothing else was left is none`() async {
    let reason = await Self.reason {
      try await Task.sleep(for: .seconds(5))
      await Self.hop()
      try await Task.sleep(for: .seconds(5))
      await Task { await Self.hop() }.value
    }
    expectNil(reason)
  }

  @Test func `work on a queue that waits for time to go on stands still`() async {
    let reason = await Self.reason {
      let moment = DispatchSemaphore(value: 0)
      await withTaskGroup(of: Void.self) { group in
        group.addTask {
          await withCheckedContinuation { continuation in
            DispatchQueue.global().async {
              moment.wait()
              continuation.resume()
            }
          }
        }
        group.addTask {
          try? await Task.sleep(for: .seconds(5))
          moment.signal()
        }
      }
    }
    expectEqual(reason, .standstill(.seconds(10)))
  }

  @Test func `a wait with a limit by the clock`() async {
    let reason = await Self.reason {
      _ = Self.blockingWait(DispatchSemaphore(value: 0), .now() + 0.01)
    }
    expectEqual(reason, .blockingWait)
  }

  private static func blockingWait(
    _ semaphore: DispatchSemaphore,
    _ moment: DispatchTime
  ) -> DispatchTimeoutResult {
    semaphore.wait(timeout: moment)
  }

  @Test func `a loop that yields`() async {
    let reason = await Self.reason { while !Task.isCancelled { await Task.yield() } }
    expectEqual(reason, .busyWait)
  }

  @Test func `a loop that reads the clock`() async {
    let reason = await Self.reason {
      let end = Date() + 0.5
      while Date() < end {}
    }
    expectEqual(reason, .busyWait)
  }

  @Test func `a crowd at one instant waits for nothing`() async {
    let reason = await Self.reason {
      await withTaskGroup(of: Void.self) { group in
        for _ in 0..<30_000 { group.addTask { try? await Task.sleep(for: .seconds(1)) } }
      }
    }
    expectNil(reason)
  }

  @Test func `a timer of Dispatch`() async {
    let reason = await Self.reason {
      let timer = DispatchSource.makeTimerSource()
      timer.schedule(deadline: .now() + 3600)
      timer.activate()
      defer { timer.cancel() }
      try await Task.sleep(for: .seconds(7200))
    }
    expectEqual(reason, .dispatchTimer)
  }

  @Test func `a run in a run`() async throws {
    let reason = try await VirtualTime.run { await Self.reason {} }
    expectEqual(reason, .nested)
  }

  @Test func `runs together in a run`() async throws {
    let reason = try await VirtualTime.run {
      await Self.reason { try await VirtualTime.together {} }
    }
    expectEqual(reason, .nested)
  }

  @Test func `what the work throws is no such thing`() async {
    struct Own: Error {}
    await #expect(throws: Own.self) { try await VirtualTime.run { throw Own() } }
  }

  @Test func `who is cancelled is told of it`() async throws {
    let task = Task {
      try await VirtualTime.run {
        // Nothing else is left: the loop waits for the machine.
        try await withTaskCancellationHandler {
          await Self.hop()
          try Task.checkCancellation()
        } onCancel: {
        }
      }
    }
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
  }
}
