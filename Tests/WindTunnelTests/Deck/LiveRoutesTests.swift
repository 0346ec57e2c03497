import TestSupport

@testable import WindTunnel

@Suite struct LiveRoutesTests {
  private func outcome(
    of url: RequestURL,
    mode: RecordMode = .none,
    _ scenario: Scenario = .calm
  ) -> Outcome {
    Deck(
      Cassette([Interaction(Request("GET", "https://api.example.test/a"), .json(1))]),
      scenario: scenario,
      options: PlaybackOptions(
        mode: mode,
        ignoring: ["Telemetry.example.test", "api.example.test:8443"],
        mapping: ["api.example.test": "http://127.0.0.1:8000"]
      )
    ).decide(Request("GET", url))
  }

  @Test(
    arguments: [
      ("https://telemetry.example.test/a", true), ("http://telemetry.example.test:81/b", true),
      ("https://api.example.test:8443/a", true), ("https://api.example.test/a", false),
      ("https://telemetry.example.test.evil.test/a", false),
    ] as [(RequestURL, Bool)]
  )
  func `only hosts that are named are left alone, in every mode`(url: RequestURL, isIgnored: Bool) {
    for mode in RecordMode.allCases {
      expectEqual((outcome(of: url, mode: mode).source == .forward(ticket: nil)), isIgnored)
    }
  }

  @Test func `an ignored host has no scenario and is not recorded`() {
    let rain = Scenario("rain", rules: [.always(.always, .status(503))])
    let outcome = outcome(of: "https://telemetry.example.test/a", mode: .rewrite, rain)
    expectEqual(outcome.decision.faults, [])
    let deck = Deck(
      Cassette(),
      options: PlaybackOptions(mode: .rewrite, ignoring: ["telemetry.example.test"])
    )
    let ignored = deck.decide(Request("GET", "https://telemetry.example.test/a"))
    deck.keep(Interaction(ignored.request, .json(1)), for: ignored)
    expectEqual(deck.recorded().cassette, Cassette())
  }

  @Test func `a host that is ignored is asked past the link`() {
    let slow = Scenario("slow", link: Link(up: Link.Direction(), down: Link.Direction()))
    expectNil(outcome(of: "https://telemetry.example.test/a", slow).path)
    #expect(outcome(of: "https://api.example.test/a", slow).path != nil)
  }

  @Test func `an answer that stands in place of the live one is asked nowhere`() {
    let rain = Scenario("rain", rules: [.always(.always, .status(503))])
    let outcome = outcome(of: "https://api.example.test/b", mode: .rewrite, rain)
    #expect(!outcome.forwards)
    expectNil(outcome.liveURL)
    expectEqual(outcome.forwarded.url, "https://api.example.test/b")
  }

  @Test func `a mapped host receives the request, and the recording keeps the original host`() {
    let outcome = outcome(of: "https://api.example.test/b?c=1", mode: .rewrite)
    expectEqual(outcome.request.url, "https://api.example.test/b?c=1")
    expectEqual(outcome.forwarded.url, "http://127.0.0.1:8000/b?c=1")
    expectNil(self.outcome(of: "https://api.example.test/a").liveURL)
  }

  @Test(arguments: [
    ("http://127.0.0.1:8000/next?a=1#b", "https://api.example.test/next?a=1#b"),
    ("http://127.0.0.1:8000", "https://api.example.test"),
    ("http://127.0.0.1:8001/next", "http://127.0.0.1:8001/next"), ("/next", "/next"),
  ])
  func `a redirect of a mapped host to itself bears its name`(location: String, shown: String) {
    let head = ResponseHead(status: 302, headers: ["Location": location])
    let outcome = outcome(of: "https://api.example.test/b", mode: .rewrite)
    expectEqual(outcome.named(head), ResponseHead(status: 302, headers: ["Location": shown]))
  }
}
