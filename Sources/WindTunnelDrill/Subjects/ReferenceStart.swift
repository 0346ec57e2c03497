internal import Foundation
internal import WindTunnel
internal import WindTunnelNetworkLayer

#if canImport(FoundationNetworking)
  internal import FoundationNetworking
#endif

/// The start of the reference client, as that of an app: a configuration is fetched from the first
/// server and checked, all servers are probed, and what was kept is gone on with where neither
/// brings anything.
struct ReferenceStart: Sendable {
  /// A folder of what an app keeps from launch to launch, which goes with its last user.
  final class Folder: Sendable {
    let url: URL

    /// Makes one that is empty, or has what another has.
    init(copying other: Folder? = nil) throws {
      url = TemporaryPlace.new("start")
      if let other {
        try FileManager.default.copyItem(at: other.url, to: url)
      } else {
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
      }
    }

    deinit { remove() }

    /// Removes it with all that is in it.
    func remove() {
      // The system clears up what stays.
      try? FileManager.default.removeItem(at: url)
    }
  }

  private let recorded: RecordedStartup
  private let time: any TimeSource
  /// The facts that a seal is made for.
  private static let app = "1.0"

  init(_ recorded: RecordedStartup, _ time: any TimeSource) {
    (self.recorded, self.time) = (recorded, time)
  }

  /// Returns the folder of an app that was launched before; `nil` where it never was.
  func folder(of state: StartupState) async throws -> Folder? {
    guard let text = recorded.kept(in: state) else { return nil }
    let folder = try Folder()
    _ = try await bootstrap(in: folder, dialTest: nil).launch(by: OneAnswer(body: text))
    return folder
  }

  /// The time that a start waits for a configuration and for its probes, of the time in which its
  /// page has to be there: half of it and a quarter, where that is little.
  static func budgets(within limit: Duration) -> (configuration: Duration, probes: Duration) {
    (min(.seconds(2), limit / 2), min(.seconds(1), limit / 4))
  }

  /// Launches the app in the folder of what it keeps. The requests of its start are for the
  /// recorded origins.
  ///
  /// - Parameters:
  ///   - folder: The folder.
  ///   - transport: The transport of the requests.
  ///   - admission: The controller that hears of the probes.
  ///   - limit: The time in which the page has to be there.
  /// - Returns: The start.
  /// - Throws: Whatever keeps it from one: a folder that cannot be used, or a configuration that is
  ///   none.
  func launch(
    in folder: Folder,
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
    in folder: Folder,
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

/// A transport that answers everything with one body.
private struct OneAnswer: Transport {
  let body: Data

  func send(_ request: URLRequest) async throws(TransportError) -> ServerResponse {
    ServerResponse(status: 200, body: body)
  }
}
