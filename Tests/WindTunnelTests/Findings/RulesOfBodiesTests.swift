import TestSupport
import WindTunnelFindings

/// The rule about bodies that only a client can limit, from its three sides.
@Suite struct RulesOfBodiesTests {
  private static let rule = "reads-without-limit"
  private static let endless = #"{"endlessBodyBytes":536870912}"#
  private static let bomb = #"{"gzipBombBytes":536870912}"#

  /// A call in which a program had so many megabytes at most.
  private static func call(
    _ number: Int,
    peak: Int?,
    before: Int? = nil,
    wasEnded: Bool = false,
    faults: String? = nil
  ) -> Observation {
    let error = faults == endless ? "truncated" : nil
    var call = RuleTests.call(
      number,
      faults == nil ? .succeeded : .failed("exit 1"),
      [RuleTests.attempt(0, to: 3, error: error, faults: faults)]
    )
    call.memory = peak.map { peak in
      Observation.Memory(
        beforeBytes: before.map { $0 << 20 },
        peakBytes: peak << 20,
        wasEnded: wasEnded
      )
    }
    return call
  }

  @Test func `a client that keeps all that comes is named with what it had`() throws {
    let calls = [
      Self.call(0, peak: 20), Self.call(1, peak: 24),
      Self.call(2, peak: 281, faults: Self.endless),
      Self.call(3, peak: 280, faults: Self.endless),
    ]
    try expectEqual(
      RuleTests.words(Self.rule, calls, of: .program),
      "error 2: Sent a body that does not end, it used 294.6 MB of memory, 269.5 MB more than "
        + "before. (1 of 2 calls)"
    )
    let opened = [
      Self.call(0, peak: 24), Self.call(3, peak: 25, faults: Self.endless),
      Self.call(4, peak: 900, wasEnded: true, faults: Self.bomb),
    ]
    try expectEqual(
      RuleTests.words(Self.rule, opened, of: .program),
      "error 4: Sent a small gzip body that expands to a large one, it used 943.7 MB of memory, "
        + "918.6 MB more than before, and the drill ended it. (1 of 2 calls)"
    )
  }

  @Test func `a client that stops at a limit, or keeps nothing, is not named`() throws {
    let calls = [
      Self.call(0, peak: 24), Self.call(2, peak: 280, faults: Self.endless),
      Self.call(4, peak: 24, faults: Self.bomb),
    ]
    try expectEqual(RuleTests.words(Self.rule, calls, of: .program), "kept by 2")
    // What a program has anyway is none of the answer's.
    let large = [Self.call(0, peak: 900), Self.call(2, peak: 910, faults: Self.endless)]
    try expectEqual(RuleTests.words(Self.rule, large, of: .program), "kept by 1")
    // One that lives does not give back what it had.
    let service = [
      Self.call(0, peak: 24, before: 20),
      Self.call(2, peak: 500, before: 24, faults: Self.endless),
      Self.call(3, peak: 501, before: 500, faults: Self.endless),
    ]
    let found = try RuleTests.words(Self.rule, service, of: .service)
    #expect(found.hasPrefix("error 2: ") && found.hasSuffix("(1 of 2 calls)"), "\(found)")
  }

  @Test func `without such an answer, or a look at the memory, it is not met`() throws {
    let calm = [Self.call(0, peak: 24), Self.call(1, peak: 900)]
    try expectEqual(RuleTests.words(Self.rule, calm, of: .program), "not met")
    let unseen = [Self.call(0, peak: nil), Self.call(2, peak: nil, faults: Self.endless)]
    try expectEqual(RuleTests.words(Self.rule, unseen, of: .program), "not met")
    // There is nothing to hold it against, or only itself.
    let alone = Self.call(2, peak: 900, faults: Self.endless)
    try expectEqual(RuleTests.words(Self.rule, [alone], of: .program), "not met")
    let again = Self.call(2, peak: 900, before: 24, faults: Self.endless)
    #expect(try RuleTests.words(Self.rule, [again], of: .program).hasPrefix("error 2: "))
    let library = [Self.call(0, peak: 24), Self.call(2, peak: 900, faults: Self.endless)]
    try expectEqual(RuleTests.words(Self.rule, library, of: .library), "not met")
  }

  @Test func `a call's memory is kept in a report as it was seen`() throws {
    for before in [nil, 20] {
      let call = Self.call(2, peak: 900, before: before, wasEnded: before == nil)
      try expectEqual(Observation(JSON(parsing: call.json.bytes(), source: "")), call)
    }
  }
}
