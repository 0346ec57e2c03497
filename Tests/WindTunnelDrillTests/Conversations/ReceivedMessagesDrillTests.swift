import TestSupport

@testable import WindTunnelDrill
@testable import WindTunnelReferenceSubject

/// The messages that programs say they received of their conversations.
@Suite(.python, .timeLimit(.minutes(5)))
struct ReceivedMessagesDrillTests {
  /// Hears three messages, and reports as many lines as `said` makes of each.
  private static func hearing(_ said: String) -> String {
    """
    chat = WebSocket(url)
    def tell(text, **more):
        print(json.dumps({"received": text} | more), flush=True)
    heard = [chat.hear()]
    chat.say("news, please")
    heard += [chat.hear(), chat.hear()]
    \(said)
    chat.close()
    """
  }

  private static func counts(_ metrics: Metrics) -> [Int?] {
    [
      metrics.messagesLost, metrics.messagesDoubled, metrics.messagesOutOfOrder,
      metrics.messagesLate,
    ]
  }

  @Test func `a line for each message says what was received`() async throws {
    let row = try await ConversationFlight(Self.hearing("for text in heard: tell(text)")).run()
    let observation = try #require(row.observations.first)
    let texts = ["welcome", "Es regnet in München.", "It snows."]
    expectEqual(
      observation.received?.messages.map(\.digest),
      texts.map { ConversationLog.digest(of: Data($0.utf8)) }
    )
    expectEqual(Self.counts(row.metrics), [0, 0, 0, 0])
    #expect(observation.ending == .succeeded && observation.showed)
    // Each is told within the call, and behind its sending.
    let opened = try #require(observation.attempts.first?.end)
    for message in observation.received?.messages ?? [] {
      #expect(message.at >= opened && message.at <= observation.end ?? .zero)
    }
  }

  /// The words about three messages, and the counts of them. Of late ones only a pause of more than
  /// a second tells, because a busy machine may make any message late.
  static let words: [(said: String, counts: [Int?])] = [
    ("tell(heard[0]); tell(heard[2])", [1, 0, 0]),
    ("for text in heard + heard[:1]: tell(text)", [0, 1, 0]),
    ("for text in reversed(heard): tell(text)", [0, 0, 2]),
    ("print('three messages')", [nil, nil, nil]),
    ("time.sleep(1.2)\nfor text in heard: tell(text)", [0, 0, 0, 3]),
  ]

  @Test(arguments: words)
  func `what is skipped, said twice, in another order or a second late is counted`(
    said: String,
    counts: [Int?]
  ) async throws {
    let seen = Self.counts(try await ConversationFlight(Self.hearing(said)).run().metrics)
    expectEqual(Array(seen.prefix(counts.count)), counts)
  }

  @Test func `what is no such line is something to show and nothing that was received`()
    async throws
  {
    let said = """
      print(json.dumps({"received": 5})); print('{"received": "cut'); print(json.dumps(["received"]))
      print(json.dumps({"receivedBase64": "no base64"}))
      """
    let row = try await ConversationFlight(Self.hearing(said)).run()
    #expect(row.observations.first?.received == nil && row.observations.first?.showed == true)
  }

  @Test func `bytes are told in Base64`() async throws {
    var flight = ConversationFlight(
      """
      import base64
      data = WebSocket(url).frame()[1]
      print(json.dumps({"receivedBase64": base64.b64encode(data).decode()}), flush=True)
      """
    )
    flight.cassette = """
      { "windtunnel": 1, "interactions": [ {
        "request": { "url": "/chat" }, "messages": [ { "from": "server", "base64": "AAECgA==" } ]
      } ] }
      """
    expectEqual(Self.counts(try await flight.run().metrics), [0, 0, 0, 0])
  }

  @Test func `one that lives names the call of what it received`() async throws {
    var flight = ConversationFlight(
      living: TestData.text("tells-received.py")
    )
    flight.calls = 2
    let row = try await flight.run()
    expectEqual(row.observations.map(\.ending), [.succeeded, .succeeded])
    expectEqual(row.observations.map { $0.received?.messages.count }, [2, 1])
    // What stands behind the last that it tells it may not have read.
    expectEqual(Self.counts(row.metrics), [1, 0, 0, 0])
  }

  private static func comingBack(saying: String) -> ConversationFlight {
    ConversationFlight(
      TestData.text("returns-and-tells.py").replacing("SAYING", with: saying)
    )
  }

  @Test func `a client that does not request missed messages breaks a rule`() async throws {
    let restart: [Fault] = [.conversation(.end(.frame(1012), before: 2))]
    func standing(_ row: Report.Row) throws -> String {
      try ConversationFindingsTests.words("loses-what-came-while-away", row)
    }
    let lost = try await Self.comingBack(saying: "").run(restart, first: 1)
    try expectEqual(standing(lost), "error")
    expectEqual(lost.metrics.messagesLost, 2)
    let careful = try await Self.comingBack(saying: "news, please").run(restart, first: 1)
    try expectEqual(standing(careful), "kept by 1")
    expectEqual(Self.counts(careful.metrics), [0, 0, 0, 0])
  }
}

