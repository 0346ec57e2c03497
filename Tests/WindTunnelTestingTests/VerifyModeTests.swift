import Foundation
import Testing

@testable import WindTunnelTesting

/// `WINDTUNNEL_RECORD=verify`, with the deck of a test on the wire as the live origin.
@Suite(.cassette("users", matching: .pathAndQuery, then: .repeat), .onTheWire)
struct VerifyModeTests {
  private func drift(_ tape: Cassette, mode: String) async throws -> Drift {
    let place = try CassettePlace(
      "users",
      besides: "/a.swift",
      environment: ["WINDTUNNEL_RECORD": mode]
    )
    return await place.drift(of: Deck(tape, mode: place.mode))
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
    #expect(drift.drifted.map(\.number) == [2])
    #expect(
      drift.skipped.map(\.verdict) == [
        .skipped("POST is not safe to ask again"),
        .skipped("there is no secret for REDACTED-sid-1"),
      ]
    )
    #expect(Deck.current.attempts("GET /users/7") == 2)
    // Every other mode asks nobody.
    #expect(try await self.drift(tape, mode: "none") == Drift())
    #expect(Deck.current.attempts("GET /users/7") == 2)
  }
}
