// Merges the shards of a drill on several machines to the report that one machine would produce.

extension Report {
  /// A report and its file.
  public struct Part: Sendable {
    /// The file's name, for errors about it.
    public var file: String
    /// The report in the file.
    public var report: Report

    /// Creates a part from a report and a file's name.
    public init(_ report: Report, from file: String) { (self.report, self.file) = (report, file) }
  }

  /// Merges the parts of one drill. The calls of each client in each scenario are joined by their
  /// numbers, the figures are calculated, and the gates are judged again.
  ///
  /// The order of the parts does not matter.
  ///
  /// - Throws: `FormatError` for the first part that is from another drill, or that contains a call
  ///   which another part has as well.
  public init(merging parts: [Part]) throws(FormatError) {
    guard let first = parts.first else {
      throw FormatError(source: "report", place: "", problem: "there are no reports to merge")
    }
    guard parts.count > 1 else {
      self = first.report
      return
    }
    for part in parts.dropFirst() { try part.refuseOthers(than: first) }
    var flown = first.report.scenarios
    for (place, own) in first.report.scenarios.enumerated() {
      let rows = try own.subjects.indices.map { row throws(FormatError) in
        try Row(merging: parts, scenario: place, subject: row)
      }
      flown[place] = own.with(rows)
    }
    self.init(
      seed: first.report.seed,
      decisionHash: first.report.decisionHash,
      platformErrors: first.report.platformErrors,
      environment: Fact.merging(parts.map(\.report.environment)),
      scenarios: flown
    )
    gates = results(of: first.report.gates.map(\.gate))
    bars = first.report.bars
    if fact(Self.compared) != nil { self = comparingSubjects() }
  }
}

extension Report.Part {
  /// Throws unless both are parts of the same drill.
  fileprivate func refuseOthers(than other: Self) throws(FormatError) {
    func same(_ place: String, _ value: (Report) -> String) throws(FormatError) {
      let (mine, others) = (value(report), value(other.report))
      guard mine != others else { return }
      throw FormatError(
        source: file,
        place: place,
        problem: "it is \(mine), but in \(other.file) it is \(others)",
        fix: "Only shards of one drill can be merged; to compare two drills, use --baseline."
      )
    }
    try same("seed") { "\($0.seed)" }
    try same("decisionHash") { "\($0.decisionHash)" }
    try same("platformErrors") { $0.platformErrors }
    try same("environment.cassette") { $0.fact("cassette") ?? "missing" }
    try same("environment.http") { $0.fact("http") ?? "any" }
    try same("environment.ignoredQuery") { $0.fact("ignoredQuery") ?? "missing" }
    try same("environment.critical") { $0.fact("critical") ?? "missing" }
    try same("environment.clock") { $0.fact("clock") ?? "real" }
    try same("environment.load") { $0.fact("load") ?? "missing" }
    try same("scenarios") { report in
      report.scenarios.map { flown in
        let subjects = flown.subjects.map(\.name).joined(separator: " and ")
        return "\(flown.name) (\(flown.stage.rawValue)) of \(subjects)"
      }.joined(separator: ", ")
    }
    try same("gates") { report in
      let gates = report.scenarios.flatMap(\.gates) + report.gates
      return gates.map(\.gate.description).joined(separator: ", ")
    }
    try same("bars") { $0.bars.map { "\($0.json)" } ?? "none" }
    try same("allow") { report in
      let allowed = report.scenarios.flatMap { flown in
        flown.allowed.map { "\(flown.name): \($0.key) (\($0.reason))" }
      }
      return allowed.isEmpty ? "none" : allowed.joined(separator: ", ")
    }
  }
}

extension Report.Row {
  fileprivate init(merging parts: [Report.Part], scenario: Int, subject: Int) throws(FormatError) {
    let own = parts[0].report.scenarios[scenario].subjects[subject]
    let rows = parts.map { $0.report.scenarios[scenario].subjects[subject] }
    var owners: [Int: String] = [:]
    for (part, row) in zip(parts, rows) {
      for call in row.observations {
        guard let owner = owners.updateValue(part.file, forKey: call.call) else { continue }
        throw FormatError(
          source: part.file,
          place: "\(parts[0].report.scenarios[scenario].name), \(own.name)",
          problem: "call \(call.call) is also in \(owner)",
          fix: "Each call of a drill belongs to one shard."
        )
      }
    }
    let calls = rows.flatMap(\.observations).sorted { $0.call < $1.call }
    self.init(joining: rows, calls, plannedFaults: own.plannedFaults)
  }

  /// Joins rows of one client, from parts of a run or from several scenarios. If any machine was
  /// too slow, the joined row states it.
  init(joining rows: [Self], _ calls: [Observation], plannedFaults: [String]?) {
    var traffic = ClientRun.Traffic()
    for row in rows { traffic.merge(row.traffic) }
    self.init(
      rows[0].name,
      calls,
      of: rows[0].client,
      plannedFaults: plannedFaults,
      traffic: traffic,
      screens: rows.contains { $0.screens == .named } ? .named : .byDefault
    )
    starts = rows.compactMap(\.starts).min { $0.possible < $1.possible }
    calm = rows.compactMap(\.calm).max()
    hasOtherClock = rows.contains(where: \.hasOtherClock)
  }
}

extension Report.Fact {
  /// Merges facts. Facts with the same value everywhere are listed once, and the others with all
  /// their values. Complete shards form a whole drill, and their fact is removed.
  fileprivate static func merging(_ environments: [[Report.Fact]]) -> [Report.Fact] {
    environments.joined().grouped(by: \.name).compactMap { name, facts in
      let all = Set(facts.map(\.value)).sorted()
      if name == "shard" && isWhole(all) || name == Report.reportFile { return nil }
      return Report.Fact(name, all.joined(separator: " | "))
    }
  }

  private static func isWhole(_ shards: [String]) -> Bool {
    let counts = Set(shards.compactMap { $0.split(separator: "/").last.flatMap { Int($0) } })
    return counts == [shards.count]
  }
}
