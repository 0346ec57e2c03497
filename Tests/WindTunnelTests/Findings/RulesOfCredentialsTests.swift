import TestSupport
import WindTunnelFindings

/// The rule about credentials that expire for all calls at once, from its three sides.
@Suite struct RulesOfCredentialsTests {
  private static let rule = "renews-too-often"

  private static let scenario = {
    var scenario = Scenario("s")
    scenario.credential = Credential(issuer: "POST /login")
    return scenario
  }()

  /// A call at so many milliseconds that is refused, asks the issuer so often and is answered, or
  /// refused again.
  private static func call(
    _ number: Int,
    at start: Int,
    renewals: Int,
    isRefused: Bool = true,
    isAnswered: Bool = true
  ) -> Observation {
    var attempts = isRefused ? [RuleTests.attempt(start, to: start + 3, status: 401)] : []
    for place in 0..<renewals {
      let moment = start + 10 * (place + 1)
      attempts.append(RuleTests.attempt(moment, to: moment + 3, key: "POST /login"))
      let isLast = place + 1 == renewals
      let status = isLast && isAnswered ? 200 : 401
      attempts.append(RuleTests.attempt(moment + 5, to: moment + 8, status: status))
    }
    if renewals == 0, isAnswered { attempts.append(RuleTests.attempt(start + 60, to: start + 63)) }
    return RuleTests.call(
      number,
      isAnswered ? .succeeded : .failed("status 401"),
      start: start,
      lasted: 90,
      attempts
    )
  }

  private static func words(
    _ calls: [Observation],
    of client: ClientRun.Client = .service,
    in scenario: Scenario? = scenario,
    processes: Int = 1
  ) throws -> String {
    var traffic = ClientRun.Traffic()
    traffic.connections = Array(
      repeating: ClientRun.Connections(calls: 9, opened: 1, mostOpen: 1, leftOpen: 1),
      count: processes
    )
    let run = ClientRun(of: client, on: .onTheWire, calls, traffic: traffic, in: scenario)
    return try run.standing(rule).words
  }

  @Test func `calls that each renew what has expired once for all of them are named`() throws {
    let stampede = (0..<8).map { Self.call($0, at: 2 * $0, renewals: 1) }
    let found =
      "error 0: A credential expired once, and 8 of 8 calls requested a new one while another "
      + "request for it was open. "
    try expectEqual(Self.words(stampede), found + "(8 of 8 calls)")
    try expectEqual(Self.words(stampede.reversed(), of: .library), found + "(8 of 8 calls)")
    let some = stampede.prefix(4) + (4..<9).map { Self.call($0, at: 5 * $0, renewals: 0) }
    #expect(try Self.words(Array(some)).hasSuffix("(4 of 9 calls)"))
  }

  @Test func `calls that ask one after the other may have been given the old one again`() throws {
    let inTurn = (0..<8).map { Self.call($0, at: 5 * $0, renewals: 1) }
    try expectEqual(Self.words(inTurn), "kept by 8")
    let apart = (0..<6).map { Self.call($0, at: 1000 * $0, renewals: 1) }
    #expect(try Self.words(apart).hasPrefix("not met: Its calls were made one at a time"))
  }

  @Test func `renewals of a run with an unknown number of processes are not judged`() throws {
    let stampede = (0..<8).map { Self.call($0, at: 2 * $0, renewals: 1) }
    let words = try Self.words(stampede, processes: 0)
    #expect(words.hasPrefix("not met: The processes that made its calls"), "\(words)")
  }

  @Test func `a call that goes on renewing what is refused again is named`() throws {
    let calls = [
      Self.call(0, at: 0, renewals: 1), Self.call(1, at: 100, renewals: 4, isAnswered: false),
    ]
    try expectEqual(
      Self.words(calls),
      "error 1: It requested a new credential 4 times in one call. (1 of 2 calls)"
    )
    let few = [Self.call(0, at: 0, renewals: 3, isAnswered: false)]
    try expectEqual(
      Self.words(few),
      "not met: No call succeeded with the credential that the issuer returned."
    )
  }

  @Test func `one that renews for all is not named, nor are two that cross`() throws {
    func flight(_ renewing: Int, apart: Int = 2) -> [Observation] {
      (0..<9).map { Self.call($0, at: apart * $0, renewals: $0 < renewing ? 1 : 0) }
    }
    try expectEqual(Self.words(flight(1)), "kept by 9")
    try expectEqual(Self.words(flight(3)), "kept by 9")
    #expect(try Self.words(flight(4)).hasPrefix("error"))
    // Each process has one of its own, as each part of a drill has, and each run after a fall.
    try expectEqual(Self.words(flight(4), processes: 2), "kept by 9")
    #expect(try Self.words(flight(8), processes: 2).hasPrefix("error"))
    var fallen = flight(4)
    fallen[8].ending = .crashed
    try expectEqual(Self.words(fallen), "kept by 9")
    // Calls that are refused for good each try once.
    let refused = (9..<20).map { Self.call($0, at: 5 * $0, renewals: 1, isAnswered: false) }
    try expectEqual(Self.words(flight(1) + refused), "kept by 9")
    let alone = try Self.words(flight(1, apart: 1000))
    #expect(alone.hasPrefix("not met: Its calls were made one at a time"))
  }

  @Test func `nothing is judged without an issuer, or of log-ins that nobody was refused for`()
    throws
  {
    let stampede = (0..<8).map { Self.call($0, at: 5 * $0, renewals: 1) }
    let unmet =
      "not met: No call met the condition: a credential expired, and calls that received 401"
    #expect(try Self.words(stampede, in: nil).hasPrefix(unmet))
    #expect(try Self.words(stampede, in: Scenario("s")).hasPrefix(unmet))
    #expect(try Self.words(stampede, of: .program).hasPrefix("not met"))
    let unasked = (0..<8).map { Self.call($0, at: 5 * $0, renewals: 1, isRefused: false) }
    #expect(try Self.words(unasked).hasPrefix(unmet))
    let calls = stampede.map { call in
      var call = call
      call.endpoint = "POST /login"
      return call
    }
    #expect(try Self.words(calls).hasPrefix(unmet))
    let few = stampede.prefix(3)
    #expect(try Self.words(Array(few)).hasPrefix("not met: Only 3 of at least 4 calls"))
  }
}
