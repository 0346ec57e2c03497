import TestSupport
import WindTunnelFindings

/// The rules that only a client breaks which lives from call to call, from their three sides.
@Suite struct RulesOfLivesTests {
  /// A call that began at a second, of a server whose weather ended at the sixth.
  private static func call(
    _ number: Int,
    at second: Double,
    _ ending: Observation.CallResult = .succeeded,
    faults: String? = nil,
    asks: Bool = true
  ) -> Observation {
    let start = Int(second * 1000)
    let attempt = RuleTests.attempt(
      start,
      to: start + 3,
      status: faults == nil ? 200 : 503,
      faults: faults
    )
    var call = RuleTests.call(
      number,
      ending,
      showed: ending == .succeeded,
      start: start,
      lasted: 10,
      asks ? [attempt] : []
    )
    let after = start + 10 - 6000
    call.afterWindow = after >= 0 ? .milliseconds(after) : nil
    return call
  }

  /// A flight at four calls a second: well, an outage, and what `after` says from then on.
  private static func flight(
    _ after: (Int, Double) -> Observation = { RulesOfLivesTests.call($0, at: $1) }
  ) -> [Observation] {
    (0..<168).map { number in
      let second = Double(number) / 4
      switch second {
      case ..<1: return call(number, at: second)
      case ..<6: return call(number, at: second, failed, faults: #"{"status":503}"#)
      default: return after(number, second)
      }
    }
  }

  private static let failed = Observation.CallResult.failed("open")

  private static func words(
    _ rule: String,
    _ calls: [Observation],
    of client: ClientRun.Client = .service,
    _ edit: (inout ClientRun.Traffic) -> Void = { _ in }
  ) throws -> String {
    var traffic = ClientRun.Traffic()
    edit(&traffic)
    return try ClientRun(of: client, on: .onTheWire, calls, traffic: traffic).standing(rule).words
  }

  // MARK: does-not-come-back

  private static let returns = "does-not-come-back"

  @Test func `a client that fails half a minute after the server is well again is named`() throws {
    let closed = Self.flight { Self.call($0, at: $1, Self.failed, asks: false) }
    try expectEqual(
      Self.words(Self.returns, closed),
      "error 144: The server had recovered, and each of 24 calls that began 30 s later or more "
        + "failed, without a request. (24 of 24 calls)"
    )
    let asking = Self.flight { Self.call($0, at: $1, Self.failed, asks: $0 % 2 == 0) }
    #expect(
      try Self.words(Self.returns, asking, of: .library)
        .contains("failed, 12 of them without a request. (24 of 24 calls)")
    )
  }

  @Test func `a breaker that closes in time, and a client that never opened, are not named`() throws
  {
    let slow = Self.flight {
      Self.call($0, at: $1, $1 < 35 ? Self.failed : .succeeded, asks: false)
    }
    try expectEqual(Self.words(Self.returns, slow), "kept by 24")
    // One that goes well is enough: the others may be refused for what they are.
    let most = Self.flight { Self.call($0, at: $1, $0 == 150 ? .succeeded : Self.failed) }
    try expectEqual(Self.words(Self.returns, most), "kept by 24")
    try expectEqual(Self.words(Self.returns, Self.flight()), "kept by 24")
  }

