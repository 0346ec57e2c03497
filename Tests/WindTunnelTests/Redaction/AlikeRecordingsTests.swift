import TestSupport
@_spi(WindTunnel) import WindTunnelCore

@testable import WindTunnel

/// Recordings that only what was taken out of them tells apart: a value that was asked with once stays
/// paired, and where order alone decides everybody is told.
@Suite struct AlikeRecordingsTests {
  private static let cassette = Cassette(
    ["one", "two"].enumerated().map { index, answer in
      Interaction(
        Request("GET", RequestURL("/a?token=REDACTED-token-\(index + 1)")),
        Response(body: Body(answer))
      )
    }
  )

  private static func ask(_ deck: Deck, _ value: String) -> Journal.Take? {
    _ = deck.decide(Request("GET", RequestURL("/a?token=\(value)")))
    return deck.journal.all.last?.take
  }

  @Test func `the journal says where order alone chose`() {
    let deck = Deck(Self.cassette, matcher: .url, then: .repeat)
    let takes = ["x1", "y1", "x1", "y1", "x1"].map { Self.ask(deck, $0) }
    expectEqual(takes, [0, 1, 0, 1, 0].map { .recording($0) })
    expectEqual(deck.journal.all.map(\.rival), [1, nil, nil, nil, nil])
  }

  @Test func `an observer that follows nothing is told of a choice by order, and of no other`() {
    let told = Locked<[Int?]>([])
    let deck = Deck(
      Self.cassette,
      scenario: .calm,
      seed: 1,
      options: PlaybackOptions(matcher: .url, then: .repeat),
      observer: Deck.Observer(takingAll: false) { event in
        if case .decided(let entry) = event { told.withLock { $0.append(entry.rival) } }
      }
    )
    deck.follow(.nothing)
    for value in ["x1", "y1", "x1"] { _ = Self.ask(deck, value) }
    expectEqual(told.withLock { $0 }, [1])
  }

  @Test func `of two users order decides for the first alone`() {
    let interactions = (1...2).map { number in
      let url = RequestURL("https://REDACTED-userinfo-\(number)@a.test/x")
      return Interaction(Request("GET", url), Response(body: Body("\(number)")))
    }
    let deck = Deck(Cassette(interactions), matcher: .url, then: .repeat)
    for user in ["ada", "bob", "ada"] {
      _ = deck.decide(Request("GET", RequestURL("https://\(user)@a.test/x")))
    }
    expectEqual(deck.journal.all.map(\.take), [0, 1, 0].map { .recording($0) })
    expectEqual(deck.journal.all.map(\.rival), [1, nil, nil])
  }

  @Test func `what a request tells leaves nothing to order`() {
    let deck = Deck(Self.cassette, matcher: .url, then: .repeat)
    expectEqual(Self.ask(deck, "REDACTED-token-2"), .recording(1))
    expectEqual(deck.journal.all.map(\.rival), [nil])
    let plain = Cassette([Self.cassette.interactions[0]])
    let alone = Deck(plain, matcher: .url, then: .repeat)
    expectEqual(Self.ask(alone, "x1"), .recording(0))
    expectEqual(alone.journal.all.map(\.rival), [nil])
  }

  @Test func `another value of the request tells them apart`() {
    let deck = Deck(
      Cassette(
        ["one", "two"].enumerated().map { index, answer in
          Interaction(
            Request("GET", RequestURL("/a?id=\(index)&token=REDACTED-token-\(index + 1)")),
            Response(body: Body(answer))
          )
        }
      ),
      matcher: .url
    )
    _ = deck.decide(Request("GET", "/a?id=1&token=x1"))
    expectEqual(deck.journal.all.map(\.take), [.recording(1)])
    expectEqual(deck.journal.all.map(\.rival), [nil])
  }

  @Test func `the explanation names both`() {
    let explanation = Explanation(Request("GET", "/a?token=x1"), Self.cassette, matcher: .url)
    expectEqual(explanation.rival, 2)
    expectEqual(
      explanation.description,
      """
      GET /a?token=x1 matches #1.
      #1 and #2 are identical except for their redacted values, so the first matching request \
      gets #1.
      """
    )
    expectEqual(explanation.json["cannotBeToldFrom"], .number(2))
    let named = Explanation(
      Request("GET", "/a?token=REDACTED-token-2"),
      Self.cassette,
      matcher: .url
    )
    #expect(named.numbers == [2] && named.rival == nil)
    expectNil(named.json["cannotBeToldFrom"])
  }
}
