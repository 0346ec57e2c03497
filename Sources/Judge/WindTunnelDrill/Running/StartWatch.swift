internal import Foundation
@_spi(WindTunnel) internal import WindTunnelCore

/// The start of an app in one scenario, for comparison with the requests and results of its calls.
struct StartWatch: Sendable {
  private let startup: RecordedStartup
  private let state: StartupState
  /// The origins of the servers that change all their responses.
  let rogues: Set<String>
  /// Whether its client is a program whose command names the kept configuration.
  private let isGivenKept: Bool
  /// Whether its client can receive a file.
  private let takesFile: Bool
  /// The versions of the configuration that any call received with a valid signature. Another call
  /// may have its version from there.
  private let signed = Locked<[Int]>([])

  init(_ startup: RecordedStartup, in scenario: Scenario, _ subject: any Subject) {
    (self.startup, state) = (startup, scenario.startup ?? .warm)
    rogues = startup.rogues(in: scenario)
    (isGivenKept, takesFile) = (subject.namesKept, subject.needsSockets)
  }

  /// Creates the folder for the configuration that an app has kept, separate for each launch.
  /// Returns `nil` if its client cannot receive a file. Before the very first launch, the folder
  /// has no such file.
  func keptFolder() throws -> TemporaryFolder? {
    guard takesFile else { return nil }
    let folder = try TemporaryFolder()
    try startup.kept(in: state)?.write(to: Self.configuration(in: folder))
    return folder
  }

  /// Returns the URL of the configuration in the folder of a launch.
  static func configuration(in folder: TemporaryFolder) -> URL {
    folder.url.appending(path: "configuration")
  }

  /// Returns the configurations that a call received and used, or `nil` if its use is not visible.
  func configuration(of seen: CallFacts) -> Observation.ConfigurationUse? {
    var use = seen.start.configuration
    use.signed = signed.withLock { all in
      all += use.signed.filter { !all.contains($0) }
      return all.sorted()
    }
    guard !use.used.isEmpty else { return nil }
    use.kept = startup.kept(in: state).flatMap(RecordedStartup.version)
    use.isGiven = isGivenKept
    return use
  }
}
