import TestSupport
import WindTunnelReports
import WindTunnelSymptoms

/// What is on the tape is what a client gets, whichever stage plays it.
@Suite struct ReplayConformanceTests {
  /// A recording, and what a client gets of it.
  struct Row: Sendable, Decodable, CustomTestStringConvertible {
    var name: String
    var method, body, shows: String?
    /// A body in base64.
    var packed: Data?
    var status, sees: Int?
    var headers: [[String]]?
    /// The end of the recording; it has a response if there are header fields.
    var failure: Symptom?
    var symptom: Symptom?
    var fields: [String: String]?
    var testDescription: String { name }

    var seen: Seen { Seen(sees, shows ?? "", symptom) }

    var answer: RecordedResult {
      let response = Response(
        status: status ?? 200,
        headers: HeaderFields((headers ?? []).map { HeaderField($0[0], $0[1]) }),
        body: packed.map { Body($0) } ?? Body(body ?? "")
      )
      guard let failure else { return .response(response) }
      return headers == nil ? .failure(Failure(failure)) : .cut(response, Failure(failure))
    }
  }

  /// The ten digits.
  static let gzip = Data(base64Encoded: "H4sIAAAAAAACAzMwNDI2MTUzt7AEAMbHhKYKAAAA") ?? Data()

  @Test(arguments: Stage.allCases)
  func `other spellings, a HEAD and a condition get what suits them`(stage: Stage) async throws {
    let url = RequestURL(Theatre.origin + "/u/%7Bid%7D?a=b+c&e")
    let response = Response(headers: ["ETag": "\"1\""], body: Body("whole"))
    let deck = Deck(Cassette([Interaction(Request("GET", url), response, then: .repeat)]))
    try await Theatre.play(deck, on: stage, timeout: 60) { theatre async throws in
      let path = "/u/%7bid%7d?e=&a=b%20c"
      try await expectEqual(theatre.ask(path), Seen(200, "whole"))
      try await expectEqual(theatre.ask(path, method: "HEAD"), Seen(200))
      var request = try theatre.request(path)
      request.setValue("W/\"1\"", forHTTPHeaderField: "If-None-Match")
      expectEqual(await theatre.ask(request), Seen(304))
      try await #expect(theatre.ask("/u/7?e=&a=b%20c").status != 200)
    }
  }

  @Test(arguments: try TestData.rows("recordings.json", count: 17) as [Row], Stage.allCases)
  func `a recording is played as it was`(row: Row, stage: Stage) async throws {
    let request = Request(row.method ?? "GET", RequestURL(Theatre.origin + "/users/7?a=1"))
    let deck = Deck(Cassette([Interaction(request, row.answer)]))
    try await Theatre.play(deck, on: stage, timeout: 1) { theatre async throws in
      let seen = try await theatre.ask("/users/7?a=1", method: row.method ?? "GET")
      expectEqual(seen, row.seen)
      for (name, value) in row.fields ?? [:] { expectEqual((seen[name] ?? ""), value) }
    }
  }

  @Test(arguments: Stage.allCases)
  func `what nothing answers is explained`(stage: Stage) async throws {
    let deck = Deck([.get("http://api.example.test/users/7", json: ["id": 7])])
    try await Theatre.play(deck, on: stage) { theatre async throws in
      let seen = try await theatre.ask("/users/8")
      expectEqual(seen.status, 501)
      #expect(seen.body.contains("/users/8"))
      #expect(seen.body.contains("/users/7"))
      expectEqual(seen["Content-Type"], "text/plain; charset=utf-8")
      expectEqual(deck.journal.all.map(\.take), [.unmatched])
    }
  }

  @Test(arguments: Stage.allCases)
  func `a function sees the same request`(stage: Stage) async throws {
    let deck = Deck([
      .post("http://api.example.test/echo") { request in
        .text(
          Body(
            "\(request.method) \(request.url) \(request.headers["X-App"] ?? "-") \(request.body.text ?? "-")"
          )
        )
      }
    ])
    try await Theatre.play(deck, on: stage) { theatre async throws in
      var request = try theatre.request("/echo", method: "POST")
      request.setValue("7", forHTTPHeaderField: "X-App")
      request.httpBody = Data("hello".utf8)
      await expectEqual(
        theatre.ask(request),
        Seen(200, "POST http://api.example.test/echo 7 hello")
      )
    }
  }

  @Test(arguments: Stage.allCases, [1, 7])
  func `a lane is named by a request and not seen by a recording`(stage: Stage, number: Int)
    async throws
  {
    let deck = Deck([
      .get("http://api.example.test/n") { request in .text(Body(request.url.target)) }
    ])
    try await Theatre.play(deck, on: stage) { theatre async throws in
      var request = try theatre.request("/n")
      request.setValue("calm/\(number)", forHTTPHeaderField: Lane.header)
      await expectEqual(theatre.ask(request), Seen(200, "/n"))
      expectEqual(deck.journal.all.map(\.decision.lane), [Lane("calm/\(number)")])
    }
  }
}
