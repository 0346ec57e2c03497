// Parts of one drill, flown on several machines, joined to what one machine would have told.

extension Report {
  /// A report and the file it came from.
  public struct Part: Sendable {
    /// The file's name, for errors about it.
    public var file: String
    /// The report in the file.
    public var report: Report

    /// Makes a part of a report and a file's name.
    public init(_ report: Report, from file: String) { (self.report, self.file) = (report, file) }
  }

  /// Merges the parts of one drill: the calls of each subject in each scenario are joined by their
  /// numbers, the figures folded and the gates judged again.
  ///
  /// The order of the parts does not matter.
  ///
  /// - Throws: `FormatError` at the first part that is not of the same drill, or has a call that
  ///   another one has, too.
  public init(merging parts: [Part]) throws(FormatError) {
    guard let first = parts.first else {
      throw FormatError(source: "report", place: "", problem: "there is nothing to merge")
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
  /// Throws unless this is a part of the drill that the other is a part of.
  fileprivate func refuseOthers(than other: Self) throws(FormatError) {
    func same(_ place: String, _ value: (Report) -> String) throws(FormatError) {
      let (mine, others) = (value(report), value(other.report))
      guard mine != others else { return }
      throw FormatError(
        source: file,
        place: place,
        problem: "it is \(mine), and in \(other.file) \(others)",
        fix: "Only parts of one drill can be merged; compare two drills by --baseline."
      )
    }
    try same("seed") { "\($0.seed)" }
    try same("decisionHash") { "\($0.decisionHash)" }
    try same("platformErrors") { $0.platformErrors }
    try same("environment.cassette") { $0.fact("cassette") ?? "missing" }
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
          problem: "call \(call.call) is in \(owner), too",
          fix: "Each call of a drill belongs to one part."
        )
      }
    }
    let calls = rows.flatMap(\.observations).sorted { $0.call < $1.call }
    self.init(joining: rows, calls, plannedFaults: own.plannedFaults)
  }

  /// Joins rows of one client, of parts of a run or of several scenarios. A machine that could not
  /// keep up is in the whole.
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
  /// Merges facts: those that are the same everywhere stand once, and the others one after the
  /// other. Shards of which none is missing make a whole, and then nothing is said of them.
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
