import TestSupport
import WindTunnelReports
import WindTunnelSymptoms

/// One row a kind of fault that both stages can play: what a client sees of it.
@Suite struct FaultKindConformanceTests {
  struct Row: Sendable, CustomTestStringConvertible {
    var name: String
    var seen: Seen
    /// The status of an interim answer, which a platform shows that has got it.
    var interimStatus: Int?

    init(_ name: String, sees status: Int?, _ body: String = "", _ symptom: Symptom? = nil) {
      (self.name, seen) = (name, Seen(status, body, symptom))
    }

    func showing(interim status: Int) -> Row {
      var row = self
      row.interimStatus = status
      return row
    }

    func seen(on stage: Stage) -> Seen {
      var seen = seen
      if stage == .onTheWire, let interimStatus { seen.status = interimStatus }
      return seen
    }

    var testDescription: String { name }
  }

  static let body = "0123456789"
  /// The body of the second recording.
  static let other = "another"

  /// In the data file a status of 0 is none, and so is an empty symptom.
  static func rows() throws -> [Row] {
    let rows: [(String, Int, String, String)] =
      try TestData.rows("fault-kinds.json", count: 84)
    let written = rows.map { name, status, body, symptom in
      Row(name, sees: status == 0 ? nil : status, body, Symptom(rawValue: symptom))
    }
    return written + [
      Row("body-large", sees: 200, body + String(repeating: " ", count: 1 << 20)),
      Row("endless-body", sees: 200, body + String(repeating: " ", count: 90), .truncated),
      Row("gzip-bomb", sees: 200, "[" + String(repeating: " ", count: 998) + "]"),
      Row("interim-only", sees: nil, "", .emptyAnswer).showing(interim: 100),
    ]
  }

  private static func deck(_ fault: Fault) -> Deck {
    let url = RequestURL(Theatre.origin + "/users/7")
    let headers: HeaderFields = ["Content-Type": "text/plain", "Content-Length": "10"]
    return Deck(
      Cassette([
        Interaction(Request("GET", url), Response(headers: headers, body: Body(body))),
        Interaction(Request("GET", "/other"), Response(body: Body(other))),
      ]),
      scenario: [.on("GET /users/*", .always, fault)]
    )
  }

  @Test(arguments: try rows(), Stage.allCases)
  func `a client sees the same on every stage, and every byte before it`(row: Row, stage: Stage)
    async throws
  {
    let fault = try #require(FaultKind.named(row.name)).fault
    try await Theatre.play(
      Self.deck(fault),
      on: stage,
      timeout: Theatre.timeout(for: row.seen(on: stage))
    ) { theatre async throws in
      try await expectEqual(theatre.ask("/users/7"), row.seen(on: stage))
    }
  }

  @Test(arguments: try rows(), Stage.allCases)
  func `a completion handler gets the whole or the error`(row: Row, stage: Stage) async throws {
    let fault = try #require(FaultKind.named(row.name)).fault
    let whole = row.seen.symptom.map { Seen(nil, "", $0) } ?? row.seen
    try await Theatre.play(Self.deck(fault), on: stage, timeout: Theatre.timeout(for: whole)) {
      theatre async throws in
      try await expectEqual(theatre.handed("/users/7"), whole)
    }
  }

  private static let events = "id: 1\ndata: a\n\nid: 2\ndata: b\n\nid: 3\ndata: c\n\n"

  private static let eventFaults: [(name: String, body: String)] = [
    (
      "body-error-event",
      "id: 1\ndata: a\n\nevent: error\ndata: {\"type\":\"error\",\"error\":"
        + "{\"type\":\"overloaded_error\",\"message\":\"The server is overloaded.\"}}\n\n"
    ),
    ("body-retry-zero", "retry: 0\n\(events)"), ("body-retry-negative", "retry: -1\n\(events)"),
    ("body-retry-huge", "retry: 99999999999999999999\n\(events)"),
    ("body-retry-garbage", "retry: soon\n\(events)"),
    ("body-missing-event-ids", "id: 1\ndata: a\n\ndata: b\n\ndata: c\n\n"),
    ("body-empty-event-ids", "id: 1\ndata: a\n\nid: \ndata: b\n\nid: \ndata: c\n\n"),
  ]

