// The report's JSON, version 1.
//
//   { "windtunnelReport": 1, "seed": 7, "decisionHash": "…", "platformErrors": "current",
//     "environment": { "os": "…", "libcurl": "…" },
//     "gates": [ { "gate": "run: p95 <= 3s", "verdict": "met", "got": "41.2 ms" } ],
//     "scenarios": [ { "name": "calm", "stage": "wire", "scenario": { … },
//       "gates": [ { "gate": "p95 <= 3s", "verdict": "met", "got": "41.2 ms" } ],
//       "subjects": [ { "name": "network-layer", "calls": 60, "successRate": 1, …,
//         "endpoints": [ { "endpoint": "GET /home", "calls": 12, "successRate": 1, … } ],
//         "log": [ { "call": 0, "endpoint": "GET /home", "ending": "succeeded", … } ] } ] } ] }
//
// Figures that were not observed are null. They and the verdicts are derived from the log. A reader
// therefore calculates them again, and rejects a report whose figures differ from its log. The
// verdict of a gate that compares with a baseline is not checked: the baseline is another file.

public import Foundation

extension Report {
  /// The maximum size of a report's file in bytes. A larger file is rejected before it is read.
  public static let fileBytesMax = 1 << 30

  /// Reads a report file, version 1. It may be compressed with gzip, as a committed baseline
  /// usually is.
  public init(contentsOf file: URL) throws {
    var data = try FileError.reading(file, bytesMax: Self.fileBytesMax)
    if data.starts(with: [0x1F, 0x8B]) {
      guard let opened = Inflate.open(data, as: .gzip, bytesMax: Self.fileBytesMax) else {
        throw FileError.unreadable(file.relativePath, reason: "it is not complete gzip data")
      }
      data = opened
    }
    try self.init(data: data, source: file.lastPathComponent)
  }

  /// Returns the contents of the report's file.
  public func data() -> Data {
    var data = Data()
    writeFile { data.append(contentsOf: $0) }
    return data
  }

  /// Passes the contents of the report's file on in pieces. Only one call at a time is in memory as
  /// JSON, because there may be many.
  func writeFile(_ write: ([UInt8]) -> Void) {
    let members = JSON.members([
      "windtunnelReport": .number(CassetteFormat.version), "seed": .number(seed),
      "decisionHash": .text(decisionHash), "platformErrors": .text(platformErrors),
      "environment": .object(environment.map(\.member)), "verdict": verdict.json,
      "findings": .array(findingRows), "coverage": .array(coverageRows),
      "gates": gates.isEmpty ? JSON?.none : .array(gates.map(\.json)), "bars": bars?.json,
      "barResults": bars == nil ? JSON?.none : .array(barResults.map(\.json)),
    ])
    JSON.write([], members, "scenarios", of: scenarios, level: 0, write) { scenario, beginning in
      JSON.write(
        beginning,
        scenario.members,
        "subjects",
        of: scenario.subjects,
        level: 2,
        write
      ) { row, beginning in
        JSON.write(beginning, row.json.members, "log", of: row.observations, level: 4, write) {
          write($1 + $0.json.fileBytes(level: 6))
        }
      }
    }
    write([UInt8(ascii: "\n")])
  }

  private var coverageRows: [JSON] {
    scenarios.flatMap { flown in
      (flown.subjects.first?.coverage?.rows ?? []).map { row in
        [
          "scenario": .text(flown.name), "endpoint": .text(row.endpoint), "fault": .text(row.fault),
          "attempts": .array(row.attempts.map { .text($0.word) }),
          "met": .array(row.attempts.map { .number($0.count) }),
        ]
      }
    }
  }

  /// The findings about all judged clients.
  private var findingRows: [JSON] {
    let reports = judgedReports
    return reports.flatMap { report in
      report.findings.map { $0.json(of: reports.count > 1 ? report.judgedName : nil) }
    }
  }

  /// Reads a report from bytes.
  public init(data: Data, source: String) throws(FormatError) {
    var top = try ObjectReader(JSON(parsing: data, source: source), source: source, path: "")
    try CassetteFormat.checkVersion(&top, key: "windtunnelReport", noun: "report")
    if top.take("seenBy") != nil {
      throw top.error("seenBy", "this is a proxy's report, which has no calls to judge")
    }
    guard let seed = top.take("seed").flatMap({ UInt64($0.description) }) else {
      throw top.error("seed", "expected a whole number")
    }
    let hash = try top.required("decisionHash")
    let errors = try top.required("platformErrors")
    var environment: [Fact] = []
    if case .object(let members) = top.take("environment") {
      environment = members.map { Fact($0.name.value, $0.value.stringValue ?? "\($0.value)") }
    }
    // Judged again from the log, because a later version has other rules.
    for key in ["verdict", "findings", "coverage", "barResults"] { _ = top.take(key) }
    let bars = try top.object("bars").map(Bars.init(reading:))
    let told = try GateResult.read(&top)
    guard let scenarios = try top.list("scenarios", ScenarioResult.init(reading:)) else {
      throw top.error("scenarios", "expected a list")
    }
    try top.refuseUnknownKeys()
    self.init(
      seed: seed,
      decisionHash: hash,
      platformErrors: errors,
      environment: environment,
      scenarios: scenarios
    )
    gates = try GateResult.checked(told, results(of: told.map(\.gate)), in: top)
    self.bars = bars
  }
}

extension Report.Fact {
  var member: JSON.Member { JSON.Member(JSON.Text(name), .text(value)) }
}

