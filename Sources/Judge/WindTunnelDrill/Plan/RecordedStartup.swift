package import Foundation
internal import WindTunnelServer

/// The recorded start of an app. It has the servers that the app chooses among, the data of their
/// probe, and the configurations that the first server serves.
///
/// A note of the cassette describes it. Every version can read notes, and every tool keeps them:
///
///     "_startup": { "probe": "/probe", "configuration": "/configuration", "publicKey": "A6EH…" }
///
/// The public key is the Ed25519 key that is built into the app, 32 bytes in base64. Three more
/// members are optional. `"kept"` is the text of an older configuration, which an app that was
/// launched before has kept. `"versionField"` is the header field in which requests state the
/// version of the configuration that they use. `"leadsTo"` maps a version to the requests that only
/// an app with this version makes:
///
///     "leadsTo": { "6": "GET /editions/6/**", "7": "GET /editions/7/**" }
package struct RecordedStartup: Sendable {
  /// The name of the note.
  static let note = "_startup"

  /// The origins of the servers where the probe was recorded, the nearest first.
  package let servers: [RequestURL]
  /// The path of the probe.
  package let probePath: String
  /// The data that a server returns for the probe.
  package let probe: Data
  /// The path of the configuration.
  package let configurationPath: String
  /// The configurations that the first server has served, in recorded order.
  let configurations: [Data]
  /// The public key that is built into the app.
  package let publicKey: Data
  /// The configuration that an app which was launched before has kept, as the note gives it. `nil`
  /// if the note has none.
  private let noted: Data?
  /// The header field in which requests state the version of the configuration that they use.
  private let versionField: String?
  /// The requests that only an app with one version of the configuration makes.
  private let leads: [(version: Int, request: RequestPattern)]

  /// Reads the note of a cassette; `nil` if it has none.
  ///
  /// - Throws: `DrillError.plan` if the cassette has no recordings for the parts that the note
  ///   names.
  init?(_ cassette: Cassette) throws(DrillError) {
    guard let note = cassette.notes.first(where: { $0.name.value == Self.note })?.value else {
      return nil
    }
    let (probePath, configurationPath, key): (String?, String?, String?)
    let kept: String?
    do throws(FormatError) {
      var object = try ObjectReader(note, source: "the cassette", path: Self.note)
      probePath = try object.string("probe")
      configurationPath = try object.string("configuration")
      key = try object.string("publicKey")
      kept = try object.string("kept")
      versionField = try object.string("versionField")
      leads = try Self.leads(in: &object)
      try object.refuseUnknownKeys()
    } catch {
      throw .plan("\(error)")
    }
    guard let probePath, let configurationPath,
      let publicKey = key.flatMap({ Data(base64Encoded: $0) }),
      publicKey.count == 32
    else {
      throw .plan(
        "\"\(Self.note)\" of the cassette requires the paths \"probe\" and \"configuration\", and "
          + "\"publicKey\", 32 bytes in base64."
      )
    }
    noted = kept.map { Data($0.utf8) }
    if let noted, Self.version(of: noted) == nil {
      throw .plan(
        "\"kept\" in \"\(Self.note)\" of the cassette is not a configuration: expected a line with "
          + "a signature, followed by JSON with \"version\"."
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
        "\"\(Self.note)\" of the cassette has a server without TLS, \(open.origin ?? ""), from "
          + "which no configuration is accepted. Record it by https."
      )
    }
    let configurations = cassette.answers(to: configurationPath).filter {
      $0.server == first.server
    }
    guard !configurations.isEmpty else {
      throw Self.missing(configurationPath, at: first.server.origin ?? "")
    }
    self.servers = Array(servers.prefix(Self.serversMax))
    (self.probePath, probe) = (probePath, first.body)
    (self.configurationPath, self.configurations) = (configurationPath, configurations.map(\.body))
    self.publicKey = publicKey
  }

  private static func missing(_ path: String, at place: String) -> DrillError {
    .plan(
      "\"\(note)\" of the cassette names \(path), but no GET of it with a response was recorded at "
        + "\(place)."
    )
  }

  /// Reads the requests that a version leads to, from `"leadsTo"`.
  private static func leads(
    in object: inout ObjectReader
  ) throws(FormatError) -> [(version: Int, request: RequestPattern)] {
    guard let json = object.take("leadsTo") else { return [] }
    guard case .object(let members) = json, members.count <= leadsMax else {
      throw object.error("leadsTo", "expected an object with at most \(leadsMax) versions")
    }
    var leads: [(version: Int, request: RequestPattern)] = []
    for member in members {
      guard let version = Int(member.name.value), 0...versionMax ~= version,
        let text = member.value.stringValue
      else {
        throw object.error(
          "leadsTo",
          "\"\(member.name.value)\" must be a version with a request, such as \"GET "
            + "/editions/6/**\""
        )
      }
      if let wrong = RequestPattern.problem(with: text) {
        throw object.error("leadsTo", wrong.problem, fix: wrong.fix)
      }
      leads.append((version, RequestPattern(text)))
    }
    return leads
  }

  /// The maximum number of servers. An app does not probe more.
  static let serversMax = 16
  /// The maximum number of versions in `"leadsTo"`.
  private static let leadsMax = 64
  /// The maximum version of a configuration.
  private static let versionMax = Observation.ConfigurationUse.versionMax

  /// Returns whether the start can run in a state. `ahead` needs several recorded configurations,
  /// so that there is an older one.
  func has(_ state: StartupState) -> Bool { state != .ahead || configurations.count > 1 }

  /// Returns whether only one version of the configuration leads to a request. Such a request is
  /// not a call of its own.
  func isLedTo(_ request: Request) -> Bool { leads.contains { $0.request.matches(request) } }

  /// Returns the configuration that an app has kept from its last launch in a state, or `nil` if it
  /// has none.
  package func kept(in state: StartupState) -> Data? {
    switch state {
    case .cold: nil
    case .warm: noted ?? configurations.first
    case .ahead: configurations.last
    }
  }

  /// Returns the version of the configuration that a request uses, by its header field or its path;
  /// `nil` if neither shows it.
  func version(shownBy request: Request) -> Int? {
    if let versionField, let text = request.headers[versionField] {
      let version = Int(text.trimmingCharacters(in: .whitespaces))
      return version.flatMap { 0...Self.versionMax ~= $0 ? $0 : nil }
    }
    return leads.first { $0.request.matches(request) }?.version
  }

  /// Returns the version in a configuration's text, regardless of its signature, or `nil` if there
  /// is none.
  static func version(of text: Data) -> Int? {
    guard let name = text.range(of: Data("\"version\"".utf8)) else { return nil }
    let rest = text[name.upperBound...].drop { $0 == UInt8(ascii: " ") }
    guard rest.first == UInt8(ascii: ":") else { return nil }
    let digits = rest.dropFirst().drop { $0 == UInt8(ascii: " ") }
      .prefix { UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }
    let version = Int(String(decoding: digits.prefix(19), as: UTF8.self))
    return version.flatMap { 0...versionMax ~= $0 ? $0 : nil }
  }

  /// Returns the time at which a configuration expires, in seconds since 1970. It is read from the
  /// JSON after the first line; `nil` if the JSON has no such time.
  private static func expiry(of text: Data) -> Double? {
    guard let end = text.firstIndex(of: UInt8(ascii: "\n")) else { return nil }
    // Text that is not JSON has no time either.
    let json = try? JSON(parsing: Data(text[(end + 1)...]), source: "configuration")
    return json?["expires"]?.doubleValue
  }

  /// Throws if the configuration that an app has kept in a state is expired. An app launched with
  /// it has no valid configuration, so the launch would in fact be a first launch.
  func refuseExpired(in state: StartupState, at now: Date = .now) throws(DrillError) {
    guard let text = kept(in: state), let seconds = Self.expiry(of: text),
      seconds <= now.timeIntervalSince1970
    else { return }
    let day = Date(timeIntervalSince1970: seconds).formatted(.iso8601)
    throw .plan(
      "The app's stored configuration expired at \(day), so no start is warm. Sign one with a "
        + "later \"expires\", or run a scenario whose \"startup\" is \"cold\"."
    )
  }

  /// Returns the version in the response that a client receives for a recorded configuration, and
  /// whether its bytes differ from the signed bytes. Returns `nil` if the client does not receive
  /// the configuration.
  static func served(
    _ recorded: Interaction,
    with faults: [Fault]
  ) -> (version: Int, isChanged: Bool)? {
    let answer = AnswerSummary(faults, over: recorded)
    guard answer.status == 200, answer.symptom == nil, let response = recorded.response else {
      return nil
    }
    var (text, isChanged) = (response.body.data, false)
    for fault in faults {
      switch fault {
      case .alter(.version(let number)):
        text = ResponseEdit.version(number, of: response.body.data)
        isChanged = number > 1
      case .alter(.body(.duplicated)), .alter(.body(.large)), .alter(.body(.invalidUTF8)),
        .alter(.body(.invalidJSON)):
        // The whole configuration is present, with more bytes after it.
        isChanged = true
      case .alter(.contentType): break
      default: if [fault].mislead { return nil }
      }
    }
    return version(of: text).map { ($0, isChanged) }
  }

  /// Returns the origins of the servers that change all their responses in a scenario, including
  /// the probe.
  func rogues(in scenario: Scenario) -> Set<String> {
    guard scenario.startup != nil else { return [] }
    let changing = scenario.rules.filter { rule in
      var others = rule.trigger
      others.request = nil
      return others == .always && (rule.faults.version ?? 1) > 1
    }
    if changing.isEmpty { return [] }
    return Set(
      servers.filter { server in
        var url = server
        url.path = probePath
        let probe = Request("GET", url)
        return changing.contains { $0.trigger.request?.matches(probe) ?? true }
      }.compactMap(\.origin)
    )
  }

  /// Returns whether a request is a probe.
  func isProbe(_ request: Request) -> Bool {
    request.method == "GET" && request.url.path == probePath
  }

  /// Returns whether a request is for the configuration.
  func isForConfiguration(_ request: Request) -> Bool {
    request.method == "GET" && request.url.path == configurationPath
  }

  /// The paths of the requests of a start, without their query.
  var paths: Set<String> { [probePath, configurationPath] }
}

extension Cassette {
  /// The start of an app on this cassette. `nil` if there is none, or if it is invalid; the
  /// validation of the plan reports that error.
  var startup: RecordedStartup? { (try? RecordedStartup(self)) ?? nil }

  /// Returns the bodies of the responses with status 200 to a path, each with its server.
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
