import Foundation
import TestSupport
import Testing
import WindTunnelReports
import WindTunnelSymptoms

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

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

  static let cuts = [
    Row("reset-after-request", sees: nil, "", .connectionLost),
    Row("reset-in-status-line", sees: nil, "", .connectionLost),
    Row("reset-in-headers", sees: nil, "", .connectionLost),
    Row("reset-at-byte", sees: nil, "", .connectionLost),
    Row("reset-in-body", sees: 200, "0123", .connectionLost),
    Row("reset-in-chunk", sees: 200, "01234", .connectionLost),
    Row("close-after-request", sees: nil, "", .emptyAnswer),
    Row("close-in-status-line", sees: nil, "", .emptyAnswer),
    Row("close-at-byte", sees: nil, "", .emptyAnswer),
    Row("close-in-body", sees: 200, "0123", .truncated),
    Row("close-in-chunk", sees: 200, "01234", .truncated),
    Row("half-close-after-request", sees: nil, "", .emptyAnswer),
    Row("half-close-in-body", sees: 200, "0123", .truncated),
    Row("stall-after-request", sees: nil, "", .timedOut),
    Row("stall-in-status-line", sees: nil, "", .timedOut),
    Row("stall-in-headers", sees: nil, "", .timedOut),
    Row("stall-in-body", sees: 200, "0123", .timedOut),
    Row("stall-in-chunk", sees: 200, "01234", .timedOut),
  ]

  static let answers =
    ["delay", "pause-in-headers", "pause-in-body", "dribble", "throttle"]
    .map { Row($0, sees: 200, body) }
    + [
      "status-503", "retry-after-seconds", "retry-after-date", "retry-after-past-date",
      "retry-after-zero", "retry-after-huge", "retry-after-garbage", "retry-after-negative",
      "retry-after-two-fields",
    ].map { Row($0, sees: 503, "This 503 was injected.\n") }
    + [
      Row("status-429", sees: 429, "This 429 was injected.\n"),
      Row("proxy-authentication", sees: 407, "This 407 was injected.\n"),
      Row("captive-portal-redirect", sees: 200, portal),
      Row("captive-portal-page", sees: 200, portal),
      Row("redirect-loop", sees: nil, "", .tooManyRedirects),
      Row("redirect-without-location", sees: 302),
      Row("redirect-elsewhere", sees: nil, "", .tooManyRedirects),
      Row("redirect-to-http", sees: nil, "", .tooManyRedirects),
      // It streams no events.
      Row("reset-after-events", sees: 200, body), Row("close-after-events", sees: 200, body),
      Row("stall-after-events", sees: 200, body), Row("body-error-event", sees: 200, body),
      Row("body-retry-zero", sees: 200, body), Row("body-retry-negative", sees: 200, body),
      Row("body-retry-huge", sees: 200, body), Row("body-retry-garbage", sees: 200, body),
      Row("body-missing-event-ids", sees: 200, body),
      Row("body-empty-event-ids", sees: 200, body),
      Row("body-duplicated", sees: 200, body + body), Row("body-empty", sees: 200),
      Row("body-large", sees: 200, body + String(repeating: " ", count: 1 << 20)),
      Row("body-invalid-utf8", sees: 200, body + "\u{FFFD}\u{FFFD}"),
      Row("body-invalid-json", sees: 200, body + "]"), Row("content-type", sees: 200, body),
      Row("stale", sees: 200, body), Row("many-fields", sees: 200, body),
      Row("version", sees: 200, "1032547698"),
      Row("lowercase-field-names", sees: 200, body),
      Row("huge-field", sees: nil, "", .malformedResponse),
      Row("interim-responses", sees: 200, body),
      Row("endless-body", sees: 200, body + String(repeating: " ", count: 90), .truncated),
      Row("body-of", sees: 200, other),
      Row("gzip-bomb", sees: 200, "[" + String(repeating: " ", count: 998) + "]"),
      Row("content-encoding-gzip", sees: 200, "", .undecodableBody),
      Row("content-encoding-deflate", sees: 200, "", .undecodableBody),
      Row("content-encoding-unknown", sees: 200, "", .undecodableBody),
    ]

  static let malformations =
    [
      "garbage", "no-status-line", "bad-status-line", "bad-status-code", "bad-version",
      "field-without-colon", "nul-in-field", "negative-length",
    ].map { Row($0, sees: nil, "", .malformedResponse) }
    + [
      Row("length-too-long", sees: 200, body, .truncated),
      Row("length-too-short", sees: 200, "01234"),
      Row("two-lengths", sees: 200, body, .truncated), Row("length-and-chunked", sees: 200, body),
      Row("silent-truncation", sees: 200, "01234"),
      Row("reset-without-length", sees: 200, "01234", .connectionLost),
      Row("bad-chunk-size", sees: 200, "01234", .malformedResponse),
      Row("missing-chunk-end", sees: 200, "01234", .malformedResponse),
      Row("missing-last-chunk", sees: 200, body, .truncated),
      Row("no-content-with-content", sees: 204), Row("not-modified-with-content", sees: 304),
      Row("interim-only", sees: nil, "", .emptyAnswer).showing(interim: 100),
    ]

  static let portal =
    "<!DOCTYPE html><title>Log in</title><form method=\"post\"><input name=\"room\"></form>\n"

  static let rows = cuts + answers + malformations

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

  @Test(arguments: rows, Stage.allCases)
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

  @Test(arguments: rows, Stage.allCases)
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

  @Test func `every kind that both stages can play has a row`() {
    let both = FaultKind.all.filter { kind in
      if case .connection = kind.fault { return false }
      if case .mutate = kind.fault { return false }
      return Stage.allCases.allSatisfy { kind.fault.ability(lackingOn: $0) == nil }
    }
    expectEqual(Set(Self.rows.map(\.name)), Set(both.map(\.name)))
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
