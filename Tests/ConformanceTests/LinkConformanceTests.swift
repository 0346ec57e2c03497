import TestSupport
import WindTunnel

/// A link makes an answer late and never other than it was.
@Suite struct LinkConformanceTests {
  static let text = (0..<4000).map { "\($0) " }.joined()

  static let links: [(name: String, link: Link, least: Duration)] = [
    (
      "late",
      Link(up: .init(delay: .milliseconds(20)), down: .init(delay: .milliseconds(20))),
      // A round trip for the connection and one for the request.
      .milliseconds(80)
    ),
    (
      "narrow",
      Link(up: .init(), down: .init(bitsPerSecond: 1_000_000, queueBytes: 3000)),
      .milliseconds(140)
    ),
    (
      "lossy",
      Link(
        up: .init(delay: .milliseconds(2), lossProbability: 0.05),
        down: .init(delay: .milliseconds(2), lossProbability: 0.05)
      ),
      .milliseconds(8)
    ),
  ]

  @Test(arguments: links, Stage.allCases)
  func `the whole body comes, no sooner than the link lets it`(
    row: (name: String, link: Link, least: Duration),
    stage: Stage
  ) async throws {
    let deck = Deck(
      [.get("http://api.example.test/t") { _ in .text(Body(Self.text)) }],
      scenario: Scenario(row.name, link: row.link),
      seed: 3
    )
    try await Theatre.play(deck, on: stage) { theatre async throws in
      let clock = ContinuousClock()
      let start = clock.now
      try await expectEqual(theatre.ask("/t"), Seen(200, Self.text))
      #expect(clock.now - start >= row.least)
    }
  }

  @Test(arguments: Stage.allCases)
  func `delays add up`(stage: Stage) async throws {
    let deck = Deck(
      [.get("http://api.example.test/t") { _ in .text(Body("late")) }],
      scenario: [
        .always(.always, .delay(.exactly(.milliseconds(60)))),
        .on("GET /t", .always, .delay(.exactly(.milliseconds(70)))),
      ]
    )
    try await Theatre.play(deck, on: stage) { theatre async throws in
      let clock = ContinuousClock()
      let start = clock.now
      try await expectEqual(theatre.handed("/t"), Seen(200, "late"))
      #expect(clock.now - start >= .milliseconds(130))
    }
  }
}
