#if os(Linux)
  internal import Foundation
  @_spi(WindTunnel) internal import WindTunnelCore

  extension VirtualTime {
    /// The reason for which it is not to be had; `nil` where it is.
    static var hindrance: String? { VirtualExecutor.hindrance }

    /// The turns of the runs, of which a process has one at a time, but for those together.
    private static let turns = Turns()
    /// Tells whether whoever began the runs of this task has the turn for all of them.
    @TaskLocal private static var hasTurn = false

    /// Tells whether this thread has the time of a run.
    static var isHere: Bool { VirtualExecutor.isHere }

    /// Waits for so much of the machine's time whether something comes back from another thread:
    /// where a call seems to hang, that is why. Does nothing outside a run.
    package static func listen(for time: Duration) { VirtualLoop.current?.listen(for: time) }

    /// Takes a crash in this run from now on for the end of the thread that it is on, with all that
    /// this has locked, and not of the process: what it was about to do is never done. Outside a
    /// run, and on the main queue, a crash is what it always is.
    ///
    /// - Parameter tell: Hears of a crash, on any thread.
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

    /// Runs work when no other run of this process does, but those that are together with it.
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
      return try await withThrowingTaskGroup(of: Ending<Value>.self) { group in
        group.addTask(executorPreference: executor) {
          let result: Result<Value, any Error>
          do { result = .success(try await work()) } catch { result = .failure(error) }
          // On the loop: at no later instant than its last turn.
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
        // Whoever cancels wakes sleepers from another thread.
        try Task.checkCancellation()
        // What it has returned says nothing then.
        if let reason = executor.loop.reason { throw NotVirtual(reason) }
        guard let result else { throw CancellationError() }
        return try result.get()
      }
    }

    private enum Ending<Value: Sendable>: Sendable {
      case done(Result<Value, any Error>)
      case over
    }
  }
#endif
