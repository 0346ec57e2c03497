import TestSupport

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
    let link = Link(up: .init(delay: .milliseconds(20)), down: .init(delay: .milliseconds(30)))
    expectEqual(
      delivery(link: link),
      Delivery([
        .await(.requestEnd), .wait(.milliseconds(70)), .head(Self.head), .bytes("hello"), .finish,
      ])
    )
  }

  @Test func `a link that loses everything lets nothing through`() {
    let link = Link(up: .init(), down: .init(lossProbability: 1))
    expectEqual(delivery(link: link).steps, [.await(.requestEnd), .stall])
  }

  @Test func `what a name and lost packets cost on the way up is waited before the head`() {
    var link = Link(
      up: .init(delay: .milliseconds(20), loss: .script(LossScript(handshake: [1]))),
      down: .init(delay: .milliseconds(30))
    )
    link.dnsDelay = .milliseconds(7)
    // The SYN is repeated after a second and what its timer's step adds.
    expectEqual(delivery(link: link).steps[1], .wait(.microseconds(7000 + 1_017_500 + 70_000)))
  }

  @Test func `the same seed meets the same fates, and another request meets others`() {
    let link = Link(
      up: .init(delay: .milliseconds(20), lossProbability: 0.3),
      down: .init(delay: .milliseconds(20), lossProbability: 0.3)
    )
    func waits(_ path: String) -> [[Delivery.Step]] {
      let deck = Deck(Cassette(), scenario: Scenario("s", link: link), seed: 3)
      return (0..<8).map { _ in
        Delivery(deck.decide(Request("GET", RequestURL(path))), on: .onTheWire).steps
      }
    }
    expectEqual(waits("/a"), waits("/a"))
    #expect(Set(waits("/a")).count > 2)
    #expect(waits("/a").map { $0[1] } != waits("/b").map { $0[1] })
  }

  @Test func `a handshake that was waited for where it was made is not waited for again`() throws {
    let link = Link(up: .init(delay: .milliseconds(20)), down: .init(delay: .milliseconds(30)))
    let deck = Deck(Cassette(), scenario: Scenario("s", link: link))
    let connection = try #require(deck.openConnection(lane: .deck, on: .onTheWire).path)
    // TLS 1.3: one round trip; its answer is of more packets than one, which come together.
    expectEqual(connection.securing(), .milliseconds(50))
    var path = try #require(deck.decide(Request("GET", "https://a.test/")).path)
    let whole = try #require(path.travel(requestBytes: 200, isSecure: true))
    path.isSecured = true
    expectEqual(path.travel(requestBytes: 200, isSecure: true), whole - .milliseconds(50))
    let stages = path.stages(requestBytes: 200, isSecure: true)
    #expect(stages.tls == nil && stages.connect == .milliseconds(50))
    let dead = Link(up: .init(), down: .init(lossProbability: 1))
    let lost = Deck(Cassette(), scenario: Scenario("s", link: dead))
    expectNil(lost.openConnection(lane: .deck, on: .onTheWire).path?.securing())
    expectNil(Deck(Cassette()).openConnection(lane: .deck, on: .onTheWire).path)
  }
}
