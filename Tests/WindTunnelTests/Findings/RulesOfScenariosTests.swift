import TestSupport
import WindTunnelFindings

/// The rules that have a scenario of their own, from their three sides: broken, kept, and not met.
@Suite struct RulesOfScenariosTests {
  private static let error = "serverCertificateHasBadDate"

  /// A call that was answered as it should be.
  private static func good(_ number: Int) -> Observation {
    RuleTests.call(number, .succeeded, showed: true, [RuleTests.attempt(0, to: 3)])
  }

  /// A call whose connection showed a bad certificate, and which went on under it or not.
  private static func badlyMet(_ number: Int, taken: Bool) -> Observation {
    var next = RuleTests.attempt(5, to: 8)
    next.isUnderBadCertificate = true
    next.sent = Observation.Sent()
    next.sent?.isSecure = true
    let first = RuleTests.connection(0, error)
    return RuleTests.call(
      number,
      taken ? .succeeded : .failed("exit 60"),
      taken ? [first, next] : [first]
    )
  }

  @Test func `whoever sends its request under a bad certificate is named`() throws {
    let rule = "accepts-bad-certificate"
    let taken = [Self.good(0), Self.badlyMet(2, taken: true), Self.badlyMet(3, taken: true)]
    try expectEqual(
      RuleTests.words(rule, taken, of: .program),
      "error 2: It sent its request although the handshake showed an expired certificate. (2 of 2 "
        + "calls)"
    )
    // It asks nothing twice: the handshake that should have ended it did not.
    try expectEqual(RuleTests.words("retries-permanent-error", taken, of: .program), "kept by 2")
    let refused = [Self.good(0), Self.badlyMet(2, taken: false)]
    try expectEqual(RuleTests.words(rule, refused, of: .program), "kept by 1")
    // Without a call that comes through, it may be the authority that it does not trust.
    let untrusting = [Self.badlyMet(0, taken: false), Self.badlyMet(2, taken: false)]
    try expectEqual(RuleTests.words(rule, untrusting, of: .program), "not met")
    try expectEqual(RuleTests.words(rule, [Self.good(0)], of: .program), "not met")
    try expectNil(ClientRun(of: .library, on: .inProcess, taken).standing(rule).finding)
  }

  /// A call of three attempts, the last so many seconds before its end.
  private static func silent(_ seconds: Int, since: Int = 0) -> Observation {
    let attempts = [RuleTests.attempt(since * 1000, to: since * 1000, error: "timedOut")]
    return RuleTests.call(0, .failed("timedOut"), lasted: (since + seconds) * 1000, attempts)
  }

  @Test func `a wait of more than 25 seconds for nothing is one too long`() throws {
    let rule = "waits-on-silence"
    try expectEqual(
      RuleTests.words(rule, [Self.silent(30)]),
      "error 0: It waited 30.0 s in its last attempt without receiving a byte. (1 of 1 call)"
    )
    #expect(try RuleTests.words(rule, [Self.silent(25)]).hasPrefix("error"))
    try expectEqual(RuleTests.words(rule, [Self.silent(24)]), "kept by 1")
    // Several attempts take their time, each has a limit, and so has their sum.
    func silences(
      _ starts: [Int],
      _ end: Int,
      heard: Bool = false,
      of client: ClientRun.Client = .program
    ) throws -> String {
      var attempts = starts.map {
        RuleTests.attempt($0 * 1000, to: $0 * 1000, status: nil, error: "timedOut")
      }
      if heard { attempts[0] = RuleTests.attempt(0, to: 9000, status: 503) }
      let call = RuleTests.call(0, .failed("timedOut"), lasted: end * 1000, attempts)
      return try RuleTests.words(rule, [call], of: client)
    }
    try expectEqual(silences([0, 10, 20], 30), "kept by 1")
    try expectEqual(
      silences([0, 11, 22], 33),
      "error 0: It waited 33.0 s over 3 attempts without receiving a byte. (1 of 1 call)"
    )
    try expectEqual(silences([0, 11, 22], 33, heard: true), "kept by 1")
    try expectEqual(silences([0, 11, 22], 33, of: .library), "kept by 1")
    try expectEqual(RuleTests.words(rule, [Self.silent(0)]), "not met")
    // Nobody sees how a connection is tried for that does not come about.
    func unconnected(_ seconds: Int, seen: Int?, told: Int? = nil) throws -> String {
      var call = RuleTests.call(0, .failed("exit 28"), lasted: seconds * 1000, [])
      (call.attemptCount, call.clientAttempts) = (seen, told)
      return try RuleTests.words(rule, [call])
    }
    try expectEqual(
      unconnected(28, seen: nil),
      "warning 0: It gave up after 28.0 s without a connection. (1 of 1 call)"
    )
    try expectEqual(unconnected(10, seen: nil), "kept by 1")
    try expectEqual(unconnected(0, seen: nil), "not met")
    try expectEqual(unconnected(28, seen: 0), "not met")
    // It says how often it tried, if at all.
    try expectEqual(unconnected(28, seen: nil, told: 3), "kept by 1")
    try expectEqual(
      unconnected(60, seen: nil, told: 2),
      "warning 0: It gave up after 60.0 s without a connection. (1 of 1 call)"
    )
    try expectEqual(unconnected(28, seen: nil, told: 0), "not met")
    try expectEqual(RuleTests.words(rule, [Self.good(0)]), "not met")
  }

