import TestSupport
import Testing
import WindTunnelSymptoms

@testable import WindTunnel

/// A recording that broke off announces the length that its origin meant to send.
@Suite struct CutMutationTests {
  private func play(_ mutation: Mutation, announcing length: String?) -> Delivery {
    let request = Request("GET", "/users/7")
    var response = Response(body: Body(#"{"id":7}"#))
    if let length { response.head.headers["Content-Length"] = length }
    let cut = Interaction(request, .cut(response, Failure(.connectionLost)))
    let deck = Deck(
      Cassette([cut]),
      scenario: [.on("* /**", .always, .mutate(mutation))],
      matcher: .pathAndQuery
    )
    return Delivery(deck.decide(request), on: .onTheWire)
  }

  @Test(
    arguments: [
      (.status(500), 500, 100, #"{"id":7}"#), (.null(at: "$.id"), 200, 103, #"{"id":null}"#),
      (.truncate(afterBodyBytes: 3), 200, 95, #"{"i"#),
    ] as [(Mutation, Int, Int, String)]
  )
  func `a mutation over a cut announces what it announced, and what the body grew by`(
    mutation: Mutation,
    status: Int,
    length: Int,
    body: String
  ) {
    let head = ResponseHead(status: status, headers: ["Content-Length": "\(length)"])
    let steps: [Delivery.Step] = [
      .await(.requestEnd), .head(head), .bytes(Delivery.Payload(stringLiteral: body)), .reset,
    ]
    expectEqual(play(mutation, announcing: "100"), Delivery(steps, afterwards: .reset))
  }

  @Test(arguments: ["9223372036854775807", "0", "-1", "7", nil])
  func `a length that was never true is no more than one past the body`(length: String?) {
    let played = play(.null(at: "$.id"), announcing: length)
    let lengths = played.steps.compactMap { step -> String? in
      guard case .head(let head) = step else { return nil }
      return head.headers["Content-Length"]
    }
    let mostThatFits = "9223372036854775807"
    expectEqual(lengths, [length == mostThatFits ? mostThatFits : "12"])
  }
}
