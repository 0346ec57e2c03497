import TestSupport
import WindTunnelSymptoms

@testable import WindTunnel

@Suite struct RecordingTests {
  private func tape(_ paths: String...) -> Cassette {
    var cassette = Cassette(
      paths.map { Interaction(Request("GET", RequestURL("https://a/\($0)")), .json(.text($0))) }
    )
    cassette.notes = [JSON.Member("_team", "shop")]
    return cassette
  }

  /// Asks for each path, and lets the origin answer what is forwarded, last first.
  private func run(_ mode: RecordMode, _ cassette: Cassette, _ paths: [String]) -> (
    forwarded: [String], paths: [String], notes: Int
  ) {
    let deck = Deck(cassette, mode: mode)
    let outcomes = paths.map { deck.decide(Request("GET", RequestURL("https://a/\($0)"))) }
    for outcome in outcomes.reversed() where outcome.forwards {
      deck.keep(Interaction(outcome.request, .json("new")), for: outcome)
    }
    let recorded = deck.recorded().cassette
    return (
      outcomes.filter(\.forwards).map(\.request.url.path),
      recorded.interactions.map(\.request.url.path), recorded.notes.count
    )
  }

  @Test(arguments: [
    (RecordMode.none, [], ["/x"]), (.once, [], ["/x"]),
    (.newEpisodes, ["/y", "/x", "/z"], ["/x", "/y", "/x", "/z"]),
    (.rewrite, ["/x", "/y", "/x", "/z"], ["/x", "/y", "/x", "/z"]),
  ])
  func `a mode determines the requests to the origin and the recordings that stay`(
    mode: RecordMode,
    forwarded: [String],
    paths: [String]
  ) {
    let result = run(mode, tape("x"), ["x", "y", "x", "z"])
    expectEqual(result.forwarded, forwarded)
    // In the order of the requests, though the last answer came first.
    expectEqual(result.paths, paths)
    expectEqual(result.notes, 1)
  }

  @Test func `an empty cassette is recorded once`() {
    expectEqual(run(.once, Cassette(), ["y", "x"]).paths, ["/y", "/x"])
  }

  @Test func `what was not forwarded is not kept`() {
    let deck = Deck(tape("x"))
    let outcome = deck.decide(Request("GET", "https://a/x"))
    deck.keep(Interaction(outcome.request, .json("new")), for: outcome)
    expectEqual(deck.recorded().cassette, tape("x"))
  }

  @Test func `the recorded cassette is the same each time, without secrets`() {
    let deck = Deck(Cassette(), mode: .rewrite)
    let outcome = deck.decide(Request("GET", "https://a/x", headers: ["Cookie": "a=secret"]))
    deck.keep(Interaction(outcome.request, .json([])), for: outcome)
    expectEqual(deck.recorded().cassette, deck.recorded().cassette)
    expectEqual(
      deck.recorded().cassette.interactions.map { $0.request.headers["Cookie"] },
      ["a=REDACTED-a-1"]
    )
  }

  @Test func `a recording of refused connections alone is told from one that has more`() {
    let deck = Deck(Cassette(), mode: .rewrite)
    #expect(!deck.recordedRefusalsAlone)
    func keep(_ path: String, _ answer: RecordedResult) {
      let outcome = deck.decide(Request("GET", RequestURL("https://a/\(path)")))
      deck.keep(Interaction(outcome.request, answer), for: outcome)
    }
    keep("x", .failure(Failure(.connectionRefused)))
    #expect(deck.recordedRefusalsAlone)
    keep("y", .failure(Failure(.timedOut)))
    #expect(!deck.recordedRefusalsAlone)
    deck.forgetRefusals()
    expectEqual(deck.recorded().cassette.interactions.map(\.request.url.path), ["/y"])
  }
}
