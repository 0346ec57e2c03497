import TestSupport
import WindTunnelSymptoms

@testable import WindTunnel

/// A recording that broke off announces the length that its origin meant to send.
@Suite struct CutMutationTests {
  private func play(_ mutation: Mutation, announcing length: String?) -> Played {
    let request = Request("GET", "/users/7")
    var response = Response(body: Body(#"{"id":7}"#))
    if let length { response.head.headers["Content-Length"] = length }
    let cut = Interaction(request, .cut(response, Failure(.connectionLost)))
    let scenario: Scenario = [.on("* /**", .always, .mutate(mutation))]
    return Deck(Cassette([cut]), scenario: scenario, matcher: .pathAndQuery).play(request)
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
    let bytes = Delivery.Step.bytes(Delivery.Payload(stringLiteral: body))
    let played = play(mutation, announcing: "100")
    expectEqual(played.delivery, .steps(.head(head), bytes, .reset, then: .reset))
  }

  @Test(arguments: ["9223372036854775807", "0", "-1", "7", nil])
  func `a length that was never true is no more than one past the body`(length: String?) {
    let played = play(.null(at: "$.id"), announcing: length)
    let mostThatFits = "9223372036854775807"
    let expected = length == mostThatFits ? mostThatFits : "12"
    expectEqual(played.head?.headers["Content-Length"], expected)
  }
}
