@_spi(WindTunnel) internal import WindTunnelCore

// A waiting client needs no processor. Scenarios that mostly wait, or that begin their calls one by
// one, therefore run beside all others. Each other scenario begins when all calls of the previous
// scenario have begun. A drill takes no longer than its calls take to begin, plus its longest wait.
extension [Scenario] {
  /// Runs each scenario, and returns the results in the scenarios' order.
  ///
  /// - Parameters:
  ///   - keepsPart: Whether a cancelled run returns the scenarios that had begun, rather than an
  ///     error.
  ///   - run: Runs a scenario, and reports when all its calls have begun.
  /// - Returns: The result of each scenario, in the scenarios' order.
  /// - Throws: The first error that `run` throws. The other scenarios are then cancelled.
  func flown<Flown: Sendable>(
    keepingPart keepsPart: Bool = false,
    _ run:
      @escaping @Sendable (Scenario, _ allBegan: @escaping @Sendable () -> Void) async throws
      -> Flown
  ) async throws -> [Flown] {
    // After a failure, the drill does not wait for the next scenario to begin.
    let failure = Locked<(isThere: Bool, begins: AsyncStream<Void>.Continuation?)>((false, nil))
    return try await withThrowingTaskGroup(of: (Int, Flown).self) { group in
      func add(_ place: Int, _ scenario: Scenario, then begins: @escaping @Sendable () -> Void) {
        group.addTask {
          // A wait for the beginning of the calls ends when the scenario ends, at the latest.
          defer { begins() }
          do {
            return (place, try await run(scenario, begins))
          } catch {
            let waiting = failure.withLock { failure in
              failure.isThere = true
              return failure.begins
            }
            waiting?.finish()
            throw error
          }
        }
      }
      var all: [Flown?] = map { _ in nil }
      for (place, scenario) in enumerated() where scenario.isIdle { add(place, scenario) {} }
      for (place, scenario) in enumerated() where !scenario.isIdle {
        let (begun, begins) = AsyncStream<Void>.makeStream()
        let hasFailed = failure.withLock { failure in
          failure.begins = begins
          return failure.isThere
        }
        if hasFailed { begins.finish() }
        add(place, scenario) { begins.finish() }
        for await _ in begun {}
        if keepsPart, Task.isCancelled { break }
        try Task.checkCancellation()
        if failure.withLock({ $0.isThere }) { break }
      }
      for try await (place, flown) in group { all[place] = flown }
      return all.compactMap(\.self)
    }
  }
}

/// Counts the beginnings of a scenario's calls, and reports the last of them.
final class CallStarts: Sendable {
  private let count: Int
  /// The calls that have begun, by client. A call whose process crashed may begin twice, but counts
  /// once.
  private let begun = Locked<[String: Set<Int>]>([:])
  private let allBegan: @Sendable () -> Void

  /// Creates a counter that waits for a number of beginnings.
  init(of count: Int, then allBegan: @escaping @Sendable () -> Void) {
    (self.count, self.allBegan) = (count, allBegan)
  }

  /// Records that a call of a client has begun.
  func note(_ call: Int, of subject: String) {
    let isLast = begun.withLock { begun in
      begun[subject, default: []].insert(call).inserted
        && begun.values.reduce(0) { $0 + $1.count } == count
    }
    if isLast { allBegan() }
  }
}
