import Mutations
import TestSupport

@testable import WindTunnel

/// The words of a recorded server, and their times.
@Suite struct ConversationPlayerTests {
  /// A client at a player, with a clock that it sets itself.
  private struct Table {
    var player: ConversationPlayer
    var heard: [String] = []
    var wakes: [Double] = []

    init(
      _ messages: [WebSocketMessage],
      pace: Pace = .immediately,
      roundTrip: Double = 0,
      correlatedBy paths: [JSONPath] = []
    ) {
      let conversation = Conversation(
        messages,
        roundTrip: Duration(milliseconds: roundTrip),
        correlatedBy: paths
      )
      player = ConversationPlayer(conversation, pace: pace)
      tell(.opened, at: 0)
    }

    mutating func tell(_ event: ConversationPlayer.Event, at milliseconds: Double) {
      for action in player.next(event, at: Duration(milliseconds: milliseconds)) {
        switch action {
        case .send(let data, _, _, _): heard.append(String(decoding: data, as: UTF8.self))
        case .close(let code, let reason): heard.append("close \(code) \(reason)")
        case .drop: heard.append("drop")
        case .wake(let moment): wakes.append(moment.inMilliseconds)
        }
      }
    }

    mutating func say(_ text: String, at milliseconds: Double = 0) {
      tell(.message(Data(text.utf8), isText: true), at: milliseconds)
    }

    /// Returns the words that have been heard since the last time.
    mutating func news() -> [String] {
      defer { heard = [] }
      return heard
    }

    /// Says something, and returns the words that have been heard since the last time.
    mutating func heard(after text: String, at milliseconds: Double = 0) -> [String] {
      say(text, at: milliseconds)
      return news()
    }

    /// Lets time pass, as a courier would.
    mutating func wait(until end: Double) {
      while let next = wakes.min(), next <= end {
        wakes.removeAll { $0 == next }
        tell(.tick, at: next)
      }
    }
  }

