@_spi(WindTunnel) internal import WindTunnelCore

extension Array where Element: Sendable {
  /// Runs a closure for each element, with a maximum number at once, and passes the results on in
  /// the order of the elements.
  ///
  /// - Parameters:
  ///   - workers: The maximum number of elements at once.
  ///   - run: The closure.
  ///   - take: Receives the index of an element and its result, after it has received the results
  ///     of all previous elements.
  /// - Throws: The first error that `run` throws. The others are then cancelled.
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
      // An error that is thrown out of this body cancels the other tasks. Waiting for all of them
      // would not.
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