  @Test func `a call that is still trying at the end does not hang, one that is still read does`()
    throws
  {
    func hung(_ attempts: [Observation.Attempt]) throws -> String {
      try RuleTests.words("hangs", [RuleTests.call(0, .hung, lasted: 40_000, attempts)])
    }
    func attempt(_ start: Int) -> Observation.Attempt {
      RuleTests.attempt(start, to: start, status: nil, error: "timedOut")
    }
    try expectEqual(hung([attempt(0)]), "error 0: It had not ended after 40.0 s. (1 of 1 call)")
    #expect(try hung([attempt(0), attempt(19_000)]).hasPrefix("error"))
    try expectEqual(
      hung([attempt(0), attempt(15_000), attempt(30_000)]),
      "warning 0: It had not ended after 40.0 s; its last attempt had begun 10.0 s earlier. (1 of "
        + "1 call)"
    )
    var slow = RuleTests.attempt(0, to: 0, faults: #"{"dribbleBytes":1,"everyMilliseconds":1000}"#)
    try expectEqual(
      hung([slow]),
      "error 0: It had not ended after 40.0 s; its response arrived a few bytes at a time. (1 of 1 "
        + "call)"
    )
    for (sent, whole, words) in [
      (120, 412, "120 of 412"), (120, nil, "120"), (120, 100, "120"),
    ] as [(Int, Int?, String)] {
      (slow.bytesSent, slow.bytes) = (sent, whole)
      try expectEqual(
        hung([slow]),
        "error 0: It had not ended after 40.0 s; \(words) bytes had arrived. (1 of 1 call)"
      )
    }
    try expectEqual(hung([]), "error 0: It had not ended after 40.0 s. (1 of 1 call)")
    // A name server may be missing on this machine, and some clients ask one themselves.
    let nameless: Scenario = [.always(.always, .connection(.hostNotFound))]
    let unseen = RuleTests.call(0, .hung, lasted: 40_000, [])
    try expectEqual(
      RuleTests.words("hangs", [unseen], in: nameless),
      "warning 0: It had not ended after 40.0 s. (1 of 1 call)"
    )
  }

  /// TCP sends again what a link has lost, and each time later: who waits gets it.
  @Test func `what a link with losses holds back is no error`() throws {
    func hung(_ attempts: [Observation.Attempt], _ loss: LossModel) throws -> String {
      let way = Link.Direction(delay: .milliseconds(100), loss: loss)
      let metro = Scenario("metro", link: Link(up: Link.Direction(), down: way))
      let call = RuleTests.call(0, .hung, lasted: 31_000, attempts)
      return try RuleTests.words("hangs", [call], in: metro)
    }
    let answered = [RuleTests.attempt(0, to: 3)]
    let silent = [RuleTests.attempt(0, to: 3, status: nil, error: "timedOut")]
    try expectEqual(
      hung(answered, .bernoulli(0.05)),
      "warning 0: It had not ended after 31.0 s; its response was still arriving over a link that "
        + "loses packets. (1 of 1 call)"
    )
    for attempts in [silent, []] {
      try expectEqual(
        hung(attempts, .bernoulli(0.05)),
        "warning 0: It had not ended after 31.0 s. (1 of 1 call)"
      )
    }
    for attempts in [answered, silent, []] {
      try expectEqual(
        hung(attempts, .none),
        "error 0: It had not ended after 31.0 s. (1 of 1 call)"
      )
    }
    let told = [RuleTests.attempt(0, to: 3, status: 503, wait: 3_600_000)]
    try expectEqual(
      hung(told, .bernoulli(0.05)),
      "error 0: Asked to wait 3600 s, it had not ended after 31.0 s. (1 of 1 call)"
    )
  }

  @Test func `to wait for an hour is a hang, and to come back before is none`() throws {
    let told = RuleTests.attempt(0, to: 3, status: 503, wait: 3_600_000)
    try expectEqual(
      RuleTests.words("hangs", [RuleTests.call(0, .hung, lasted: 31_000, [told])]),
      "error 0: Asked to wait 3600 s, it had not ended after 31.0 s. (1 of 1 call)"
    )
    // Asked just now for what is shorter than the call, it is still trying.
    func recent(_ wait: Int, from start: Int) throws -> String {
      let told = RuleTests.attempt(start, to: start + 3, status: 503, wait: wait)
      return try RuleTests.words("hangs", [RuleTests.call(0, .hung, lasted: 31_000, [told])])
    }
    try expectEqual(
      recent(9000, from: 25_000),
      "warning 0: Asked to wait 9 s, it had not ended after 31.0 s. (1 of 1 call)"
    )
    #expect(try recent(32_000, from: 25_000).hasPrefix("error 0: Asked to wait 32 s, "))
    #expect(try recent(25_000, from: 10_000).hasPrefix("error 0: Asked to wait 25 s, "))
    // The wait was over, and still nothing came of it.
    let short = RuleTests.attempt(0, to: 3, status: 503, wait: 1000)
    try expectEqual(
      RuleTests.words("hangs", [RuleTests.call(0, .hung, lasted: 31_000, [short])]),
      "error 0: It had not ended after 31.0 s. (1 of 1 call)"
    )
    func early(_ wait: Int) throws -> String {
      let told = RuleTests.attempt(0, to: 3, status: 503, wait: wait)
      let call = RuleTests.call([told, RuleTests.attempt(5003, to: 5006)])
      return try RuleTests.words("ignores-retry-after", [call])
    }
    try expectEqual(
      early(3_600_000),
      "warning 3: Asked by a 503 to wait 3600 s, it tried again after 5000 ms. (1 of 1 call)"
    )
    #expect(try early(25_000).hasPrefix("error"))
    try expectEqual(early(5000), "kept by 1")
  }

  /// A call of so many redirects.
  private static func redirected(_ count: Int) -> Observation {
    let attempts = (0..<count).map {
      RuleTests.attempt($0, to: $0, status: 302, faults: #"{"answer":"redirectLoop"}"#)
    }
    return RuleTests.call(0, .failed("exit 47"), attempts)
  }

  @Test func `a circle of redirects is followed fifty times at most`() throws {
    let rule = "redirects-without-bound"
    try expectEqual(
      RuleTests.words(rule, [Self.redirected(52)]),
      "error 0: It followed 52 redirects, and would have continued. (1 of 1 call)"
    )
    try expectEqual(RuleTests.words(rule, [Self.redirected(51)]), "kept by 1")
    try expectEqual(RuleTests.words(rule, [Self.redirected(1)]), "not met")
    let failed = RuleTests.call(RuleTests.row(waits: [100, 100, 100]))
    try expectEqual(RuleTests.words(rule, [failed]), "not met")
    // A redirect is no failure that is tried again.
    try expectEqual(RuleTests.words("retries-without-bound", [Self.redirected(52)]), "not met")
  }

  /// A call whose answer came whole behind a fault, and what the client made of it.
  private static func odd(
    _ number: Int,
    _ ending: Observation.CallResult,
    _ fault: String = #"{"interimResponses":2}"#
  ) -> Observation {
    let attempt = RuleTests.attempt(
      0,
      to: 3,
      faults: fault,
      take: "recording 1"
    )
    return RuleTests.call(number, ending, showed: ending == .succeeded, [attempt])
  }

  @Test func `four answers of one legal kind that all fail are a finding`() throws {
    let rule = "fails-on-legal-answer"
    func words(_ odd: [Observation.CallResult], control: Bool = true) throws -> String {
      let calls = odd.enumerated().map { Self.odd($0 + 1, $1) }
      return try RuleTests.words(rule, (control ? [Self.good(0)] : []) + calls)
    }
    let failed = Observation.CallResult.failed("exit 1")
    try expectEqual(
      words([failed, failed, failed, failed]),
      "warning 1: Each of 4 calls that received a response with interim responses (1xx) failed. (4 "
        + "of 4 calls)"
    )
    let calls = [Self.good(0)] + (1...4).map { Self.odd($0, failed) }
    try expectEqual(
      ClientRun(of: .program, on: .onTheWire, calls).standing(rule).finding?.steps.map(\.words),
      ["GET /home → 200 with interim responses (1xx)", "the call failed, exit 1"]
    )
    // No library fails on another kind, so that one is named first.
    for (fault, oddity) in [
      (#"{"fieldNames":"lowercase"}"#, "lowercase field names"),
      (#"{"headerFields":50}"#, "many fields"),
      (#"{"dribbleBytes":1,"everyMilliseconds":5}"#, "its body in pieces of a few bytes"),
    ] {
      let others = (5...8).map { Self.odd($0, failed, fault) }
      try expectEqual(
        RuleTests.words(rule, calls + others),
        "error 5: Each of 4 calls that received a response with \(oddity) failed. (4 of 4 calls)"
      )
    }
    // A short timeout may end during a pause.
    let slow = (1...4).map { Self.odd($0, failed, #"{"stall":"inHeaders","forMilliseconds":200}"#) }
    #expect(try RuleTests.words(rule, [Self.good(0)] + slow).hasPrefix("warning 1: Each of 4"))
    try expectEqual(words([failed, failed, failed]), "not met")
    try expectEqual(words([failed, failed, failed, failed, .succeeded]), "not met")
    try expectEqual(words([failed, failed, failed, failed], control: false), "not met")
    try expectEqual(words([.succeeded, .succeeded, .succeeded, .succeeded]), "kept by 4")
    try expectEqual(words([]), "not met")
  }

  @Test func `who comes back after seconds and falls over a date is named`() throws {
    let rule = "fails-on-legal-answer"
    let failed = Observation.CallResult.failed("exit 1")
    func told(
      _ number: Int,
      byDate: Bool,
      _ ending: Observation.CallResult,
      tries: Int,
      wait: Int = 3
    ) -> Observation {
      var first = RuleTests.attempt(0, to: 3, status: 503)
      first.retryAfter = .seconds(wait)
      if byDate { first.retryNotBefore = .seconds(2) }
      let again = RuleTests.attempt(3100, to: 3103)
      return RuleTests.call(number, ending, [first] + (tries > 1 ? [again] : []))
    }
    // A careful client does not repeat it.
    var write = told(20, byDate: false, failed, tries: 1)
    write.endpoint = "POST /payments"
    func words(
      dates: (Observation.CallResult, Int),
      seconds: (Observation.CallResult, Int),
      of: Int = 4,
      wait: Int = 3
    )
      throws -> String
    {
      let calls = (0..<of).map { told($0, byDate: true, dates.0, tries: dates.1, wait: wait) }
      return try RuleTests.words(
        rule,
        calls + [write] + (10..<14).map { told($0, byDate: false, seconds.0, tries: seconds.1) }
      )
    }
    try expectEqual(
      words(dates: (failed, 1), seconds: (.succeeded, 2)),
      "error 0: Each of 4 calls with a date in Retry-After failed at once, and each of 4 with "
        + "seconds in it tried again. (4 of 4 calls)"
    )
    // It gives up on both, comes back for both, tries on, or is seen too seldom.
    try expectEqual(words(dates: (failed, 1), seconds: (failed, 1)), "not met")
    try expectEqual(words(dates: (.succeeded, 2), seconds: (.succeeded, 2)), "not met")
    try expectEqual(words(dates: (failed, 2), seconds: (.succeeded, 2)), "not met")
    try expectEqual(words(dates: (failed, 1), seconds: (.succeeded, 2), of: 3), "not met")
    // The date is later than the seconds that it waits for.
    try expectEqual(words(dates: (failed, 1), seconds: (.succeeded, 2), wait: 60), "not met")
  }

  @Test func `a call without one of its parts did not go well`() throws {
    func call(
      _ number: Int,
      _ part: String,
      _ status: Int?,
      ending: Observation.CallResult = .succeeded,
      again: Bool = false
    ) -> Observation {
      func attempt(_ start: Int, _ key: String, _ status: Int?) -> Observation.Attempt {
        RuleTests.attempt(
          start,
          to: start + 3,
          status: status ?? 200,
          key: key,
          faults: status.map { #"{"status":\#($0)}"# },
          take: status == nil ? "recording 1" : "fault"
        )
      }
      let attempts = [attempt(0, "GET /home", nil), attempt(5, part, status)]
      return RuleTests.call(number, ending, attempts + (again ? [attempt(20, part, nil)] : []))
    }
    let rule = "success-on-part-answer"
    func words(_ part: String, _ calls: Observation...) throws -> String {
      try RuleTests.words(rule, [call(0, part, nil)] + calls)
    }
    let (page, tips) = ("GET /home?page=2", "GET /tips")
    try expectEqual(
      words(page, call(1, page, 503)),
      "error 1: It returned without an error, but GET /home?page=2 had failed. (1 of 1 call)"
    )
    try expectEqual(
      words(tips, call(1, tips, 503)),
      "warning 1: It reported success without GET /tips, which had failed. (1 of 1 call)"
    )
    // Of several endpoints the rarest is shown, by the end that the client can have.
    let feed = (0...1).map { number in
      var call = call(9 + number, page, number == 0 ? nil : 503)
      call.endpoint = "GET /feed"
      return call
    }
    var all = [call(0, page, nil), call(1, page, 503), call(2, page, 503)]
    all[0].isCritical = true
    try expectEqual(
      RuleTests.words(rule, feed + all, of: .program),
      "error 10: It ended with 0, but GET /home?page=2 had failed. (3 of 3 calls)"
    )
    try expectEqual(words(page, call(1, page, 503, ending: .failed("exit 1"))), "kept by 1")
    try expectEqual(words(page, call(1, page, 503, again: true)), "not met")
    // There is no second page, or another request brings the same.
    try expectEqual(words(page, call(1, page, 404)), "not met")
    let popular = RuleTests.attempt(20, to: 23, key: "GET /popular")
    var other = call(1, tips, 503)
    other.attempts.append(popular)
    try expectEqual(words(tips, other), "not met")
    // Nobody asks for it where nothing fails: it is a second way to the same.
    try expectEqual(words(tips, call(1, page, 503)), "not met")
  }

  @Test func `a call that fails in a scenario without faults is named`() throws {
    func words(_ calls: [Observation], in scenario: Scenario? = .calm) throws -> String {
      try RuleTests.words("fails-without-fault", calls, of: .program, in: scenario)
    }
    func failed(_ number: Int, _ attempts: [Observation.Attempt]) -> Observation {
      RuleTests.call(number, .failed("exit 7"), attempts)
    }
    let answered = failed(2, [RuleTests.attempt(0, to: 3)])
    try expectEqual(
      words([Self.good(0), answered]),
      "error 2: It failed, exit 7, and met no fault. (1 of 2 calls)"
    )
    try expectEqual(
      words([Self.good(0), answered, failed(3, [])]),
      "error 3: It failed, exit 7, and sent no request. (2 of 3 calls)"
    )
    try expectEqual(words([Self.good(0), Self.good(1)]), "kept by 2")
    let faulty = Scenario("s", rules: [.on("GET /home", .always, .status(503))])
    try expectEqual(words([Self.good(0), answered], in: faulty), "not met")
    try expectEqual(words([Self.good(0), answered], in: nil), "not met")
    // A recorded error is what the client was to report.
    let recorded = RuleTests.attempt(0, to: 3, status: 404, faults: "", take: "recording 1")
    try expectEqual(words([failed(2, [recorded])]), "not met")
    // Other rules, or none, judge these.
    let edits: [(inout Observation) -> Void] = [
      { $0.ending = .hung }, { $0.ending = .crashed }, { $0.notOnCassette = "GET /x" },
      { $0.processorDelay = .milliseconds(600) }, { $0.attemptCount = nil },
      { $0.cancellation = .init(after: .zero, toReturn: .zero, attemptsAfter: 0) },
    ]
    for (place, edit) in edits.enumerated() {
      var call = answered
      edit(&call)
      try expectEqual(words([call]), "not met", "\(place)")
    }
  }
}
