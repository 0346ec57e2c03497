import TestSupport
import WindTunnelFindings

/// The rules about clients that lose conversations and come back, each from its three sides.
@Suite struct RulesOfReceivedMessagesTests {
  private typealias Messages = MessageComparisonTests

  private static func words(_ rule: String, _ calls: Observation...) throws -> String {
    try RuleTests.words(rule, calls, of: .service)
  }

  @Test
  func `a finding states the number of messages that a client neither received nor requested`()
    throws
  {
    let rule = "loses-what-came-while-away"
    func call(
      _ received: [UInt64]?,
      waiting: Int,
      ending: Observation.CallResult = .succeeded
    ) -> Observation {
      let back = Messages.conversation(
        1000,
        sending: [1],
        ended: (9000, .clientLeft),
        waiting: waiting
      )
      return Messages.call(received: received, ending: ending, [Messages.lost, back])
    }
    try expectEqual(
      Self.words(rule, call([1, 2, 1], waiting: 3)),
      "error 3: It lost a conversation and reconnected, but 2 messages in the cassette never "
        + "arrived: it did not request them, and does not report them. (1 of 1 call)"
    )
    try expectEqual(Self.words(rule, call([1, 2, 1], waiting: 0)), "kept by 1")
    try expectEqual(Self.words(rule, call([1, 2, 1, 7, 8], waiting: 3)), "kept by 1")
    #expect(try Self.words(rule, call([1, 2, 1], waiting: 3, ending: .hung)).hasPrefix("error 3"))
    try expectEqual(Self.words(rule, call(nil, waiting: 3)), "not met")
    try expectEqual(
      Self.words(rule, call([1, 2, 1], waiting: 3, ending: .failed("lost"))),
      "not met"
    )
    let whole = Messages.conversation(0, sending: [1, 3], ended: (9, .client(1000)))
    try expectEqual(Self.words(rule, Messages.call(received: [1, 3], [whole])), "not met")
  }

  @Test func `who hands a message on twice is told so`() throws {
    let rule = "doubles-messages"
    let whole = Messages.conversation(0, sending: [1, 3], ended: (9, .client(1000)))
    try expectEqual(
      Self.words(rule, Messages.call(received: [1, 3, 3], [whole])),
      "error 3: It reports a message once more than connections delivered it. (1 of 1 call)"
    )
    try expectEqual(Self.words(rule, Messages.call(received: [1, 3], [whole])), "kept by 1")
    try expectEqual(Self.words(rule, Messages.call(received: nil, [whole])), "not met")
    // A copy of the server's cannot be known by what has no number.
    let copied = Messages.conversation(
      0,
      sending: [1, 1],
      ended: (9, .client(1000)),
      faults: #"{"webSocket":"duplicate"}"#
    )
    #expect(try Self.words(rule, Messages.call(received: [1, 1], [copied])).hasPrefix("warning 3"))
  }

  /// A conversation that is lost, refusals after these waits, and one that holds.
  private static func call(waits: [Int], losing: Bool = true) -> Observation {
    var attempts = [
      losing ? Messages.lost : RuleTests.attempt(0, to: 100, status: 503, key: "GET /chat")
    ]
    var clock = 100
    for wait in waits.dropLast() {
      clock += wait
      attempts.append(RuleTests.attempt(clock, to: clock + 2, status: 503, key: "GET /chat"))
      clock += 2
    }
    clock += waits.last ?? 0
    attempts.append(Messages.conversation(clock, sending: [1, 2, 3], ended: (9, .client(1000))))
    return RuleTests.call(3, .succeeded, lasted: 10_000, attempts)
  }

  @Test func `who connects again at once, and again, is told so`() throws {
    let rule = "reconnects-without-pause"
    try expectEqual(
      Self.words(rule, Self.call(waits: [3, 5, 49, 2, 1])),
      "error 3: After losing a conversation it requested the next 5 times and never waited more "
        + "than 49.0 ms. (1 of 1 call)"
    )
    #expect(try Self.words(rule, Self.call(waits: [700, 3, 5, 9, 2, 1])).hasPrefix("error 3"))
    // Five that are lost each in its turn are no less.
    let dropped = (0..<6).map { number in
      Messages.conversation(
        number * 105,
        sending: [1],
        ended: (100, .server(1012)),
        faults: Messages.restart
      )
    }
    #expect(
      try Self.words(rule, RuleTests.call(3, .succeeded, lasted: 900, dropped)).hasPrefix("error 3")
    )
    try expectEqual(Self.words(rule, Self.call(waits: [1, 500, 1000, 2000, 1])), "kept by 1")
    try expectEqual(Self.words(rule, Self.call(waits: [3, 5, 51, 2, 7])), "kept by 1")
    // The first behind one that held may be at once, each time.
    let cut = (0..<6).map { number in
      Messages.conversation(
        number * 5005,
        sending: [1],
        ended: (5000, .server(1012)),
        faults: Messages.restart
      )
    }
    try expectEqual(Self.words(rule, RuleTests.call(3, .succeeded, lasted: 40_000, cut)), "not met")
    // The first may be at once, and of four nobody knows; what was never open is another rule's.
    try expectEqual(Self.words(rule, Self.call(waits: [1, 1, 1, 1])), "not met")
    try expectEqual(
      Self.words(rule, Self.call(waits: [1, 1, 1, 1, 1, 1], losing: false)),
      "not met"
    )
    // A conversation that held lies between two losses.
    let held = Messages.conversation(0, sending: [1], ended: (100, .client(1000)))
    let apart = (0..<6).map { number -> Observation.Attempt in
      var attempt = number % 2 == 0 ? dropped[0] : held
      (attempt.start, attempt.end) = (.milliseconds(number * 105), .milliseconds(number * 105))
      return attempt
    }
    try expectEqual(Self.words(rule, RuleTests.call(3, .succeeded, lasted: 900, apart)), "not met")
  }

  @Test func `a client that reconnects after a refusal breaks a rule`() throws {
    let rule = "comes-back-after-refusal"
    func call(_ codes: [Int], faults: String? = nil, every wait: Int = 1000) -> Observation {
      let attempts = codes.enumerated().map { place, code in
        Messages.conversation(
          place * wait,
          sending: [1],
          ended: (100, .server(code)),
          faults: faults ?? #"{"webSocket":"closeFrame","code":\#(code),"message":2}"#
        )
      }
      return RuleTests.call(3, .succeeded, lasted: 9000, attempts)
    }
    try expectEqual(
      Self.words(rule, call([1008, 1008, 1008])),
      "error 3: It requested a conversation 2 times more after its server had closed it with 1008. "
        + "(1 of 1 call)"
    )
    #expect(try Self.words(rule, call([1009, 1012])).hasPrefix("warning 3"))
    try expectEqual(Self.words(rule, call([1008])), "kept by 1")
    try expectEqual(Self.words(rule, call([1012, 1012, 1012])), "not met")
    // Without a fault the client has said what is not on the cassette.
    try expectEqual(Self.words(rule, call([1008, 1008, 1008], faults: "")), "not met")
    try expectEqual(Self.words(rule, call([1008, 1008], faults: Messages.restart)), "not met")
    // Two that were open beside each other are no return.
    try expectEqual(Self.words(rule, call([1008, 1008], every: 10)), "kept by 1")
  }
}
