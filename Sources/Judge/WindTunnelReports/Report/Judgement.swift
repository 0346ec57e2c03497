public import Foundation

/// The result of a gate.
public struct GateResult: Sendable, Hashable {
  /// The verdict on a gate: met, not met or inconclusive.
  public enum Status: Sendable, Hashable {
    case met
    case failed
    /// The gate cannot be judged. The value is the reason.
    case inconclusive(String)
    /// The gate is not met but passes. The value is the reason.
    case warning(String)

    var word: String {
      switch self {
      case .met: "met"
      case .failed: "failed"
      case .inconclusive: "inconclusive"
      case .warning: "warning"
      }
    }

    /// The reason why the gate cannot be judged, or why it passes although it is not met.
    var reason: String? {
      switch self {
      case .met, .failed: nil
      case .inconclusive(let reason), .warning(let reason): reason
      }
    }

    /// Whether the gate cannot be judged.
    var isInconclusive: Bool { if case .inconclusive = self { true } else { false } }
  }

  /// The gate that was judged.
  public let gate: Gate
  /// The verdict on the gate.
  public let verdict: Status
  /// The figure with its unit, formatted for readers; `nil` if there is none.
  public let got: String?

  /// The verdict and its figure, in one line without the gate.
  public var words: String {
    switch verdict {
    case .met, .failed: "\(verdict.word), got \(got ?? "–")"
    case .inconclusive(let reason), .warning(let reason):
      "\(verdict.word), \(reason)\(got.map { " (got \($0))" } ?? "")"
    }
  }

  var json: JSON {
    .object(
      JSON.members([
        "gate": .text(gate.description), "verdict": .text(verdict.word), "got": .orNull(got),
        "reason": verdict.reason.map { .text($0) }, "file": gate.location.map { .text($0.file) },
        "line": gate.location.map { .number($0.line) },
      ])
    )
  }
}

extension GateResult {
  /// Reads `"gates"`; returns no results if it is missing.
  static func read(_ object: inout ObjectReader) throws(FormatError) -> [GateResult] {
    try object.list("gates", Self.init(reading:)) ?? []
  }

  /// Returns the results in a file. Throws if a result without a baseline differs from the one
  /// calculated from the log. Reasons are not compared, because versions word them differently.
  static func checked(
    _ told: [GateResult],
    _ folded: [GateResult],
    in object: ObjectReader
  ) throws(FormatError) -> [GateResult] {
    for (index, (one, new)) in zip(told, folded).enumerated()
    where (one.verdict.word, one.got) != (new.verdict.word, new.got) && !one.gate.needsBaseline {
      throw object.error("gates[\(index)]", "the log results in \(new.words)")
    }
    return Array(told.prefix(folded.count))
  }

  init(reading object: consuming ObjectReader) throws(FormatError) {
    let text = try object.required("gate")
    var gate: Gate
    do throws(GateError) {
      gate = try Gate(text)
    } catch {
      throw object.error("gate", "column \(error.column): \(error.problem)", fix: error.fix)
    }
    let reason = try object.string("reason")
    switch try object.string("verdict") {
    case "met": verdict = .met
    case "failed": verdict = .failed
    case "inconclusive": verdict = .inconclusive(reason ?? "unknown")
    case "warning": verdict = .warning(reason ?? "unknown")
    default: throw object.error("verdict", "expected met, failed, inconclusive or warning")
    }
    got = object.take("got")?.stringValue
    if let file = try object.string("file"), let line = try object.int("line", in: 1...Int.max) {
      gate.location = Gate.FileLocation(file: file, line: line)
    }
    self.gate = gate
    try object.refuseUnknownKeys()
  }
}

/// The result of a gate in one of a report's scenarios, or over the whole run.
public struct Judgement: Sendable, Hashable, CustomStringConvertible {
  /// The name of the scenario; `run` for a gate over the whole run.
  public let scenario: String
  /// The result of the gate there.
  public let result: GateResult

  /// Whether the gate is not met.
  var isFailed: Bool { result.verdict == .failed }

  /// The scenario, the gate, the verdict and the figure, in one line.
  public var description: String {
    let place = result.gate.prefix == scenario ? "" : "\(scenario): "
    return "\(place)\(result.gate): \(result.words)"
  }
}

extension Report {
  /// The results of the gates, in the order of the scenarios, then of the gates over the whole run,
  /// and of the bars.
  public var judgements: [Judgement] { gateJudgements + barJudgements }

  /// The results of the gates without the bars.
  var gateJudgements: [Judgement] {
    scenarios.flatMap { flown in
      flown.gates.map { Judgement(scenario: flown.name, result: $0) }
    } + gates.map { Judgement(scenario: Gate.run, result: $0) }
  }

  private var sites: [Gate.Site] { scenarios.map { Gate.Site($0.name, $0.scenario) } }

