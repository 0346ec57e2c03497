@_spi(WindTunnel) internal import WindTunnelCore

// Whoever waits needs no processor. So what stands still, or begins its calls one by one, is flown
// beside all the rest, and of the others the next begins when all calls of the one before it have
// begun: a drill takes no longer than its calls take to begin, and its longest wait.
extension [Scenario] {
  /// Flies each scenario, and returns what came of them in their order.
  ///
  /// - Parameters:
  ///   - keepsPart: A cancellation leaves the scenarios that had begun, and is no error.
  ///   - run: Flies a scenario, and says when all its calls have begun.
  /// - Returns: What came of each, in the scenarios' order.
  /// - Throws: What `fly` throws first; the others are then cancelled.
  func flown<Flown: Sendable>(
    keepingPart keepsPart: Bool = false,
    _ run:
      @escaping @Sendable (Scenario, _ allBegan: @escaping @Sendable () -> Void) async throws
      -> Flown
  ) async throws -> [Flown] {
    // A drill that fails waits for no beginning.
    let failure = Locked<(isThere: Bool, begins: AsyncStream<Void>.Continuation?)>((false, nil))
    return try await withThrowingTaskGroup(of: (Int, Flown).self) { group in
      func add(_ place: Int, _ scenario: Scenario, then begins: @escaping @Sendable () -> Void) {
        group.addTask {
          // Whoever waits for the beginning is let go at the end at the latest.
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

/// The beginnings of a scenario's calls, and somebody who waits for the last of them.
final class Beginnings: Sendable {
  private let count: Int
  /// Those that have begun. One whose process fell may begin a second time, and is one all the
  /// same.
  private let begun = Locked<[String: Set<Int>]>([:])
  private let allBegan: @Sendable () -> Void

  /// Waits for so many beginnings.
  init(of count: Int, then allBegan: @escaping @Sendable () -> Void) {
    (self.count, self.allBegan) = (count, allBegan)
  }

  /// Notes that a call of a subject has begun.
  func note(_ call: Int, of subject: String) {
    let isLast = begun.withLock { begun in
      begun[subject, default: []].insert(call).inserted
        && begun.values.reduce(0) { $0 + $1.count } == count
    }
    if isLast { allBegan() }
  }
}
