import TestSupport
import Testing

@testable import WindTunnel

@Suite struct StubTests {
  @Test func `a GET may be answered by any status, with JSON`() {
    let deck = Deck([
      .get("/a", json: ["id": 7]), .get("/gone", status: 404, json: ["error": "gone"]),
      .get("/gone", status: 410, json: [:], then: .repeat),
    ])
    let answers = ["/a", "/gone", "/gone", "/gone"].map { path -> Response? in
      let url = RequestURL("https://api.example.test\(path)")
      guard case .recording(let interaction, _) = deck.decide(Request("GET", url)).source else {
        return nil
      }
      return interaction.response
    }
    expectEqual(
      answers,
      [
        .json(["id": 7]), .json(["error": "gone"], status: 404), .json([:], status: 410),
        .json([:], status: 410),
      ]
    )
  }
}
