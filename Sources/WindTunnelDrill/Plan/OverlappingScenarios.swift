internal import WindTunnel
@_spi(WindTunnel) internal import WindTunnelCore

// Whoever waits needs no processor. So what stands still, or begins its calls one by one, is flown beside
// all the rest, and of the
// others the next begins when all calls of the one before it have begun: a drill takes no longer than
// its calls take to begin, and its longest wait.
extension [Scenario] {
  /// Flies each scenario, and returns what came of them in their order.
  ///
  /// - Parameter fly: Flies a scenario, and says when all its calls have begun.
  /// - Returns: What came of each, in the scenarios' order.
  /// - Throws: What `fly` throws first; the others are then cancelled.
  func flown<Flown: Sendable>(
    _ fly:
      @escaping @Sendable (Scenario, _ allBegan: @escaping @Sendable () -> Void) async throws
      -> Flown
  ) async throws -> [Flown] {
    try await withThrowingTaskGroup(of: (Int, Flown).self) { group in
      var all: [Flown?] = map { _ in nil }
      for (place, scenario) in enumerated() where scenario.isIdle {
        group.addTask { (place, try await fly(scenario) {}) }
      }
      for (place, scenario) in enumerated() where !scenario.isIdle {
        let (begun, begins) = AsyncStream<Void>.makeStream()
        group.addTask {
          // Whoever waits for the beginning is let go at the end at the latest.
          defer { begins.finish() }
          return (place, try await fly(scenario) { begins.finish() })
        }
        for await _ in begun {}
        try Task.checkCancellation()
      }
      for try await (place, flown) in group { all[place] = flown }
      return all.compactMap(\.self)
    }
  }
}

/// The beginnings of a scenario's calls, and somebody who waits for the last of them.
final class Beginnings: Sendable {
  private let left: Locked<Int>
  private let allBegan: @Sendable () -> Void

  /// Waits for so many beginnings.
  init(of count: Int, then allBegan: @escaping @Sendable () -> Void) {
    left = Locked(count)
    self.allBegan = allBegan
  }

  /// Notes that a call has begun.
  func note() {
    let isLast = left.withLock { left in
      left -= 1
      return left == 0
    }
    if isLast { allBegan() }
  }
}
