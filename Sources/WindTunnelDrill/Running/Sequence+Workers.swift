@_spi(WindTunnel) internal import WindTunnelCore

extension Sequence where Element: Sendable {
  /// Does something with each element, with so many at once, in their order.
  ///
  /// - Parameters:
  ///   - workers: The number of elements at once.
  ///   - fly: What is done.
  /// - Returns: What came of each, in the order of the elements.
  /// - Throws: What `fly` throws first; the others are then cancelled.
  func flown<Flown: Sendable>(
    by workers: Int,
    _ fly: @escaping @Sendable (Element) async throws -> Flown
  ) async throws -> [Flown] {
    let elements = Array(self)
    let next = Locked(0)
    let all = Locked([Flown?](repeating: nil, count: elements.count))
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<Swift.min(workers, elements.count) {
        group.addTask {
          while true {
            let place = next.withLock { next in
              defer { next += 1 }
              return next
            }
            guard place < elements.count else { return }
            let flown = try await fly(elements[place])
            all.withLock { $0[place] = flown }
          }
        }
      }
      try await group.waitForAll()
    }
    return all.withLock { $0.compactMap(\.self) }
  }
}
