import TestSupport

@testable import WindTunnelFindings

/// The messages that a client says it received, held against those that its server sent.
@Suite struct MessageComparisonTests {
  /// A conversation that opens after so many milliseconds, in which the server sends recorded
  /// messages a millisecond after each other; the digest of each is its number.
  static func conversation(
    _ start: Int,
    sending numbers: [Int],
    ended: (at: Int, ConversationLog.ConversationEnd)? = nil,
    waiting: Int = 0,
    recording: Int = 1,
    faults: String = "",
    saying said: [Int] = [99]
  ) -> Observation.Attempt {
    var attempt = Observation.Attempt(
      decision: .init(line: "s/0\tGET /chat\t1\t[\(faults)]"),
      source: .init(words: faults.isEmpty ? "recording \(recording)" : "withheld \(recording)")
    )
    (attempt.start, attempt.end) = (.milliseconds(start), .milliseconds(start))
    attempt.status = 101
    var log = ConversationLog()
    for (place, number) in numbers.enumerated() {
      log.messages.append(
        .init(from: .server, at: .milliseconds(place), number: number, digest: UInt64(number))
      )
    }
    for number in said {
      log.messages.append(
        .init(from: .client, at: .milliseconds(numbers.count), number: number, asks: true)
      )
    }
    log.waiting = waiting
    (log.end, log.ending) = (ended.map { .milliseconds($0.at) }, ended?.1)
    attempt.conversation = log
    return attempt
  }

  static let restart = #"{"webSocket":"closeFrame","code":1012,"message":3}"#

  /// A conversation that its server closed after 100 ms, with two messages of it sent.
  static let lost = conversation(
    0,
    sending: [1, 2],
    ended: (100, .server(1012)),
    faults: restart,
    saying: [98, 99]
  )

  /// A call whose client says that it received messages, each a tenth of a second behind the other.
  static func call(
    received digests: [UInt64]?,
    every wait: Int = 1,
    ending: Observation.CallResult = .succeeded,
    lasted: Int = 10_000,
    _ attempts: [Observation.Attempt]
  ) -> Observation {
    var call = RuleTests.call(3, ending, lasted: lasted, attempts)
    call.received = digests.map { digests in
      var received = ReceivedMessages()
      for (place, digest) in digests.enumerated() {
        received.note(.init(digest: digest, at: .milliseconds(place * wait)))
      }
      return received
    }
    return call
  }

  private static func words(
    received digests: [UInt64]?,
    every wait: Int = 1,
    _ attempts: Observation.Attempt...
  ) -> String {
    guard let seen = MessageComparison(call(received: digests, every: wait, attempts)) else {
      return "unknown"
    }
    let away = seen.away.map { ", \($0) away" } ?? ""
    return "\(seen.lost) lost, \(seen.doubled) doubled, \(seen.outOfOrder) out of order, "
      + "\(seen.late) late\(away)"
  }

  private static let left: (at: Int, ConversationLog.ConversationEnd) = (9000, .clientLeft)
  private static let whole = conversation(0, sending: [1, 3, 4], ended: left)

  @Test func `who receives all of it has lost nothing`() {
    expectEqual(
      Self.words(received: [1, 3, 4], Self.whole),
      "0 lost, 0 doubled, 0 out of order, 0 late"
    )
  }

  @Test func `unreported or partly observed messages are not compared`() {
    expectEqual(Self.words(received: nil, Self.whole), "unknown")
    expectEqual(Self.words(received: [1]), "unknown")
    expectEqual(Self.words(received: [1], RuleTests.attempt(0, to: 9)), "unknown")
    var cut = Self.whole
    cut.conversation?.further = 1
    expectEqual(Self.words(received: [1, 3, 4], cut), "unknown")
    var more = Self.call(received: [1, 3, 4], [Self.whole])
    more.received?.further = 1
    expectNil(MessageComparison(more))
  }

  @Test func `skipped messages are lost, but unread messages of a client that left are not`() {
    #expect(Self.words(received: [1, 4], Self.whole).hasPrefix("1 lost"))
    #expect(Self.words(received: [1], Self.whole).hasPrefix("0 lost"))
    let closed = Self.conversation(0, sending: [1, 3, 4], ended: (9, .server(1000)))
    #expect(Self.words(received: [1], closed).hasPrefix("2 lost"))
    #expect(Self.words(received: [7], closed).hasPrefix("3 lost"))
  }

