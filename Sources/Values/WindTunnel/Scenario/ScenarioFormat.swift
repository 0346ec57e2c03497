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
// "when" may contain "request", "header" ("Name" or "Name: value"), "withoutHeader", "critical",
// "first", "attempt", "every", "probability", "burst" { "goodToBad", "badToGood" },
// "fromMilliseconds", "untilMilliseconds", "untilHeaderChanges", "fromCall", "untilCall",
// "credential" ("expired" or "any") and "recording", which is the number, from 1, of the recording
// that the request will receive. All must be met. The format of ``Fault`` has the kinds of fault.
// "bars" are gates that replace the gates of a set (--bars) on the same metrics.
// "cancel" { "share": 0.3, "afterMilliseconds": 50, "throughMilliseconds": 400 } cancels that share
// of a drill's calls.
// "allow" { "gives-up-at-once": "REASON" } names the rules of findings that a client may break
// here, "repeats-post(POST /search)" at one endpoint.
// In a link, "delayMilliseconds", "bitsPerSecond", "queueBytes" and "lossProbability" apply to both
// directions, and with the prefix "up" or "down" to one.

public import Foundation

extension Scenario {
  /// The maximum size of a scenario file, in bytes; a larger file is an error and is not read.
  public static let fileBytesMax = 4 << 20

  /// The maximum number of calls that a scenario may require.
  public static let callsMax = 1_000_000

  /// Reads a scenario file, version 1.
  public init(contentsOf file: URL) throws {
    let data = try FileError.reading(file, bytesMax: Self.fileBytesMax)
    try self.init(data: data, source: file.lastPathComponent)
    for (key, path) in [("gates", \Self.gates), ("bars", \.bars)] {
      for (place, line) in zip(self[keyPath: path].indices, GateLines.find(key, in: data)) {
        self[keyPath: path][place].location = Gate.FileLocation(file: file.relativePath, line: line)
      }
    }
  }

  /// Parses a scenario from bytes; errors name `source`.
  public init(data: Data, source: String) throws(FormatError) {
    let json = try JSON(parsing: data, source: source)
    try self.init(reading: ObjectReader(json, source: source, path: ""))
  }

  /// Throws if the scenario has a value that its file could not have, or a rule that can never
  /// fire.
  package func check() throws(FormatError) { _ = try Scenario(data: data(), source: name) }

  /// Returns the contents of the scenario's file.
  public func data() -> Data { Data(json.fileBytes()) }

  /// Returns the first eight bytes of the SHA-256 of the scenario's JSON and a seed, in
  /// hexadecimal.
  ///
  /// Two parts of a run with the same hash make the same decisions for the same requests.
  package func hash(seed: UInt64) -> String {
    let text = json.bytes() + Array("\n\(seed)".utf8)
    return String(SHA256.hexadecimal(text).prefix(16))
  }
}

extension Scenario: JSONObject {
  package static let blank = Scenario("")

  package mutating func list(_ fields: inout JSONFields) throws(FormatError) {
    try fields.version("windtunnelScenario", of: "scenario")
    try fields.string("name", &name, ("name", "a scenario requires a name"))
    try fields.refuse(name.isEmpty, "name", "a scenario requires a name")
    try fields.string("class", &self.class)
    try fields.refuse(self.class == "", "class", "a class requires a name")
    try fields.string("summary", &summary)
    try fields.nested("survival", &survival)
    try fields.int("calls", &calls, in: 1...Self.callsMax)
    try fields.time("deadlineMilliseconds", &deadline, in: 1...86_400_000)
    try fields.double("callsPerSecond", &callsPerSecond, in: 0.001...10_000, places: 3)
    try fields.flag("keepConnections", &wantsKeptConnections)
    try fields.choice("startup", &startup)
    fields.notes(&notes)
    try fields.nested("link", &link, notes: &linkNotes)
    try fields.list("rules", &rules)
    try fields.nested("cancel", &cancellation, notes: &cancellationNotes)
    try listCritical(&fields)
    // Errors name the keys in the order in which they are read.
    if fields.isReading {
      try fields.nested("credential", &credential)
      try checkCredentials(fields.object)
    }
    try ClientExpectation.list(&expects, &fields)
    if !fields.isReading { try fields.nested("credential", &credential) }
    try fields.texts("gates", &gates, Gate.read)
    try fields.texts("bars", &bars, Gate.read)
    if let place = bars.firstIndex(where: \.needsBaseline) {
      try fields.refuse(
        true,
        "bars[\(place)]",
        "a bar requires a number, and cannot use the baseline"
      )
    }
    try AllowedRule.list(&allowed, &fields)
  }

  /// Reads or writes the patterns of critical requests.
  private mutating func listCritical(_ fields: inout JSONFields) throws(FormatError) {
    try fields.texts("critical", &critical) { json, place, top throws(FormatError) in
      guard let text = json.stringValue else {
        throw top.error(place, "\(json) is not a request pattern such as \"GET /home\"")
      }
      return try top.pattern(text, at: place)
    }
    guard critical.isEmpty, let rule = rules.firstIndex(where: { $0.trigger.isCritical == true })
    else { return }
    try fields.refuse(
      true,
      "rules[\(rule)].when.critical",
      "no request is critical, so this never occurs",
      fix: "Name the critical ones: \"critical\": [\"GET /home\"]."
    )
  }
}

extension Gate {
  /// Reads one of a scenario's own gates from its text.
  fileprivate static func read(
    _ json: JSON,
    at place: String,
    in top: ObjectReader
  ) throws(FormatError) -> Gate {
    guard let text = json.stringValue else {
      throw top.error(place, "\(json) is not a gate such as \"successRate >= 0.99\"")
    }
    do throws(GateError) {
      let gate = try Gate(text)
      try gate.checkAsOwn()
      return gate
    } catch {
      throw top.error("\(place), column \(error.column)", error.problem, fix: error.fix)
    }
  }
}

/// A request to use another scenario from now on: the name of a built-in one, or a whole scenario.
///
///     { "name": "rate-limited", "seed": 7 }
///     { "windtunnelScenario": 1, "name": "rain", "rules": [ … ] }
package struct ScenarioOrder: Sendable, Hashable {
  package var scenario: Scenario
  /// The seed of draws; `nil` to keep the current one.
  package var seed: UInt64?

  /// Creates an order for a scenario that keeps the current seed.
  package init(_ scenario: Scenario) { self.scenario = scenario }

  /// Parses an order from bytes.
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
      throw top.error(ofAll: "\"name\" or \"windtunnelScenario\" is required")
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
