/// What became of a gate.
public struct GateResult: Sendable, Hashable {
  /// Whether the bar was cleared.
  public enum Verdict: Sendable, Hashable {
    case met
    case failed
    /// It cannot be told, and why not.
    case inconclusive(String)
  }

  /// The gate.
  public let gate: Gate
  /// The verdict.
  public let verdict: Verdict
  /// The figure with its unit, as people read it; `nil` where there is none.
  public let got: String?

  /// The verdict and what led to it, in a line without the gate.
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
  /// The scenario's name.
  public let scenario: String
  /// What became of the gate there.
  public let result: GateResult

  /// Scenario, gate, verdict and figure in one line.
  public var description: String { "\(scenario): \(result.gate): \(result.words)" }
}
