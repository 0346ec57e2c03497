// The scenario's text, version 1.
//
//   { "windtunnelScenario": 1,
//     "name": "metro",
//     "class": "weak network",
//     "survival": { "calls": "some", "by": "trying again", "wrong": "giving up at once" },
//     "calls": 60, "deadlineMilliseconds": 10000, "callsPerSecond": 4, "keepConnections": true,
//     "startup": "warm",
//     "link": { "downDelayMilliseconds": 50, "upDelayMilliseconds": 50, "lossProbability": 0.05 },
//     "rules": [ { "when": { "request": "GET /users/*", "first": 2 },
//                  "faults": [ { "delayMilliseconds": 300 },
//                              { "status": 503, "retryAfterSeconds": 1 } ] } ],
//     "critical": ["GET /home", "POST /payments"],
//     "expects": ["stale"],
//     "credential": { "issuer": "POST /login", "field": "Authorization" },
//     "gates": ["successRate >= 0.99", "p95(POST /payments) <= 3s", "blankScreens == 0"],
//     "bars": ["successRate >= 0.9"] }
//
// "when" may hold "request", "header" ("Name" or "Name: value"), "withoutHeader", "critical",
// "first", "attempt", "every", "probability", "burst" { "goodToBad", "badToGood" },
// "fromMilliseconds", "untilMilliseconds", "untilHeaderChanges", "fromCall", "untilCall",
// "credential" ("expired" or "any") and "recording", the number, from 1, of the recording that the
// request is about to get; all must hold. The format of ``Fault`` has the kinds of fault.
// "bars" are gates that nothing checks yet.
// "cancel" { "share": 0.3, "afterMilliseconds": 50, "throughMilliseconds": 400 } has callers give
// up that share of a drill's calls. "allow" { "gives-up-at-once": "REASON" } names the rules of
// findings that a client may break here, "repeats-post(POST /search)" at one endpoint. In a link,
// "delayMilliseconds", "bitsPerSecond", "queueBytes" and "lossProbability" are meant for both
// directions, and with "up" or "down" in front for one.

public import Foundation

extension Scenario {
  /// The greatest size of a scenario's file, in bytes; a larger one is refused before it is read.
  public static let fileBytesMax = 4 << 20

  /// The greatest number of calls that a scenario may ask for.
  public static let callsMax = 1_000_000

  /// Reads a scenario file, version 1.
  public init(contentsOf file: URL) throws {
    let data = try FileError.reading(file, bytesMax: Self.fileBytesMax)
    try self.init(data: data, source: file.lastPathComponent)
    for (key, path) in [("gates", \Self.gates), ("bars", \.bars)] {
      for (place, line) in zip(self[keyPath: path].indices, GateLines.find(key, in: data)) {
        self[keyPath: path][place].place = Gate.FilePlace(file: file.relativePath, line: line)
      }
    }
  }

  /// Reads a scenario from bytes.
  public init(data: Data, source: String) throws(FormatError) {
    var top = try ObjectReader(JSON(parsing: data, source: source), source: source, path: "")
    try CassetteFormat.checkVersion(&top, key: "windtunnelScenario", noun: "scenario")
    guard let name = try top.string("name"), !name.isEmpty else {
      throw top.error("name", "a scenario needs a name")
    }
    self.init(name)
    self.class = try top.string("class")
    if self.class == "" { throw top.error("class", "a class needs a name") }
    summary = try top.string("summary")
    if let object = try top.object("survival") { survival = try Survival(reading: object) }
    calls = try top.int("calls", in: 1...Self.callsMax)
    deadline = try top.double("deadlineMilliseconds", in: 1...86_400_000)
      .map { Duration(milliseconds: $0) }
    callsPerSecond = try top.double("callsPerSecond", in: 0.001...10_000)
    wantsKeptConnections = try top.bool("keepConnections") ?? false
    startup = try top.choice("startup", StartupState.self)
    if let object = try top.object("link") {
      link = try Link(reading: object)
      linkNotes = object.notes
    }
    rules = try top.list("rules", FaultRule.init(reading:)) ?? []
    if let object = try top.object("cancel") {
      cancellation = try Cancellation(reading: object)
      cancellationNotes = object.notes
    }
    for (index, pattern) in (try top.array("critical") ?? []).enumerated() {
      guard let text = pattern.stringValue else {
        throw top.error(
          "critical[\(index)]",
          "\(pattern) is no request pattern such as \"GET /home\""
        )
      }
      critical.append(try top.pattern(text, at: "critical[\(index)]"))
    }
    if critical.isEmpty, let rule = rules.firstIndex(where: { $0.trigger.isCritical == true }) {
      throw top.error(
        "rules[\(rule)].when.critical",
        "no request is critical here, so this never fires",
        fix: "Name the critical ones: \"critical\": [\"GET /home\"]."
      )
    }
    if let object = try top.object("credential") { credential = try Credential(reading: object) }
    try checkCredentials(top)
    expects = try ClientExpectation.read(&top)
    gates = try Self.gates("gates", &top)
    bars = try Self.gates("bars", &top)
    allowed = try AllowedRule.read(&top)
    try top.refuseUnknownKeys()
    notes = top.notes
  }

