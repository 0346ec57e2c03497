import TestSupport
import WindTunnelFindings

extension RuleStanding {
  /// The sentence of a finding with its weight and counts; else the standing.
  var words: String {
    switch standing {
    case .notMet(let reason): "not met: \(reason)"
    case .passed(let count): "kept by \(count)"
    case .broken(let finding):
      "\(finding.severity) \(finding.call): \(finding.seen) (\(finding.countDescription))"
    }
  }
}

extension ClientRun {
  func standing(_ rule: String) throws -> RuleStanding {
    try #require(held().first { $0.rule == rule })
  }
}

/// Each rule from its three sides: broken, kept, and not met.
@Suite struct RuleTests {
  /// An attempt as a server saw it, in milliseconds.
  static func attempt(
    _ start: Int,
    to end: Int,
    status: Int? = 200,
    error: String? = nil,
    wait: Int? = nil,
    until: Int? = nil,
    key: String = "GET /home",
    faults: String? = nil,
    take: String? = nil,
    isRepeatable: Bool = true
  ) -> Observation.Attempt {
    let isGood = faults == nil && error == nil && (status ?? 500) < 400
    let told = faults ?? (isGood ? "" : #"{"status":\#(status ?? 0)}"#)
    var attempt = Observation.Attempt(
      decision: .init(line: "s/0\t\(key)\t1\t[\(told)]"),
      source: .init(words: take ?? (isGood ? "recording 1" : "withheld 1"))
    )
    (attempt.start, attempt.end) = (.milliseconds(start), .milliseconds(end))
    (attempt.status, attempt.error) = (status, error)
    attempt.retryAfter = wait.map { .milliseconds($0) }
    attempt.retryNotBefore = until.map { .milliseconds($0) }
    attempt.isRepeatable = isRepeatable
    return attempt
  }

  /// A connection that was broken off before a request.
  static func connection(_ start: Int, _ error: String) -> Observation.Attempt {
    var attempt = Observation.Attempt(
      decision: .init(line: "s/0\tconnection\t1\t[{\"tls\":\"expired\"}]"),
      source: .played(.connection)
    )
    (attempt.start, attempt.end, attempt.error) = (
      .milliseconds(start), .milliseconds(start), error
    )
    return attempt
  }

  static func call(_ attempts: [Observation.Attempt]) -> Observation { call(3, attempts) }

  static func call(
    _ number: Int,
    start: Int = 0,
    _ attempts: [Observation.Attempt]
  ) -> Observation {
    call(number, .failed("status 503"), start: start, attempts)
  }

  static func call(
    _ number: Int,
    _ ending: Observation.CallResult,
    showed: Bool = false,
    start: Int = 0,
    lasted: Int = 100,
    _ attempts: [Observation.Attempt]
  ) -> Observation {
    var call = Observation(
      call: number,
      endpoint: "GET /home",
      isCritical: false,
      ending: ending,
      showed: showed,
      latency: .milliseconds(lasted),
      attemptCount: attempts.count,
      attempts: attempts
    )
    call.start = .milliseconds(start)
    return call
  }

  /// Attempts of 3 ms that are all answered with a status, with so long between them.
  static func row(_ status: Int = 503, waits: [Int]) -> [Observation.Attempt] {
    var clock = 0
    var attempts = [attempt(0, to: 3, status: status)]
    for wait in waits {
      clock += 3 + wait
      attempts.append(attempt(clock, to: clock + 3, status: status))
    }
    return attempts
  }

  private static func twice(_ attempts: [Observation.Attempt]) -> [Observation] {
    [call(3, attempts), call(9, attempts)]
  }

  /// The sentence of a finding with its weight and counts; else the standing, without its reason.
  static func words(
    _ rule: String,
    _ calls: [Observation],
    of client: ClientRun.Client = .library,
    in scenario: Scenario? = nil
  ) throws -> String {
    let run = ClientRun(of: client, on: .onTheWire, calls, in: scenario)
    let standing = try run.standing(rule)
    if case .notMet = standing.standing { return "not met" }
    return standing.words
  }

  @Test func `whoever asks again too soon after a Retry-After is named with both times`() throws {
    let early = Self.call([
      Self.attempt(0, to: 3, status: 429, wait: 1000), Self.attempt(15, to: 18),
    ])
    let patient = Self.call(
      7,
      [Self.attempt(0, to: 3, status: 429, wait: 1000), Self.attempt(1003, to: 1006)]
    )
    // Timers are not finer than that.
    let almost = Self.call([
      Self.attempt(0, to: 3, status: 503, wait: 1000), Self.attempt(960, to: 963),
    ])
    let over = Self.call([Self.attempt(0, to: 3, status: 429, wait: 1000)])
    let rule = "ignores-retry-after"
    try expectEqual(
      Self.words(rule, [patient, early]),
      "error 3: Asked by a 429 to wait 1 s, it tried again after 12.0 ms. (1 of 2 calls)"
    )
    try expectEqual(Self.words(rule, [patient, almost]), "kept by 2")
    try expectEqual(Self.words(rule, [over]), "not met")
    // A redirect's field is one that no common client keeps to.
    let moved = Self.call([
      Self.attempt(0, to: 3, status: 301, wait: 1000), Self.attempt(15, to: 18),
    ])
    try expectEqual(Self.words(rule, [moved]), "not met")
  }

  @Test func `attempts that two layers multiply are named, and those of one layer are not`() throws
  {
    let rule = "retries-in-layers"
    func calls(_ waits: [[Int]], count: Int = 8) -> [Observation] {
      (0..<count).map { Self.call($0, Self.row(waits: waits[$0 % waits.count])) }
    }
    func words(_ waits: [Int]..., count: Int = 8) throws -> String {
      try Self.words(rule, calls(waits, count: count))
    }
    try expectEqual(
      words([100, 120, 900, 110, 90, 1400, 95, 130]),
      "note 0: It made 9 attempts: 3 groups of 3 with a longer wait between. (8 of 8 calls)"
    )
    try expectEqual(
      words([0, 1000, 1], [2, 800, 0]),
      "note 0: It made 4 attempts: 2 groups of 2 with a longer wait between. (8 of 8 calls)"
    )
    for single in [
      // The same wait, one that doubles, one that quadruples, at once and then a back-off, a last long one.
      [300, 310, 290], [100, 200, 400, 800], [100, 400, 1600], [0, 500, 500], [0, 400, 800, 1600],
      [100, 100, 100, 900], [0, 1, 2],
      // Shorter and longer ones as they are drawn.
      [100, 900, 100, 100, 900], [900, 100, 900],
    ] {
      try expectEqual(words(single), "kept by 8", "\(single)")
    }
    // Not in every call, or not in enough of them.
    try expectEqual(words([100, 900, 100], [100, 200, 400]), "kept by 8")
    try expectEqual(words([100, 900, 100], [100, 100, 900, 100, 100], count: 9), "kept by 9")
    try expectEqual(words([100, 900, 100], count: 7), "not met")
    try expectEqual(words([100, 900]), "not met")
    // One that went well at last may have been half way through.
    let saved = calls([[100, 900, 100]]).map { call in
      var call = call
      call.ending = .succeeded
      return call
    }
    try expectEqual(Self.words(rule, saved), "not met")
    // A server said when to come again.
    let asked = calls([[100, 900, 100]]).map { call in
      var call = call
      call.attempts[1].retryAfter = .milliseconds(900)
      return call
    }
    try expectEqual(Self.words(rule, asked), "not met")
  }

  @Test func `a retry before the date of Retry-After is early, but for what timers are off by`()
    throws
  {
    func call(again: Int) -> Observation {
      Self.call([
        Self.attempt(0, to: 3, status: 503, wait: 2000, until: 2400),
        Self.attempt(again, to: again + 3),
      ])
    }
    let rule = "ignores-retry-after"
    try expectEqual(
      Self.words(rule, [call(again: 2300)]),
      "error 3: Asked by a 503 to wait until a date, it tried again after 2297 ms. (1 of 1 call)"
    )
    try expectEqual(Self.words(rule, [call(again: 2360)]), "kept by 1")
  }

  @Test func `a wait counts from the head of an answer whose body is long`() throws {
    var first = Self.attempt(0, to: 900, status: 429, wait: 1000)
    first.stages.body = .milliseconds(890)
    let call = Self.call([first, Self.attempt(1020, to: 1023)])
    try expectEqual(Self.words("ignores-retry-after", [call]), "kept by 1")
  }

  @Test func `a pause that never comes is named, and four spaced attempts are not`() throws {
    let rule = "no-back-off"
    try expectEqual(
      Self.words(rule, Self.twice(Self.row(waits: [0, 5, 19]))),
      "error 3: It tried 4 times and never waited more than 19.0 ms. (2 of 2 calls)"
    )
    let bursts = (0..<12).map { Self.call($0, Self.row(waits: [0, 150, 150, 150])) }
    try expectEqual(
      Self.words(rule, bursts),
      "error 0: It tried 5 times within 462 ms. (12 of 12 calls)"
    )
    // One call alone may be chance, and few of many are.
    try expectEqual(Self.words(rule, [Self.call(Self.row(waits: [0, 5, 19]))]), "not met")
    let jittered = (0..<60).map { number in
      Self.call(number, Self.row(waits: number % 8 == 0 ? [40, 60, 90] : [40, 150, 90]))
    }
    try expectEqual(Self.words(rule, jittered), "kept by 60")
    // urllib3: at once, then 0.4 s and 0.8 s.
    try expectEqual(Self.words(rule, Self.twice(Self.row(waits: [0, 400, 800]))), "kept by 2")
    // Whole seconds that begin with nothing: four at once, and only then a pause.
    let late = (0..<12).map { Self.call($0, Self.row(waits: [30, 25, 35, 1030])) }
    try expectEqual(
      Self.words(rule, late),
      "error 0: It tried 4 times within 99.0 ms. (12 of 12 calls)"
    )
    // Short waits that grow are a back-off, however it ends.
    let growing = (0..<12).map { Self.call($0, Self.row(waits: [25, 50, 99, 300])) }
    try expectEqual(Self.words(rule, growing), "kept by 12")
    // A busy machine in between hides nothing.
    let held = Self.twice(Self.row(waits: [0, 1, 0, 140, 0]))
    try expectEqual(
      Self.words(rule, held),
      "error 3: It tried 4 times within 10.0 ms. (2 of 2 calls)"
    )
    try expectEqual(Self.words(rule, Self.twice(Self.row(waits: [0, 0]))), "not met")
    // What came well is asked for again for a reason.
    let polling = (0..<6).map { Self.attempt($0 * 5, to: $0 * 5 + 3) }
    try expectEqual(Self.words(rule, Self.twice(polling)), "not met")
  }

  @Test func `eleven attempts are without bound, and so is one that still tries`() throws {
    let rule = "retries-without-bound"
    let waits = Array(repeating: 200, count: 10)
    try expectEqual(
      Self.words(rule, [Self.call(Self.row(waits: waits))]),
      "error 3: It made 11 attempts for one call. (1 of 1 call)"
    )
    try expectEqual(Self.words(rule, [Self.call(Self.row(waits: waits.dropLast()))]), "kept by 1")
    let still = Self.call(3, .hung, lasted: 10_000, Self.row(waits: [1000, 2000, 4000]))
    try expectEqual(
      Self.words(rule, [still]),
      "error 3: After 7009 ms and 4 attempts it was still trying. (1 of 1 call)"
    )
    // A response on its way would have ended it.
    let answered = Self.row(waits: [1000, 2000]) + [Self.attempt(7009, to: 9000)]
    let late = Self.call(3, .hung, lasted: 10_000, answered)
    try expectEqual(Self.words(rule, [late]), "kept by 1")
    // Three retries after ten seconds of silence each are bound, and are not over after half a minute.
    let silent = (0..<4).map { Self.attempt($0 * 10_100, to: $0 * 10_100 + 1, error: "timedOut") }
    try expectEqual(
      Self.words(rule, [Self.call(3, .hung, lasted: 31_000, silent)]),
      "warning 3: After 30.3 s and 4 attempts it was still trying. (1 of 1 call)"
    )
    // Nor are three retries of which one had to connect for twenty seconds, over a lossy link.
    let times = [(0, 667), (1667, 21_809), (23_809, 24_476), (28_476, 29_144)]
    let slow = times.map { Self.attempt($0.0, to: $0.1, error: "connectionLost") }
    try expectEqual(
      Self.words(rule, [Self.call(3, .hung, lasted: 31_000, slow)]),
      "warning 3: After 28.5 s and 4 attempts it was still trying. (1 of 1 call)"
    )
  }

  @Test func `a storm is what an outage costs above four times its load`() throws {
    func flight(_ attempts: Int) -> [Observation] {
      (0..<20).map { number in
        Self.call(
          number,
          start: number * 50,
          Self.row(waits: Array(repeating: 400, count: attempts - 1))
        )
      }
    }
    try expectEqual(
      Self.words("retry-storm", flight(6)),
      "error 0: The 20 calls that began within 950 ms made 120 requests: 6.00 each. (20 of 20 calls)"
    )
    #expect(try Self.words("retry-storm", flight(5)).hasPrefix("warning 0: The 20 calls that"))
    try expectEqual(Self.words("retry-storm", flight(4)), "kept by 20")
    try expectEqual(Self.words("retry-storm", Array(flight(6).prefix(19))), "not met")
  }

  @Test func `a machine that begins few calls a second shows a storm as well`() throws {
    func flight(_ counts: [Int]) -> [Observation] {
      counts.enumerated().map { number, attempts in
        Self.call(
          number,
          start: number * 400,
          Self.row(waits: Array(repeating: 400, count: attempts - 1))
        )
      }
    }
    let rule = "retry-storm"
    try expectEqual(
      Self.words(rule, flight(Array(repeating: 6, count: 20))),
      "error 0: The 5 calls that began within 1600 ms made 30 requests: 6.00 each. (20 of 20 calls)"
    )
    // Six of one call are no storm among those of others.
    try expectEqual(Self.words(rule, flight([6] + Array(repeating: 3, count: 19))), "kept by 20")
    try expectEqual(Self.words(rule, flight(Array(repeating: 4, count: 20))), "kept by 20")
    // The four that are left over belong to those before them.
    try expectEqual(
      Self.words(rule, flight(Array(repeating: 1, count: 15) + Array(repeating: 9, count: 9))),
      "error 15: The 9 calls that began within 3200 ms made 81 requests: 9.00 each. (9 of 24 calls)"
    )
  }

  @Test func `an error that stays is not to be asked for twice`() throws {
    let rule = "retries-permanent-error"
    try expectEqual(
      Self.words(rule, [Self.call(Self.row(404, waits: [500, 500]))]),
      "error 3: After 404 it sent the same request 2 more times. (1 of 1 call)"
    )
    try expectEqual(
      Self.words(rule, [Self.call(Self.row(404, waits: [500]))]),
      "warning 3: After 404 it sent the same request 1 more time. (1 of 1 call)"
    )
    // What comes in between makes none of them another request.
    var mixed = Self.row(404, waits: [500, 500, 500])
    mixed[1] = Self.attempt(503, to: 506, status: 503)
    try expectEqual(
      Self.words(rule, [Self.call(mixed)]),
      "error 3: After 404 it sent the same request 3 more times. (1 of 1 call)"
    )
    // One that came before the answer to another was over is one more all the same.
    var early = Self.row(404, waits: [500, 500, 500])
    early[2].start = .milliseconds(504)
    try expectEqual(
      Self.words(rule, [Self.call(early)]),
      "error 3: After 404 it sent the same request 3 more times. (1 of 1 call)"
    )
    try expectEqual(Self.words(rule, [Self.call(Self.row(404, waits: []))]), "kept by 1")
    for status in [408, 409, 421, 423, 425, 429, 500, 502, 503, 504] {
      try expectEqual(
        Self.words(rule, [Self.call(Self.row(status, waits: [500, 500]))]),
        "not met"
      )
    }
    // A recorded 404 may be what a client polls for.
    var recorded = Self.row(404, waits: [500, 500])
    for place in recorded.indices {
      recorded[place].decision = .init(line: "s/0\tGET /home\t1\t[]")
      recorded[place].source = .played(.recording(0))
    }
    try expectEqual(Self.words(rule, [Self.call(recorded)]), "not met")
    let expired = (0..<3).map { Self.connection($0 * 500, "serverCertificateHasBadDate") }
    try expectEqual(
      Self.words(rule, [Self.call(expired)]),
      "warning 3: After an expired certificate it sent the same request 2 more times. (1 of 1 call)"
    )
    // A handshake that breaks may break once.
    let alert = (0..<3).map { Self.connection($0 * 500, "secureConnectionFailed") }
    try expectEqual(Self.words(rule, [Self.call(alert)]), "not met")
  }

  @Test func `a POST that may have been done is not to be sent again`() throws {
    let rule = "repeats-post"
    func post(
      _ status: Int?,
      _ error: String? = nil,
      wait: Int? = nil,
      isRepeatable: Bool = false
    ) -> Observation {
      let key = "POST /payments"
      return Self.call([
        Self.attempt(
          0,
          to: 3,
          status: status,
          error: error,
          wait: wait,
          key: key,
          isRepeatable: isRepeatable
        ),
        Self.attempt(503, to: 506, key: key, isRepeatable: isRepeatable),
      ])
    }
    for (status, error, what) in [
      (500, nil, "a 500"), (502, nil, "a 502"), (504, nil, "a 504"),
      (nil, "connectionLost", "a broken connection"), (200, "truncated", "a truncated body"),
      (nil, "timedOut", "silence"),
    ]
      as [(Int?, String?, String)]
    {
      try expectEqual(
        Self.words(rule, [post(status, error)]),
        "error 3: After \(what) it sent POST /payments again, 500 ms later. (1 of 1 call)"
      )
      try expectEqual(Self.words(rule, [post(status, error, isRepeatable: true)]), "not met")
    }
    try expectEqual(
      Self.words(rule, [post(503)]),
      "warning 3: After a 503 it sent POST /payments again, 500 ms later. (1 of 1 call)"
    )
    try expectEqual(Self.words(rule, [post(503, wait: 100)]), "not met")
    for status in [401, 408, 421, 425, 429] {
      try expectEqual(Self.words(rule, [post(status)]), "not met")
    }
    // What a status says holds where the rest of its body did not come.
    for (error, what) in [
      ("truncated", "a truncated body"), ("connectionLost", "a broken connection"),
    ] {
      try expectEqual(
        Self.words(rule, [post(503, error)]),
        "warning 3: After \(what) it sent POST /payments again, 500 ms later. (1 of 1 call)"
      )
      for status in [401, 408, 421, 425, 429] {
        try expectEqual(Self.words(rule, [post(status, error)]), "not met")
      }
    }
    let once = Self.call([Self.attempt(0, to: 3, status: 500, isRepeatable: false)])
    try expectEqual(Self.words(rule, [once]), "kept by 1")
  }

  @Test func `an error status is no success`() throws {
    let rule = "success-on-error-status"
    let fooled = Self.call(3, .succeeded, showed: true, Self.row(waits: []))
    try expectEqual(
      Self.words(rule, [fooled]),
      "error 3: It returned without an error, but received only 503. (1 of 1 call)"
    )
    try expectEqual(
      Self.words(rule, [fooled], of: .program),
      "error 3: This command ended with 0, but received only 503. (1 of 1 call)"
    )
    var own = fooled
    own.printed = "Offline, showing nothing"
    try expectEqual(
      Self.words(rule, [own], of: .program),
      "warning 3: This command ended with 0, but received only 503\(Self.doubt) (1 of 1 call)"
    )
    for decoded in ["{ error: 'This 503 was injected.' }", "map[error:This 503 was injected.]"] {
      own.printed = decoded
      #expect(try Self.words(rule, [own], of: .program).hasPrefix("error 3: This command ended"))
    }
    try expectEqual(Self.words(rule, [Self.call(Self.row(waits: []))]), "kept by 1")
    // A copy from before is an answer.
    var stale = fooled
    stale.isStale = true
    try expectEqual(Self.words(rule, [stale]), "kept by 1")
    var kept = fooled
    kept.bodyMatches = true
    try expectEqual(Self.words(rule, [kept], of: .program), "kept by 1")
    let healed = Self.call(3, .succeeded, Self.row(waits: []) + [Self.attempt(500, to: 503)])
    try expectEqual(Self.words(rule, [healed]), "not met")
  }

  @Test func `a part of a body is no success`() throws {
    let rule = "success-on-cut-body"
    var cut = Self.attempt(0, to: 3, error: "truncated", faults: #"{"truncateAfterBodyBytes":10}"#)
    cut.bytes = 10
    var fooled = Self.call(3, .succeeded, showed: true, [cut])
    fooled.bodyMatches = false
    try expectEqual(
      Self.words(rule, [fooled], of: .program),
      "error 3: It used a truncated body as the whole, of which 10 B arrived. (1 of 1 call)"
    )
    try expectEqual(Self.words(rule, [Self.call([cut])]), "kept by 1")
    // Who prints something else may say that it is a part.
    fooled.bodyMatches = nil
    try expectEqual(Self.words(rule, [fooled], of: .program), "not met")
    let again = Self.call(3, .succeeded, [cut, Self.attempt(500, to: 503)])
    try expectEqual(Self.words(rule, [again]), "not met")
  }

  @Test func `a portal's page is no answer`() throws {
    let rule = "takes-portal-for-answer"
    let portal = [
      Self.attempt(0, to: 3, status: 302, faults: #"{"answer":"captivePortalRedirect"}"#),
      Self.attempt(
        5,
        to: 8,
        key: "GET /captive-portal/login",
        faults: #"{"answer":"captivePortalPage"}"#,
        take: "computed"
      ),
    ]
    let fooled = Self.call(3, .succeeded, portal)
    try expectEqual(
      Self.words(rule, [fooled]),
      "error 3: It returned the portal's page without an error. (1 of 1 call)"
    )
    try expectEqual(
      Self.words(rule, [fooled], of: .program),
      "warning 3: This command ended with 0 when the portal's page arrived. (1 of 1 call)"
    )
    // One that follows nowhere has the redirect alone.
    let redirected = Self.call(3, .succeeded, [portal[0]])
    try expectEqual(
      Self.words(rule, [redirected]),
      "error 3: It returned the portal's redirect without an error. (1 of 1 call)"
    )
    try expectEqual(
      Self.words(rule, [redirected], of: .program),
      "warning 3: This command ended with 0 when the portal redirected it. (1 of 1 call)"
    )
    try expectEqual(Self.words(rule, [Self.call(portal)]), "kept by 1")
    try expectEqual(Self.words(rule, [Self.call(3, .succeeded, showed: true, portal)]), "not met")
    var wrapped = Self.call(3, .succeeded, showed: true, portal)
    wrapped.showsResponseOf = Observation.portalPage
    for client in [ClientRun.Client.program, .library, .service] {
      try expectEqual(
        Self.words(rule, [wrapped], of: client),
        "error 3: It used the portal's page as part of its result. (1 of 1 call)"
      )
    }
    try expectEqual(Self.words("success-without-answer", [fooled]), "not met")
  }

  private static let doubt =
    ": a warning, because the user may see it (--findings warnings fails on it)."

  @Test func `nothing at all is no success`() throws {
    let rule = "success-without-answer"
    let reset = [Self.attempt(0, to: 3, status: nil, error: "connectionLost")]
    try expectEqual(
      Self.words(rule, [Self.call(3, .succeeded, reset)], of: .program),
      "error 3: This command ended with 0, printed nothing and received no response. (1 of 1 call)"
    )
    // Some of it may have been printed.
    var broken = Self.attempt(0, to: 3, error: "malformedResponse")
    broken.bytes = 58
    try expectEqual(
      Self.words(rule, [Self.call(3, .succeeded, [broken])], of: .program),
      "error 3: This command ended with 0, but received no whole response. (1 of 1 call)"
    )
    try expectEqual(Self.words(rule, [Self.call(reset)]), "kept by 1")
    try expectEqual(Self.words(rule, [Self.call(3, .succeeded, showed: true, reset)]), "kept by 1")
    try expectEqual(
      Self.words(rule, [Self.call(3, .succeeded, [Self.attempt(0, to: 3)])]),
      "not met"
    )
    var stale = Self.call(3, .succeeded, reset)
    stale.isStale = true
    try expectEqual(Self.words(rule, [stale]), "kept by 1")
    // Who prints something may have told the user, and who prints a part of a body breaks another rule.
    var words = Self.call(3, .succeeded, showed: true, reset)
    words.printed = "Offline: no news"
    try expectEqual(
      Self.words(rule, [words], of: .program),
      "warning 3: This command ended with 0 and printed \"Offline: no news\", but received no "
        + "response\(Self.doubt) (1 of 1 call)"
    )
    // JSON is no word to a user, unless it was a part of an answer, now or in another call.
    var answered = Self.call(4, .succeeded, showed: true, [Self.attempt(0, to: 3)])
    answered.printed = "[1]"
    for (text, calls, bytes, severity) in [
      ("Offline", [], nil, "warning"), (#"{"items":[]}"#, [answered], nil, "error"),
      ("[]", [], nil, "error"), ("[]", [], 9, "warning"), ("[1]", [answered], nil, "warning"),
    ] as [(String, [Observation], Int?, String)] {
      (words.printed, words.attempts[0].bytes) = (text, bytes)
      let seen =
        "\(severity) 3: It showed \"\(text)\" and no error, but received no response. (1 of 1 call)"
      try expectEqual(Self.words(rule, [words] + calls, of: .service), seen)
    }
    // A write may be queued.
    words.endpoint = "POST /orders"
    #expect(try Self.words(rule, [words], of: .service).hasPrefix("warning 3: "))
    var part = Self.call(3, .succeeded, reset)
    part.bodyMatches = false
    try expectEqual(Self.words(rule, [part], of: .program), "not met")
    // A library that returns nothing returns another body than the recorded one.
    #expect(try Self.words(rule, [part]).hasPrefix("error 3: It returned nothing and no error"))
    part.attempts[0].bytes = 10
    try expectEqual(Self.words(rule, [part]), "not met")
    // Where nothing could be reached, nothing was seen.
    try expectEqual(
      Self.words(rule, [Self.call(3, .succeeded, [])]),
      "error 3: It returned nothing and no error, but received no response. (1 of 1 call)"
    )
  }

  @Test func `an attempt after the caller has left is one too many`() throws {
    func call(after count: Int?, returning: Duration = .milliseconds(5)) -> Observation {
      var call = Self.call(Self.row(waits: []))
      call.cancellation = .init(
        after: .milliseconds(200),
        toReturn: returning,
        attemptsAfter: count
      )
      return call
    }
    let rule = "goes-on-after-cancel"
    // A service that answers late reads no line while it works, and has heard nothing.
    let late = call(after: 2, returning: .milliseconds(251))
    try expectEqual(Self.words(rule, [late], of: .service), "not met")
    #expect(try Self.words(rule, [late]).hasPrefix("error 3: "))
    #expect(try Self.words(rule, [call(after: 2)], of: .service).hasPrefix("error 3: "))
    try expectEqual(
      Self.words(rule, [call(after: 2)]),
      "error 3: Cancelled after 200 ms, it began 2 more attempts. (1 of 1 call)"
    )
    try expectEqual(Self.words(rule, [call(after: 0)]), "kept by 1")
    try expectEqual(
      Self.words(rule, [call(after: nil), Self.call(Self.row(waits: []))]),
      "not met"
    )
  }

  @Test func `clients that wait the same time are told so, gently`() throws {
    func flight(_ wait: (Int) -> Int) -> [Observation] {
      (0..<20).map { Self.call($0, Self.row(waits: [wait($0)])) }
    }
    let rule = "retries-in-step"
    try expectEqual(
      Self.words(rule, flight { 500 + $0 % 2 }),
      "note 0: Half of 20 first waits lie within 1.0 ms of 501 ms. (20 of 20 calls)"
    )
    try expectEqual(Self.words(rule, flight { 300 + $0 * 20 }), "kept by 20")
    #expect(try Self.words(rule, flight { _ in 40 }).hasPrefix("note 0: Half of 20 first waits"))
    // The time that a client needs for its next request.
    try expectEqual(Self.words(rule, flight { _ in 9 }), "kept by 20")
    #expect(try Self.words(rule, Array(flight { _ in 500 }.prefix(10))).hasPrefix("note 0"))
    try expectEqual(Self.words(rule, Array(flight { _ in 500 }.prefix(9))), "not met")
  }

  @Test func `waits that neither grow nor vary are an error`() throws {
    func words(_ calls: Int, _ waits: [Int], _ status: Int = 503) throws -> String {
      let calls = (0..<calls).map { Self.call($0, Self.row(status, waits: waits)) }
      return try Self.words("retries-in-step", calls)
    }
    try expectEqual(
      words(5, [500, 505]),
      "error 0: All 10 waits of 5 calls lasted 500 ms. (5 of 5 calls)"
    )
    // Too few, a back-off without a random part, the time of a request, and a renewal.
    try expectEqual(words(4, [500, 500]), "not met")
    #expect(try words(20, [500, 1000]).hasPrefix("note 0: Half of 20 first waits"))
    try expectEqual(words(20, [9, 9]), "kept by 20")
    try expectEqual(words(20, [500, 500], 401), "not met")
  }

  @Test func `who never tries again is told so, gently`() throws {
    let rule = "gives-up-at-once"
    let one = (0..<8).map { Self.call($0, Self.row(waits: [])) }
    try expectEqual(
      Self.words(rule, one),
      "note 0: None of 8 calls that failed at first tried again. (8 of 8 calls)"
    )
    try expectEqual(
      Self.words(rule, Array(one.dropLast()) + [Self.call(8, Self.row(waits: [9]))]),
      "kept by 8"
    )
    try expectEqual(Self.words(rule, Array(one.dropLast())), "not met")
    // One kind of failure may be repeated, and another not.
    let lostOnes = (10..<14).map { number in
      Self.call(
        number,
        [Self.attempt(0, to: 3, status: nil, error: "connectionLost"), Self.attempt(90, to: 93)]
      )
    }
    try expectEqual(
      Self.words(rule, Array(one.prefix(4)) + lostOnes),
      "note 0: None of 4 calls that failed at first (503) tried again. (4 of 8 calls)"
    )
    try expectEqual(Self.words(rule, Array(one.prefix(3)) + lostOnes + [lostOnes[0]]), "kept by 8")
    // One that died, or had not ended, had no time to try again.
    for ending in [Observation.CallResult.crashed, .hung] {
      let fallen = Self.call(8, ending, Self.row(waits: []))
      try expectEqual(Self.words(rule, Array(one.dropLast()) + [fallen]), "not met")
      try expectEqual(
        Self.words(rule, one + [fallen]),
        "note 0: None of 8 calls that failed at first tried again. (8 of 8 calls)"
      )
    }
    // Not to try a POST again, nor what was not found, is right.
    let posts = (0..<8).map {
      Self.call($0, [Self.attempt(0, to: 3, status: 503, isRepeatable: false)])
    }
    try expectEqual(Self.words(rule, posts), "not met")
    let gone = (0..<8).map { Self.call($0, Self.row(404, waits: [])) }
    try expectEqual(Self.words(rule, gone), "not met")
    let alerts = (0..<8).map { Self.call($0, [Self.connection(0, "secureConnectionFailed")]) }
    try expectEqual(Self.words(rule, alerts), "not met")
    let lost = (0..<8).map { Self.call($0, [Self.connection(0, "connectionLost")]) }
    #expect(try Self.words(rule, lost).hasPrefix("note 0: None of 8 calls"))
  }

  @Test func `a crash and a hang are findings, by the call that shows them best`() throws {
    let calls = [
      Self.call(1, .succeeded, [Self.attempt(0, to: 3)]),
      Self.call(5, .crashed, lasted: 12, Self.row(waits: [500])),
      Self.call(8, .crashed, lasted: 30, Self.row(waits: [])),
      Self.call(9, .hung, lasted: 10_000, Self.row(waits: [])),
    ]
    try expectEqual(
      Self.words("crashes", calls),
      "error 8: Its process crashed 30.0 ms after the call began. (2 of 4 calls)"
    )
    try expectEqual(
      Self.words("hangs", calls),
      "error 9: It had not ended after 10.0 s. (1 of 4 calls)"
    )
    try expectEqual(Self.words("crashes", Array(calls.prefix(1))), "kept by 1")
    try expectEqual(Self.words("crashes", []), "not met")
  }

  @Test func `the smallest example is shown, and what it consists of`() throws {
    let long = Self.call(1, Self.row(waits: [0, 0, 0, 0, 0]))
    let short = Self.call(4, Self.row(waits: [0, 5, 0]))
    let run = ClientRun(of: .library, on: .onTheWire, [long, short])
    let finding = try #require(run.standing("no-back-off").finding)
    expectEqual(finding.call, 4)
    expectEqual(
      finding.steps.map(\.words),
      [
        "GET /home → 503", "GET /home → 503", "GET /home → 503", "GET /home → 503",
        "the call failed, status 503",
      ]
    )
    expectEqual(finding.steps.map(\.at), [0, 3, 11, 14, 100].map { .milliseconds($0) })
  }

  @Test func `a program's time counts from when there was a client`() throws {
    var call = Self.call(4, start: 100, Self.row(waits: [0, 5, 0]))
    for place in call.attempts.indices {
      call.attempts[place].start = call.attempts[place].start.map { $0 + .milliseconds(400) }
      call.attempts[place].end = call.attempts[place].end.map { $0 + .milliseconds(400) }
    }
    (call.startUp, call.latency) = (.milliseconds(300), .milliseconds(20))
    let run = ClientRun(of: .program, on: .onTheWire, [call, call])
    let finding = try #require(run.standing("no-back-off").finding)
    expectEqual(finding.steps.map(\.at), [0, 3, 11, 14, 20].map { .milliseconds($0) })
  }

  @Test func `requests that overlap repeat nothing`() throws {
    // Five parts of a page at once, each asked for once.
    let parts = (0..<5).map { Self.attempt($0, to: 40 + $0, status: 429, wait: 1000) }
    let connections = (0..<5).map { Self.connection($0, "serverCertificateHasBadDate") }
    // Two connections of which nobody knows what they were for.
    let mixed = [
      Self.attempt(0, to: 3, status: 429, wait: 1000), Self.connection(100, "timedOut"),
      Self.attempt(200, to: 203, key: "GET /b"),
    ]
    for attempts in [parts, connections, mixed] {
      let calls = (0..<20).map { Self.call($0, start: $0 * 10, attempts) }
      let standings = ClientRun(of: .library, on: .onTheWire, calls).held()
      expectEqual(standings.compactMap(\.finding).filter { $0.severity > .note }, [])
    }
    // Each of them tried again is one repetition each.
    let again = parts.map { _ in 0 }.indices.map { Self.attempt(1100 + $0, to: 1110 + $0) }
    try expectEqual(Self.words("ignores-retry-after", [Self.call(parts + again)]), "kept by 1")
  }

  @Test func `to poll for what is not there yet, and to keep to a wait of nothing, is right`()
    throws
  {
    var polls = Self.row(404, waits: Array(repeating: 50, count: 12))
    for place in polls.indices {
      polls[place].decision = .init(line: "s/0\tGET /home\t1\t[]")
      polls[place].source = .played(.recording(0))
    }
    var told = Self.row(waits: [0, 0, 0, 0])
    for place in told.indices { told[place].retryAfter = .zero }
    for attempts in [polls, told] {
      let standings = ClientRun(of: .library, on: .onTheWire, Self.twice(attempts)).held()
      expectEqual(standings.compactMap(\.finding), [])
    }
    // That nothing is there may be the answer.
    let gone = Self.call(3, .succeeded, Self.row(404, waits: []))
    try expectEqual(Self.words("success-on-error-status", [gone], of: .program), "not met")
    try expectEqual(Self.words("success-without-answer", [gone], of: .program), "not met")
  }

  @Test func `what is not on the cassette says nothing about a client`() throws {
    var call = Self.call(3, .succeeded, showed: true, Self.row(waits: [0, 0, 0]))
    call.notOnCassette = "GET /nowhere"
    let standings = ClientRun(of: .library, on: .onTheWire, [call]).held()
    expectEqual(standings.compactMap(\.finding), [])
  }

  @Test func `the order of the calls changes nothing`() {
    let calls = Flights.drawn(400, seed: 11)
    let standings = ClientRun(of: .library, on: .onTheWire, calls).held()
    #expect(standings.contains { $0.finding != nil })
    expectEqual(ClientRun(of: .library, on: .onTheWire, calls.reversed()).held(), standings)
    expectEqual(standings.map(\.rule), FindingRule.all.map(\.id))
  }

  @Test func `a rule says everything that a reader needs, in words of its own`() {
    let rules = FindingRule.all
    expectEqual(Set(rules.map(\.id)).count, rules.count)
    expectEqual(Set(rules.map(\.title)).count, rules.count)
    for rule in rules {
      #expect(rule.id.allSatisfy { $0.isLowercase || $0 == "-" }, "\(rule.id)")
      #expect(rule.title.hasSuffix(".") && rule.cost.hasSuffix(".") && rule.fix.hasSuffix("."))
      #expect(!rule.condition.hasSuffix(".") && !rule.source.isEmpty && !rule.clients.isEmpty)
      expectEqual(FindingRule.named(rule.id)?.title, rule.title)
    }
  }
}
