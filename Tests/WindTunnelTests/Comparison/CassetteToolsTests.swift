import TestSupport
import WindTunnelReports

/// What the commands that make cassettes of cassettes do.
@Suite struct CassetteToolsTests {
  private func get(_ url: String, _ answer: Int, day: Int = 1) -> Interaction {
    var interaction = Interaction(Request("GET", RequestURL(url)), .json(.number(answer)))
    interaction.timing = Timing(firstByte: .milliseconds(day), lastByte: .milliseconds(day))
    return interaction
  }

  @Test func `a merge keeps every sequence and drops what was recorded twice`() throws {
    let (a, b) = (get("https://a.test/a", 1), get("https://a.test/b", 1))
    let later = get("https://a.test/a", 1, day: 2)
    let changed = get("https://a.test/a", 2)
    let merge = try CassetteMerge([
      ("1.json", Cassette([a, a, b])), ("2.json", Cassette([later, changed, later, later])),
    ])
    expectEqual(merge.cassette, Cassette([a, a, b, changed, later]))
    expectEqual(merge.repeatedCount, 2)
  }

  @Test func `notes are merged, and a conflict is told`() throws {
    func noted(_ name: JSON.Text, _ value: JSON) -> Cassette {
      var cassette = Cassette()
      cassette.notes = [JSON.Member(name, value)]
      return cassette
    }
    let (one, two, other) = (noted("_a", 1), noted("_b", 2), noted("_a", 3))
    try expectEqual(
      CassetteMerge([("1", one), ("2", two), ("3", one)]).cassette.notes,
      one.notes
        + two.notes
    )
    expectEqual(
      refusal { try CassetteMerge([("1.json", one), ("2.json", two), ("3.json", other)]) },
      #""_a" has different values in 1.json and in 3.json. "#
        + "Make the values equal, or remove one."
    )
  }

  @Test func `interactions go by their numbers`() {
    let all = (1...4).map { get("https://a.test/", $0) }
    expectEqual(Cassette(all).without(numbers: [1, 3, 9]), Cassette([all[1], all[3]]))
  }

  @Test func `a report tells which interactions its calls met`() {
    let takes = [
      "recording 3", "withheld 5", "unmatched", "connection", "recording x", "recording 3",
    ]
    let observation = Observation(
      call: 0,
      endpoint: "GET /",
      isCritical: false,
      ending: .succeeded,
      showed: true,
      latency: .zero,
      attemptCount: 1,
      attempts: takes.map {
        Observation.Attempt(decision: .init(line: ""), source: .init(words: $0))
      }
    )
    let row = Report.Row("a", [observation])
    let flown = Report.ScenarioResult("calm", on: .onTheWire, subjects: [row])
    expectEqual(Report(flown).interactionsUsed, [3, 5])
  }
}
