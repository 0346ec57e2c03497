internal import Foundation
internal import WindTunnel
internal import WindTunnelNetworkLayer
internal import WindTunnelServer

/// The start of an app as a cassette has it: the servers that it chooses among, the data that they
/// are probed by, and the configurations that the first of them serves.
///
/// A cassette says so in a note, which every version reads and every tool keeps:
///
///     "_startup": { "probe": "/probe", "configuration": "/configuration", "publicKey": "A6EH…" }
///
/// The public key is the one of Ed25519 that is built into the app, of 32 bytes in base64.
struct RecordedStartup: Sendable {
  /// The name of the note.
  static let note = "_startup"
  /// The query parameters of a launch's facts, which no recording can have.
  static let facts = LaunchFacts(place: "", network: "").parameters.map(\.name)

  /// The origins that the probe was recorded at, the nearest first.
  let servers: [RequestURL]
  /// The path of the probe.
  let probePath: String
  /// The data that a server has there.
  let probe: Data
  /// The path of the configuration.
  let configurationPath: String
  /// The configurations that the first server has served, in recorded order.
  let configurations: [Data]
  /// The public key that is built in.
  let publicKey: Data

  /// Reads the note of a cassette; `nil` where it has none.
  ///
  /// - Throws: `DrillError.plan` where what the note speaks of is not there.
  init?(_ cassette: Cassette) throws(DrillError) {
    guard let note = cassette.notes.first(where: { $0.name.value == Self.note })?.value else {
      return nil
    }
    let (probePath, configurationPath, key): (String?, String?, String?)
    do throws(FormatError) {
      var object = try ObjectReader(note, source: "the cassette", path: Self.note)
      probePath = try object.string("probe")
      configurationPath = try object.string("configuration")
      key = try object.string("publicKey")
      try object.refuseUnknownKeys()
    } catch {
      throw .plan("\(error)")
    }
    guard let probePath, let configurationPath,
      let publicKey = key.flatMap({ Data(base64Encoded: $0) }),
      publicKey.count == 32
    else {
      throw .plan(
        "\"\(Self.note)\" of the cassette needs the paths \"probe\" and \"configuration\", and "
          + "\"publicKey\", 32 bytes in base64."
      )
    }
    let probes = cassette.answers(to: probePath)
    guard let first = probes.first else { throw Self.missing(probePath, at: "any host") }
    var servers: [RequestURL] = []
    for probe in probes where !servers.contains(probe.server) { servers.append(probe.server) }
    if let open = servers.first(where: {
      $0.scheme != "https" && !PrivateAddress.isLoopback($0.host ?? "") && $0.host != "localhost"
    }) {
      throw .plan(
        "\"\(Self.note)\" of the cassette has a server that is asked without TLS, "
          + "\(open.origin ?? ""), and no configuration is taken from one. Record it by https."
      )
    }
    let configurations = cassette.answers(to: configurationPath).filter {
      $0.server == first.server
    }
    guard !configurations.isEmpty else {
      throw Self.missing(configurationPath, at: first.server.origin ?? "")
    }
    self.servers = Array(servers.prefix(DialTest.candidatesMax))
    (self.probePath, probe) = (probePath, first.body)
    (self.configurationPath, self.configurations) = (configurationPath, configurations.map(\.body))
    self.publicKey = publicKey
  }

  private static func missing(_ path: String, at place: String) -> DrillError {
    .plan(
      "\"\(note)\" of the cassette names \(path), and no GET of it with an answer was recorded at "
        + "\(place)."
    )
  }

  /// Tells whether it can be flown in a state: there is an older configuration only where several
  /// were recorded.
  func has(_ state: StartupState) -> Bool { state != .ahead || configurations.count > 1 }

  /// Tells whether a request belongs to the start, and is no call of a user's.
  func isOfStart(_ request: Request) -> Bool {
    request.method == "GET" && [probePath, configurationPath].contains(request.url.path)
  }

  /// The keys of the requests of a start.
  func keys(by matcher: Matcher) -> Set<String> {
    Set([probePath, configurationPath].map { matcher.key(Request("GET", RequestURL($0))).text })
  }
}

extension Cassette {
  /// The start of an app that it has; `nil` where there is none, or none that can be flown, which a
  /// plan is refused for.
  var startup: RecordedStartup? { (try? RecordedStartup(self)) ?? nil }

  /// Returns the bodies of the answers to a path that have the status 200, with who gave them.
  fileprivate func answers(to path: String) -> [(server: RequestURL, body: Data)] {
    interactions.compactMap { interaction in
      guard interaction.request.method == "GET", interaction.request.url.path == path,
        interaction.request.url.host != nil, let response = interaction.response,
        response.status == 200
      else { return nil }
      return (interaction.request.url.server, response.body.data)
    }
  }
}

extension RequestURL {
  /// The origin of the URL alone, without a path.
  fileprivate var server: RequestURL {
    var server = self
    (server.userInfo, server.path, server.query) = (nil, "/", nil)
    return server
  }
}
