import TestSupport
import WindTunnelFindings

/// The rule about what one call is told and the others have to keep to, from its three sides.
@Suite struct RulesOfLimitsTests {
  private static let rule = "hammers-while-limited"

  /// A call that began so many milliseconds after the scenario, and what its request was told.
  private static func call(
    _ number: Int,
    at start: Int,
    status: Int? = 429,
    key: String = "GET /home"
  ) -> Observation {
    let attempt = status.map { status in
      RuleTests.attempt(
        start,
        to: start + 3,
        status: status,
        wait: status == 200 ? nil : 4000,
        key: key
      )
    }
    return RuleTests.call(
      number,
      status == 200 ? .succeeded : .failed("limited"),
      start: start,
      lasted: 10,
      attempt.map { [$0] } ?? []
    )
  }

  /// Calls every quarter of a second from the first second on, of which one is told to wait four; what the
  /// others do says `later`.
  private static func flight(
    _ later: (Int, Int) -> Observation = { RulesOfLimitsTests.call($0, at: $1) }
  ) -> [Observation] {
    [call(0, at: 0, status: 200), call(1, at: 1000)]
      + (2..<17).map { later($0, 1000 + 250 * ($0 - 1)) }
  }

  @Test func `a client whose calls all ask while one was told to wait is named`() throws {
    try expectEqual(
      RuleTests.words(Self.rule, Self.flight()),
      "warning 2: 15 of 15 calls that began during the 4 s wait of another call of their endpoint "
        + "sent a request before it ended. (15 of 15 calls)"
    )
    // A fifth may have been on its way, or have another reason.
    let most = Self.flight { Self.call($0, at: $1, status: $0 < 14 ? 429 : nil) }
    #expect(try RuleTests.words(Self.rule, most, of: .service).hasSuffix("(12 of 15 calls)"))
  }

  @Test func `a client that keeps its calls back, or most of them, is not named`() throws {
    let careful = Self.flight { Self.call($0, at: $1, status: nil) }
    try expectEqual(RuleTests.words(Self.rule, careful), "kept by 15")
    let some = Self.flight { Self.call($0, at: $1, status: $0 < 13 ? 429 : nil) }
    try expectEqual(RuleTests.words(Self.rule, some), "kept by 15")
    // What a second answer asks for may outlast the server's trouble.
    let later = Self.call(18, at: 5100)
    let well = Self.call(19, at: 6000, status: 200)
    try expectEqual(RuleTests.words(Self.rule, careful + [later, well]), "kept by 15")
    // They wait, and ask when the time is over.
    let patient = Self.flight { number, start in
      var call = Self.call(number, at: start, status: nil)
      call.attempts = [RuleTests.attempt(5010, to: 5013)]
      return call
    }
    try expectEqual(RuleTests.words(Self.rule, patient), "kept by 15")
  }

  @Test func `nothing is judged where others are answered, or had not heard`() throws {
    let answered = Self.flight { Self.call($0, at: $1, status: $0 == 9 ? 200 : 429) }
    try expectEqual(RuleTests.words(Self.rule, answered), "not met")
    // Calls that begin at once cannot know of each other.
    let atOnce = (0..<30).map { Self.call($0, at: 1000 + $0) }
    try expectEqual(RuleTests.words(Self.rule, atOnce), "not met")
    // What another endpoint was told is not theirs, nor is a wait that nobody was told.
    let elsewhere = [Self.call(1, at: 1000, key: "GET /other")] + Self.flight().dropFirst(3)
    try expectEqual(RuleTests.words(Self.rule, Array(elsewhere.prefix(10))), "not met")
    let few = Array(Self.flight().prefix(11))
    try expectEqual(RuleTests.words(Self.rule, few), "not met")
    try expectEqual(RuleTests.words(Self.rule, Self.flight(), of: .program), "not met")
  }
}
