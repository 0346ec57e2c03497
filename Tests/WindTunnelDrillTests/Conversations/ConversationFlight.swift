import TestSupport

@testable import WindTunnelDrill

/// Calls of a program in Python that holds conversations by WebSocket.
struct ConversationFlight {
  /// A client by WebSocket of some thirty lines (RFC 6455), as `WebSocket(url)`.
  private static let library = TestData.text("websocket.py")

  /// A conversation in which a client asks for news, and hears of them.
  static let chat = """
    { "windtunnel": 1, "interactions": [ {
      "request": { "url": "/chat" }, "then": "repeat",
      "messages": [
        { "from": "server", "text": "welcome" }, { "from": "client", "text": "news, please" },
        { "from": "server", "text": "Es regnet in München." }, { "from": "server", "text": "It snows." }
      ]
    } ] }
    """

  let command: [String]
  var cassette = Self.chat
  var calls = 1
  var atOnce = 1
  var deadline = Duration.seconds(60)

  /// Takes a program that is started for each call, whose address is `url`.
  init(_ script: String) {
    command = ["python3", "-c", Self.library + "url = sys.argv[1]\n" + script, "{url}"]
  }

  /// Takes a program that is started once.
  init(living script: String) {
    let head = """
      lines = (json.loads(text) for text in sys.stdin)
      def say(call, **more):
          print(json.dumps({"call": call, "ok": True} | more), flush=True)

      """
    command = ["python3", "-c", Self.library + head + script]
  }

  func run(_ faults: [Fault] = [], first: Int? = nil) async throws -> Report.Row {
    let when: Trigger = first.map { .first($0) } ?? .always
    let rules: [FaultRule] = faults.isEmpty ? [] : [.on("GET /chat", when, faults)]
    return try await run(in: Scenario("weather", rules: rules))
  }

  func run(in scenario: Scenario) async throws -> Report.Row {
    let cassette = try Cassette(data: Data(cassette.utf8), source: "chat.json")
    let drill = try TestSubjects.drill(DrillPlan.execSubject) { plan in
      plan.command = command
      plan.cassette = cassette
      (plan.scenarios, plan.calls, plan.stage) = ([scenario], calls, nil)
      (plan.deadline, plan.load) = (deadline, .closedLoop(concurrency: atOnce))
    }
    let report = try await drill.run()
    // What is written is read again, figures and all.
    let again = try Report(data: report.data(), source: "report")
    expectEqual(again.scenarios.map(\.subjects), report.scenarios.map(\.subjects))
    return try #require(report.scenarios.first?.subjects.first)
  }
}
