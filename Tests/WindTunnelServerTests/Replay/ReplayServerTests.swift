import Origins
import TestSupport

@testable import WindTunnel
@testable import WindTunnelServer

/// The replay server as a raw client sees it.
@Suite(.timeLimit(.minutes(5))) struct ReplayServerTests {
  static let end = "Connection: close\r\n\r\n"

  @Test func `an answer bears a length, and the connection serves the next request`() async throws {
    try await ReplayServer.serving(.echo("/a", "/b")) { server async throws in
      let client = try server.client()
      let answer =
        "HTTP/1.1 200 OK\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: 6\r\n\r\nGET "
      for path in ["/a", "/b", "/a"] {
        await client.send("GET \(path) HTTP/1.1\r\nHost: x\r\n\r\n")
        let expected = answer + path
        expectEqual(
          String(decoding: await client.receive(atLeast: expected.utf8.count), as: UTF8.self),
          expected
        )
      }
      client.close()
    }
  }

  @Test func `two requests in one piece are answered in order`() async throws {
    try await ReplayServer.serving(.echo("/a", "/b")) { server async throws in
      let text = try await server.answer(
        to: "GET /a HTTP/1.1\r\nHost: x\r\n\r\nGET /b HTTP/1.1\r\nHost: x\r\n" + Self.end
      )
      expectEqual(text.count(of: "HTTP/1.1 200 OK"), 2)
      #expect(text.hasSuffix("\r\n\r\nGET /b"))
      #expect(text.contains("GET /aHTTP/1.1"))
    }
  }

  @Test func `thousands of requests in one piece are answered, too`() async throws {
    try await ReplayServer.serving(.echo("/a")) { server async throws in
      let count = 10_000
      let requests = String(repeating: "GET /a HTTP/1.1\r\nHost: x\r\n\r\n", count: count)
      let client = try server.client()
      async let isSent = client.send(requests + "GET /a HTTP/1.1\r\nHost: x\r\n" + Self.end)
      let (bytes, end) = await client.receiveAll()
      #expect(await isSent)
      expectEqual(end, .finished)
      expectEqual(String(decoding: bytes, as: UTF8.self).count(of: "HTTP/1.1 200 OK"), count + 1)
      client.close()
    }
  }

  @Test(
    arguments: try TestData.rows("stub-wire.json", count: 11) as [(String, String, String, String?)]
  )
  func `spellings, literals, conditions, codings and heads reach a client as they suit it`(
    line: String,
    fields: String,
    status: String,
    body: String?
  ) async throws {
    let gzip = try #require(Data(base64Encoded: "H4sIAAAAAAAC/8tIzcnJ11HIQKIAn6HKCRMAAAA="))
    let (tag, coding) = (HeaderField("ETag", "\"1\""), HeaderField("Content-Encoding", "gzip"))
    let tape = Cassette(
      [
        ("/u/%7Bid%7D", .text(Body("literal"))), ("/q?a=b+c&e", .text(Body("query"))),
        ("/c", Response(headers: HeaderFields([tag]), body: Body("whole"))),
        ("/z", Response(headers: HeaderFields([tag, coding]), body: Body(gzip))),
      ].map { Interaction(Request("GET", RequestURL($0)), $1, then: .repeat) }
    )
    try await ReplayServer.serving(Deck(tape, matcher: .pathAndQuery)) { server async throws in
      // A second time by what was kept of the first.
      for _ in 0..<2 {
        let head = "\(line) HTTP/1.1\r\nHost: x\r\n\(fields)"
        let text = try await server.answer(to: head + Self.end)
        let parts = text.components(separatedBy: "\r\n\r\n")
        #expect(text.hasPrefix("HTTP/1.1 \(status)\r\n"), "\(text)")
        expectEqual(parts.last, body ?? parts.last)
        #expect(!parts[0].contains("Content-Encoding"))
        expectEqual(parts[0].contains("ETag: W/\"1\""), line == "GET /z")
        if line == "HEAD /c" { #expect(parts[0].contains("Content-Length: 5\r\n")) }
      }
    }
  }

  @Test(
    arguments: [
      // A HEAD has the fields of a GET, and a length if one was recorded.
      (
        "HEAD", 200, ["Content-Length": "7000", "X-A": "1"],
        "200 OK\r\nContent-Length: 7000\r\nX-A: 1"
      ),
      ("HEAD", 200, ["X-A": "1"], "200 OK\r\nX-A: 1"),
      ("GET", 204, ["X-A": "1"], "204 No Content\r\nX-A: 1"),
    ] as [(String, Int, HeaderFields, String)]
  )
  func `an answer without content has the fields that were recorded, and no length of its own`(
    method: String,
    status: Int,
    fields: HeaderFields,
    head: String
  ) async throws {
    let response = Response(status: status, headers: fields, body: .empty)
    let recorded = Interaction(Request(method, "/a"), response)
    try await ReplayServer.serving(Deck(Cassette([recorded]))) { server async throws in
      let text = try await server.answer(to: "\(method) /a HTTP/1.1\r\nHost: x\r\n" + Self.end)
      expectEqual(text, "HTTP/1.1 \(head)\r\nConnection: close\r\n\r\n")
    }
  }

  @Test func `a chunked recording goes out in chunks, and as it is to a client that knows none`()
    async throws
  {
    let chunked = Interaction(
      Request("GET", "/a"),
      Response(headers: ["Transfer-Encoding": "chunked"], body: Body("hello")),
      then: .repeat
    )
    try await ReplayServer.serving(Deck(Cassette([chunked]))) { server async throws in
      let text = try await server.answer(to: "GET /a HTTP/1.1\r\nHost: x\r\n" + Self.end)
      expectEqual(
        text,
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n5\r\nhello\r\n0\r\n\r\n"
      )
      let old = try await server.answer(to: "GET /a HTTP/1.0\r\n\r\n")
      expectEqual(old, "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nhello")
    }
  }

  @Test(
    arguments: [
      .alter(.interimResponses(1)), .malformed(.interimOnly), .malformed(.badChunkSize),
      .malformed(.missingLastChunk), .malformed(.lengthAndChunked), .close(.inChunk),
    ] as [Fault]
  )
  func `an HTTP 1.0 client gets no chunks and no interim responses`(fault: Fault) async throws {
    let recorded = Interaction(Request("GET", "/a"), Response(body: Body("hello")), then: .repeat)
    let deck = Deck(Cassette([recorded]), scenario: [FaultRule(when: .always, [fault])])
    try await ReplayServer.serving(deck) { server async throws in
      let new = try await server.answer(to: "GET /a HTTP/1.1\r\nHost: x\r\n" + Self.end)
      #expect(new.contains("HTTP/1.1 1") || new.contains("chunked"), "\(new)")
      let old = try await server.answer(to: "GET /a HTTP/1.0\r\n\r\n")
      expectEqual(old.content, "hello")
      #expect(!old.contains("HTTP/1.1 1") && !old.contains("chunked"), "\(old)")
      let reason = "\(fault.json) was not done: HTTP/1.0 has no chunks and no interim responses."
      expectEqual(deck.journal.all.map(\.misfits), [[], [reason]])
    }
  }

  @Test func `an HTTP 1.0 client keeps its connection only if it asks`() async throws {
    try await ReplayServer.serving(.echo("/a")) { server async throws in
      let text = try await server.answer(
        to: "GET /a HTTP/1.0\r\nConnection: keep-alive\r\n\r\nGET /a HTTP/1.0\r\n\r\n"
      )
      expectEqual(text.count(of: "200 OK"), 2)
      #expect(text.contains("Connection: keep-alive\r\n\r\nGET /aHTTP"))
    }
  }

  @Test func `a client that waits for leave to send its content gets it`() async throws {
    try await ReplayServer.serving(.echo("/a")) { server async throws in
      let client = try server.client()
      await client.send(
        "POST /a HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 5\r\n" + Self.end
      )
      let leave = "HTTP/1.1 100 Continue\r\n\r\n"
      await expectEqual(client.receive(atLeast: leave.utf8.count), Array(leave.utf8))
      let (bytes, _) = await client.all(after: "hello")
      expectEqual(String(decoding: bytes, as: UTF8.self).content, "5 hello")
    }
  }

  @Test func `chunked content is put together`() async throws {
    try await ReplayServer.serving(.echo("/a")) { server async throws in
      let text = try await server.answer(
        to: "POST /a HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n" + Self.end
          + "3\r\nhel\r\n2;x=y\r\nlo\r\n0\r\nX-T: 1\r\n\r\n"
      )
      expectEqual(text.content, "5 hello")
    }
  }

  @Test func `a client that is silent is left`() async throws {
    var options = ReplayServer.Options.patient
    options.limits.idleSeconds = 0.05
    try await ReplayServer.serving(.echo("/a"), options) { server async throws in
      try await expectEqual(server.answer(to: ""), "")
    }
  }

  @Test func `a client that is slow is told so`() async throws {
    var options = ReplayServer.Options.patient
    options.limits.requestSeconds = 0.05
    try await ReplayServer.serving(.echo("/a"), options) { server async throws in
      let answer = try await server.answer(to: "GET /a HTTP/1.1\r\nHost: x\r\n")
      #expect(answer.hasPrefix("HTTP/1.1 408 "))
    }
  }
}
