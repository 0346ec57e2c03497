import Foundation
import TestSupport
import Testing
import WindTunnelReports
import WindTunnelSymptoms

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// What is on the tape is what a client gets, whichever stage plays it.
@Suite struct ReplayConformanceTests {
  struct Row: Sendable, CustomTestStringConvertible {
    var name: String
    var method = "GET"
    var answer: RecordedResult
    var seen: Seen
    var fields: [String: String] = [:]
    var testDescription: String { name }
  }

  static let json = #"{"id":7,"name":"Ada"}"#

  /// The ten digits.
  static let gzip = Data(base64Encoded: "H4sIAAAAAAACAzMwNDI2MTUzt7AEAMbHhKYKAAAA") ?? Data()

  static let rows: [Row] = [
    Row(
      name: "a JSON body",
      answer: .response(
        Response(headers: ["Content-Type": "application/json", "ETag": "\"1\""], body: Body(json))
      ),
      seen: Seen(200, json),
      fields: ["Content-Type": "application/json", "ETag": "\"1\"", "X-None": ""]
    ),
    Row(
      name: "a chunked answer",
      answer: .response(Response(headers: ["Transfer-Encoding": "chunked"], body: Body(json))),
      seen: Seen(200, json)
    ),
    Row(
      name: "a compressed body",
      answer: .response(
        Response(
          headers: ["Content-Encoding": "gzip", "Content-Length": "\(gzip.count)"],
          body: Body(gzip)
        )
      ),
      seen: Seen(200, "0123456789")
    ),
    Row(
      name: "a damaged compressed body",
      answer: .response(
        Response(headers: ["Content-Encoding": "gzip"], body: Body("this is no gzip at all"))
      ),
      seen: Seen(200, "", .undecodableBody)
    ),
    Row(
      name: "a HEAD",
      method: "HEAD",
      answer: .response(Response(headers: ["Content-Length": "7000", "X-A": "1"])),
      seen: Seen(200),
      fields: ["Content-Length": "7000", "X-A": "1"]
    ),
    Row(name: "a 204", answer: .response(Response(status: 204)), seen: Seen(204)),
    Row(
      name: "a 304",
      answer: .response(Response(status: 304, headers: ["ETag": "\"1\""])),
      seen: Seen(304),
      fields: ["ETag": "\"1\""]
    ),
    Row(
      name: "a 404 with a body",
      answer: .response(Response(status: 404, body: Body("no such user"))),
      seen: Seen(404, "no such user")
    ),
    Row(name: "an empty 200", answer: .response(Response()), seen: Seen(200)),
    Row(
      name: "two fields of one name",
      answer: .response(Response(headers: ["Vary": "Accept", "Vary": "Origin"])),
      seen: Seen(200),
      fields: ["Vary": "Accept, Origin"]
    ),
    Row(
      name: "a redirect without a place",
      answer: .response(Response(status: 302)),
      seen: Seen(302)
    ),
    Row(
      name: "a Bearer challenge",
      answer: .response(
        Response(status: 401, headers: ["WWW-Authenticate": "Bearer"], body: Body("who?"))
      ),
      seen: Seen(401, "who?"),
      fields: ["WWW-Authenticate": "Bearer"]
    ),
    Row(
      name: "a recorded reset",
      answer: .failure(Failure(.connectionLost)),
      seen: Seen(nil, "", .connectionLost)
    ),
    Row(
      name: "a recorded empty answer",
      answer: .failure(Failure(.emptyAnswer)),
      seen: Seen(nil, "", .emptyAnswer)
    ),
    Row(
      name: "a recorded time-out",
      answer: .failure(Failure(.timedOut)),
      seen: Seen(nil, "", .timedOut)
    ),
    Row(
      name: "a recorded truncation",
      answer: .cut(
        Response(headers: ["Content-Length": "20"], body: Body("0123")),
        Failure(.truncated)
      ),
      seen: Seen(200, "0123", .truncated)
    ),
    Row(
      name: "a recorded reset in the body",
      answer: .cut(
        Response(headers: ["Content-Length": "20"], body: Body("0123")),
        Failure(.connectionLost)
      ),
      seen: Seen(200, "0123", .connectionLost)
    ),
  ]

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

  @Test(arguments: rows, Stage.allCases)
  func `a recording is played as it was`(row: Row, stage: Stage) async throws {
    let request = Request(row.method, RequestURL(Theatre.origin + "/users/7?a=1"))
    let deck = Deck(Cassette([Interaction(request, row.answer)]))
    try await Theatre.play(deck, on: stage, timeout: 1) { theatre async throws in
      let seen = try await theatre.ask("/users/7?a=1", method: row.method)
      expectEqual(seen, row.seen)
      for (name, value) in row.fields { expectEqual((seen[name] ?? ""), value) }
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
