import TestSupport
import WindTunnel

@Suite struct DeckTests {
  @Test func `the first two attempts are spoiled and the third gets the recording`() {
    let deck = Deck(
      [.get("/users/{id}", json: ["id": 7])],
      scenario: [.on("GET /users/*", .first(2), .status(503, retryAfter: .seconds(1)))]
    )
    let statuses = (1...3).map { _ -> Int? in
      let request = Request("GET", "https://api.example.test/users/7")
      return deck.play(request, on: .inProcess).head?.status
    }
    expectEqual(statuses, [503, 503, 200])
  }
}
