internal import Foundation
@_spi(WindTunnel) internal import WindTunnelCore

/// The start of an app in one scenario, as it is held against what its calls send and show.
struct StartWatch: Sendable {
  private let startup: RecordedStartup
  private let state: StartupState
  /// The origins of the servers that change all that they say.
  let rogues: Set<String>
  /// Tells whether its client is a program that is told of what it has kept.
  private let isGivenKept: Bool
  /// Tells whether its client can be given a file.
  private let takesFile: Bool
  /// The versions of the configuration that came to some call as they were signed: whoever has one
  /// may have it from there.
  private let signed = Locked<[Int]>([])

  init(_ startup: RecordedStartup, in scenario: Scenario, _ subject: any Subject) {
    (self.startup, state) = (startup, scenario.startup ?? .warm)
    rogues = startup.rogues(in: scenario)
    (isGivenKept, takesFile) = (subject.namesKept, subject.needsSockets)
  }

  /// Makes the file of what an app has kept, which is a launch's own; `nil` where its client can be
  /// given none. Of the first launch of all it has a place and is not there.
  func keptFolder() throws -> TemporaryFolder? {
    guard takesFile else { return nil }
    let folder = try TemporaryFolder()
    try startup.kept(in: state)?.write(to: Self.configuration(in: folder))
    return folder
  }

  /// Returns the place of the configuration in a folder of a launch.
  static func configuration(in folder: TemporaryFolder) -> URL {
    folder.url.appending(path: "configuration")
  }

  /// Returns the configurations that a call met and went by; `nil` where nothing shows the latter.
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