  @Test func `a client may wait for the first answer where the cassette's did not`() {
    var table = Table([
      said(.client, 0, #"{"id":1}"#), said(.client, 0, #"{"id":2}"#),
      said(.server, 5, #"{"id":1,"ok":1}"#), said(.server, 6, #"{"id":2,"ok":2}"#),
    ])
    expectEqual(table.news(), [])
    expectEqual(table.heard(after: #"{"id":1}"#), [#"{"id":1,"ok":1}"#])
    expectEqual(table.heard(after: #"{"id":2}"#), [#"{"id":2,"ok":2}"#])
    expectEqual(table.player.waiting, [])
  }

  @Test func `a client's own numbers at a path of one's own stand in what answers it`() {
    var table = Table(
      [
        said(.client, 0, #"{"head":{"seq":1},"ask":"a"}"#),
        said(.client, 0, #"{"head":{"seq":2},"ask":"b"}"#),
        said(.server, 5, #"{"head":{"seq":2},"is":"B"}"#),
        said(.server, 6, #"{"head":{"seq":1},"is":"A"}"#),
      ],
      correlatedBy: ["$.head.seq"]
    )
    table.say(#"{"head":{"seq":40},"ask":"b"}"#)
    expectEqual(table.news(), [#"{"head":{"seq":40},"is":"B"}"#])
    table.say(#"{"head":{"seq":"x"},"ask":"a"}"#)
    expectEqual(table.news(), [#"{"head":{"seq":"x"},"is":"A"}"#])
    expectEqual(table.player.waiting, [])
  }

  @Test func `a path whose values name what is asked for is compared`() {
    var table = Table(
      [
        said(.client, 0, #"{"to":{"room":"red"},"op":"join"}"#),
        said(.client, 0, #"{"to":{"room":"blue"},"op":"join"}"#),
        said(.server, 5, #"{"to":{"room":"blue"},"n":2}"#),
        said(.server, 6, #"{"to":{"room":"red"},"n":1}"#),
      ],
      correlatedBy: ["$.to.room"]
    )
    table.say(#"{"to":{"room":"red"},"op":"join"}"#)
    expectEqual(table.news(), [#"{"to":{"room":"red"},"n":1}"#])
    table.say(#"{"to":{"room":"green"},"op":"join"}"#)
    expectEqual(table.news().first?.hasPrefix("close 1008 "), true)
  }

  @Test func `a heartbeat may count itself at a path of one's own`() {
    var messages: [WebSocketMessage] = []
    for beat in 0..<4 {
      messages.append(said(.client, Double(beat) * 10, #"{"head":{"seq":\#(beat)},"op":"hi"}"#))
      messages.append(said(.server, Double(beat) * 10 + 5, #"{"head":{"seq":\#(beat)},"op":"ho"}"#))
    }
    var table = Table(messages, correlatedBy: ["$.head.seq"])
    for beat in [7, 8, 9, 10, 11, 12] {
      table.say(#"{"head":{"seq":\#(beat)},"op":"hi"}"#)
      expectEqual(table.news(), [#"{"head":{"seq":\#(beat)},"op":"ho"}"#])
    }
  }

  @Test func `two subscriptions may come the other way round`() {
    let messages =
      [
        said(.client, 0, #"{"op":"sub","topic":"a"}"#),
        said(.client, 0, #"{"op":"sub","topic":"b"}"#),
      ]
      + (1...3).flatMap { number in
        ["a", "b"].map { said(.server, Double(number) * 10, #"{"topic":"\#($0)","n":\#(number)}"#) }
      }
    var table = Table(messages)
    table.say(#"{"topic":"b","op":"sub"}"#)
    expectEqual(table.news(), (1...3).map { #"{"topic":"b","n":\#($0)}"# })
    table.say(#"{"topic":"a","op":"sub"}"#)
    expectEqual(table.news(), (1...3).map { #"{"topic":"a","n":\#($0)}"# })
  }

  @Test(arguments: [7.0, 40, 1000])
  func `pushes come behind a heartbeat of any period`(period: Double) {
    var messages = [said(.client, 0, "subscribe")]
    for number in 1...300 {
      let offset = Double(number) * 10
      messages.append(said(.server, offset, "push \(number)"))
      guard number % 10 == 0 else { continue }
      messages.append(said(.client, offset + 1, "ping"))
      messages.append(said(.server, offset + 2, "pong"))
    }
    var table = Table(messages, pace: .asRecorded)
    table.say("subscribe")
    var (now, beats) = (period, 0)
    while now < 4000 {
      table.wait(until: now)
      table.say("ping", at: now)
      (now, beats) = (now + period, beats + 1)
    }
    table.wait(until: 1e6)
    let heard = table.news()
    expectEqual(heard.filter { $0 != "pong" }, (1...300).map { "push \($0)" })
    expectEqual(heard.count { $0 == "pong" }, beats)
  }

  @Test func `what waits for a message that no longer comes is named`() {
    var table = Table([
      said(.client, 0, "a"), said(.server, 1, "1"), said(.client, 2, "b"),
      said(.server, 3, "2"), said(.server, 4, "3"), said(.client, 5, "c"), said(.server, 6, "4"),
    ])
    expectEqual(table.heard(after: "a"), ["1"])
    expectEqual(
      table.player.waiting.map(\.description),
      ["2 messages wait for #3", "1 message waits for #6"]
    )
    expectEqual(table.heard(after: "c"), ["4"])
    expectEqual(table.player.waiting.map(\.description), ["2 messages wait for #3"])
  }

  @Test func `what waits for another of its correlation waits for that one's cause`() {
    var table = Table([
      said(.client, 0, "first"), said(.client, 0, "second"),
      said(.server, 1, #"{"topic":"t","n":1}"#, after: 1),
      said(.server, 1, #"{"topic":"t","n":2}"#, after: 2),
    ])
    expectEqual(table.heard(after: "second"), [])
    expectEqual(table.player.waiting.map(\.description), ["2 messages wait for #1"])
    expectEqual(table.heard(after: "first"), [#"{"topic":"t","n":1}"#, #"{"topic":"t","n":2}"#])
  }

  @Test(arguments: [(Pace.times(1), 1.0), (.times(10), 10), (.times(0.5), 0.5)])
  func `a message comes at its distance from its cause, by the pace`(pace: Pace, speed: Double) {
    var table = Table(
      [
        said(.server, 30, "hello"), said(.client, 100, "a"), said(.server, 150, "1"),
        said(.server, 200, "2"),
      ],
      pace: pace
    )
    expectEqual(table.wakes, [30 / speed])
    table.wait(until: 500)
    expectEqual(table.news(), ["hello"])
    table.say("a", at: 1000)
    expectEqual(table.wakes, [1000 + 50 / speed])
    table.wait(until: 1000 + 50 / speed)
    expectEqual(table.news(), ["1"])
    table.wait(until: 1000 + 99 / speed)
    expectEqual(table.news(), [])
    table.wait(until: 1000 + 100 / speed)
    expectEqual(table.news(), ["2"])
  }

  @Test func `jitter does not change the order, and another rhythm does`() {
    let messages = [
      said(.client, 0, #"{"id":1}"#), said(.client, 50, #"{"id":2}"#),
      said(.server, 100, #"{"id":1,"n":1}"#), said(.server, 110, #"{"id":2,"n":2}"#),
    ]
    var table = Table(messages, pace: .asRecorded)
    // The second one comes at once: its answer would be due 40 ms before the first one's.
    table.say(#"{"id":1}"#, at: 0)
    table.say(#"{"id":2}"#, at: 0)
    table.wait(until: 99)
    expectEqual(table.news(), [])
    table.wait(until: 100)
    expectEqual(table.news(), [#"{"id":1,"n":1}"#, #"{"id":2,"n":2}"#])

    var slow = messages
    slow[2].offset = .seconds(60)
    slow[3].offset = .seconds(60) + .milliseconds(10)
    slow[1].offset = .seconds(60)
    table = Table(slow, pace: .asRecorded)
    table.say(#"{"id":1}"#, at: 0)
    table.say(#"{"id":2}"#, at: 0)
    table.wait(until: 200)
    expectEqual(table.news(), [#"{"id":2,"n":2}"#])
    table.wait(until: 60_000)
    expectEqual(table.news(), [#"{"id":1,"n":1}"#])
  }

  @Test func `a message that is not on the cassette is reported with the nearest unused message`() {
    var table = Table([
      said(.client, 0, #"{"op":"sub","channel":"a"}"#),
      said(.client, 0, #"{"op":"sub","channel":"b"}"#),
    ])
    table.say(#"{"op":"sub","channel":"a"}"#)
    table.say(#"{"op":"sub","channel":"c"}"#)
    expectEqual(
      table.news(),
      [
        #"close 1008 not on the cassette; nearest: #2, differs in $.channel: recorded "b", asked "c""#
      ]
    )
    expectEqual(table.heard(after: "anything"), [])
    var silent = Table([said(.server, 0, "hello")])
    silent.say("x")
    expectEqual(
      silent.news(),
      ["hello", "close 1008 not on the cassette, which has no messages of the client"]
    )
    var spent = Table([said(.client, 0, "once")])
    spent.say("once")
    spent.say("once")
    expectEqual(
      spent.news(),
      ["close 1008 not on the cassette; nearest: #1, differs in nothing, but was already received"]
    )
  }

  @Test func `a client's own identifiers come back to it`() {
    let uuids = ["6fa459ea-ee8a-3ca4-894e-db77e160355e", "16fd2706-8baf-433b-82eb-8c7fada847da"]
    let own = "886313e1-3b8a-5372-9b90-0c9aee199e5d"
    var table = Table(
      uuids.enumerated().flatMap { index, id in
        [
          said(.client, 0, #"{"id":"\#(id)","type":"subscribe","n":\#(index)}"#),
          said(.server, 1, #"{"type": "next", "id": "\#(id)", "n": \#(index)}"#),
        ]
      }
    )
    table.say(#"{"n":1,"id":"\#(own)","type":"subscribe"}"#)
    expectEqual(table.news(), [#"{"type": "next", "id": "\#(own)", "n": 1}"#])

    // Phoenix counts its references.
    table = Table([
      said(.client, 0, #"{"topic":"t","event":"join","ref":"1"}"#),
      said(.server, 1, #"{"topic":"t","event":"reply","ref":"1"}"#),
    ])
    table.say(#"{"topic":"t","event":"join","ref":9}"#)
    expectEqual(table.news(), [#"{"topic":"t","event":"reply","ref":9}"#])

    // JSON-RPC counts its requests; what is asked for by a number is another matter.
    let counted = (1...3).flatMap {
      [
        said(.client, 0, #"{"id":\#($0),"method":"m\#($0)"}"#),
        said(.server, 1, #"{"id":\#($0),"r":\#($0)}"#),
      ]
    }
    table = Table(counted)
    expectEqual(table.heard(after: #"{"id":77,"method":"m2"}"#), [#"{"id":77,"r":2}"#])
    table = Table([
      said(.client, 0, #"{"op":"get","id":7}"#), said(.client, 0, #"{"op":"get","id":9}"#),
    ])
    expectEqual(table.heard(after: #"{"op":"get","id":8}"#).first?.hasPrefix("close 1008"), true)
  }

  @Test func `a heartbeat that comes once more gets its own reply`() {
    var messages: [WebSocketMessage] = []
    for number in 1...3 {
      messages.append(said(.client, 0, #"{"event":"heartbeat","ref":"\#(number)"}"#))
      messages.append(said(.server, 1, #"{"event":"reply","ref":"\#(number)"}"#))
    }
    var table = Table(messages)
    for number in 10...20 {
      table.say(#"{"event":"heartbeat","ref":"\#(number)"}"#)
      expectEqual(table.news(), [#"{"event":"reply","ref":"\#(number)"}"#])
    }
    expectEqual(table.player.waiting, [])
  }

  @Test func `a heartbeat whose last one nobody answered is answered all the same`() {
    var table = Table([
      said(.client, 0, "ping"), said(.server, 1, "pong"), said(.client, 2, "ping"),
      said(.server, 3, "pong"), said(.client, 4, "ping"),
    ])
    for _ in 0..<2 {
      expectEqual(table.heard(after: "ping"), ["pong"])
    }
    // The third was not answered on the cassette either.
    expectEqual(table.heard(after: "ping"), [])
    for _ in 0..<3 {
      expectEqual(table.heard(after: "ping"), ["pong"])
    }
  }

  @Test func `a heartbeat counts as it likes`() {
    var messages: [WebSocketMessage] = []
    for number in [1, 5, 9] {
      messages.append(said(.client, 0, #"{"id":\#(number),"type":"ping"}"#))
      messages.append(said(.server, 1, #"{"id":\#(number),"type":"pong"}"#))
    }
    var table = Table(messages)
    for number in [12, 3, 1, 77] {
      table.say(#"{"id":\#(number),"type":"ping"}"#)
      expectEqual(table.news(), [#"{"id":\#(number),"type":"pong"}"#])
    }
  }

  @Test func `lists of messages that are alike are used up apart`() {
    let id = "6fa459ea-ee8a-3ca4-894e-db77e160355e"
    var table = Table([
      said(.client, 0, #"{"id":"\#(id)","a":1}"#), said(.client, 0, #"{"id":"\#(id)","a":1}"#),
      said(.client, 0, #"{"id":"886313e1-3b8a-5372-9b90-0c9aee199e5d","a":1}"#),
    ])
    for _ in 0..<2 { table.say(#"{"id":"\#(id)","a":1}"#) }
    expectEqual(table.heard(after: #"{"id":"16fd2706-8baf-433b-82eb-8c7fada847da","a":1}"#), [])
    table.say(#"{"id":"16fd2706-8baf-433b-82eb-8c7fada847da","a":2}"#)
    expectEqual(table.news().count, 1)
  }

  @Test func `JSON is matched by meaning, a redacted part by anything, other texts as they are`() {
    var table = Table([
      said(.client, 0, #"{"a":1.0,"b":[1,2]}"#), said(.server, 0, "1"),
      said(.client, 0, #"{"op":"auth","token":"REDACTED-token-1"}"#), said(.server, 0, "2"),
      said(.client, 0, "LOGIN REDACTED-password-1 now"), said(.server, 0, "3"),
      said(.client, 0, "at 2026-11-26T19:10:44Z"), said(.server, 0, "4"),
    ])
    table.say(#"{ "b": [1, 2e0], "a": 1 }"#)
    table.say(#"{"op":"auth","token":"wt-secret"}"#)
    table.say("LOGIN hunter2 now")
    expectEqual(table.heard(after: "at 2027-01-01T00:00:00Z"), ["1", "2", "3", "4"])
    expectEqual(table.heard(after: "LOGIN hunter2 later").first?.hasPrefix("close 1008"), true)
  }

  @Test func `text and bytes are two things`() {
    var table = Table([said(.client, 0, "a"), said(.server, 0, "text")])
    table.tell(.message(Data("a".utf8), isText: false), at: 0)
    expectEqual(table.news().first?.hasPrefix("close 1008"), true)
  }

  @Test func `the last word is the recorded one, or the client's own`() {
    let end = WebSocketMessage(from: .client, closing: 1000, offset: .milliseconds(9))
    var table = Table([
      said(.client, 0, "a"), end,
      WebSocketMessage(from: .server, closing: 4000, "see you", offset: .milliseconds(10)),
    ])
    table.tell(.closed(code: 1001, reason: "away"), at: 0)
    expectEqual(table.news(), ["close 4000 see you"])
    table = Table([said(.client, 0, "a")])
    table.tell(.closed(code: 1001, reason: "away"), at: 0)
    expectEqual(table.news(), ["close 1001 away"])
    table = Table([said(.client, 0, "a")])
    table.tell(.closed(code: 1005, reason: ""), at: 0)
    expectEqual(table.news(), ["close 1005 "])
  }

  @Test(arguments: [(1001, "close 1001 bye"), (1006, "drop")])
  func `a server's end comes when all has been said`(code: Int, expected: String) {
    var table = Table([
      said(.client, 0, #"{"id":1}"#), said(.client, 0, #"{"id":2}"#),
      said(.server, 1, #"{"id":1,"ok":1}"#), said(.server, 1, #"{"id":2,"ok":2}"#),
      WebSocketMessage(from: .server, closing: code, "bye", offset: .milliseconds(2)),
    ])
    expectEqual(table.heard(after: #"{"id":2}"#), [#"{"id":2,"ok":2}"#])
    expectEqual(table.heard(after: #"{"id":1}"#), [#"{"id":1,"ok":1}"#, expected])
    expectEqual(table.heard(after: #"{"id":3}"#), [])
  }

  @Test(arguments: 1...20 as ClosedRange<UInt64>)
  func `each recorded message is sent once and after its cause, for any client messages`(
    seed: UInt64
  ) {
    var random = Generator(seed: seed)
    let topics = ["a", "b", "c"]
    var messages: [WebSocketMessage] = []
    for number in 0..<60 {
      let topic = topics[Int.random(in: 0..<3, using: &random)]
      let isClient = Int.random(in: 0..<3, using: &random) == 0
      messages.append(
        said(
          isClient ? .client : .server,
          Double(number) * 5,
          isClient
            ? #"{"topic":"\#(topic)","say":\#(number)}"# : #"{"topic":"\#(topic)","n":\#(number)}"#
        )
      )
    }
    let conversation = Conversation(messages, roundTrip: .milliseconds(7))
    var table = Table(messages, pace: .asRecorded, roundTrip: 7)
    var asked = messages.indices.filter { messages[$0].sender == .client }
    var (now, came, order) = (0.0, Set([0]), [Int]())
    while !asked.isEmpty {
      let place = asked.remove(at: Int.random(in: 0..<asked.count, using: &random))
      now += Double(Int.random(in: 0..<200, using: &random))
      table.wait(until: now)
      order += table.news().map { number(of: $0) }
      table.say(messages[place].body.text ?? "", at: now)
      came.insert(place + 1)
    }
    table.wait(until: 1e7)
    order += table.news().map { number(of: $0) }
    expectEqual(order.sorted(), messages.indices.filter { messages[$0].sender == .server })
    for topic in topics {
      let ofTopic = order.filter {
        messages[$0].body.text?.contains(#""topic":"\#(topic)""#) == true
      }
      expectEqual(ofTopic, ofTopic.sorted())
    }
    for cause in Set(conversation.effects.keys) {
      let ofCause = order.filter { conversation.messages[$0].cause == cause }
      expectEqual(ofCause, ofCause.sorted())
    }

    func number(of text: String) -> Int { messages.firstIndex { $0.body.text == text } ?? -1 }
  }
}