  @Test func `the return of clients is not judged without an earlier success or within the faults`()
    throws
  {
    let never = Self.flight { Self.call($0, at: $1, Self.failed) }
      .map { call in
        var call = call
        call.ending = Self.failed
        return call
      }
    try expectEqual(Self.words(Self.returns, never), "not met: No earlier call succeeded.")
    let short = Self.flight { Self.call($0, at: $1, Self.failed) }.filter { $0.call < 148 }
    #expect(try Self.words(Self.returns, short).hasPrefix("not met: Only 4 of at least 5"))
    let met = Self.flight { Self.call($0, at: $1, Self.failed, faults: #"{"status":503}"#) }
    #expect(try Self.words(Self.returns, met).hasPrefix("not met: No call met the condition"))
    #expect(try Self.words(Self.returns, Self.flight(), of: .program).hasPrefix("not met"))
  }

  // MARK: shows-stale-as-fresh

  private static let fresh = "shows-stale-as-fresh"

  /// A call that asks and gets what is too old already, or shows what was recorded without asking.
  private static func kept(
    _ number: Int,
    asks: Bool,
    isOld: Bool = true,
    _ edit: (inout Observation) -> Void = { _ in }
  ) -> Observation {
    var call = call(number, at: Double(number), asks: asks)
    if asks, isOld {
      let start = number * 1000
      var attempt = RuleTests.attempt(
        start,
        to: start + 3,
        faults: #"{"staleSeconds":86400}"#,
        take: "withheld 1"
      )
      attempt.isStaleOnArrival = true
      call.attempts = [attempt]
    }
    if !asks { call.bodyMatches = true }
    edit(&call)
    return call
  }

  @Test func `what was too old when it came is not shown again as if it were new`() throws {
    let first = Self.kept(0, asks: true)
    let shown = [first, Self.kept(1, asks: false), Self.kept(2, asks: false)]
    let found =
      "warning 1: It sent no request, and showed a response that was already too old on arrival. "
    try expectEqual(Self.words(Self.fresh, shown), found + "(2 of 2 calls)")
    try expectEqual(
      Self.words(Self.fresh, shown.reversed(), of: .library),
      found + "(2 of 2 calls)"
    )
    try expectEqual(
      Self.words(Self.fresh, [first, Self.kept(1, asks: true), Self.kept(2, asks: false)]),
      "warning 2: " + found.dropFirst(11) + "(1 of 2 calls)"
    )
  }

  @Test func `of several requests all responses must have been too old`() throws {
    func words(isOld: Bool) throws -> String {
      let other = Self.kept(1, asks: true, isOld: isOld) { call in
        call.attempts[0].decision = .init(line: "s/0\tGET /home?page=2\t1\t[]")
      }
      let calls = [Self.kept(0, asks: true), other, Self.kept(2, asks: false)]
      return try Self.words(Self.fresh, calls)
    }
    #expect(try words(isOld: true).hasPrefix("warning 2: It sent no request"))
    try expectEqual(words(isOld: false), "kept by 1")
  }

  @Test func `a client that asks again, or says that it shows a copy, is not named`() throws {
    let first = Self.kept(0, asks: true)
    func next(_ edit: (inout Observation) -> Void) throws -> String {
      try Self.words(Self.fresh, [first, Self.kept(1, asks: false, edit)])
    }
    try expectEqual(Self.words(Self.fresh, [first, Self.kept(1, asks: true)]), "kept by 1")
    try expectEqual(next { $0.isStale = true }, "kept by 1")
    // What it shows is its own, or it shows nothing.
    try expectEqual(next { $0.bodyMatches = false }, "kept by 1")
    try expectEqual(next { $0.bodyMatches = nil }, "kept by 1")
    try expectEqual(next { $0.ending = Self.failed }, "kept by 1")
    // Another call asked meanwhile, and this one may show its answer.
    let beside = Self.kept(2, asks: true) { call in
      call.attempts[0].start = .milliseconds(900)
      call.attempts[0].end = .milliseconds(1002)
    }
    try expectEqual(
      Self.words(Self.fresh, [first, Self.kept(1, asks: false), beside]),
      "kept by 2"
    )
  }

  @Test func `nothing is too old that was fresh, or not there yet`() throws {
    let rule = Self.fresh
    let fresh = [Self.kept(0, asks: true, isOld: false), Self.kept(1, asks: false)]
    #expect(try Self.words(rule, fresh).hasPrefix("not met: No call met the condition"))
    let before = [Self.kept(0, asks: false), Self.kept(1, asks: true)]
    #expect(try Self.words(rule, before).hasPrefix("not met: No call met the condition"))
    let other = Self.kept(1, asks: false) { $0.endpoint = "GET /news" }
    #expect(try Self.words(rule, [Self.kept(0, asks: true), other]).hasPrefix("not met"))
    let program = [Self.kept(0, asks: true), Self.kept(1, asks: false)]
    #expect(try Self.words(rule, program, of: .program).hasPrefix("not met"))
  }

  // MARK: leaves-answers-unread

  /// A flight of one process or several, each with so many calls and so many answers that nobody read.
  private static func reading(_ seen: (calls: Int, unread: Int?)...) throws -> String {
    let count = seen.map(\.calls).reduce(0, +)
    let calls = (0..<count).map { Self.call($0, at: Double($0)) }
    return try words("leaves-answers-unread", calls) { traffic in
      traffic.connections = seen.map { calls, unread in
        var seen = ClientRun.Connections(calls: calls, opened: calls, mostOpen: 1, leftOpen: 1)
        seen.leftUnread = unread
        return seen
      }
    }
  }

  @Test func `whoever leaves large answers half read is named, with their number`() throws {
    try expectEqual(
      Self.reading((6, 6)),
      "warning 5: 6 responses were not read to their end, and their connections were still open 5 "
        + "s after the last of 6 calls. (6 of 6 calls)"
    )
    #expect(try Self.reading((3, 2), (3, 1)).hasPrefix("warning 5: 3 responses"))
    for read in [0, 1, 2] { try expectEqual(Self.reading((6, read)), "kept by 6") }
    try expectEqual(Self.reading((4, 1)), "kept by 4")
    #expect(try Self.reading((3, 3)).hasPrefix("not met: Only 3 of at least 4"))
    #expect(try Self.reading((60, nil)).hasPrefix("not met: No call met the condition"))
  }

  // MARK: comes-back-in-a-herd

  private static let herd = "comes-back-in-a-herd"

  @Test func `what waited and is sent at once is a herd`() throws {
    let queue = try Self.words(Self.herd, Self.flight()) {
      $0.lateRequests = (0..<20).map { .milliseconds(6010 + $0) }
    }
    expectEqual(
      queue,
      "error 23: 24 requests arrived within a second, 0.0 ms after the server recovered; later "
        + "there were 4.04 a second. (24 of 168 calls)"
    )
    let spread = try Self.words(Self.herd, Self.flight()) {
      $0.lateRequests = (0..<20).map { .milliseconds(6010 + 500 * $0) }
    }
    expectEqual(spread, "kept by 168")
    // As many had been sent before.
    let storm = try Self.words(Self.herd, Self.flight()) {
      $0.lateRequests = (0..<200).map { .milliseconds(4000 + 20 * $0) }
    }
    expectEqual(storm, "kept by 168")
    // Of calls that are made one at a time a single one waits.
    #expect(
      try Self.words(Self.herd, Self.flight()).hasPrefix("not met: Calls were made one at a time")
    )
    var beside = Self.call(168, at: 3)
    beside.latency = .milliseconds(600)
    try expectEqual(Self.words(Self.herd, Self.flight() + [beside]), "kept by 169")
  }

  @Test func `a herd is not judged in short runs, or for calls made at once`() throws {
    let short = Self.flight().filter { $0.call < 40 }
    #expect(try Self.words(Self.herd, short).hasPrefix("not met"))
    let silent = Self.flight { Self.call($0, at: $1, Self.failed, asks: false) }
    #expect(try Self.words(Self.herd, silent).hasPrefix("not met"))
    // Made at once by whoever flies it.
    let crowd = (0..<40).map { Self.call(200 + $0, at: 7) }
    try expectEqual(Self.words(Self.herd, Self.flight() + crowd), "kept by 208")
    let calm = (0..<60).map { RuleTests.call($0, .succeeded, [RuleTests.attempt(0, to: 3)]) }
    #expect(try Self.words(Self.herd, calm).hasPrefix("not met"))
  }

  // MARK: shows-another-answer

  private static let mixed = "shows-another-answer"

  /// A call that went well and shows its own answer, or another's.
  private static func shows(_ other: String?, _ number: Int = 4, asked: [String] = ["GET /home"])
    -> Observation
  {
    var call = RuleTests.call(
      number,
      .succeeded,
      showed: true,
      asked.map { RuleTests.attempt(0, to: 3, key: $0) }
    )
    (call.bodyMatches, call.showsResponseOf) = (other == nil ? true : nil, other)
    return call
  }

  /// A call that was over before its answer had come.
  private static let impatient = RuleTests.call(
    3,
    failed,
    lasted: 10,
    [RuleTests.attempt(0, to: 2000)]
  )

  @Test func `a call that shows what was answered to another is named`() throws {
    let calls = [Self.impatient, Self.shows(nil), Self.shows("GET /cart", 5)]
    let words = "error 5: For GET /home, it showed the response to GET /cart. (1 of 2 calls)"
    try expectEqual(Self.words(Self.mixed, calls), words)
    try expectEqual(Self.words(Self.mixed, calls, of: .library), words)
    try expectEqual(Self.words(Self.mixed, calls, of: .program), words)
    let page = Self.shows("GET /home?page=2", asked: ["GET /home?page=1"])
    let query = "with another query, it showed the response to GET /home?page=2. (1 of 1 call)"
    try expectEqual(Self.words(Self.mixed, [page]), "error 4: For GET /home \(query)")
  }

  @Test func `an answer that the call asked for itself is its own`() throws {
    let asked = Self.shows("GET /cart", asked: ["GET /home", "GET /cart?page=2"])
    try expectEqual(Self.words(Self.mixed, [Self.impatient, asked]), "kept by 1")
    try expectEqual(Self.words(Self.mixed, [Self.impatient, Self.shows(nil)]), "kept by 1")
    #expect(try Self.words(Self.mixed, [Self.shows(nil)]).hasPrefix("not met"))
    let more = Self.shows("GET /home?page=2", asked: ["GET /home?lang=de&page=2"])
    let pages = [Self.shows(nil, 5, asked: ["GET /home?page=1"]), more]
    try expectEqual(Self.words(Self.mixed, pages, of: .program), "kept by 2")
    #expect(try Self.words(Self.mixed, [more]).hasPrefix("not met"))
    let page = Self.shows(Observation.portalPage)
    #expect(try Self.words(Self.mixed, [page]).hasPrefix("not met"))
    var failed = Self.shows("GET /cart")
    failed.ending = Self.failed
    #expect(try Self.words(Self.mixed, [Self.impatient, failed]).hasPrefix("not met"))
  }

  // MARK: keeps-portal-page

  private static let page = "keeps-portal-page"

  private static func portal(_ number: Int) -> Observation {
    RuleTests.call(
      number,
      failed,
      [RuleTests.attempt(0, to: 3, faults: #"{"answer":"captivePortalPage"}"#, take: "computed")]
    )
  }

  @Test func `a page that is shown when its portal is gone is named`() throws {
    let kept = [
      Self.portal(0), Self.shows(nil, 5), Self.shows(Observation.portalPage, 6, asked: []),
    ]
    try expectEqual(
      Self.words(Self.page, kept),
      "error 6: It showed the page of a captive portal that was no longer active, and sent no "
        + "request. (1 of 2 calls)"
    )
    let asked = [Self.portal(0), Self.shows(Observation.portalPage, 6)]
    #expect(try Self.words(Self.page, asked).contains("and received the server's own response."))
    try expectEqual(Self.words(Self.page, [Self.portal(0), Self.shows(nil, 5)]), "kept by 1")
    #expect(try Self.words(Self.page, [Self.portal(0), Self.portal(1)]).hasPrefix("not met"))
    #expect(try Self.words(Self.page, [Self.shows(nil, 5)]).hasPrefix("not met"))
  }

  @Test func `a client that fails on a former portal's address without a request breaks a rule`()
    throws
  {
    func fails(_ number: Int) -> Observation {
      var call = Self.shows(nil, number, asked: [])
      call.ending = Self.failed
      return call
    }
    let server = Self.shows(nil, 5)
    try expectEqual(
      Self.words(Self.page, [Self.portal(0), server, fails(6), fails(7)]),
      "warning 6: It failed without a request when the server was reachable again. A captive "
        + "portal had answered at this address before. (2 of 3 calls)"
    )
    // A breaker that is open asks nobody either, until somebody comes through.
    let late = Self.shows(nil, 8)
    try expectEqual(Self.words(Self.page, [Self.portal(0), fails(6), fails(7), late]), "kept by 3")
    // Nor is it kept by who had been shown no page there.
    var other = fails(6)
    other.endpoint = "GET /other"
    try expectEqual(Self.words(Self.page, [Self.portal(0), server, other]), "kept by 2")
    // Whoever asks keeps nothing.
    var asks = Self.shows(nil, 6)
    asks.ending = Self.failed
    try expectEqual(Self.words(Self.page, [Self.portal(0), server, asks]), "kept by 2")
  }

  // MARK: leaks-connections

  private static let leaks = "leaks-connections"

  private static func connections(
    of client: ClientRun.Client = .service,
    calls: Int = 60,
    opened: Int,
    left: Int,
    atOnce: Int = 1
  ) throws -> String {
    let made = (0..<calls).map { number in
      let start = number / atOnce * 10
      return RuleTests.call(
        number,
        .succeeded,
        showed: true,
        start: start,
        lasted: 10,
        [RuleTests.attempt(start, to: start + 3)]
      )
    }
    return try words(leaks, made, of: client) {
      $0.connections = [.init(calls: calls, opened: opened, mostOpen: opened, leftOpen: left)]
    }
  }

  @Test func `a connection that is left open behind each call is a leak`() throws {
    try expectEqual(
      Self.connections(opened: 60, left: 60),
      "error 59: 60 of 60 connections were still open 5 s after the last of 60 calls. "
        + "(60 of 60 calls)"
    )
    #expect(try Self.connections(opened: 120, left: 55).hasPrefix("error"))
    // Opened and closed by each call, or kept in a pool.
    try expectEqual(Self.connections(opened: 60, left: 0), "kept by 60")
    try expectEqual(Self.connections(opened: 10, left: 10), "kept by 60")
    try expectEqual(Self.connections(opened: 60, left: 53), "kept by 60")
    // So many at once may have as many connections.
    try expectEqual(Self.connections(opened: 60, left: 60, atOnce: 30), "kept by 60")
    #expect(try Self.connections(calls: 49, opened: 49, left: 49).hasPrefix("not met: Only 49"))
    #expect(try Self.connections(of: .library, opened: 60, left: 60).hasPrefix("not met"))
    let unseen = (0..<60).map { RuleTests.call($0, .succeeded, [RuleTests.attempt(0, to: 3)]) }
    #expect(try Self.words(Self.leaks, unseen).hasPrefix("not met"))
  }

  @Test func `a connection that is left open behind each error response is a leak`() throws {
    func left(_ count: Int, errors: Int, calls: Int = 60) throws -> String {
      let made = (0..<calls).map { number in
        let (start, isError) = (number * 10, number < errors)
        let attempt = RuleTests.attempt(start, to: start + 3, status: isError ? 503 : 200)
        let ending = isError ? Observation.CallResult.failed("status 503") : .succeeded
        return RuleTests.call(number, ending, start: start, lasted: 10, [attempt])
      }
      return try Self.words(Self.leaks, made, of: .service) {
        $0.connections = [
          .init(calls: calls, opened: count + 1, mostOpen: count + 1, leftOpen: count)
        ]
      }
    }
    try expectEqual(
      left(24, errors: 25),
      "error 59: 24 of 25 connections were still open 5 s after the last of 60 calls, of which 25 "
        + "requests had an error response. (24 of 60 calls)"
    )
    // Too few to tell a leak from a pool, fewer connections than errors, and no leak at all.
    try expectEqual(left(19, errors: 19), "kept by 60")
    try expectEqual(left(22, errors: 40), "kept by 60")
    try expectEqual(left(1, errors: 40), "kept by 60")
    // Fewer calls will do.
    #expect(try left(24, errors: 25, calls: 40).hasPrefix("error 39: 24 of 25 connections"))
    #expect(try left(24, errors: 19, calls: 40).hasPrefix("not met: Only 40"))
  }

  @Test func `observed traffic of a run's parts merges to the same whole in any order`() {
    var (one, other) = (ClientRun.Traffic(), ClientRun.Traffic())
    one.connections = [.init(calls: 9, opened: 3, mostOpen: 2, leftOpen: 1)]
    one.lateRequests = [.seconds(2)]
    other.connections = [.init(calls: 8, opened: 3, mostOpen: 2, leftOpen: 1)]
    other.lateRequests = [.seconds(1)]
    var (ahead, back) = (one, other)
    ahead.merge(other)
    back.merge(one)
    #expect(ahead == back && ahead.lateRequests == [.seconds(1), .seconds(2)])
    expectEqual(ahead.connections.map(\.calls), [8, 9])
  }

  @Test func `retries of a circle of redirects are none of its steps`() throws {
    func redirected(pause: Int) -> Observation {
      var clock = 0
      return RuleTests.call(
        (0..<63).map { place in
          clock += place % 21 == 0 ? pause : 1
          return RuleTests.attempt(
            clock,
            to: clock,
            status: 302,
            faults: #"{"answer":"redirectLoop"}"#
          )
        }
      )
    }
    let rule = "redirects-without-bound"
    try expectEqual(RuleTests.words(rule, [redirected(pause: 100)]), "kept by 1")
    #expect(try RuleTests.words(rule, [redirected(pause: 1)]).hasPrefix("error"))
  }
}
