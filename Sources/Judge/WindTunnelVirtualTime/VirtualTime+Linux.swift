#if os(Linux)
  internal import Foundation
  @_spi(WindTunnel) internal import WindTunnelCore

  extension VirtualTime {
    /// The reason why virtual time is not supported, or `nil` if it is.
    static var hindrance: String? { VirtualExecutor.hindrance }

    /// The turns of the runs. A process has only one run at a time, except runs that share a turn.
    private static let turns = Turns()
    /// Whether the caller of this task's runs holds the turn for all of them.
    @TaskLocal private static var hasTurn = false

    /// Whether this thread is in a run.
    static var isHere: Bool { VirtualExecutor.isHere }

    /// Waits for a real time whether a task returns from another thread, which may be the reason
    /// for a call that seems to hang. Does nothing outside a run.
    package static func listen(for time: Duration) { VirtualLoop.current?.listen(for: time) }

    /// Contains crashes in this run from now on: a crash ends only its thread, and not the process.
    /// The thread's locks stay locked, and its next action never happens. Outside a run, and on the
    /// main queue, a crash still ends the process.
    ///
    /// The closure `tell` receives a crash, on any thread.
    package static func containCrashes(telling tell: @escaping @Sendable (Crash) -> Void) {
      VirtualLoop.current?.containCrashes(telling: tell)
    }

    /// Takes the turn for all runs that the work begins.
    static func sharingTurn<Value>(_ work: () async throws -> Value) async throws -> Value {
      if hasTurn { return try await work() }
      await turns.take()
      defer { turns.giveBack() }
      return try await $hasTurn.withValue(true) { try await work() }
    }

    /// Runs work when this process has no other run, except runs that share a turn with it.
    static func run<Value: Sendable>(
      _ order: TurnOrder,
      _ seed: UInt64?,
      startingAt date: Date?,
      _ work: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
      if !hasTurn {
        return try await sharingTurn { try await run(order, seed, startingAt: date, work) }
      }
      try Task.checkCancellation()
      let executor = VirtualExecutor(
        VirtualLoop(order, seed: seed, startingAt: date.map { .seconds($0.timeIntervalSince1970) })
      )
      executor.start()
      return try await withThrowingTaskGroup(of: RaceResult<Value>.self) { group in
        group.addTask(executorPreference: executor) {
          let result: Result<Value, any Error>
          do { result = .success(try await work()) } catch { result = .failure(error) }
          // On the loop, so that it is no later than at the instant of its last turn.
          executor.end()
          return .done(result)
        }
        group.addTask {
          await executor.loop.untilOver()
          return .over
        }
        var result: Result<Value, any Error>?
        while result == nil, executor.loop.reason == nil, let ending = try await group.next() {
          if case .done(let done) = ending { result = done }
        }
        executor.end()
        group.cancelAll()
        // A cancellation wakes sleepers from another thread.
        try Task.checkCancellation()
        // The result of the work is then invalid.
        if let reason = executor.loop.reason { throw NotVirtual(reason) }
        guard let result else { throw CancellationError() }
        return try result.get()
      }
    }

    private enum RaceResult<Value: Sendable>: Sendable {
      case done(Result<Value, any Error>)
      case over
    }
  }
#endif
