import TestSupport
import WindTunnelFindings

/// The rule about downloads that are taken up, from its three sides.
@Suite struct RulesOfVersionsTests {
  private static let rule = "splices-versions"

  private static func attempt(
    _ start: Int,
    version: Int,
    isCut: Bool = false,
    from byte: Int? = nil,
    isConditional: Bool = false,
    status: Int = 200,
    key: String = "GET /home"
  ) -> Observation.Attempt {
    let cut = isCut ? #",{"truncateAfterBodyBytes":40}"# : ""
    var attempt = RuleTests.attempt(
      start,
      to: start + 3,
      status: status,
      error: isCut ? "truncated" : nil,
      key: key,
      faults: #"{"version":\#(version)}\#(cut)"#,
      take: isCut ? "withheld 1" : "recording 1"
    )
    if isCut { attempt.bytes = 40 }
    if let byte {
      var sent = Observation.Sent()
      (sent.resumesAt, sent.isResumedConditionally) = (byte, isConditional)
      attempt.sent = sent
    }
    return attempt
  }

  private static func call(
    _ number: Int,
    _ attempts: [Observation.Attempt],
    joins: Bool?,
    _ ending: Observation.CallResult = .succeeded
  ) -> Observation {
    var call = RuleTests.call(number, ending, showed: true, attempts)
    call.joinsVersions = joins
    return call
  }

  private static let first = attempt(0, version: 1, isCut: true)

  /// The evidence of a call that joins two versions.
  private static func steps(_ attempts: [Observation.Attempt]) throws -> [String] {
    let run = ClientRun(of: .program, on: .onTheWire, [call(2, attempts, joins: true)])
    return try #require(run.standing(rule).finding).steps.map(\.words)
  }

  @Test func `a client that joins two versions is named with both, and how it asked`() throws {
    let rest = Self.attempt(100, version: 2, from: 40, status: 206)
    let calls = [
      Self.call(2, [Self.first, rest], joins: true), Self.call(4, [Self.first, rest], joins: true),
    ]
    try expectEqual(
      RuleTests.words(Self.rule, calls, of: .program),
      "error 2: To the first 40 B of version \"v1\", which was truncated, it appended the rest of "
        + "version \"v2\", which it had requested without If-Range. (2 of 2 calls)"
    )
    let whole = Self.attempt(100, version: 2, from: 40, isConditional: true)
    let appended = [Self.call(2, [Self.first, whole], joins: true)]
    try expectEqual(
      RuleTests.words(Self.rule, appended, of: .library),
      "error 2: To the first 40 B of version \"v1\", which was truncated, it appended the whole of "
        + "version \"v2\", which was the response to If-Range. (1 of 1 call)"
    )
    try expectEqual(
      Self.steps([Self.first, rest]),
      [
        "GET /home → 200, version \"v1\", 40 B, a truncated body",
        "GET /home from byte 40 → 206, version \"v2\"", "the call succeeded",
      ]
    )
    #expect(
      try Self.steps([Self.first, whole]).contains(
        "GET /home from byte 40 with If-Range → 200, version \"v2\""
      )
    )
  }

  @Test func `a client that shows one version, or fails, is not`() throws {
    let rest = Self.attempt(100, version: 2, from: 40, status: 206)
    let again = Self.attempt(200, version: 2)
    let calls = [
      Self.call(2, [Self.first, rest, again], joins: false),
      Self.call(4, [Self.first, rest], joins: nil, .failed("exit 1")),
      Self.call(
        5,
        [Self.first, Self.attempt(100, version: 2, from: 40, isConditional: true)],
        joins: false
      ),
    ]
    try expectEqual(RuleTests.words(Self.rule, calls, of: .service), "kept by 3")
    try expectEqual(RuleTests.words("success-on-cut-body", calls, of: .service), "not met")
  }

  @Test func `without a request for the rest, or another version, it is not met`() throws {
    let rest = Self.attempt(100, version: 2, from: 40, status: 206)
    for attempts in [
      [Self.first, Self.attempt(100, version: 2)],
      [Self.first, Self.attempt(100, version: 1, from: 40, status: 206)],
      [Self.first, Self.attempt(100, version: 2, from: 40, status: 206, key: "GET /other")],
      [Self.attempt(0, version: 1), rest], [Self.first], [rest],
      [RuleTests.attempt(0, to: 3, error: "truncated"), rest],
    ] {
      try expectEqual(RuleTests.words(Self.rule, [Self.call(2, attempts, joins: true)]), "not met")
    }
    // It shows something of its own, and nobody can tell of what it is made.
    try expectEqual(
      RuleTests.words(Self.rule, [Self.call(2, [Self.first, rest], joins: nil)]),
      "not met"
    )
  }
}
