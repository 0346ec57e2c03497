import TestSupport
import WindTunnelFindings

/// The rules about conversations and streams, each from its three sides.
@Suite struct RulesOfConversationsTests {
  /// A handshake that is answered within 3 ms, and what was said behind it.
  static func conversation(
    _ start: Int,
    _ messages: [(Int, asks: Bool)] = [(0, false), (10, true), (11, false)],
    ended: (at: Int, ConversationLog.ConversationEnd)? = nil,
    silent: Int? = nil,
    unanswered: Int? = nil,
    waiting: Int = 0,
    faults: String = ""
  ) -> Observation.Attempt {
    var attempt = Observation.Attempt(
      decision: .init(line: "s/0\tGET /chat\t1\t[\(faults)]"),
      source: .init(words: faults.isEmpty ? "recording 1" : "withheld 1")
    )
    (attempt.start, attempt.end) = (.milliseconds(start), .milliseconds(start + 3))
    attempt.status = 101
    var log = ConversationLog()
    log.messages = messages.map { at, asks in
      .init(
        from: asks ? .client : .server,
        at: .milliseconds(at),
        number: asks ? 2 : nil,
        asks: asks
      )
    }
    log.silentSince = silent.map { .milliseconds($0) }
    log.unansweredSince = unanswered.map { .milliseconds($0) }
    log.waiting = waiting
    (log.end, log.ending) = (ended.map { .milliseconds($0.at) }, ended?.1)
    attempt.conversation = log
    return attempt
  }

  private static let restart = #"{"webSocket":"closeFrame","code":1012,"message":3}"#

  /// A conversation that its server closed after 100 ms.
  private static let lost = conversation(0, ended: (100, .server(1012)), faults: restart)

  private static func call(
    number: Int = 3,
    ending: Observation.CallResult = .succeeded,
    lasted: Int = 10_000,
    _ attempts: Observation.Attempt...
  ) -> Observation {
    RuleTests.call(number, ending, lasted: lasted, attempts)
  }

  private static func words(_ rule: String, _ calls: Observation...) throws -> String {
    try RuleTests.words(rule, calls, of: .service)
  }

  @Test func `a client that reconnects without repeating its requests breaks a rule`() throws {
    let rule = "does-not-subscribe-again"
    let greeted = [(0, asks: false)]
    let dumb = Self.conversation(1103, greeted, ended: (8894, .clientLeft), waiting: 2)
    try expectEqual(
      Self.words(rule, Self.call(Self.lost, dumb)),
      "warning 3: Reconnected 1003 ms after losing a conversation, it did not repeat 1 of its 1 "
        + "requests within 8894 ms: 2 messages wait for a message that it had sent before. (1 of 1 "
        + "call)"
    )
    try expectEqual(Self.words(rule, Self.call(Self.lost, Self.conversation(1103))), "kept by 1")
    // It has not had the time, or nothing waits for it.
    let unended = Self.conversation(1103, greeted, waiting: 2)
    try expectEqual(Self.words(rule, Self.call(Self.lost, unended)), "not met")
    let left = Self.conversation(1103, greeted, ended: (4999, .clientLeft), waiting: 2)
    try expectEqual(Self.words(rule, Self.call(Self.lost, left)), "not met")
    let all = Self.conversation(1103, greeted, ended: (8894, .clientLeft))
    try expectEqual(Self.words(rule, Self.call(Self.lost, all)), "not met")
    // Nobody has greeted it, or what it says is on no cassette, or the second goes wrong as well.
    let mute = Self.conversation(1103, [], ended: (8894, .clientLeft), waiting: 2)
    try expectEqual(Self.words(rule, Self.call(Self.lost, mute)), "not met")
    var other = dumb
    other.conversation?.messages.append(.init(from: .client, at: .milliseconds(9)))
    try expectEqual(Self.words(rule, Self.call(Self.lost, other)), "not met")
    let again = Self.conversation(
      1103,
      greeted,
      ended: (8894, .clientLeft),
      waiting: 2,
      faults: Self.restart
    )
    try expectEqual(Self.words(rule, Self.call(Self.lost, again)), "not met")
    // It had asked for nothing, had ended the first by itself, or held it meanwhile.
    let idle = Self.conversation(0, greeted, ended: (100, .server(1012)), faults: Self.restart)
    try expectEqual(Self.words(rule, Self.call(idle, dumb)), "not met")
    let done = Self.conversation(0, ended: (100, .client(1000)))
    try expectEqual(Self.words(rule, Self.call(done, dumb)), "not met")
    try expectEqual(Self.words(rule, Self.call(Self.conversation(0), dumb)), "not met")
    try expectEqual(Self.words(rule, Self.call(Self.lost)), "not met")
  }

