import TestSupport
import WindTunnelNetworkLayer

@Suite struct CancelRaceTests {
  /// Where the cancel of a request comes from, and about when.
  enum Moment: Int, CaseIterable {
    /// As soon as there is something to cancel.
    case first
    /// From the test, told by the stub just before it answers.
    case answering
    /// From the very queue that is about to answer.
    case onQueue
    /// From the test after a few turns of the scheduler.
    case soon
  }

  @Test(.timeLimit(.minutes(5)))
  func `ten thousand cancels that race the answer all end`() async throws {
    let races = Races()
    let (session, base) = StubProtocol.session { request in
      races.answering(request)
      return .status(200, [:], Data("ok".utf8))
    }
    defer { session.invalidateAndCancel() }
    let transport = URLSessionTransport(session: session)
    let url = try #require(URL(string: base))

    let outcomes = await withTaskGroup(of: [AttemptOutcome].self) { group in
      for runner in 0..<8 {
        group.addTask {
          var outcomes: [AttemptOutcome] = []
          for number in 0..<1250 {
            let moment = Moment.allCases[number % Moment.allCases.count]
            let request = URLRequest(url: url.appendingPathComponent("\(runner)-\(number)"))
            outcomes.append(
              await races.run(request, by: transport, cancelAt: moment, turns: number % 7)
            )
          }
          return outcomes
        }
      }
      return await group.reduce(into: []) { $0 += $1 }
    }

    let answered = outcomes.count { $0.map(\.body) == .success(Data("ok".utf8)) }
    let cancelled = outcomes.count { $0 == .failure(.cancelled) }
    expectEqual(outcomes.count, 10_000)
    expectEqual(answered + cancelled, 10_000)
    // Those that are cancelled first of all, at least.
    #expect(cancelled >= 2_500)
  }
}

/// The requests in flight, so that the stub can cancel one or tell that it is about to answer.
private final class Races: @unchecked Sendable {
  private let lock = NSLock()
  private var hooks: [String: @Sendable () -> Void] = [:]

  /// Called on the session's queue.
  func answering(_ request: URLRequest) {
    let hook = lock.withLock { hooks.removeValue(forKey: request.url?.path ?? "") }
    hook?()
  }

  func run(
    _ request: URLRequest,
    by transport: URLSessionTransport,
    cancelAt moment: CancelRaceTests.Moment,
    turns: Int
  ) async -> AttemptOutcome {
    let (ready, isReady) = AsyncStream<Void>.makeStream()
    let (answering, isAnswering) = AsyncStream<Void>.makeStream()
    let task = Task { () -> AttemptOutcome in
      if moment == .onQueue || moment == .answering { for await _ in ready {} }
      do throws(TransportError) {
        return .success(try await transport.send(request))
      } catch {
        return .failure(error)
      }
    }
    switch moment {
    case .first: task.cancel()
    case .answering:
      set(request) { isAnswering.finish() }
      isReady.finish()
      for await _ in answering {}
      task.cancel()
    case .onQueue:
      set(request) { task.cancel() }
      isReady.finish()
    case .soon:
      for _ in 0..<turns { await Task.yield() }
      task.cancel()
    }
    return await task.value
  }

  private func set(_ request: URLRequest, _ hook: @escaping @Sendable () -> Void) {
    lock.withLock { hooks[request.url?.path ?? ""] = hook }
  }
}
