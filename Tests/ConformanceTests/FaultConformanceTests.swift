import TestSupport
import WindTunnelReports
import WindTunnelSymptoms

/// One row a fault: what a client sees of it, whichever stage carries it.
@Suite struct FaultConformanceTests {
  struct Row: Sendable, CustomTestStringConvertible {
    var faults: [Fault]
    var seen: Seen
    /// Whether the recording is used up.
    var isPlayed = false

    init(_ faults: Fault..., sees status: Int?, _ body: String = "", _ symptom: Symptom? = nil) {
      self.faults = faults
      seen = Seen(status, body, symptom)
    }

    func played() -> Row {
      var row = self
      row.isPlayed = true
      return row
    }

    var testDescription: String { faults.map { "\($0)" }.joined(separator: ", ") }
  }

  static let body = "0123456789"

  static let rows: [Row] = [
    Row(.delay(.exactly(.milliseconds(30))), sees: 200, body).played(),
    Row(.delay(.init(.milliseconds(1), through: .milliseconds(30))), sees: 200, body).played(),
    Row(.status(503), sees: 503, "This 503 was injected.\n"),
    Row(.status(429, retryAfter: .seconds(2)), sees: 429, "This 429 was injected.\n"),
    Row(.status(204), sees: 204),
    Row(.reset(.afterRequest), sees: nil, "", .connectionLost),
    Row(.reset(afterBodyBytes: 0), sees: 200, "", .connectionLost),
    Row(.reset(afterBodyBytes: 4), sees: 200, "0123", .connectionLost),
    Row(.reset(afterBodyBytes: 10), sees: 200, body, .connectionLost),
    Row(.reset(afterBodyBytes: 99), sees: 200, body),
    Row(.close, sees: nil, "", .emptyAnswer),
    Row(.truncate(afterBodyBytes: 0), sees: 200, "", .truncated),
    Row(.truncate(afterBodyBytes: 4), sees: 200, "0123", .truncated),
    Row(.truncate(afterBodyBytes: 10), sees: 200, body, .truncated),
    Row(.truncate(afterBodyBytes: 99), sees: 200, body),
    Row(.stall(.afterRequest), sees: nil, "", .timedOut),
    Row(.stall(afterBodyBytes: 4), sees: 200, "0123", .timedOut),
    Row(.stall(afterBodyBytes: 10), sees: 200, body, .timedOut),
    Row(.stall(afterBodyBytes: 99), sees: 200, body),
    Row(
      .delay(.exactly(.milliseconds(20))),
      .truncate(afterBodyBytes: 2),
      sees: 200,
      "01",
      .truncated
    ),
    Row(.status(500), .reset(afterBodyBytes: 8), sees: 500, "This 500", .connectionLost),
    Row(.reset(afterBodyBytes: 6), .truncate(afterBodyBytes: 3), sees: 200, "012", .truncated),
  ]

  private static func recording(_ headers: HeaderFields) -> Cassette {
    Cassette([
      Interaction(
        Request("GET", RequestURL(Theatre.origin + "/users/7")),
        Response(headers: headers, body: Body(body))
      )
    ])
  }

  @Test(arguments: rows, Stage.allCases)
  func `a client sees what was decided and every byte before it`(row: Row, stage: Stage)
    async throws
  {
    let deck = Deck(
      Self.recording(["Content-Type": "text/plain", "Content-Length": "10"]),
      scenario: Scenario("rules", rules: [.init(when: .attempt(1), row.faults)])
    )
    try await Theatre.play(deck, on: stage, timeout: Theatre.timeout(for: row.seen)) {
      theatre async throws in
      try await expectEqual(theatre.ask("/users/7"), row.seen)
      // A recording that a fault kept from the client is there for the retry.
      let next = try await theatre.ask("/users/7")
      expectEqual(next.status, (row.isPlayed ? 501 : 200))
      #expect(next.body.contains(row.isPlayed ? "already played once" : Self.body))
    }
  }

  @Test(arguments: rows, Stage.allCases)
  func `of a chunked recording a client sees the same`(row: Row, stage: Stage) async throws {
    let deck = Deck(
      Self.recording(["Content-Type": "text/plain", "Transfer-Encoding": "chunked"]),
      scenario: Scenario("rules", rules: [.init(when: .always, row.faults)])
    )
    try await Theatre.play(deck, on: stage, timeout: Theatre.timeout(for: row.seen)) {
      theatre async throws in
      try await expectEqual(theatre.ask("/users/7"), row.seen)
    }
  }

  @Test(arguments: rows, Stage.allCases)
  func `a completion handler gets the whole or the error`(row: Row, stage: Stage) async throws {
    let deck = Deck(
      Self.recording(["Content-Type": "text/plain"]),
      scenario: Scenario("rules", rules: [.init(when: .always, row.faults)])
    )
    let whole = row.seen.symptom.map { Seen(nil, "", $0) } ?? row.seen
    try await Theatre.play(deck, on: stage, timeout: Theatre.timeout(for: whole)) {
      theatre async throws in
      try await expectEqual(theatre.handed("/users/7"), whole)
    }
  }

  @Test(
    arguments: [
      Fault.reset(afterBodyBytes: 0), .truncate(afterBodyBytes: 0), .stall(afterBodyBytes: 0),
    ],
    Stage.allCases
  )
  func `an answer without content is whole with its head`(fault: Fault, stage: Stage) async throws {
    let head = Interaction(
      Request("HEAD", RequestURL(Theatre.origin + "/users/7")),
      Response(headers: ["Content-Length": "10"])
    )
    let deck = Deck(Cassette([head]), scenario: [.always(.always, fault)])
    try await Theatre.play(deck, on: stage) { theatre async throws in
      try await expectEqual(theatre.ask("/users/7", method: "HEAD"), Seen(200))
    }
  }

  @Test(arguments: Stage.allCases)
  func `an injected status says when to come back`(stage: Stage) async throws {
    let deck = Deck(
      Self.recording([:]),
      scenario: [.always(.always, .status(429, retryAfter: .seconds(2)))]
    )
    try await Theatre.play(deck, on: stage) { theatre async throws in
      try await expectEqual(theatre.ask("/users/7")["Retry-After"], "2")
    }
  }
}
