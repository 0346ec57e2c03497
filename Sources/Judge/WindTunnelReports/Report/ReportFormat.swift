// The report's text, version 1.
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
// Figures that were not seen are null. They and the verdicts are derived from the log, so a reader
// folds them anew and refuses a report whose figures are not its log's. The verdict of a gate whose
// bar lies at a baseline is taken as it stands, for the baseline is another file.

public import Foundation

extension Report {
  /// The greatest size of a report's file, in bytes; a larger one is refused before it is read.
  public static let fileBytesMax = 1 << 30

  /// Reads a report file, version 1.
  public init(contentsOf file: URL) throws {
    let data = try FileError.reading(file, bytesMax: Self.fileBytesMax)
    try self.init(data: data, source: file.lastPathComponent)
  }

  /// Returns the contents of the report's file.
  public func data() -> Data {
    let members = JSON.members([
      "windtunnelReport": .number(CassetteFormat.version), "seed": .number(seed),
      "decisionHash": .text(decisionHash), "platformErrors": .text(platformErrors),
      "environment": .object(environment.map(\.member)), "verdict": verdict.json,
      "findings": .array(findingRows), "coverage": .array(scenarios.flatMap(\.coverageRows)),
      "gates": gates.isEmpty ? JSON?.none : .array(gates.map(\.json)),
      "scenarios": .array(scenarios.map(\.json)),
    ])
    return Data(JSON.object(members).fileBytes())
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
      throw top.error("seenBy", "a proxy saw this flight, and what it saw has no calls to judge")
    }
    guard let seed = top.take("seed").flatMap({ UInt64($0.description) }) else {
      throw top.error("seed", "a whole number should stand here")
    }
    let hash = try top.required("decisionHash")
    let errors = try top.required("platformErrors")
    var environment: [Fact] = []
    if case .object(let members) = top.take("environment") {
      environment = members.map { Fact($0.name.value, $0.value.stringValue ?? "\($0.value)") }
    }
    // Judged anew by the log: a later version has other rules.
    _ = top.take("verdict")
    _ = top.take("findings")
    _ = top.take("coverage")
    let told = try GateResult.read(&top)
    guard let scenarios = try top.list("scenarios", ScenarioResult.init(reading:)) else {
      throw top.error("scenarios", "a list should stand here")
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
  }
}

extension Report.Fact {
  var member: JSON.Member { JSON.Member(JSON.Text(name), .text(value)) }
}

extension Report.ScenarioResult {
  var json: JSON {
    let before = brokenBefore?.sorted { $0.key < $1.key }
      .map { JSON.Member(JSON.Text($0.key), .text($0.value.rawValue)) }
    return .object(
      JSON.members([
        "name": .text(name), "stage": .text(stage.rawValue), "gates": .array(gates.map(\.json)),
        "rules": .array(rules.map(\.json)),
        "coverage": (subjects.first?.coverage).map { .share($0.share) },
        "allow": allowed.isEmpty ? JSON?.none : AllowedRule.json(of: allowed),
        "brokenBefore": before.map { .object($0) }, "scenario": scenario?.json,
        "subjects": .array(subjects.map(\.json)),
      ])
    )
  }

  /// The rows of the report's list that are about this scenario.
  fileprivate var coverageRows: [JSON] {
    subjects.first?.coverage?.rows.map { $0.json(of: name) } ?? []
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
      throw object.error("scenario", "it is that of \(scenario.name)")
    }
    let rows = try object.list("subjects", Report.Row.init(reading:)) ?? []
    let allowed = try AllowedRule.read(&object)
    // Judged anew by the log, as the findings are.
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
}

extension Report.ScenarioResult {
  private static func readBrokenBefore(
    _ object: inout ObjectReader
  ) throws(FormatError) -> [String: Finding.Severity]? {
    guard let json = object.take("brokenBefore") else { return nil }
    guard case .object(let members) = json else {
      throw object.error("brokenBefore", "\(json) is no object of rules and weights")
    }
    var rules: [String: Finding.Severity] = [:]
    for member in members {
      guard let weight = member.value.stringValue.flatMap(Finding.Severity.init) else {
        throw object.error("brokenBefore.\(member.name.value)", "none of note, warning and error")
      }
      rules[member.name.value] = weight
    }
    return rules
  }
}

extension Report.Row {
  var json: JSON {
    var members = [JSON.Member("name", .text(name)), JSON.Member("client", .text(client.rawValue))]
    members += metrics.members
    if let plannedFaults { members.add("plannedFaults", .texts(plannedFaults)) }
    members.add("programStarts", starts?.json)
    members.add("calmMilliseconds", calm)
    if !traffic.isEmpty { members.add("traffic", traffic.json) }
    members.add("baseline", comparison?.json)
    members.add("against", against?.json)
    members += [endpointsMember, JSON.Member("log", .array(observations.map(\.json)))]
    return .object(members)
  }

  private var endpointsMember: JSON.Member {
    let rows = endpoints.map { row in
      JSON.object([JSON.Member("endpoint", .text(row.name))] + row.metrics.members)
    }
    return JSON.Member("endpoints", .array(rows))
  }

  fileprivate init(reading object: consuming ObjectReader) throws(FormatError) {
    let name = try object.required("name")
    guard let observations = try object.list("log", Observation.init(reading:)) else {
      throw object.error("log", "a list of the calls should stand here")
    }
    let planned = try object.array("plannedFaults")?.compactMap(\.stringValue)
    // Reports from before there were rules do not say; the drill called any program so.
    let client =
      try object.choice("client", ClientRun.Client.self) ?? (name == "exec" ? .program : .library)
    let traffic = try object.object("traffic").map(ClientRun.Traffic.init(reading:))
    self.init(
      name,
      observations,
      of: client,
      plannedFaults: planned,
      traffic: traffic ?? ClientRun.Traffic()
    )
    starts = try object.object("programStarts").map(ProgramStarts.init(reading:))
    calm = try object.double("calmMilliseconds", in: 0...1e12).map { Duration(milliseconds: $0) }
    comparison = try object.object("baseline").map(BaselineComparison.init(reading:))
    against = try object.object("against").map(SubjectComparison.init(reading:))
    for member in metrics.members + [endpointsMember] {
      let key = member.name.value
      guard let stored = object.take(key) else {
        guard Metrics.firstKeys.contains(key) else { continue }
        let isOld = object.take("blankPageRate") != nil
        throw object.error(
          key,
          isOld ? "the report is older than version 0.1.0; run the drill again" : "it is missing"
        )
      }
      guard stored == member.value else {
        let isList = member.name == endpointsMember.name
        throw object.error(
          key,
          isList
            ? "the figures are not the ones of the log"
            : "the figure is not the one of the log, which is \(member.value)"
        )
      }
    }
    try object.refuseUnknownKeys()
  }
}

extension ObjectReader {
  /// Returns a string that must be there.
  mutating func required(_ name: String) throws(FormatError) -> String {
    guard let text = try string(name) else { throw error(name, "it is missing") }
    return text
  }
}
