import TestSupport

@testable import WindTunnelCassettes

/// A message in one line: who says it, when, and what; `cause` where it stands on the cassette.
func said(
  _ sender: WebSocketMessage.Sender,
  _ milliseconds: Double = 0,
  _ text: String,
  after cause: Int? = nil
) -> WebSocketMessage {
  var message = WebSocketMessage(
    from: sender,
    Body(text),
    isText: true,
    offset: Duration(milliseconds: milliseconds)
  )
  message.cause = cause
  return message
}

/// Which of a client's messages each of the server's answers.
@Suite struct ConversationTests {
  private static func causes(
    _ messages: [WebSocketMessage],
    roundTrip: Double = 2,
    by paths: [JSONPath] = []
  ) -> [Int?] {
    Conversation(
      messages,
      roundTrip: Duration(milliseconds: roundTrip),
      correlatedBy: paths
    ).messages.map(\.cause)
  }

  @Test func `a path of one's own correlates before all members`() {
    let messages = [
      said(.client, 1, #"{"head":{"seq":1},"id":"x"}"#),
      said(.client, 2, #"{"head":{"seq":2},"id":"y"}"#),
      said(.client, 3, #"[{"seq":3}]"#),
      said(.client, 4, #"{"seq":{"no":"scalar"}}"#),
      said(.server, 50, #"{"reply":{"to":{"seq":1}},"id":"y"}"#),
      said(.server, 51, #"{"id":"y"}"#),
      said(.server, 52, #"{"seq":"3"}"#),
      said(.server, 53, #"{"seq":9,"id":"x"}"#),
    ]
    expectEqual(Self.causes(messages, by: ["$..seq"]), [nil, nil, nil, nil, 1, 2, 3, 1])
    expectEqual(Self.causes(messages), [nil, nil, nil, nil, 2, 2, 4, 1])
  }

  @Test(arguments: MessageContent.correlationFields)
  func `a message answers the newest one of the same correlation`(field: String) {
    let messages = [
      said(.client, 1, #"{"\#(field)":"a"}"#),
      said(.client, 2, #"{"\#(field)":"b"}"#),
      said(.client, 3, #"{"\#(field)":"a","again":true}"#),
      said(.client, 4, #"{"other":"a"}"#),
      said(.server, 50, #"{"\#(field)":"a","n":1}"#),
      said(.server, 51, #"{"\#(field)":"b","n":2}"#),
    ]
    expectEqual(Self.causes(messages), [nil, nil, nil, nil, 3, 2])
  }

  @Test func `the most telling correlation counts, numbers like texts, and no id further in`() {
    let messages = [
      said(.client, 1, #"{"id":1,"topic":"room"}"#),
      said(.client, 2, #"{"id":2,"topic":"room"}"#),
      said(.client, 30, #"{"payload":{"id":7}}"#),
      said(.server, 40, #"{"topic":"room","id":1.0}"#),
      said(.server, 41, #"{"topic":"room"}"#),
      said(.server, 42, #"{"params":{"topic":"room"}}"#),
      said(.server, 43, #"{"data":{"id":1}}"#),
      said(.server, 44, #"[1]"#),
    ]
    expectEqual(Self.causes(messages), [nil, nil, nil, 1, 2, 2, 3, 3])
  }

  @Test func `else it answers the newest that is a round trip older, else the handshake`() {
    let messages = [
      said(.server, 0, "welcome"),
      said(.client, 1, "a"),
      said(.server, 2.9, "too soon for a"),
      said(.server, 3, "for a"),
      said(.client, 5, "b"),
      said(.server, 6, "still for a"),
      said(.server, 7, "for b"),
    ]
    expectEqual(Self.causes(messages), [0, nil, 0, 2, nil, 2, 5])
    // By hand nobody writes times.
    let byHand = [said(.server, 0, "0"), said(.client, 0, "1"), said(.server, 0, "2")]
    expectEqual(Self.causes(byHand, roundTrip: 0), [0, nil, 2])
  }

  @Test func `what stands on the cassette is believed`() {
    let messages = [
      said(.client, 1, "a"), said(.client, 2, "b"), said(.server, 50, "c", after: 1),
      said(.server, 51, "d", after: 0),
    ]
    expectEqual(Self.causes(messages), [nil, nil, 1, 0])
  }

  @Test func `a heartbeat causes its reply and no push`() {
    var messages = [said(.client, 0, #"{"op":"subscribe"}"#)]
    for beat in 0..<4 {
      let start = Double(beat) * 100
      messages.append(
        said(.client, start + 10, #"{"op":"ping","at":\#(1_700_000_000_000 + beat)}"#)
      )
      messages.append(said(.server, start + 20, #"{"op":"pong"}"#))
      messages += (0..<3).map { said(.server, start + 30 + Double($0) * 10, #"{"n":\#($0)}"#) }
    }
    let conversation = Conversation(messages, roundTrip: .milliseconds(2))
    expectEqual(conversation.heartbeats, [2, 7, 12, 17])
    let round: [[Int?]] = [2, 7, 12, 17].map { [nil, $0, 1, 1, 1] }
    expectEqual(conversation.messages.map(\.cause), [nil] + round.flatMap { $0 })
  }

  @Test func `a heartbeat that names a channel causes none of its pushes`() {
    var messages = [said(.client, 0, #"{"op":"subscribe","channel":"trades"}"#)]
    for beat in 0..<3 {
      let start = Double(beat) * 100
      messages.append(said(.client, start + 10, #"{"op":"ping","channel":"trades"}"#))
      messages.append(said(.server, start + 20, #"{"op":"pong","channel":"trades"}"#))
      messages += (0..<2).map {
        said(.server, start + 30 + Double($0) * 10, #"{"channel":"trades","n":\#($0)}"#)
      }
    }
    let causes = Self.causes(messages)
    expectEqual(causes, [nil, nil, 1, 1, 1, nil, 1, 1, 1, nil, 1, 1, 1])
  }

  @Test func `numbers of a clock's length are clocks between 2010 and 2040 alone`() {
    let subscriptions = ["9123456789", "9234567890", "9345678901"].map {
      said(.client, 0, #"{"op":"sub","account":\#($0)}"#)
    }
    expectEqual(Conversation(subscriptions, roundTrip: .zero).heartbeats, [])
  }

  @Test func `a tape of ends alone is worked out at once`() {
    let ends = (0..<20_000).map { _ in
      WebSocketMessage(from: .server, closing: 1000, offset: .zero)
    }
    expectEqual(Conversation(ends, roundTrip: .zero).messages.count, 20_000)
  }

  @Test func `twice is no heartbeat, and what asks for one after the other is answered one by one`()
  {
    let twice = [
      said(.client, 0, "ping"), said(.server, 10, "pong"), said(.client, 20, "ping"),
      said(.server, 30, "pong"), said(.server, 40, "news"),
    ]
    expectEqual(Conversation(twice, roundTrip: .zero).heartbeats, [])
    expectEqual(Self.causes(twice), [nil, 1, nil, 3, 3])
    let pulled = (0..<5).flatMap {
      [said(.client, Double($0) * 10, "next"), said(.server, Double($0) * 10 + 5, "page \($0)")]
    }
    expectEqual(Self.causes(pulled), [nil, 1, nil, 3, nil, 5, nil, 7, nil, 9])
  }

  @Test func `a close answers the client's, and no end of a connection causes anything`() {
    let bye = WebSocketMessage(from: .client, closing: 1000, offset: .milliseconds(20))
    let gone = WebSocketMessage(from: .client, closing: 1006, offset: .milliseconds(20))
    let end = WebSocketMessage(from: .server, closing: 1000, offset: .milliseconds(21))
    expectEqual(Self.causes([said(.client, 1, "a"), bye, end]), [nil, nil, 2])
    expectEqual(Self.causes([said(.client, 1, "a"), gone, end]), [nil, nil, 1])
  }

  @Test(arguments: try TestData.rows("volatile-texts.json", count: 12) as [(String, String)])
  func `clocks and UUIDs are volatile`(text: String, steady: String) {
    expectEqual(String(decoding: VolatileText.steady(Array(text.utf8)), as: UTF8.self), steady)
  }
}
