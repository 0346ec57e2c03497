package import Foundation
package import WindTunnel
internal import WindTunnelServer

/// The start of an app as a cassette has it: the servers that it chooses among, the data that they
/// are probed by, and the configurations that the first of them serves.
///
/// A cassette says so in a note, which every version reads and every tool keeps:
///
///     "_startup": { "probe": "/probe", "configuration": "/configuration", "publicKey": "A6EH…" }
///
/// The public key is the one of Ed25519 that is built into the app, of 32 bytes in base64. Three
/// more may stand there: `"kept"`, the text of an older configuration, which an app that was
/// launched before has kept; `"versionField"`, the header field in which requests say by which
/// version of the configuration they go; and `"leadsTo"`, which names by each version the requests
/// that nothing but that one leads to:
///
///     "leadsTo": { "6": "GET /editions/6/**", "7": "GET /editions/7/**" }
package struct RecordedStartup: Sendable {
  /// The name of the note.
  static let note = "_startup"

  /// The origins that the probe was recorded at, the nearest first.
  package let servers: [RequestURL]
  /// The path of the probe.
  package let probePath: String
  /// The data that a server has there.
  package let probe: Data
  /// The path of the configuration.
  package let configurationPath: String
  /// The configurations that the first server has served, in recorded order.
  let configurations: [Data]
  /// The public key that is built in.
  package let publicKey: Data
  /// The configuration that an app which was launched before has kept, where the note has one.
  private let noted: Data?
  /// The header field in which requests say by which version of the configuration they go.
  private let versionField: String?
  /// The requests that nothing but one version of the configuration leads to.
  private let leads: [(version: Int, request: RequestPattern)]

  /// Reads the note of a cassette; `nil` where it has none.
  ///
  /// - Throws: `DrillError.plan` where what the note speaks of is not there.
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
        "\"\(Self.note)\" of the cassette needs the paths \"probe\" and \"configuration\", and "
          + "\"publicKey\", 32 bytes in base64."
      )
    }
    noted = kept.map { Data($0.utf8) }
    if let noted, Self.version(of: noted) == nil {
      throw .plan(
        "\"kept\" in \"\(Self.note)\" of the cassette is no configuration: it is a line with a "
          + "signature, and JSON with \"version\" behind it."
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
    self.servers = Array(servers.prefix(Self.serversMax))
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

  /// Reads the requests that a version leads to.
  private static func leads(
    in object: inout ObjectReader
  ) throws(FormatError) -> [(version: Int, request: RequestPattern)] {
    guard let json = object.take("leadsTo") else { return [] }
    guard case .object(let members) = json, members.count <= leadsMax else {
      throw object.error("leadsTo", "an object with at most \(leadsMax) versions should stand here")
    }
    var leads: [(version: Int, request: RequestPattern)] = []
    for member in members {
      guard let version = Int(member.name.value), 0...versionMax ~= version,
        let text = member.value.stringValue
      else {
        throw object.error(
          "leadsTo",
          "\"\(member.name.value)\" should be a version, and what it leads to a request such as "
            + "\"GET /editions/6/**\""
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
  /// The greatest number of versions whose requests are named.
  private static let leadsMax = 64
  /// The greatest version of a configuration.
  private static let versionMax = Observation.ConfigurationUse.versionMax

  /// Tells whether it can be flown in a state: there is an older configuration only where several
  /// were recorded.
  func has(_ state: StartupState) -> Bool { state != .ahead || configurations.count > 1 }

  /// Tells whether a request belongs to the start, and is no call of a user's.
  func isOfStart(_ request: Request) -> Bool { isProbe(request) || isForConfiguration(request) }

  /// Tells whether a request is one that only a version of the configuration leads to, and is no
  /// call of its own.
  func isLedTo(_ request: Request) -> Bool { leads.contains { $0.request.matches(request) } }

  /// Returns what an app has kept of its last launch in a state; `nil` where it has nothing.
  package func kept(in state: StartupState) -> Data? {
    switch state {
    case .cold: nil
    case .warm: noted ?? configurations.first
    case .ahead: configurations.last
    }
  }

  /// Returns the version of the configuration that a request went by, as it says or as it shows;
  /// `nil` where it does neither.
  func version(shownBy request: Request) -> Int? {
    if let versionField, let text = request.headers[versionField] {
      let version = Int(text.trimmingCharacters(in: .whitespaces))
      return version.flatMap { 0...Self.versionMax ~= $0 ? $0 : nil }
    }
    return leads.first { $0.request.matches(request) }?.version
  }

  /// Returns the version that stands in a text, whoever has signed it; `nil` where none does.
  static func version(of text: Data) -> Int? {
    guard let name = text.range(of: Data("\"version\"".utf8)) else { return nil }
    let rest = text[name.upperBound...].drop { $0 == UInt8(ascii: " ") }
    guard rest.first == UInt8(ascii: ":") else { return nil }
    let digits = rest.dropFirst().drop { $0 == UInt8(ascii: " ") }
      .prefix { UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }
    let version = Int(String(decoding: digits.prefix(19), as: UTF8.self))
    return version.flatMap { 0...versionMax ~= $0 ? $0 : nil }
  }

  /// Returns the second since 1970 at which a text expires, which stands in the JSON behind its
  /// first line; `nil` where none does.
  private static func expiry(of text: Data) -> Double? {
    guard let end = text.firstIndex(of: UInt8(ascii: "\n")) else { return nil }
    // What is no JSON has no time either.
    let json = try? JSON(parsing: Data(text[(end + 1)...]), source: "configuration")
    return json?["expires"]?.doubleValue
  }

  /// Refuses a state in which an app has kept a configuration whose time is over: whoever is
  /// launched with it has nothing, and flies a first launch by another name.
  func refuseExpired(in state: StartupState, at now: Date = .now) throws(DrillError) {
    guard let text = kept(in: state), let seconds = Self.expiry(of: text),
      seconds <= now.timeIntervalSince1970
    else { return }
    let day = Date(timeIntervalSince1970: seconds).formatted(.iso8601)
    throw .plan(
      "The configuration that the app has kept has expired at \(day), so that no start is a warm "
        + "one. Sign one with a later \"expires\", or fly a scenario whose \"startup\" is \"cold\"."
    )
  }

  /// Returns the version that stands in what a client gets of a recorded configuration, and tells
  /// whether its bytes are others than those that were signed; `nil` where it gets none of it.
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
        // All of it is there, with more behind it.
        isChanged = true
      case .alter(.contentType): break
      default: if [fault].mislead { return nil }
      }
    }
    return version(of: text).map { ($0, isChanged) }
  }

  /// The origins of the servers that change all that they say in a scenario, their probe, too.
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

  /// Tells whether a request is a probe.
  func isProbe(_ request: Request) -> Bool {
    request.method == "GET" && request.url.path == probePath
  }

  /// Tells whether a request is one for the configuration.
  func isForConfiguration(_ request: Request) -> Bool {
    request.method == "GET" && request.url.path == configurationPath
  }

  /// The paths of the requests of a start, whatever query they have.
  var paths: Set<String> { [probePath, configurationPath] }

  /// The keys of the requests of a start.
  func keys(by matcher: Matcher) -> Set<String> {
    Set(paths.map { matcher.key(Request("GET", RequestURL($0))).text })
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
