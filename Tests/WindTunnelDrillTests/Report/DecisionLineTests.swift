import TestSupport
import Testing

@testable import WindTunnelDrill

/// Lines of the story that are kept in parts.
@Suite struct DecisionLineTests {
  private static let place = DecisionLine.Place(scenario: "storm", key: "GET /a")

  private static func decision(
    _ lane: String = "storm/17",
    key: String = "GET /a",
    ordinal: Int = 2,
    faults: [Fault] = []
  ) -> FaultDecision {
    var decision = Scenario.calm.decide(
      Request("GET", "/a"),
      key: Matcher.pathAndQuery.key(Request("GET", "/a")),
      seed: 1,
      lane: Lane(lane),
      ordinal: ordinal
    )
    (decision.key, decision.faults) = (key, faults)
    return decision
  }

  @Test(arguments: [[], [Fault.status(503)], [.status(503), .delay(.exactly(.seconds(1)))]])
  func `a line that is kept in parts reads as it would have been written`(faults: [Fault]) {
    let decision = Self.decision(faults: faults)
    let (line, written) = (
      DecisionLine(decision, of: 17, at: Self.place), DecisionLine(decision.line)
    )
    #expect(line.place === Self.place && written.place == nil)
    #expect(line.text == decision.line && line == written && Set([line, written]).count == 1)
    #expect(line.key == "GET /a" && written.key == "GET /a" && line.hasKey(of: written))
    #expect(line.metNothing == faults.isEmpty && written.metNothing == faults.isEmpty)
    expectEqual(line.storedAnew(), line)
    let moved = line.moved(to: DecisionLine.Place(scenario: "storm", key: "GET /b"))
    expectEqual(moved.text, Self.decision(key: "GET /b", faults: faults).line)
    #expect(moved != line && !moved.hasKey(of: line) && !moved.hasKey(of: written))
  }

  @Test(
    arguments: [
      "storm/017", "storm/+17", "storm/18", "calm/17", "stormy/17", "stor/17", "storm+17", "",
    ]
  )
  func `a decision of another lane is kept as it is written`(lane: String) {
    let decision = Self.decision(lane)
    let line = DecisionLine(decision, of: 17, at: Self.place)
    #expect(line.place == nil && line.text == decision.line)
  }

  @Test func `a decision of another key or without an ordinal is kept as it is written`() {
    for decision in [Self.decision(key: "GET /b"), Self.decision(ordinal: -1)] {
      let line = DecisionLine(decision, of: 17, at: Self.place)
      #expect(line.place == nil && line.text == decision.line)
    }
  }

  @Test func `an attempt is equal however its line is kept`() {
    let decision = Self.decision()
    let kept = Observation.Attempt(
      DecisionLine(decision, of: 17, at: Self.place),
      take: "recording 1"
    )
    let read = Observation.Attempt(decision: decision.line, take: "recording 1")
    #expect(kept == read && kept.decision == decision.line && kept.faults.isEmpty)
  }
}
