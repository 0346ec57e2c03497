import TestSupport

@testable import WindTunnelDrill

/// What drills find of programs that hold conversations and read streams.
@Suite(.python, .timeLimit(.minutes(5)))
struct ConversationFindingsTests {
  /// The severity of a rule's finding, or how it stands.
  static func words(_ rule: String, _ row: Report.Row) throws -> String {
    let standings = ClientRun(of: row.client, on: .onTheWire, row.observations).held()
    switch try #require(standings.first { $0.rule == rule }).standing {
    case .notMet: return "not met"
    case .passed(let calls): return "kept by \(calls)"
    case .broken(let finding): return "\(finding.severity)"
    }
  }

  /// The rules that are broken.
  private static func broken(_ row: Report.Row) -> [String] {
    ClientRun(of: row.client, on: .onTheWire, row.observations).held().compactMap(\.finding?.rule)
  }

  private static let restart: [Fault] = [.conversation(.end(.frame(1012), before: 2))]

  private static func comingBack(saying: String) -> ConversationFlight {
    // A program that says nothing receives nothing, so its wait has to end.
    let wait = saying.isEmpty ? 6 : 60
    return ConversationFlight(
      TestData.text("returns.py").replacing("WAIT", with: "\(wait)")
        .replacing("SAYING", with: saying)
    )
  }

  @Test func `a program that does not subscribe again is told so`() async throws {
    let rule = "does-not-subscribe-again"
    let dumb = try await Self.comingBack(saying: "").run(Self.restart, first: 1)
    try expectEqual(Self.words(rule, dumb), "warning")
    #expect(dumb.metrics.reconnectP95 != nil && dumb.metrics.resubscribeP95 == nil)
    let careful = try await Self.comingBack(saying: "news, please").run(Self.restart, first: 1)
    try expectEqual(Self.words(rule, careful), "kept by 1")
    expectEqual(Self.broken(careful), [])
    #expect(careful.metrics.resubscribeP95 != nil)
    #expect(careful.metrics.longestGap != nil && careful.metrics.firstEventP95 != nil)
  }

  @Test func `a program that decodes each piece by itself is told so`() async throws {
    func run(_ decoding: String) async throws -> Report.Row {
      let flight = ConversationFlight(
        TestData.text("decodes-pieces.py").replacing("DECODING", with: decoding)
      )
      return try await flight.run([.conversation(.form(.fragmented, of: 2))])
    }
    let rule = "decodes-scalars-piecewise"
    try expectEqual(
      Self.words(rule, await run("chat.frame()[1].decode(errors='replace')")),
      "error"
    )
    let careful = try await run("whole.decode(chat.frame()[1])")
    try expectEqual(Self.words(rule, careful), "kept by 1")
    expectEqual(Self.broken(careful), [])
  }

  /// Three events, the second of which is cut by what ends the body after 40 bytes.
  private static let stream = """
    { "windtunnel": 1, "interactions": [ {
      "request": { "url": "/events" },
      "response": {
        "headers": [["Content-Type", "text/event-stream"]],
        "text": "data: the first of them\\n\\ndata: the second of them\\n\\ndata: the last\\n\\n"
      }
    } ] }
    """

  private static func reading(_ end: String, _ events: String) -> ConversationFlight {
    var flight = ConversationFlight(
      TestData.text("reads-events.py").replacing("END", with: end)
        .replacing("EVENTS", with: events)
    )
    flight.cassette = stream
    return flight
  }

  private static func cut(_ flight: ConversationFlight) async throws -> Report.Row {
    try await flight.run(
      in: Scenario("cut", rules: [.on("GET /events", .always, .truncate(afterBodyBytes: 40))])
    )
  }

  @Test func `a program that takes a cut event for whole is told so`() async throws {
    let rule = "takes-cut-event-for-whole"
    let all = #"body.decode().strip().split("\n\n")"#
    let whole = #"body.decode().split("\n\n")[:-1]"#
    try expectEqual(Self.words(rule, await Self.cut(Self.reading("pass", all))), "error")
    try expectEqual(Self.words(rule, await Self.cut(Self.reading("pass", whole))), "warning")
    let careful = try await Self.cut(Self.reading("raise", all))
    try expectEqual(Self.words(rule, careful), "kept by 1")
    expectEqual(Self.broken(careful), [])
  }

  @Test func `a program that does not see an error under 200 is told so`() async throws {
    let scenario = try #require(try Shipped.scenarios(named: ["error-in-200"]).first)
    func run(_ events: String) async throws -> Report.Row {
      var flight = Self.reading("raise", events)
      flight.calls = 2
      return try await flight.run(in: scenario)
    }
    let rule = "success-on-error-event"
    let whole = #"body.decode().split("\n\n")[:-1]"#
    try expectEqual(Self.words(rule, await run(whole)), "error")
    let careful = try await run("sys.exit(1) if b'event: error' in body else []")
    try expectEqual(Self.words(rule, careful), "kept by 2")
    expectEqual(Self.broken(careful).filter { $0 != "gives-up-at-once" }, [])
  }
}