  /// Reads the gates under a key.
  private static func gates(
    _ key: String,
    _ top: inout ObjectReader
  ) throws(FormatError) -> [Gate] {
    var gates: [Gate] = []
    for (index, json) in (try top.array(key) ?? []).enumerated() {
      guard let text = json.stringValue else {
        throw top.error("\(key)[\(index)]", "\(json) is no gate such as \"successRate >= 0.99\"")
      }
      do throws(GateError) {
        let gate = try Gate(text)
        try gate.checkAsOwn()
        gates.append(gate)
      } catch {
        let place = "\(key)[\(index)], column \(error.column)"
        throw top.error(place, error.problem, fix: error.fix)
      }
    }
    return gates
  }

  /// The sentence about keys that are kept and have no effect yet; `nil` if there are none.
  package var notPlayed: String? {
    bars.isEmpty
      ? nil : "\"bars\" are not checked yet: they are kept, and no verdict depends on them"
  }

  /// Refuses what no file could say, such as the first -2 requests, or what could never happen.
  package func check() throws(FormatError) { _ = try Scenario(data: data(), source: name) }

  /// Returns the contents of the scenario's file.
  public func data() -> Data { Data(json.fileBytes()) }

  /// Returns the first eight bytes of the SHA-256 of the scenario's JSON and a seed, in
  /// hexadecimal. Two parts of a flight of one hash decide the same for the same requests.
  package func hash(seed: UInt64) -> String {
    let text = json.bytes() + Array("\n\(seed)".utf8)
    return String(SHA256.hexadecimal(text).prefix(16))
  }

  /// The same as a value.
  package var json: JSON {
    var members = JSON.members([
      "windtunnelScenario": .number(CassetteFormat.version), "name": .text(name),
      "class": self.class.map { .text($0) }, "summary": summary.map { .text($0) },
      "survival": survival?.json,
      "calls": calls.map { .number($0) },
      "deadlineMilliseconds": deadline.map { .milliseconds($0) },
      "callsPerSecond": callsPerSecond.map { .number($0, places: 3) },
      "keepConnections": wantsKeptConnections ? true : JSON?.none,
      "startup": startup.map { .text($0.rawValue) },
    ])
    members += notes
    if let link { members.append(JSON.Member("link", .object(link.json + linkNotes))) }
    members.append(JSON.Member("rules", .array(rules.map(\.json))))
    if let cancellation { members.add("cancel", .object(cancellation.json + cancellationNotes)) }
    if !critical.isEmpty { members.add("critical", .texts(critical.map(\.description))) }
    if !expects.isEmpty { members.add("expects", .texts(expects.map(\.rawValue))) }
    if let credential { members.append(JSON.Member("credential", credential.json)) }
    if !gates.isEmpty { members.add("gates", .texts(gates.map(\.description))) }
    if !bars.isEmpty { members.add("bars", .texts(bars.map(\.description))) }
    if !allowed.isEmpty { members.append(JSON.Member("allow", AllowedRule.json(of: allowed))) }
    return .object(members)
  }
}

/// A request for a scenario that is to be flown from now on: a shipped one by its name, or a whole
/// one.
///
///     { "name": "rate-limited", "seed": 7 }
///     { "windtunnelScenario": 1, "name": "rain", "rules": [ … ] }
package struct ScenarioOrder: Sendable, Hashable {
  package var scenario: Scenario
  /// The seed of draws; `nil`: as before.
  package var seed: UInt64?

  /// Makes an order of a scenario, with the seed as it is.
  package init(_ scenario: Scenario) { self.scenario = scenario }

  /// Reads an order from bytes.
  package init(data: Data, among shipped: [Scenario]) throws(FormatError) {
    let source = "scenario"
    let json = try JSON(parsing: data, source: source)
    if json["windtunnelScenario"] != nil {
      scenario = try Scenario(data: data, source: source)
      return
    }
    var top = try ObjectReader(json, source: source, path: "")
    let name = try top.string("name")
    seed = try top.int("seed", in: 0...Int.max).map { UInt64($0) }
    try top.refuseUnknownKeys()
    guard let name else {
      throw top.error(ofAll: "neither \"name\" nor \"windtunnelScenario\" stands here")
    }
    let names = shipped.map(\.name)
    guard let found = shipped.first(where: { $0.name == name }) else {
      throw top.error(
        "name",
        "there is no scenario \"\(name)\"",
        fix: nearest(to: name, in: names).map { "Did you mean \"\($0)\"?" }
          ?? "There are \(names.joined(separator: ", "))."
      )
    }
    scenario = found
  }
}
