import Foundation
import Testing

@testable import WindTunnel

@Suite struct LinkLoweringTests {
  private static let head = ResponseHead(headers: ["Content-Length": "5"])

  private func delivery(_ response: Response? = nil, link: Link) -> Delivery {
    let hello = Response(headers: ["Content-Length": "5"], body: Body("hello"))
    let deck = Deck(
      Cassette([Interaction(Request("GET", "/"), response ?? hello)]),
      scenario: Scenario("s", link: link)
    )
    return Delivery(deck.decide(Request("GET", "/")), on: .onTheWire)
  }

  @Test func `a link delays the request by handshake and way up`() {
    let link = Link(
      up: .init(delay: .milliseconds(20)),
      down: .init(delay: .milliseconds(30))
    )
    #expect(
      delivery(link: link)
        == Delivery([
          .await(.requestEnd), .wait(.milliseconds(70)), .head(Self.head), .bytes("hello"), .finish,
        ])
    )
  }

  @Test func `a link that loses everything lets nothing through`() {
    let link = Link(up: .init(), down: .init(lossProbability: 1))
    #expect(delivery(link: link).steps.last == .stall)
    #expect(delivery(link: link).steps.count == 3)
  }

  @Test func `a body longer than the first window waits for acknowledgements, unharmed`() {
    let body = Data((0..<60_000).map { UInt8(truncatingIfNeeded: $0) })
    let link = Link(up: .init(delay: .milliseconds(50)), down: .init(delay: .milliseconds(50)))
    let steps = delivery(Response(body: Body(body)), link: link).steps
    let waits = steps.filter { $0 == .wait(.milliseconds(100)) }
    // 10, 20 and 12 segments.
    #expect(waits.count == 2)
    let sent = steps.reduce(into: Data()) { sent, step in
      if case .bytes(.data(let data)) = step { sent += data }
    }
    #expect(sent == body)
  }
}
