internal import Foundation
internal import WindTunnelServer

/// A web page that shows each call of a drill as it ends.
final class DrillConsole: Sendable {
  private let board = ConsoleBoard(DrillAttempts())
  private let server: ConsoleServer
  private let scenarios: [Scenario]
  private let seed: UInt64

  /// Opens the page of a drill.
  ///
  /// - Throws: ``ServerError`` if no port is available.
  init(_ plan: DrillPlan) async throws {
    (scenarios, seed) = (plan.scenarios, plan.seed)
    var actions = ConsoleActions()
    actions.keeps = false
    server = try await ConsoleServer(.drill, board, actions, port: 0)
  }

  /// The URL of the page.
  var url: String { server.url }

  /// Whether a browser has the page open.
  var isWatched: Bool { board.readers > 0 }

  /// Adds an event of the drill to the page.
  func take(_ progress: ProcessDrill.Progress) {
    switch progress {
    case .ended(let name, let subject, let call):
      let scenario = scenarios.first { $0.name == name } ?? Scenario(name)
      board.write { book, moment in
        book.take(call, of: subject, in: scenario, seed: seed, at: moment)
      }
    case .judged(let flown):
      // The first client is judged.
      guard let subject = flown.subjects.first?.name else { return }
      board.write { book, _ in
        for finding in flown.findings { book.add(finding, of: subject) }
      }
    case .calls, .attempt, .finished, .notVirtual: break
    }
  }

  /// Shows the verdict on the pages and closes them.
  func end(_ verdict: DrillVerdict?) async {
    if let verdict { board.write { book, _ in book.add(verdict) } }
    await server.stop()
  }
}

/// An attempt of a drill's call, as a console shows it.
private struct DrillAttempt: ConsoleSubject {
  let row: ConsoleRow
  /// The call of the attempt, such as `metro, network-layer, call 7`.
  let place: String
  /// The time that the body took to arrive.
  let body: Duration?

  var id: Int { row.id }
  var cost: Int { 1500 }
  /// The console does not receive the requests of a drill.
  var request: Request? { nil }
  var interaction: Interaction? { nil }

  func detail(in scenario: Scenario?) -> [JSON.Member] {
    let told = body.map { [["name": "body", "milliseconds": .milliseconds($0)] as JSON] } ?? []
    return ConsoleDetail.withoutMessages("An attempt of \(place).", stages: told)
  }
}

/// The attempts of a drill's calls, in the order in which the calls ended.
private struct DrillAttempts: ConsoleBook {
  var feed = ConsoleFeed<DrillAttempt>()
  let rules = RedactionRules.standard

  mutating func take(
    _ call: Observation,
    of subject: String,
    in scenario: Scenario,
    seed: UInt64,
    at moment: Duration
  ) {
    // Clients and scenarios run one after the other, so the first call shows the beginning of each.
    let began = call.start ?? .zero
    if feed.segments.last?.scenario.name != scenario.name {
      feed.begin(scenario, seed: seed, at: max(.zero, moment - began - call.latency))
    }
    guard let segment = feed.segments.last else { return }
    var last: Duration?
    for (place, attempt) in (call.startAttempts + call.attempts).enumerated() {
      let start = attempt.start ?? began
      let words = call.endpoint.split(separator: " ", maxSplits: 1).map(String.init)
      var row = ConsoleRow(
        id: feed.nextID,
        at: segment.at + start,
        segment: segment.number,
        words.first ?? "",
        words.last ?? ""
      )
      row.call = Self.name(of: call.call, subject)
      row.attempt = place + 1
      row.gap = last.map { max(.zero, start - $0) }
      row.faults = attempt.decision.faultNames
      row.notDone = attempt.unappliedFaults.map { "\($0.fault) was not done: \($0.reason)." }
      row.take = attempt.source.words.split(separator: " ").first.map(String.init)
      row.interaction = attempt.source.number
      (row.status, row.bytes) = (attempt.status, attempt.bytes)
      row.latency = attempt.end.map { max(.zero, $0 - start) }
      row.ending = attempt.error ?? "whole"
      row.isConversation = attempt.conversation != nil
      last = attempt.end
      feed.append(
        DrillAttempt(
          row: row,
          place: "\(scenario.name), \(subject), call \(call.call)",
          body: attempt.stages.body
        )
      )
      feed.counters.took(row, at: moment)
    }
  }

  mutating func add(_ verdict: DrillVerdict) { feed.add(verdict.consoleRow) }

  mutating func add(_ judged: JudgedFinding, of subject: String) {
    let segment = feed.segments.last { $0.scenario.name == judged.scenario }?.number
    let call = Self.name(of: judged.finding.call, subject)
    let rows = feed.subjects.map(\.row).filter { $0.segment == segment && $0.call == call }
    feed.add(
      judged.row("\(judged.scenario)/\(judged.finding.rule)", segment: segment, rows.map(\.id))
    )
  }

  /// Returns the name of a call in a line.
  private static func name(of call: Int, _ subject: String) -> String { "\(subject) \(call)" }
}

extension DrillVerdict {
  /// The verdict as a row beside the findings.
  var consoleRow: JSON {
    [
      "id": "verdict", "rule": "verdict", "title": .text(line),
      "severity": outcome == .passed ? "note" : "error", "text": .text(advice), "rows": [],
      "segment": .null,
    ]
  }
}

extension JudgedFinding {
  /// Returns the finding as a row of a console.
  package func row(_ id: String, segment: Int?, _ rows: [Int]) -> JSON {
    [
      "id": .text(id), "rule": .text(finding.rule),
      "title": .text(FindingRule.named(finding.rule)?.title ?? finding.rule),
      "severity": .text(finding.severity.rawValue), "text": .text(finding.seen),
      "rows": .numbers(rows), "segment": .orNull(segment),
    ]
  }
}
