@_spi(WindTunnel) internal import WindTunnelCore
internal import WindTunnelFindings

/// The further time that a program gets for what it has waited for a processor, which was not the
/// client's. One that hangs waits for something else, and gets none.
struct ProcessorGrant: Sendable {
  /// The most at a time: whoever watches the process that started it hears of each, and has not
  /// much more patience than that.
  static let step = Duration.seconds(10)
  /// The most in all. A call that waited longer is not judged by its times.
  static let most = Observation.longestGrant
  /// Less than this is the machine's usual way.
  static let least = Duration.seconds(1)

  /// The time that was granted so far.
  private(set) var granted = Duration.zero

  /// Tells whether there is nothing more to grant.
  var isUsedUp: Bool { granted > Self.most - Self.least }

  /// Grants a program that has waited so long what it has not had of that.
  ///
  /// - Returns: The time for which it may go on; `nil` where that is nothing to speak of.
  mutating func more(for waited: Duration) -> Duration? {
    let more = min(min(waited, Self.most) - granted, Self.step)
    guard more > Self.least else { return nil }
    granted += more
    return more
  }
}

extension ProcessorGrant {
  /// Grants a program what it has waited for, and lets those who watch this process know that one
  /// runs; nothing where another of this process had all that there is, and did not end.
  mutating func more(for process: SpawnedProcess) -> Duration? {
    // In virtual time nobody waits for a processor.
    if VirtualWorld.isHere.withLock({ $0 }) || Self.wasInVain.withLock({ $0 }) { return nil }
    let waited = ProcessDelay.threads(of: process.processIdentifier).values.max() ?? .zero
    guard let more = more(for: waited) else {
      // It spins, as the next will; one that was only slow says nothing of the next.
      if isUsedUp { Self.wasInVain.withLock { $0 = true } }
      return nil
    }
    RunningPrograms.shared.oneRunsOn()
    return more
  }

  private static let wasInVain = Locked(false)
}
