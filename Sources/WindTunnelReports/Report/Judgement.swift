public import Foundation

/// The result of a gate.
public struct GateResult: Sendable, Hashable {
  /// The verdict on a gate: met, not met or inconclusive.
  public enum Verdict: Sendable, Hashable {
    case met
    case failed
    /// The gate cannot be judged, for this reason.
    case inconclusive(String)
  }

  /// The gate that was judged.
  public let gate: Gate
  /// The verdict on the gate.
  public let verdict: Verdict
  /// The figure with its unit, for a person; `nil` where there is none.
  public let got: String?

  /// The verdict and the figure behind it, in one line without the gate.
  public var words: String {
    switch verdict {
    case .met: "met, got \(got ?? "–")"
    case .failed: "failed, got \(got ?? "–")"
    case .inconclusive(let reason):
      "inconclusive, \(reason)\(got.map { " (got \($0))" } ?? "")"
    }
  }

  var json: JSON {
    var members = [JSON.Member("gate", .text(gate.description))]
    switch verdict {
    case .met: members.append(JSON.Member("verdict", "met"))
    case .failed: members.append(JSON.Member("verdict", "failed"))
    case .inconclusive: members.append(JSON.Member("verdict", "inconclusive"))
    }
    members.append(JSON.Member("got", got.map { .text($0) } ?? .null))
    if case .inconclusive(let reason) = verdict {
      members.append(JSON.Member("reason", .text(reason)))
    }
    if let place = gate.place {
      members.append(JSON.Member("file", .text(place.file)))
      members.append(JSON.Member("line", .number(place.line)))
    }
    return .object(members)
  }

  init(gate: Gate, verdict: Verdict, got: String?) {
    self.gate = gate
    self.verdict = verdict
    self.got = got
  }

  init(reading object: ObjectReader) throws(FormatError) {
    var object = object
    guard let text = try object.string("gate") else { throw object.error("gate", "it is missing") }
    var gate: Gate
    do throws(GateError) {
      gate = try Gate(text)
    } catch {
      throw object.error("gate", "column \(error.column): \(error.problem)", remedy: error.remedy)
    }
    let reason = try object.string("reason")
    switch try object.string("verdict") {
    case "met": verdict = .met
    case "failed": verdict = .failed
    case "inconclusive": verdict = .inconclusive(reason ?? "unknown")
    default: throw object.error("verdict", "none of met, failed and inconclusive")
    }
    got = object.take("got")?.stringValue
    if let file = try object.string("file"), let line = try object.int("line", in: 1...Int.max) {
      gate.place = Gate.FilePlace(file: file, line: line)
    }
    self.gate = gate
    try object.refuseUnknownKeys()
  }
}

/// The result of a gate in one of a report's scenarios.
public struct Judgement: Sendable, Hashable, CustomStringConvertible {
  /// The name of the scenario.
  public let scenario: String
  /// The result of the gate there.
  public let result: GateResult

  /// The scenario, the gate, the verdict and the figure, in one line.
  public var description: String { "\(scenario): \(result.gate): \(result.words)" }
}

extension Report {
  /// The results of the drill's gates, in the order of the scenarios.
  public var judgements: [Judgement] {
    scenarios.flatMap { flown in
      flown.gates.map { Judgement(scenario: flown.name, result: $0) }
    }
  }

  /// Returns this report with further gates in every scenario, and the verdicts on them.
  public func judged(by gates: [Gate]) -> Report {
    var report = self
    for place in report.scenarios.indices {
      report.scenarios[place].gates += report.scenarios[place].judged(by: gates, against: nil)
    }
    return report
  }

  /// Judges the subject in each scenario by further gates.
  ///
  /// - Parameters:
  ///   - gates: The gates.
  ///   - baseline: The report for gates with a bar at the baseline.
  /// - Returns: A judgement for each scenario and gate.
  public func judge(_ gates: [Gate], against baseline: Report? = nil) -> [Judgement] {
    judge(against: baseline) { _ in gates }
  }

  private func judge(
    against baseline: Report?,
    _ gates: (Report.Flown) -> [Gate]
  ) -> [Judgement] {
    let baseline = baseline?.asBaseline(of: self)
    return scenarios.flatMap { flown in
      let before = baseline?.scenarios.first { $0.name == flown.name }
      return flown.judged(by: gates(flown), against: before).map {
        Judgement(scenario: flown.name, result: $0)
      }
    }
  }

  /// Throws if one of these gates, or of the scenarios' own, is not met in some scenario.
  ///
  /// ```swift
  /// try report.require("successRate >= 0.99", "p95(POST /payments) <= 3s", "blankPages == 0")
  /// ```
  ///
  /// - Parameters:
  ///   - gates: The gates, as `Gate` reads them.
  ///   - allowInconclusive: True to let inconclusive gates pass.
  ///   - baseline: The report for gates with a bar at the baseline.
  /// - Throws: `GateError` for a gate that cannot be parsed; `GatesNotMet` with a line for each
  ///   gate that was not met, and for each scenario with requests that are not on the cassette.
  public func require(
    _ gates: String...,
    allowInconclusive: Bool = false,
    against baseline: Report? = nil
  ) throws {
    var read: [Gate] = []
    for gate in gates { read.append(try Gate(gate)) }
    // Those that were set for the drill were held against nothing while it was flown.
    let own =
      baseline == nil ? judgements : judge(against: baseline) { $0.gates.map(\.gate) }
    let all = own + judge(read, against: baseline)
    let fallen = all.filter { judgement in
      switch judgement.result.verdict {
      case .met: false
      case .failed: true
      case .inconclusive: !allowInconclusive
      }
    }
    let strange = allowInconclusive ? [] : notOnCassette
    guard fallen.isEmpty, strange.isEmpty else {
      throw GatesNotMet(judgements: fallen, count: all.count, notOnCassette: strange)
    }
  }
}

extension Report.Flown {
  /// Holds gates against the judged subject.
  func judged(by gates: [Gate], against baseline: Report.Flown?) -> [GateResult] {
    guard let row = subjects.first else { return [] }
    let before = baseline?.subjects.first { $0.name == row.name }
    return gates.map { $0.result(for: row, against: before) }
  }
}

/// The error of gates that were not met, and of requests that are not on the cassette.
public struct GatesNotMet: LocalizedError, Sendable, Hashable, CustomStringConvertible {
  /// The gates that failed and those that are inconclusive, in the order of the scenarios.
  public let judgements: [Judgement]
  /// The number of gates in all.
  public let count: Int
  /// The scenarios in which calls made requests that are not on the cassette, one sentence each.
  public let notOnCassette: [String]

  /// A line about all gates, and one for each that was not met.
  public var description: String {
    let inconclusive = judgements.count { $0.result.verdict != .failed }
    let failed = judgements.count - inconclusive
    var title = "\(failed) of \(count) gates failed"
    if inconclusive > 0 { title += ", \(inconclusive) inconclusive" }
    if !notOnCassette.isEmpty { title += ", and not all that was asked for is on the cassette" }
    let lines = judgements.map { "  \($0)" } + notOnCassette.map { "  \($0)" }
    return ([title + ":"] + lines).joined(separator: "\n")
  }

  /// The description, for code that prints errors by `LocalizedError`.
  public var errorDescription: String? { description }
}