extension Report.ScenarioResult {
  /// The members of its JSON object, except for the list of clients.
  fileprivate var members: [JSON.Member] {
    let before = brokenBefore?.sorted { $0.key < $1.key }
      .map { JSON.Member(JSON.Text($0.key), .text($0.value.rawValue)) }
    return JSON.members([
      "name": .text(name), "stage": .text(stage.rawValue), "gates": .array(gates.map(\.json)),
      "rules": .array(rules.map(\.json)),
      "coverage": (subjects.first?.coverage).map { .share($0.share) },
      "allow": allowed.isEmpty ? JSON?.none : AllowedRule.json(of: allowed),
      "brokenBefore": before.map { .object($0) }, "scenario": scenario?.json,
    ])
  }

  fileprivate init(reading object: consuming ObjectReader) throws(FormatError) {
    let name = try object.required("name")
    guard let stage = try object.choice("stage", Stage.self) else {
      throw object.error("stage", "the stage is missing")
    }
    let source = object.source
    let told = try GateResult.read(&object)
    let scenario = try object.take("scenario").map { json throws(FormatError) in
      try Scenario(data: Data(json.bytes()), source: "\(source), \(object.place("scenario"))")
    }
    if let scenario, scenario.name != name {
      throw object.error("scenario", "it belongs to \(scenario.name)")
    }
    let rows = try object.list("subjects", Report.Row.init(reading:)) ?? []
    let allowed = try AllowedRule.read(&object)
    // Judged again from the log, like the findings.
    _ = object.take("rules")
    _ = object.take("coverage")
    let before = try Self.readBrokenBefore(&object)
    try object.refuseUnknownKeys()
    self.init(
      name,
      on: stage,
      subjects: rows,
      gates: told.map(\.gate),
      allowed: allowed,
      scenario: scenario
    )
    brokenBefore = before
    gates = try GateResult.checked(told, gates, in: object)
  }

  private static func readBrokenBefore(
    _ object: inout ObjectReader
  ) throws(FormatError) -> [String: Finding.Severity]? {
    guard let json = object.take("brokenBefore") else { return nil }
    guard case .object(let members) = json else {
      throw object.error("brokenBefore", "\(json) is not an object of rules and weights")
    }
    var rules: [String: Finding.Severity] = [:]
    for member in members {
      guard let weight = member.value.stringValue.flatMap(Finding.Severity.init) else {
        throw object.error("brokenBefore.\(member.name.value)", "expected note, warning or error")
      }
      rules[member.name.value] = weight
    }
    return rules
  }
}

extension Report.Row: JSONObject {
  package static let blank = Self("", [])

  package mutating func list(_ fields: inout JSONFields) throws(FormatError) {
    try fields.string("name", &name, ("name", "it is missing"))
    var (kind, seen): (ClientRun.Client?, ClientRun.Traffic?) = (client, traffic)
    var screens: Screens? = self.screens == .named ? nil : self.screens
    try fields.choice("client", &kind)
    try fields.choice("screens", &screens)
    if fields.isReading {
      guard let log = try fields.object.list("log", Observation.init(reading:)) else {
        throw fields.object.error("log", "expected a list of the calls")
      }
      observations = log
      plannedFaults = try fields.object.array("plannedFaults")?.compactMap(\.stringValue)
    } else {
      for member in metrics.members { fields.write(member.name.value, member.value) }
      fields.write("plannedFaults", plannedFaults.map { .texts($0) })
      if traffic.isEmpty { seen = nil }
    }
    try fields.nested("programStarts", &starts)
    try fields.time("calmMilliseconds", &calm)
    try fields.nested("traffic", &seen)
    try fields.nested("baseline", &comparison)
    try fields.nested("against", &against)
    // The log is written call by call.
    guard fields.isReading else { return fields.write("endpoints", endpointList) }
    var row = Self(
      name,
      observations,
      // Reports that are older than the rules do not contain the kind. A program was then always
      // named `exec`.
      of: kind ?? (name == "exec" ? .program : .library),
      plannedFaults: plannedFaults,
      traffic: seen ?? ClientRun.Traffic(),
      screens: screens ?? .named
    )
    (row.starts, row.calm, row.comparison, row.against) = (starts, calm, comparison, against)
    self = row
    try checkFigures(&fields.object)
  }

  private var endpointList: JSON {
    .array(
      endpoints.map { row in
        .object([JSON.Member("endpoint", .text(row.name))] + row.metrics.members)
      }
    )
  }

  /// Throws if a figure in a file is not the one calculated from its log.
  private func checkFigures(_ object: inout ObjectReader) throws(FormatError) {
    for member in metrics.members + [JSON.Member("endpoints", endpointList)] {
      let key = member.name.value
      guard let stored = object.take(key) else {
        guard Metrics.firstKeys.contains(key) else { continue }
        let isOld = object.take("blankPageRate") != nil
        throw object.error(
          key,
          isOld ? "the report is older than version 0.1.0; run the drill again" : "it is missing"
        )
      }
      if stored == member.value { continue }
      throw object.error(
        key,
        key == "endpoints"
          ? "the figures do not match the log"
          : "the figure does not match the log, which has \(member.value)"
      )
    }
  }
}

extension ObjectReader {
  /// Returns a required string. Throws if it is missing.
  mutating func required(_ name: String) throws(FormatError) -> String {
    guard let text = try string(name) else { throw error(name, "it is missing") }
    return text
  }
}