  /// Returns this report with further gates and their results, each in the scenarios that its
  /// prefix selects.
  ///
  /// - Throws: `GateError` for a gate that applies to no scenario.
  public func judged(by gates: [Gate]) throws(GateError) -> Report {
    let sites = sites
    for gate in gates { try gate.check(against: sites) }
    var report = self
    for (place, site) in sites.enumerated() {
      let held = gates.filter { $0.isHeld(in: site, of: sites) }
      report.scenarios[place].gates += scenarios[place].judged(by: held, against: nil)
    }
    report.gates += results(of: gates.filter { $0.isOfRun(sites) })
    return report
  }

  /// Returns the results of gates over all calls of the judged client.
  package func results(of gates: [Gate], against baseline: Report? = nil) -> [GateResult] {
    let names = scenarios.map(\.name)
    guard !gates.isEmpty, let subject = scenarios.lazy.compactMap(\.subjects.first?.name).first,
      let row = wholeRow(of: subject, names)
    else { return [] }
    let before = baseline?.wholeRow(of: subject, names)
    return gates.map { $0.result(for: row, against: before) }
  }

  /// Returns the calls of a client in several scenarios as one row.
  private func wholeRow(of subject: String, _ names: [String]) -> Row? {
    let rows = rows(of: subject, in: names)
    guard !rows.isEmpty else { return nil }
    let planned = rows.compactMap(\.plannedFaults)
    let faults = planned.count == rows.count ? planned.flatMap(\.self) : nil
    return Row(joining: rows, rows.flatMap(\.observations), plannedFaults: faults)
  }

  /// Returns the rows of a client in several scenarios. A call and its partner in another row have
  /// the same number, and no call of another scenario has this number.
  func rows(of subject: String, in names: [String]) -> [Row] {
    names.enumerated().compactMap { place, name in
      let flown = scenarios.first { $0.name == name }
      guard var row = flown?.subjects.first(where: { $0.name == subject }) else { return nil }
      let offset = place * Scenario.callsMax
      for place in row.observations.indices {
        row.observations[place].call += row.observations[place].call < 0 ? -offset : offset
      }
      return row
    }
  }

  /// Throws if one of these gates, or one of the scenarios' own gates, is not met.
  ///
  /// ```swift
  /// try report.require([Gate("successRate >= 0.99"), Gate("p95(POST /payments) <= 3s")])
  /// ```
  ///
  /// A test that imports `WindTunnelDrillTesting` can write them as values, `.successRate >= 0.99`.
  ///
  /// - Parameters:
  ///   - gates: The gates.
  ///   - allowInconclusive: Whether inconclusive gates pass.
  ///   - baseline: The report for gates that compare with a baseline.
  /// - Throws: `GateError` for a gate without calls in any scenario. `GatesNotMet` with a line for
  ///   each gate that is not met, and for each scenario with requests that are not on the cassette.
  public func require(
    _ gates: [Gate],
    allowInconclusive: Bool = false,
    against baseline: Report? = nil
  ) throws {
    let report = try judged(by: gates)
    let all = (baseline.map { report.compared(to: $0) } ?? report).judgements
    let fallen = all.filter { judgement in
      let verdict = judgement.result.verdict
      return verdict == .failed || (verdict.isInconclusive && !allowInconclusive)
    }
    let strange = allowInconclusive ? [] : notOnCassette
    guard fallen.isEmpty, strange.isEmpty else {
      throw GatesNotMet(judgements: fallen, count: all.count, missingRecordings: strange)
    }
  }
}

extension Report.ScenarioResult {
  /// Judges the client by gates.
  func judged(by gates: [Gate], against baseline: Report.ScenarioResult?) -> [GateResult] {
    guard let row = subjects.first else { return [] }
    let before = baseline?.subjects.first { $0.name == row.name }
    return gates.map { $0.result(for: row, against: before) }
  }
}

/// The error of gates that were not met, and of requests that are not on the cassette.
public struct GatesNotMet: LocalizedError, Sendable, Hashable, CustomStringConvertible {
  /// The gates that failed or are inconclusive, in the order of the scenarios.
  public let judgements: [Judgement]
  /// The number of all gates.
  public let count: Int
  /// A sentence for each scenario with requests that are not on the cassette.
  public let missingRecordings: [String]

  /// A line about all gates, and a line for each gate that is not met.
  public var description: String {
    let inconclusive = judgements.count { $0.result.verdict.isInconclusive }
    let failed = judgements.count - inconclusive
    var title = "\(failed) of \(count) gates failed"
    if inconclusive > 0 { title += ", \(inconclusive) inconclusive" }
    if !missingRecordings.isEmpty { title += ", and the cassette lacks some requests" }
    return ([title + ":"] + lines.map { "  \($0)" }).joined(separator: "\n")
  }

  /// A line for each gate that is not met, and for each scenario with requests that are not on the
  /// cassette.
  package var lines: [String] { judgements.map { "\($0)" } + missingRecordings }

  /// The description, for code that prints errors by `LocalizedError`.
  public var errorDescription: String? { description }
}