  @Test func `who holds on to a dead connection is told for how long`() throws {
    let rule = "never-notices-a-dead-connection"
    let stall = #"{"webSocket":"stall","message":3}"#
    func dead(_ end: Int? = nil) -> Observation.Attempt {
      Self.conversation(0, ended: end.map { ($0, .clientLeft) }, silent: 20, faults: stall)
    }
    try expectEqual(
      Self.words(rule, Self.call(ending: .hung, lasted: 90_000, dead(90_000))),
      "error 3: 90.0 s after the server of a conversation fell silent, it still kept the "
        + "conversation and had begun no other. (1 of 1 call)"
    )
    #expect(
      try Self.words(rule, Self.call(ending: .hung, lasted: 90_000, dead()))
        .hasPrefix("error 3: 90.0 s")
    )
    // It left, or began another, in time; or it ended with an error.
    try expectEqual(Self.words(rule, Self.call(lasted: 90_000, dead(45_000))), "kept by 1")
    let next = Self.conversation(40_000)
    try expectEqual(Self.words(rule, Self.call(lasted: 90_000, dead(), next)), "kept by 1")
    try expectEqual(Self.words(rule, Self.call(ending: .failed("lost"), dead())), "kept by 1")
    // It was not watched for long enough, or died.
    try expectEqual(Self.words(rule, Self.call(ending: .hung, lasted: 40_000, dead())), "not met")
    try expectEqual(
      Self.words(rule, Self.call(ending: .crashed, lasted: 90_000, dead())),
      "not met"
    )
    try expectEqual(Self.words(rule, Self.call(lasted: 90_000, Self.conversation(0))), "not met")
    // A ping without a pong says it.
    let deaf = Self.conversation(0, unanswered: 20_000)
    try expectEqual(
      Self.words(rule, Self.call(ending: .hung, lasted: 100_000, deaf)),
      "error 3: 80.0 s after the server of a conversation left its ping without a pong, it still "
        + "kept the conversation and had begun no other. (1 of 1 call)"
    )
    // What the server says meanwhile is a sign of it.
    let saying = Self.conversation(0, [(0, false), (50_000, false)], unanswered: 20_000)
    try expectEqual(Self.words(rule, Self.call(ending: .hung, lasted: 90_000, saying)), "not met")
    let heard = Self.conversation(0, ended: (40_000, .client(1001)), unanswered: 20_000)
    try expectEqual(Self.words(rule, Self.call(lasted: 90_000, heard)), "kept by 1")
  }

  @Test func `clients that connect again after the same time are told so`() throws {
    let rule = "reconnects-in-step"
    func words(_ count: Int = 20, _ wait: (Int) -> Int) throws -> String {
      let calls = (0..<count).map { number in
        Self.call(number: number, Self.lost, Self.conversation(103 + wait(number)))
      }
      return try RuleTests.words(rule, calls, of: .service)
    }
    try expectEqual(
      words { 1000 + $0 % 2 },
      "warning 0: Half of 20 waits before a reconnection lie within 1.0 ms of 1001 ms. "
        + "(20 of 20 calls)"
    )
    try expectEqual(words { 300 + $0 * 20 }, "kept by 20")
    try expectEqual(words { _ in 100 }, "kept by 20")
    try expectEqual(words(19) { _ in 1000 }, "not met")
    // A handshake that is refused came as the others did.
    let calls = (0..<20).map { number in
      let refused = RuleTests.attempt(1103, to: 1105, status: 503, key: "GET /chat")
      return Self.call(number: number, Self.lost, refused, Self.conversation(2000 + 100 * number))
    }
    #expect(try RuleTests.words(rule, calls, of: .service).hasPrefix("warning 0: Half of 20 waits"))
  }

  @Test func `half an event is no event`() throws {
    let rule = "takes-cut-event-for-whole"
    func call(
      _ ending: Observation.CallResult = .succeeded,
      shows: Bool?,
      matches: Bool? = nil,
      isCut: Bool = true
    ) -> Observation {
      var attempt = RuleTests.attempt(
        0,
        to: 9,
        error: isCut ? "truncated" : nil,
        faults: #"{"closeAfterBytes":30}"#,
        take: isCut ? "withheld 1" : "recording 1"
      )
      attempt.bytes = 30
      var call = RuleTests.call(3, ending, showed: true, [attempt])
      (call.showsCutEvent, call.bodyMatches) = (shows, matches)
      return call
    }
    try expectEqual(
      Self.words(rule, call(shows: true)),
      "error 3: Its stream broke off after 30 B, and the shown text ends there. (1 of 1 call)"
    )
    try expectEqual(
      Self.words(rule, call(shows: false)),
      "warning 3: It used a stream that broke off after 30 B as a complete one. (1 of 1 call)"
    )
    try expectEqual(Self.words(rule, call(.failed("truncated"), shows: true)), "kept by 1")
    try expectEqual(Self.words(rule, call(shows: nil)), "not met")
    try expectEqual(Self.words(rule, call(shows: true, isCut: false)), "not met")
    // Whoever shows the bytes as they came is told by another rule.
    try expectEqual(Self.words(rule, call(shows: true, matches: false)), "not met")
  }

  @Test func `an error that stands in a stream is an error`() throws {
    let rule = "success-on-error-event"
    func call(
      _ ending: Observation.CallResult = .succeeded,
      hides: Bool?,
      isCopy: Bool = false
    ) -> Observation {
      let attempt = RuleTests.attempt(0, to: 9, faults: #"{"body":"errorEvent"}"#)
      var call = RuleTests.call(3, ending, showed: true, [attempt])
      call.hidesErrorEvent = hides
      if isCopy { call.isStale = true }
      return call
    }
    try expectEqual(
      Self.words(rule, call(hides: true)),
      "error 3: It succeeded, and its stream had ended with an error event. (1 of 1 call)"
    )
    // What shows the error as well may be made for people, who read it.
    #expect(try Self.words(rule, call(hides: false)).hasPrefix("warning 3: "))
    try expectEqual(Self.words(rule, call(.failed("overloaded"), hides: false)), "kept by 1")
    try expectEqual(Self.words(rule, call(hides: true, isCopy: true)), "kept by 1")
    try expectEqual(Self.words(rule, call(hides: nil)), "not met")
  }

  @Test func `a letter in two pieces is one letter`() throws {
    let rule = "decodes-scalars-piecewise"
    func call(
      _ replaces: Bool?,
      _ attempts: [Observation.Attempt] = [
        RuleTests.attempt(
          0,
          to: 9,
          faults: #"{"dribbleBytes":1,"everyMilliseconds":5}"#,
          take: "recording 1"
        )
      ],
      ending: Observation.CallResult = .succeeded
    ) -> Observation {
      var call = RuleTests.call(3, ending, showed: true, attempts)
      call.replacesScalars = replaces
      return call
    }
    try expectEqual(
      Self.words(rule, call(true)),
      "error 3: It showed U+FFFD in place of characters that have several bytes in the response. "
        + "(1 of 1 call)"
    )
    var mojibake = call(true)
    mojibake.showsMojibake = true
    let latin = "error 3: It showed UTF-8 as Latin-1 in place of "
    #expect(try Self.words(rule, mojibake).hasPrefix(latin))
    #expect(try Self.words(rule, call(true, [Self.conversation(0)])).hasPrefix("error 3: "))
    try expectEqual(Self.words(rule, call(false)), "kept by 1")
    try expectEqual(Self.words(rule, call(true, ending: .failed("no text"))), "kept by 1")
    try expectEqual(Self.words(rule, call(nil)), "not met")
    // A body that was cut may have been cut within a letter.
    var cut = RuleTests.attempt(0, to: 9, error: "truncated", faults: #"{"truncate":9}"#)
    cut.bytes = 9
    try expectEqual(Self.words(rule, call(true, [cut, RuleTests.attempt(20, to: 29)])), "not met")
    cut.bytes = 0
    #expect(
      try Self.words(rule, call(true, [cut, RuleTests.attempt(20, to: 29)])).hasPrefix("error 3: ")
    )
  }
}