  @Test func `what a second connection brings again may be said once or twice`() {
    let next = Self.conversation(1000, sending: [1, 2, 3], ended: Self.left)
    let none = "0 lost, 0 doubled, 0 out of order, 0 late, 0 away"
    expectEqual(Self.words(received: [1, 2, 3], Self.lost, next), none)
    expectEqual(Self.words(received: [1, 2, 1, 2, 3], Self.lost, next), none)
    // What broke off before it could be read came with the second.
    expectEqual(Self.words(received: [1, 1, 2, 3], Self.lost, next), none)
    #expect(
      Self.words(received: [1, 2, 1, 2, 3, 3], Self.lost, next).hasPrefix("0 lost, 1 doubled")
    )
    #expect(Self.words(received: [1, 2, 1, 2], Self.lost, next).hasPrefix("0 lost"))
  }

  @Test func `a copy of the server's is no other message`() {
    let copied = Self.conversation(
      0,
      sending: [1, 1, 3],
      ended: Self.left,
      faults: #"{"webSocket":"duplicate"}"#
    )
    #expect(Self.words(received: [1, 3], copied).hasPrefix("0 lost, 0 doubled"))
    #expect(Self.words(received: [1, 1, 3], copied).hasPrefix("0 lost, 1 doubled"))
  }

  @Test func `what comes behind a later one is out of order`() {
    expectEqual(
      Self.words(received: [3, 1, 4], Self.whole),
      "0 lost, 0 doubled, 1 out of order, 0 late"
    )
    expectEqual(
      Self.words(received: [4, 3, 1], Self.whole),
      "0 lost, 0 doubled, 2 out of order, 0 late"
    )
    // A server that is made to swap two had meant another order.
    let swapped = Self.conversation(
      0,
      sending: [1, 4, 3],
      ended: Self.left,
      faults: #"{"webSocket":"swap","message":2}"#
    )
    #expect(Self.words(received: [1, 4, 3], swapped).contains(", 1 out of order"))
    #expect(Self.words(received: [1, 3, 4], swapped).contains(", 0 out of order"))
    // One that answers in another order than recorded has done so for a reason.
    let other = Self.conversation(0, sending: [1, 4, 3], ended: Self.left)
    #expect(Self.words(received: [1, 4, 3], other).contains(", 0 out of order"))
  }

  @Test func `what comes more than a second behind its sending is late`() {
    #expect(Self.words(received: [1, 3, 4], every: 1001, Self.whole).hasSuffix(", 1 late"))
    #expect(Self.words(received: [1, 3, 4], every: 500, Self.whole).hasSuffix(", 0 late"))
  }

  @Test func `messages that were not requested after a reconnect count as sent during the absence`()
  {
    func back(_ waiting: Int, _ end: Int = 9000, _ numbers: [Int] = [1]) -> Observation.Attempt {
      Self.conversation(1000, sending: numbers, ended: (end, .clientLeft), waiting: waiting)
    }
    // Three wait, one of which had come before.
    #expect(Self.words(received: [1, 2, 1], Self.lost, back(3)).hasPrefix("2 lost"))
    #expect(Self.words(received: [1, 2, 1], Self.lost, back(3)).hasSuffix(", 2 away"))
    #expect(Self.words(received: [1, 2, 1], Self.lost, back(1)).hasSuffix(", 0 away"))
    #expect(Self.words(received: [1, 2, 1], Self.lost, back(0)).hasSuffix(", 0 away"))
    // It has two of another kind, which it may have asked for elsewhere.
    #expect(Self.words(received: [1, 2, 1, 7, 8], Self.lost, back(3)).hasSuffix(", 0 away"))
    // What it never asked for it does not miss, and what is not on the cassette may be a question.
    let alone = Self.conversation(
      0,
      sending: [1, 2],
      ended: (100, .server(1012)),
      faults: Self.restart
    )
    #expect(Self.words(received: [1, 2, 1], alone, back(3)).hasSuffix(", 0 away"))
    var asking = back(3)
    asking.conversation?.messages.append(.init(from: .client, at: .zero))
    #expect(Self.words(received: [1, 2, 1], Self.lost, asking).hasSuffix("late"))
    // It was not back for long enough, or lost nothing, or the next goes wrong as well.
    #expect(Self.words(received: [1, 2, 1], Self.lost, back(3, 4999)).hasSuffix("late"))
    #expect(Self.words(received: [1], back(3)).hasSuffix("late"))
    let again = Self.conversation(
      1000,
      sending: [1],
      ended: Self.left,
      waiting: 3,
      faults: Self.restart
    )
    #expect(Self.words(received: [1, 2, 1], Self.lost, again).hasSuffix("late"))
    // The recorded reconnection is another conversation, with numbers of its own.
    let other = Self.conversation(1000, sending: [1], ended: Self.left, waiting: 1, recording: 2)
    #expect(Self.words(received: [1, 2, 1], Self.lost, other).hasSuffix(", 1 away"))
  }
}
