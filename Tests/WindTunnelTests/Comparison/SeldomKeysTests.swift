import TestSupport

@testable import WindTunnel
@testable import WindTunnelHAR

/// Keys of a cassette that no recorder writes: no tool loses them, or is silent about them.
@Suite struct SeldomKeysTests {
  private static let file = ShippedFileTests.folder
    .appending(path: "format/cassette-1-exchange-keys.json")

  @Test func `every tool that writes a cassette keeps them`() throws {
    let cassette = try Cassette(contentsOf: Self.file)
    try expectEqual(cassette.data(), Data(contentsOf: Self.file))
    let page = cassette.interactions[0]
    #expect(page.isTemplate && page.isCritical && !cassette.interactions[1].isCritical)
    let hints = ResponseHead(status: 103, headers: ["Link": "</a.css>; rel=preload"])
    expectEqual(page.response?.head.informational, [ResponseHead(status: 100), hints])
    try expectEqual(CassetteMerge([("a", cassette), ("b", cassette)]).cassette, cassette)
    expectEqual(cassette.interactions.map { $0.renumbered(\.ordinal) }, cassette.interactions)
    expectEqual(cassette.redacted().cassette, cassette)
    try expectEqual(HARImport(HARExport(cassette).data, source: "a").cassette, cassette)
  }

  @Test func `a secret in an interim response is taken out`() throws {
    var cassette = try Cassette(contentsOf: Self.file)
    cassette.interactions[0].editResponse { response in
      response.head.informational[1].headers = ["Set-Cookie": "sid=abcdefghijkl"]
    }
    let text = String(decoding: cassette.redacted().cassette.data(), as: UTF8.self)
    #expect(!text.contains("abcdefghijkl") && text.contains("Set-Cookie"))
  }

  @Test func `a difference names each of them, and recording anew keeps them`() throws {
    let new = try Cassette(contentsOf: Self.file)
    var old = new
    for index in old.interactions.indices {
      (old.interactions[index].notes, old.interactions[index].innerNotes) = ([], [:])
      old.interactions[index].editResponse { $0.head.informational = [] }
    }
    let text = CassetteDifference(from: old, to: new).text(title: "a")
    expectEqual(
      text.split(separator: "\n").filter { $0.hasPrefix("    ") }
        .map { $0.dropFirst(4).prefix { $0 != ":" } },
      [
        "response.informational", "informational[1]._why", "template", "critical", "protocol",
        "failure.stream", "protocol", "response.trailersOnly", "protocol",
      ]
    )
    let tail = Array(old.interactions.dropFirst())
    let kept = Array(new.interactions.dropFirst())
    expectEqual(Rerecording.keepingOld(kept, under: tail), kept)
    var (other, run) = (old.interactions[2], RunRecordings())
    other.editResponse { $0.head.status = 503 }
    var expected = kept[1]
    expected.editResponse { $0.head.status = 503 }
    let merge = RerecordingMerge(rule: .said)
    expectEqual(merge([other], in: kept, beside: &run), [kept[0], expected])
    // A template stands for many responses: none of them takes its place.
    run = RunRecordings()
    let both = merge([old.interactions[0]], in: [new.interactions[0]], beside: &run)
    expectEqual(both, [new.interactions[0], old.interactions[0]])
  }

  @Test func `what is not played yet is told by lint and by the deck's journal`() throws {
    let cassette = try Cassette(contentsOf: Self.file)
    let words = ["protocol h2", "stream failure refusedStream", "key trailersOnly"]
      .map { "the \($0) cannot be played yet" }
    expectEqual(
      cassette.remarks,
      ["\(words[0]): #1 and 1 more", "\(words[1]): #2", "\(words[2]): #3"]
    )
    let deck = Deck(cassette)
    for interaction in cassette.interactions { _ = deck.decide(interaction.request) }
    expectEqual(
      deck.journal.all.map(\.misfits),
      [[0], [1], [0, 2]].map { $0.map { "Of the recording \(words[$0])." } }
    )
  }
}