  @Test(arguments: eventFaults, Stage.allCases)
  func `a client of a stream of events sees the same on every stage`(
    row: (name: String, body: String),
    stage: Stage
  ) async throws {
    let fault = try #require(FaultKind.named(row.name)).fault
    let url = RequestURL(Theatre.origin + "/users/7")
    let stream = Response(headers: ["Content-Type": "text/event-stream"], body: Body(Self.events))
    let deck = Deck(
      Cassette([Interaction(Request("GET", url), stream)]),
      scenario: [.on("GET /users/*", .always, fault)]
    )
    try await Theatre.play(deck, on: stage) { theatre async throws in
      try await expectEqual(theatre.ask("/users/7"), Seen(200, row.body))
    }
  }

  @Test func `every kind that both stages can play has a row`() throws {
    let both = FaultKind.all.filter { kind in
      if case .connection = kind.fault { return false }
      if case .mutate = kind.fault { return false }
      return Stage.allCases.allSatisfy { kind.fault.ability(lackingOn: $0) == nil }
    }
    expectEqual(Set(try Self.rows().map(\.name)), Set(both.map(\.name)))
  }

  @Test(arguments: FaultKind.all.filter { $0.fault.ability(lackingOn: .inProcess) != nil })
  func `what no URLProtocol can do fails by name and not by a crash`(kind: FaultKind) async throws {
    try await Theatre.play(Self.deck(kind.fault), on: .inProcess) { theatre async throws in
      let seen = try await theatre.ask("/users/7")
      expectEqual(seen, Seen(nil, "", .unknown))
      expectEqual(seen.failure?.contains("Play the same deck on a loopback server."), true)
    }
  }

  // What is fixed in later versions is not held against them.
  #if !canImport(Darwin) && compiler(<6.4)
    @Test func `an end within the headers, and trailers, end a client's process`() async {
      await #expect(processExitsWith: .failure) {
        try await FaultKindConformanceTests.meet("close-in-headers")
      }
      await #expect(processExitsWith: .failure) {
        try await FaultKindConformanceTests.meet("chunked-trailers")
      }
      await #expect(processExitsWith: .success) {
        try await FaultKindConformanceTests.meet("reset-in-headers")
      }
    }
  #endif

  static func meet(_ name: String) async throws {
    let fault = try #require(FaultKind.named(name)).fault
    try await Theatre.play(deck(fault), on: .onTheWire) { theatre async throws in
      _ = try await theatre.ask("/users/7")
    }
  }

  @Test(arguments: Stage.allCases)
  func `a token is refused until it is another`(stage: Stage) async throws {
    let url = RequestURL(Theatre.origin + "/users/{id}")
    let deck = Deck(
      [.get(url, json: ["n": 1], then: .repeat)],
      scenario: [.on("GET /users/*", .until(headerChanges: "Authorization"), .status(401))]
    )
    try await Theatre.play(deck, on: stage) { theatre async throws in
      var statuses: [Int?] = []
      for (path, token) in [
        ("/users/7", "a"), ("/users/7", "a"), ("/users/8", "b"), ("/users/7", "b"),
      ] {
        var request = try theatre.request(path)
        request.setValue("Bearer \(token)", forHTTPHeaderField: "Authorization")
        statuses.append(await theatre.ask(request).status)
      }
      expectEqual(statuses, [401, 401, 200, 200])
    }
  }

  @Test(arguments: Stage.allCases)
  func `a window is open by the clock of the stage`(stage: Stage) async throws {
    let url = RequestURL(Theatre.origin + "/users/{id}")
    let deck = Deck(
      [.get(url, json: ["n": 1], then: .repeat)],
      scenario: [
        .on("GET /users/7", .window(until: .seconds(3600)), .status(503)),
        .on("GET /users/8", .window(from: .seconds(3600)), .status(503)),
      ]
    )
    try await Theatre.play(deck, on: stage) { theatre async throws in
      try await expectEqual(theatre.ask("/users/7").status, 503)
      try await expectEqual(theatre.ask("/users/8").status, 200)
    }
  }
}
