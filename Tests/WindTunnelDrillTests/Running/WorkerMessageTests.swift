import TestSupport

@testable import WindTunnelDrill

@Suite struct WorkerMessageTests {
  static let observation = Observation(
    3,
    "GET /\u{e9}\n",
    .failed("status 503"),
    isCritical: true,
    showed: false,
    latency: .microseconds(1234),
    attempts: nil
  )
  static let messages: [WorkerMessage] = [
    .began(3, at: .zero), .undone(call: 3, place: 1, attempt.unappliedFaults),
    .undone(call: 3, place: 0, attempt.unappliedFaults, isWhole: true),
    .hung(call: 3, .init(waited: .milliseconds(20_700), asleep: "read of\n")),
    .hung(call: 3, .init()),
    .attempt(
      call: 3,
      .init(decision: .init(line: "a\t\u{1}\n[]"), source: .init(words: "withheld 1"))
    ),
    .sent(call: 4, place: 1, sent), .attempt(call: 4, attempt), .attemptEnded(call: 4, end),
    .attemptEnded(call: 4, .init(place: 0, at: .zero)),
    .conversed(call: 4, place: 1, ConversationLog()), .conversed(call: 4, place: 0, conversation),
    .ended(observation), .ended(whole), .connections(connections), .refused("no \"such\"\nthing"),
    .unfit("a {url}\n"), .unanswered("b {\"call\": N}"),
  ]
  static let connections = {
    var seen = ClientRun.Connections(calls: 60, opened: 9, mostOpen: 3, leftOpen: 1)
    seen.leftUnread = 2
    return seen
  }()
  static let attempt = {
    var attempt = Observation.Attempt("a\t\u{1}\n[]")
    (attempt.start, attempt.end) = (.microseconds(7), .microseconds(9))
    (attempt.status, attempt.bytes, attempt.error) = (503, 0, "timedOut")
    (attempt.retryAfter, attempt.isRepeatable) = (.seconds(1), false)
    attempt.retryNotBefore = .microseconds(1_700_001)
    attempt.stages = stages
    attempt.sent = sent
    attempt.isStaleOnArrival = true
    attempt.cacheTerms = terms
    attempt.conversation = conversation
    (attempt.isOpenAtEnd, attempt.bytesSent) = (true, 120)
    attempt.unappliedFaults = [
      .init(fault: "resetAfterEvents", reason: "the response has 4 events"),
      .init(fault: "mutate null", reason: "the response has no body"),
    ]
    return attempt
  }()
  static let conversation = {
    var log = ConversationLog()
    log.messages = [
      .init(from: .server, at: .microseconds(5), number: 1, digest: .max),
      .init(from: .client, at: .microseconds(7), number: 2, asks: true),
    ]
    (log.further, log.waiting) = (3, 4)
    (log.clientPings, log.serverPongs, log.unansweredSince) = (5, 4, .microseconds(9))
    (log.serverPings, log.clientPongs) = (1000, 999)
    (log.silentSince, log.end, log.ending) = (.microseconds(8), .seconds(2), .client(1001))
    return log
  }()
  static let received = {
    var received = ReceivedMessages()
    received.messages = [.init(digest: .max, at: .microseconds(7)), .init(digest: 0, at: .zero)]
    received.further = 2
    return received
  }()
  static let terms = {
    var terms = Observation.CacheTerms()
    (terms.fresh, terms.hasValidator, terms.allowsStale) = (.seconds(60), true, true)
    return terms
  }()
  static let sent = {
    var sent = Observation.Sent()
    (sent.content, sent.credentials, sent.isElsewhere) = (16_384, [16_385, 3], true)
    (sent.deed, sent.isSecure, sent.isConditional) = (16_388, true, true)
    (sent.key, sent.marks, sent.apiKeys) = (16_386, [16_387], [9])
    (sent.addsParameters, sent.secretParameters) = (true, ["api_key"])
    (sent.resumesAt, sent.isResumedConditionally) = (40, true)
    return sent
  }()
  static let end = {
    var end = WorkerMessage.AttemptEnd(place: 1, at: .microseconds(1_000_001))
    end.stages = stages
    end.retryNotBefore = .microseconds(1_700_001)
    (end.status, end.bytesSent) = (206, 120)
    return end
  }()
  static let stages = {
    var stages = ExchangeStages()
    (stages.dns, stages.connect, stages.tls) = (.zero, .microseconds(1), .microseconds(2))
    (stages.upload, stages.firstByte, stages.body) = (.microseconds(3), .seconds(4), .zero)
    return stages
  }()
  /// One of which everything was seen.
  static let whole = {
    var whole = observation
    (whole.intendedStart, whole.start) = (.microseconds(1), .microseconds(2))
    (whole.clientAttempts, whole.bodyMatches, whole.isStale) = (2, false, true)
    (whole.afterWindow, whole.processorDelay) = (.milliseconds(12), .milliseconds(700))
    (whole.showsResponseOf, whole.joinsVersions) = ("GET /b", false)
    (whole.replacesScalars, whole.showsCutEvent) = (true, false)
    (whole.showsMojibake, whole.hidesErrorEvent) = (true, true)
    whole.rogueResponse = .shownDespiteProbe
    whole.configuration = .init(
      kept: 5,
      isGiven: true,
      signed: [4, 6],
      changed: [7],
      used: [5, 7]
    )
    whole.received = received
    (whole.notOnCassette, whole.printed) = ("GET /b, nearest #1 GET /a, differs in path", "200")
    whole.cancellation = .init(after: .milliseconds(5), toReturn: .zero, attemptsAfter: 0)
    whole.attempts = [attempt]
    return whole
  }()

