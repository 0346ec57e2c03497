import TestSupport

@testable import WindTunnelDrill

/// Decisions of attempts, which are lines only in files.
@Suite struct AttemptDecisionTests {
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
  func `a line reads as it was written`(faults: [Fault]) {
    let decision = Self.decision(faults: faults)
    let (kept, read) = (AttemptDecision(decision), AttemptDecision(line: decision.line))
    #expect(kept == read && kept.line == decision.line && Set([kept, read]).count == 1)
    #expect(read.scenario == "storm" && read.call == 17 && read.ordinal == 2)
    #expect(read.key == "GET /a" && read.faults == faults)
    #expect(kept.metNothing == faults.isEmpty && read.metNothing == faults.isEmpty)
    var moved = kept
    moved.key = "GET /b"
    expectEqual(moved.line, Self.decision(key: "GET /b", faults: faults).line)
    #expect(moved != kept)
  }

  @Test func `every fault of the catalogue reads as it was written`() {
    for kind in FaultKind.all {
      let line = Self.decision(faults: [kind.fault]).line
      expectEqual(AttemptDecision(line: line).faults, [kind.fault], "\(kind.name)")
    }
  }

  @Test(arguments: ["storm/017", "storm/+17", "storm/18", "calm/17", "17", "storm+17", ""])
  func `a decision of any lane is written as it was`(lane: String) {
    let decision = Self.decision(lane)
    for kept in [AttemptDecision(decision), AttemptDecision(line: decision.line)] {
      expectEqual(kept.line, decision.line)
      expectEqual(kept.call, lane.hasSuffix("/17") ? 17 : lane.hasSuffix("/18") ? 18 : nil)
    }
  }

  @Test(
    arguments: [
      "", "x", "storm/17\tGET /a\t-1\t[]", "storm/17\tGET /a\t01\t[]",
      "storm/17\tGET /a\t1\t[{\"unheardOf\":1}]", "storm/17\tGET /a\t1\t[{ \"status\": 503}]",
      "storm/17\tGET /a\t1\t", "storm/17\tGET /a\t1\t[]\t",
    ]
  )
  func `a line of another version is kept as it is written`(line: String) {
    let kept = AttemptDecision(line: line)
    #expect(kept.line == line && !kept.metNothing)
    // What can be read is, and the text stays.
    expectEqual(kept.faults, line.contains("503") ? [.status(503)] : [])
  }

  @Test func `an unknown fault has a name`() {
    let line = "storm/17\tGET /a\t1\t[{\"unheardOf\":1},{\"status\":503}]"
    let kept = AttemptDecision(line: line)
    expectEqual(kept.faultNames, ["unheardOf", "status 503"])
    expectEqual(kept.faults, [.status(503)])
    #expect(kept.key == "GET /a" && kept.ordinal == 1)
  }

  @Test func `a decision without an ordinal is kept as it is written`() {
    let decision = Self.decision(ordinal: -1)
    expectEqual(AttemptDecision(decision).line, decision.line)
    expectNil(AttemptDecision(decision).ordinal)
  }

  @Test(
    arguments: [
      (ResponseSource.played(.recording(2)), "recording 3"),
      (.played(.withheld(2)), "withheld 3"), (.other("withheld"), "withheld"),
      (.played(.computed), "computed"), (.played(.forwarded), "forwarded"),
      (.played(.unmatched), "unmatched"), (.played(.connection), "connection"),
      (.other("recording x"), "recording x"), (.other("recording 03"), "recording 03"),
      (.other("recording 0"), "recording 0"), (.other(""), ""),
    ]
  )
  func `a source reads as it was written`(source: ResponseSource, words: String) {
    #expect(source.words == words && ResponseSource(words: words) == source)
  }
}
