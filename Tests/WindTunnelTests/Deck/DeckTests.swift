import TestSupport
import Testing
import WindTunnel

@Suite struct DeckTests {
  @Test func `the first two attempts are spoiled and the third gets the recording`() {
    let deck = Deck(
      [.get("/users/{id}", json: ["id": 7])],
      scenario: [.on("GET /users/*", .first(2), .status(503, retryAfter: .seconds(1)))]
    )
    let statuses = (1...3).map { _ -> Int? in
      let outcome = deck.decide(Request("GET", "https://api.example.test/users/7"))
      return Delivery(outcome, on: .inProcess).steps.lazy.compactMap { step -> Int? in
        guard case .head(let head) = step else { return nil }
        return head.status
      }.first
    }
    expectEqual(statuses, [503, 503, 200])
  }
}
