import TestSupport

@testable import WindTunnel

/// What a journal keeps once it is full.
@Suite struct JournalRingTests {
  private static func entry(_ id: Int) -> Journal.Record {
    let decision = FaultDecision(lane: .deck, key: "GET /", ordinal: id, faults: [])
    return Journal.Record(id: id, decision: decision, take: .computed)
  }

  @Test func `the newest entries stay, in order, and are found by their ids`() {
    var journal = Journal()
    let (most, few) = (Journal.entriesMax, Journal.entriesMax / 10)
    let last = most + few + few / 2
    for id in 0..<last { journal.append(Self.entry(id)) }
    expectEqual(journal.dropped, 2 * few)
    expectEqual(journal.all.map(\.id), Array(2 * few..<last))
    // On both sides of the place where the ring begins, and one that is gone.
    for id in [2 * few, most - 1, most, last - 1, 2 * few - 1] {
      journal.markOverlapping(id: id)
      journal.note(["none"], on: id)
    }
    let marked = journal.all.filter(\.overlapping)
    expectEqual(marked.map(\.id), [2 * few, most - 1, most, last - 1])
    expectEqual(marked.map(\.misfits), Array(repeating: ["none"], count: 4))
  }
}