/// The reference client on the conversations of a cassette.
@Suite(.timeLimit(.minutes(5))) struct NetworkLayerConversationTests {
  /// A login, two subscriptions, a heartbeat that comes three times, and an order.
  private static let cassette = TestData.text("prices.json")

  /// The last words of a client and of the server.
  private static let farewell = """
    "price": 0.8 } },
        { "from": "client", "base64": "AAEC" },
        { "from": "server", "close": 1001, "text": "good night" }
    """

  @Test func `a recording is what a client says, when, and what it waits for`() throws {
    let text = Self.cassette.replacing("\"price\": 0.8 } }", with: Self.farewell)
    let cassette = try Cassette(data: Data(text.utf8), source: "prices.json")
    let dialogue = RecordedDialogue(try #require(cassette.interactions.first))
    expectEqual(dialogue.answers.count, 6)
    expectEqual(dialogue.utterances.map(\.behind), [1, 2, 4, 6])
    expectEqual(dialogue.utterances.map(\.isText), [true, true, true, false])
    let kinds = dialogue.utterances.map(\.kind)
    expectEqual(kinds[0], .question(answer: dialogue.answers[1]))
    expectEqual(kinds[1...], [.subscription, .subscription, .statement])
  }

  private static func run(
    _ words: String...
  ) async throws -> (code: Int32, report: Report?, complaints: String) {
    let folder = try Folder()
    let tape = URL(filePath: try folder.file("prices.json"))
    try Data(cassette.utf8).write(to: tape)
    let page = try folder.file("report.json")
    let end = try await Tool.run(
      ["drill", "--cassette", tape.path, "--subject", "network-layer", "--report", page] + words
    )
    // Where it refuses there is none.
    let report = try? Report(contentsOf: URL(filePath: page))
    return (end.code, report, end.complaints)
  }

  @Test func `it holds a conversation, and says what it received`() async throws {
    let end = try await Self.run("--scenario", "calm", "--calls", "3")
    let row = try #require(end.report?.scenarios.first?.subjects.first, "\(end.complaints)")
    expectEqual(end.code, 0, "\(end.complaints)")
    expectEqual(row.observations.map(\.ending), [.succeeded, .succeeded, .succeeded])
    for call in row.observations {
      #expect(call.showed && call.attempts.count == 1 && call.clientAttempts == 1)
      expectEqual(call.attempts.first?.conversation?.ending, .client(1000))
      expectEqual(call.received?.messages.count, 6)
    }
    #expect(row.metrics.messagesLost == 0 && row.metrics.messagesDoubled == 0)
    #expect(row.metrics.messagesOutOfOrder == 0 && row.metrics.messagesLate == 0)
  }

  @Test func `it comes back to a server that restarts, and asks for everything again`() async throws
  {
    let end = try await Self.run("--scenario", "socket-restart", "--calls", "4")
    let report = try #require(end.report, "\(end.complaints)")
    let row = try #require(report.scenarios.first?.subjects.first)
    expectEqual(end.code, 0, "\(end.complaints)")
    expectEqual(row.observations.map(\.ending), [.succeeded, .succeeded, .succeeded, .succeeded])
    for call in row.observations {
      expectEqual(call.attempts.map(\.status), [101, 503, 503, 503, 503, 101])
    }
    #expect(row.metrics.messagesLost == 0 && row.metrics.messagesDoubled == 0)
    expectEqual(row.metrics.reconnectedRate, 1)
    expectEqual(report.findings.map(\.finding.rule), [])
  }

  @Test func `it does not come back to a server that refuses it`() async throws {
    let end = try await Self.run("--scenario", "socket-refused", "--calls", "2")
    let row = try #require(end.report?.scenarios.first?.subjects.first, "\(end.complaints)")
    #expect(row.observations.allSatisfy { $0.attempts.count == 1 && !$0.showed })
    for call in row.observations {
      guard case .failed(let reason) = call.ending else {
        Issue.record("\(call.ending)")
        continue
      }
      #expect(reason.contains("1008"))
    }
    expectEqual(end.report?.findings.map(\.finding.rule), [])
  }

  @Test func `without sockets nobody holds one`() async throws {
    let end = try await Self.run("--scenario", "expired-certificate")
    #expect(end.code == 64 && end.report == nil)
    #expect(end.complaints.contains("where conversations are not supported"), "\(end.complaints)")
    let inProcess = try await Self.run("--scenario", "calm", "--stage", "in-process")
    #expect(inProcess.code == 64 && inProcess.report == nil)
    #expect(inProcess.complaints.contains("only WebSocket conversations"))
  }
}
