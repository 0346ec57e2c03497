@_spi(WindTunnel) internal import WindTunnelCore

extension Array where Element: Sendable {
  /// Does something with each element, with so many at once, and hands on in their order what came
  /// of each.
  ///
  /// - Parameters:
  ///   - workers: The number of elements at once.
  ///   - run: What is done.
  ///   - take: Is handed the element's place and what came of it, one after the other, as soon as
  ///     all before it were.
  /// - Throws: What `fly` throws first; the others are then cancelled.
  func flown<Flown: Sendable>(
    by workers: Int,
    _ run: @escaping @Sendable (Element) async throws -> Flown,
    then take: @escaping @Sendable (Int, Flown) -> Void
  ) async throws {
    let places = Locked(indices)
    let early = Locked((next: startIndex, flown: [Int: Flown]()))
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<Swift.min(workers, count) {
        group.addTask {
          while let place = places.withLock({ $0.popFirst() }) {
            let flown = try await run(self[place])
            early.withLock { early in
              early.flown[place] = flown
              while let next = early.flown.removeValue(forKey: early.next) {
                take(early.next, next)
                early.next += 1
              }
            }
          }
        }
      }
      // An error that leaves this body cancels the others; waiting for all of them would not.
      for try await _ in group {}
    }
  }

  /// Runs a closure for each element, with a maximum number at once, and returns the results in
  /// the order of the elements. Throws the first error and cancels the others.
  func flown<Flown: Sendable>(
    by workers: Int,
    _ run: @escaping @Sendable (Element) async throws -> Flown
  ) async throws -> [Flown] {
    let all = Locked<[Flown]>([])
    try await flown(by: workers, run) { _, flown in all.withLock { $0.append(flown) } }
    return all.withLock { $0 }
  }
}