  @Test(arguments: messages) func `a message is one line and comes back`(message: WorkerMessage)
    throws
  {
    let line = message.line
    #expect(line.hasSuffix("\n") && line.count { $0 == "\n" } == 1)
    try expectEqual(#require(WorkerMessage(line: String(line.dropLast()))).line, line)
  }

  @Test func `what an attempt sent comes back whole`() throws {
    let sent = try Observation.Sent(#require(Self.sent.json))
    #expect(sent == Self.sent && Observation.Sent().json == nil)
    try expectEqual(Observation.Attempt(Self.attempt.json), Self.attempt)
    for text in [#"{"content":-1}"#, #"{"marks":["a"]}"#, #"{"value":"a"}"#] {
      let json = try JSON(parsing: text.utf8, source: "")
      #expect(throws: FormatError.self) { try Observation.Sent(json) }
    }
  }

  @Test func `received messages that a client reports survive encoding and decoding`() throws {
    let line = try #require(
      Array(WorkerMessage.ended(Self.whole).line.utf8).split(separator: 1).last
    )
    let ended = try #require(try JSON(parsing: line, source: "")["ended"])
    try expectEqual(Observation(JSON(parsing: ended.bytes(), source: "")).received, Self.received)
    for text in [
      #"{"messages":[{"digest":"1","atMilliseconds":0}]}"#, #"{"messages":[{"digest":5}]}"#,
      #"{"messages":[{"digest":"000000000000000g","atMilliseconds":0}]}"#, #"{"further":-1}"#,
    ] {
      let spoilt = String(decoding: ended.bytes(), as: UTF8.self)
        .replacing(/"received":\{.*?\}\],"further":2\}/, with: "\"received\":\(text)")
      #expect(throws: FormatError.self) { try Observation(JSON(parsing: spoilt.utf8, source: "")) }
    }
  }

  @Test func `each end of a conversation comes back`() throws {
    let ends: [ConversationLog.ConversationEnd?] = [
      nil, .client(1005), .server(1012), .clientLeft, .serverLeft, .stopped,
    ]
    for end in ends {
      var log = Self.conversation
      log.ending = end
      try expectEqual(ConversationLog(log.json), log)
    }
    try expectEqual(ConversationLog(ConversationLog().json), ConversationLog())
    for text in [#"{"messages":[{"from":"client"}]}"#, #"{"pings":-1}"#, #"{"ending":"done"}"#] {
      let json = try JSON(parsing: text.utf8, source: "")
      #expect(throws: FormatError.self) { try ConversationLog(json) }
    }
  }

  @Test(arguments: messages) func `a line that is cut says nothing`(message: WorkerMessage) {
    let line = message.line.dropLast()
    for length in 0..<line.count { expectNil(WorkerMessage(line: String(line.prefix(length)))) }
  }

  @Test(arguments: [
    "", "hello", "{\"began\":1}", "\u{1}", "\u{1}{}", "\u{1}[1]", "\u{1}{\"ended\":{}}",
  ])
  func `what a client prints is no message`(line: String) {
    expectNil(WorkerMessage(line: line))
  }

  @Test func `orders come back as they were given, on one line`() throws {
    let job = WorkerJob(
      subject: "a\nb",
      cassetteFile: nil,
      cassette: Data("{}\n".utf8),
      scenario: Scenario.calm.data(),
      stage: "wire",
      errors: "current",
      seed: .max,
      calls: [0, 7],
      load: .openLoop(callsPerSecond: 2.5),
      mix: ["GET /a=2"],
      isReadOnly: true,
      command: ["curl", "{url}"],
      deadlineMilliseconds: 200,
      attemptTimeoutMilliseconds: 100,
      epochNanoseconds: .max
    )
    let data = try JSONEncoder().encode(job)
    #expect(!data.contains(UInt8(ascii: "\n")))
    let again = try JSONDecoder().decode(WorkerJob.self, from: data)
    #expect(again.seed == .max && again.calls == [0, 7] && again.subject == "a\nb")
    #expect(again.load == job.load && again.mix == job.mix && again.isReadOnly)
    expectEqual(again.command, ["curl", "{url}"])
    expectEqual(again.patience, .milliseconds(1300))
  }

  @Test(arguments: [1, 2, 5, 1000]) func `lines are found however their bytes come`(size: Int) {
    var (splitter, lines) = (LineSplitter(), [String]())
    let bytes = Data("one\n\ntwo \u{e9}\nthree".utf8)
    for start in stride(from: 0, to: bytes.count, by: size) {
      splitter.take(bytes[start..<min(start + size, bytes.count)]) { lines.append($0) }
    }
    expectEqual(lines, ["one", "", "two \u{e9}"])
  }

  @Test func `a line without end is dropped and the next one is heard`() {
    var (splitter, lines) = (LineSplitter(), [String]())
    let flood = Data(repeating: 46, count: LineSplitter.lineBytesMax / 4)
    for _ in 0..<6 { splitter.take(flood) { lines.append($0) } }
    splitter.take(Data("\nnext\n".utf8)) { lines.append($0) }
    expectEqual(lines, ["next"])
  }

  @Test func `calls go through the cassette's requests, each once and in order`() throws {
    let cassette = try Shipped.cassette()
    let twice = Cassette(cassette.interactions + cassette.interactions)
    let workload = Workload(twice, matcher: .pathAndQuery)
    let endpoints = (0..<7).map { workload.endpoint(of: $0) }
    expectEqual(
      endpoints,
      [
        "GET /home", "POST /login", "POST /payments", "POST /telemetry", "GET /recommendations",
        "GET /recommendations", "GET /home",
      ]
    )
    expectEqual(Workload.lane("calm", 7), Lane("calm/7"))
  }
}
