internal import Foundation
internal import WindTunnelDrill
internal import WindTunnelNetworkLayer
internal import WindTunnelNetworkLayerOffline

/// The start of the reference client, like the start of an app.
///
/// It fetches a configuration from the first server, checks it, and probes all servers. If neither
/// succeeds, it uses the configuration of an earlier start.
struct ReferenceStart: Sendable {
  let recorded: RecordedStartup
  let time: any TimeSource
  /// The version of the app for which configurations are encrypted.
  private static let app = "1.0"

  /// Returns the folder of an app that was launched before; `nil` for a first launch.
  func folder(of state: StartupState) async throws -> TemporaryFolder? {
    guard let text = recorded.kept(in: state) else { return nil }
    let folder = try TemporaryFolder()
    _ = try await bootstrap(in: folder, dialTest: nil).launch(
      by: ScriptedEngine { _ in ServerResponse(status: 200, body: text) }
    )
    return folder
  }

  /// Returns the maximum time for a configuration and for the probes: half and a quarter of a short
  /// limit.
  static func budgets(within limit: Duration) -> (configuration: Duration, probes: Duration) {
    (min(.seconds(2), limit / 2), min(.seconds(1), limit / 4))
  }

  /// Launches the app in its folder. The requests of its start are for the recorded origins.
  ///
  /// - Parameters:
  ///   - folder: The folder.
  ///   - transport: The transport of the requests.
  ///   - admission: The controller that receives the results of the probes.
  ///   - limit: The maximum time until the page is shown.
  /// - Returns: The start.
  /// - Throws: The error of a folder that cannot be used, or of an invalid configuration.
  func launch(
    in folder: TemporaryFolder,
    by transport: any Transport,
    feeding admission: AdmissionController,
    within limit: Duration
  ) async throws -> Startup {
    let budgets = Self.budgets(within: limit)
    let dialTest = DialTest(
      candidates: recorded.servers.compactMap { URL(string: $0.origin ?? "") },
      path: recorded.probePath,
      expecting: recorded.probe,
      budget: budgets.probes
    )
    return try await bootstrap(in: folder, dialTest: dialTest, waiting: budgets.configuration)
      .launch(by: transport, feeding: admission)
  }

  private func bootstrap(
    in folder: TemporaryFolder,
    dialTest: DialTest?,
    waiting budget: Duration = .seconds(2)
  ) throws -> Bootstrap {
    let nearest = recorded.servers.first?.origin ?? ""
    let url = URL(string: nearest + recorded.configurationPath)
    return Bootstrap(
      builtIn: ConfigurationLayer(baseURL: nearest),
      facts: LaunchFacts(app: Self.app),
      fetching: url.map {
        Bootstrap.Source(url: $0, publicKeys: [recorded.publicKey], budget: budget)
      },
      keptIn: folder.url.appending(path: "configuration"),
      keysAt: try FileKeyPlace(directory: folder.url.appending(path: "keys")),
      dialTest: dialTest,
      time: time
    )
  }
}
