import Origins
import TestSupport
import WindTunnel
import WindTunnelServer

@testable import WindTunnelTesting

/// `WINDTUNNEL_RECORD=verify`, with the deck of a test on the wire as the live origin.
@Suite(.cassette("users", matching: .pathAndQuery, then: .repeat), .onTheWire)
struct VerifyModeTests {
  private func drift(
    _ tape: Cassette,
    mode: String,
    secrets: [String: String] = [:],
    redacting rules: RedactionRules = .standard,
    left: Int = 0
  ) async throws -> Drift {
    let place = try CassettePlace(
      "users",
      besides: "/a.swift",
      environment: ["WINDTUNNEL_RECORD": mode].merging(secrets) { $1 }
    )
    let deck = Deck(tape, mode: place.mode)
    for interaction in tape.interactions.dropLast(left) {
      deck.finished(deck.decide(interaction.request))
    }
    return await place.drift(of: deck, CassetteSettings(options: PlaybackOptions(redaction: rules)))
  }

  @Test func `what a test was played is held against the live origin`() async throws {
    let url = RequestURL("\(Deck.current.url)/users/7")
    let taped = try #require(Deck.current.interactions.first?.response)
    var secret = Request("GET", url)
    secret.headers = ["Cookie": "sid=REDACTED-sid-1"]
    let tape = Cassette([
      Interaction(Request("GET", url), taped), Interaction(Request("GET", url), .json([:])),
      Interaction(Request("POST", url), .json([:])), Interaction(secret, .json([:])),
    ])
    let drift = try await drift(tape, mode: "verify")
    expectEqual(drift.drifted.map(\.number), [2])
    expectEqual(
      drift.skipped.map(\.verdict),
      [
        .skipped("POST is not safe to send again"),
        .skipped("there is no secret for REDACTED-sid-1"),
      ]
    )
    expectEqual(Deck.current.attempts("GET /users/7"), 2)
    // Every other mode asks nobody.
    try await expectEqual(self.drift(tape, mode: "none"), Drift())
    expectEqual(Deck.current.attempts("GET /users/7"), 2)
  }

  @Test func `a secret comes from the environment`() async throws {
    let live = Deck([
      .get("/users/7") { request in
        let given = [request.headers["Cookie"], request.headers["X-Api-Key"]]
        return .text(Body(given == ["sid=second", "key"] ? "welcome" : "who?"))
      }
    ])
    let server = try await ReplayServer(live, .patient)
    var request = Request("GET", RequestURL("\(server.url)/users/7"))
    request.headers = ["Cookie": "sid=REDACTED-sid-2", "X-Api-Key": "REDACTED-x-api-key-1"]
    let tape = Cassette([Interaction(request, .text(Body("welcome")))])
    let secrets = [
      "WINDTUNNEL_SECRET_SID": "first", "WINDTUNNEL_SECRET_SID_2": "second",
      "WINDTUNNEL_SECRET_X_API_KEY": "key",
    ]
    let drift = try await drift(tape, mode: "verify", secrets: secrets)
    expectEqual(drift.entries.map(\.verdict), [.same])
    await server.stop()
  }

  @Test func `values that the test redacts are not shown, even after another test verified them`()
    async throws
  {
    let live = Deck([.get("/pin") { _ in .json(["vault": "tulip-canary-88"]) }])
    let server = try await ReplayServer(live, .patient)
    let request = Request("GET", RequestURL("\(server.url)/pin"))
    let tape = Cassette([Interaction(request, .json(["vault": "old"]))])
    // The same question by other rules is another one.
    let plain = try await drift(tape, mode: "verify")
    #expect("\(plain)".contains("tulip-canary-88"))
    let careful = try await drift(tape, mode: "verify", redacting: RedactionRules(names: ["vault"]))
    expectEqual(careful.drifted.map(\.number), [1])
    #expect(!"\(careful)".contains("tulip"))
    await server.stop()
  }

  @Test(arguments: [
    (
      ["WINDTUNNEL_SECRET_SID": "a\r\nb"],
      "The value of WINDTUNNEL_SECRET_SID is no secret: it has several lines."
    ),
    (
      ["WINDTUNNEL_SECRET_SID": ""],
      """
      WINDTUNNEL_SECRET_SID is not a secret: its value or its name is empty. Example: \
      WINDTUNNEL_SECRET_AUTHORIZATION.
      """
    ),
  ])
  func `what can be no secret is refused`(environment: [String: String], words: String) {
    let error = #expect(throws: CassetteProblem.self) {
      try CassettePlace("users", besides: "/a.swift", environment: environment)
    }
    expectEqual(error?.description, words)
  }
}
