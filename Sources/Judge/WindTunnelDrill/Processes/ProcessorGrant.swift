@_spi(WindTunnel) internal import WindTunnelCore

/// Extra time for a program that waited for a processor, because this wait is not the client's
/// fault. A program that hangs waits for something else and gets no extra time.
struct ProcessorGrant: Sendable {
  /// The maximum grant at once. The watch of the client's process is notified of each grant, and
  /// its own patience is not much longer.
  static let step = Duration.seconds(10)
  /// The maximum sum of the grants. A call that waited longer is not judged by its times.
  static let most = Observation.longestGrant
  /// The minimum grant. Shorter waits are normal on any machine.
  static let least = Duration.seconds(1)

  /// The sum of the grants so far.
  private(set) var granted = Duration.zero

  /// Whether the rest of the maximum sum is less than the minimum grant.
  var isUsedUp: Bool { granted > Self.most - Self.least }

  /// Grants a program the part of its wait that was not granted before.
  ///
  /// - Parameter waited: The time that the program has waited for a processor.
  /// - Returns: The extra time, or `nil` if it is less than the minimum.
  mutating func more(for waited: Duration) -> Duration? {
    let more = min(min(waited, Self.most) - granted, Self.step)
    guard more > Self.least else { return nil }
    granted += more
    return more
  }

  /// Grants a program the time that it has waited, and notifies the watch of this process. Returns
  /// `nil` if another program of this process used all its grants and did not end.
  mutating func more(for process: SpawnedProcess) -> Duration? {
    // In virtual time, no program waits for a processor.
    if VirtualWorld.isHere.withLock({ $0 }) || Self.wasInVain.withLock({ $0 }) { return nil }
    let waited = ProcessDelay.threads(of: process.processIdentifier).values.max() ?? .zero
    guard let more = more(for: waited) else {
      // The program is in a busy loop, and the next one will be as well. A program that was only
      // slow does not predict the next one.
      if isUsedUp { Self.wasInVain.withLock { $0 = true } }
      return nil
    }
    RunningPrograms.shared.oneRunsOn()
    return more
  }

  private static let wasInVain = Locked(false)
}
