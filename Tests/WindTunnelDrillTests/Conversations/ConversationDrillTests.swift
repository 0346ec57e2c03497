import TestSupport

@testable import WindTunnelDrill

/// Drills of programs whose cassette holds conversations.
@Suite(.python, .timeLimit(.minutes(5)))
struct ConversationDrillTests {
  private static func words(_ log: ConversationLog) -> [String] {
    log.messages.map { message in
      let number = message.number.map { " \($0)" } ?? ""
      return "\(message.sender)\(number)\(message.asks ? "?" : "")"
    }
  }

  private static let hearsNews = """
    chat = WebSocket(url)
    print(chat.hear())
    chat.say("news, please")
    print(chat.hear(), chat.hear())

    """

  @Test func `a program holds a conversation of the cassette, and the server tells of it`()
    async throws
  {
    var flight = ConversationFlight(Self.hearsNews + "chat.say(b'', 9)\nchat.close()")
    flight.calls = 2
    let row = try await flight.run()
    expectEqual(row.observations.map(\.ending), [.succeeded, .succeeded])
    #expect(row.observations.allSatisfy { $0.endpoint == "GET /chat" && $0.attempts.count == 1 })
    for attempt in row.observations.flatMap(\.attempts) {
      #expect(attempt.status == 101 && attempt.source == .played(.recording(0)))
      let log = try #require(attempt.conversation)
      expectEqual(Self.words(log), ["server 1", "client 2?", "server 3", "server 4"])
      #expect(log.clientPings == 1 && log.ending == .client(1000) && log.waiting == 0)
      let times = log.messages.map(\.at)
      #expect(times == times.sorted() && times.last ?? .zero <= log.end ?? .zero)
    }
  }

  @Test func `lines of JSON are something to show, and none are nothing`() async throws {
    let lines = ConversationFlight(#"WebSocket(url).hear(); print('{"a":1}\n{"b":2}')"#)
    try await expectEqual(lines.run().observations.map(\.showed), [true])
    try await expectEqual(
      ConversationFlight("WebSocket(url)").run().observations.map(\.showed),
      [false]
    )
  }

  @Test func `so does one that lives, whose conversations outlive its calls`() async throws {
    var flight = ConversationFlight(
      living: """
        chats = []
        for line in lines:
            chats.append(WebSocket(line["url"]))
            chats[-1].hear()
            say(line["call"])
        """
    )
    flight.calls = 2
    let row = try await flight.run()
    expectEqual(row.observations.map(\.ending), [.succeeded, .succeeded])
    for observation in row.observations {
      let log = try #require(observation.attempts.first?.conversation)
      #expect(Self.words(log) == ["server 1"] && log.waiting == 2)
      #expect(log.ending == .clientLeft || log.ending == .stopped)
    }
  }

  @Test func `a conversation that is cut is one attempt, and the next one another`() async throws {
    let flight = ConversationFlight(
      """
      try:
          \(Self.hearsNews.split(separator: "\n").joined(separator: "\n    "))
      except ConnectionError as error:
          print(error)
      \(Self.hearsNews)
      """
    )
    let row = try await flight.run([.conversation(.end(.frame(1012), before: 2))], first: 1)
    let attempts = try #require(row.observations.first?.attempts)
    expectEqual(attempts.map(\.source.words), ["withheld 1", "recording 1"])
    expectEqual(attempts.map { $0.conversation?.ending }, [.server(1012), .clientLeft])
    expectEqual(
      attempts.map { Self.words($0.conversation ?? ConversationLog()) },
      [["server 1", "client 2?"], ["server 1", "client 2?", "server 3", "server 4"]]
    )
  }

  @Test func `a silence is known of a program that waits in it for ever`() async throws {
    var flight = ConversationFlight(living: "WebSocket(next(lines)['url']).hear()")
    flight.deadline = .seconds(8)
    let row = try await flight.run([.conversation(.end(.stall, before: 1))])
    expectEqual(row.observations.map(\.ending), [.hung])
    let log = try #require(row.observations.first?.attempts.first?.conversation)
    #expect(log.silentSince != nil && log.ending == nil && log.messages.isEmpty)
  }

  @Test func `a handshake that is refused begins no conversation`() async throws {
    let row = try await ConversationFlight("WebSocket(url)").run([.status(503)])
    expectEqual(row.observations.first?.attempts.map(\.status), [503])
    expectNil(row.observations.first?.attempts.first?.conversation)
  }

  @Test func `a client message that is not on the cassette is logged`() async throws {
    let row = try await ConversationFlight("WebSocket(url).say('weather')").run()
    let log = try #require(row.observations.first?.attempts.first?.conversation)
    #expect(Self.words(log).contains("client"))
  }

  @Test func `a group leaves streams out where there are none, and says so`() throws {
    let names = ["calm", "error-in-200"]
    var plan = try DrillPlan()
    plan.scenarios = try Shipped.scenarios(named: names)
    try plan.leaveOut(among: Set(names))
    expectEqual(plan.scenarios.map(\.name), ["calm"])
    expectEqual(
      plan.leftOut.map(\.reason),
      ["error-in-200: it requires event streams, but the cassette has none."]
    )
    let stream = Response(headers: ["Content-Type": "text/event-stream"], body: Body("data: 1\n\n"))
    plan.cassette = Cassette([Interaction(Request("GET", "/events"), stream)])
    plan.scenarios = try Shipped.scenarios(named: names)
    try plan.leaveOut(among: Set(names))
    expectEqual(plan.scenarios.map(\.name), names)
    // Whoever names it flies it.
    plan.cassette = try Shipped.cassette()
    try plan.leaveOut(among: ["calm"])
    expectEqual(plan.scenarios.map(\.name), names)
  }

  @Test func `nobody else is asked to hold one`() throws {
    let cassette = try Cassette(data: Data(ConversationFlight.chat.utf8), source: "chat.json")
    #expect(Workload(cassette, matcher: .pathAndQuery).isEmpty)
    let refusal = "The cassette has only WebSocket conversations. Use drill -- PROGRAM."
    #expect(throws: DrillError.plan(refusal)) {
      _ = try TestSubjects.drill("fine") { $0.cassette = cassette }
    }
  }
}
