import TestSupport
import WindTunnelSymptoms

@testable import WindTunnel
@testable import WindTunnelServer

/// Stubs and templates as a socket sees them, byte by byte.
@Suite(.timeLimit(.minutes(5))) struct StubWireTests {
  private static func asked(_ method: String, _ path: String, _ more: String = "") -> String {
    "\(method) \(path) HTTP/1.1\r\nHost: a\r\n\(more)\r\n"
  }

  @Test func `stubs are sent as they were meant`() async throws {
    let deck = Deck(
      [
        .get("/a", .responses([.status(503), .json(7, headers: ["X-A": "1"])])),
        .any("/a", text: "any"), .get("/bad", .failure(.emptyAnswer)),
        .put("/late", .status(204), delay: .milliseconds(1)), .head("/a", text: "hi"),
      ],
      matcher: .pathAndQuery
    )
    let closed = "Connection: close\r\n"
    let type = "Content-Type: text/plain; charset=utf-8\r\n"
    let rows = [
      ("GET", "/a", "503 Service Unavailable\r\nContent-Length: 0\r\n\(closed)\r\n"),
      (
        "GET", "/a",
        "200 OK\r\nContent-Type: application/json\r\nContent-Length: 1\r\nX-A: 1\r\n"
          + "\(closed)\r\n7"
      ),
      ("LINK", "/a", "200 OK\r\n\(type)Content-Length: 3\r\n\(closed)\r\nany"),
      ("HEAD", "/a", "200 OK\r\n\(type)Content-Length: 2\r\n\(closed)\r\n"),
      ("GET", "/bad", ""), ("PUT", "/late", "204 No Content\r\n\(closed)\r\n"),
    ]
    try await ReplayServer.serving(deck) { server in
      for (method, path, expected) in rows {
        let answer = try await server.answer(to: Self.asked(method, path, closed))
        expectEqual(answer, expected.isEmpty ? "" : "HTTP/1.1 \(expected)", "\(method) \(path)")
      }
    }
  }

  @Test func `a template is filled in for each request of one connection, and never kept`()
    async throws
  {
    var template = Interaction(
      Request("POST", "/rpc"),
      .json(
        ["id": "{{request.json.id}}", "n": "{{counter}}"],
        headers: ["X-Q": "{{request.query.q}}"]
      ),
      then: .repeat
    )
    template.notes = [Interaction.template]
    var matcher = Matcher.pathAndQuery
    matcher.ignoredQuery = ["q"]
    try await ReplayServer.serving(Deck(Cassette([template]), matcher: matcher)) { server in
      let client = try server.client()
      for (number, id) in ["7", "7", "\"x\"", "70"].enumerated() {
        let content = "{\"id\":\(id)}"
        let length = "Content-Length: \(content.utf8.count)\r\n"
        await client.send(Self.asked("POST", "/rpc?q=%0D%0AX-Evil:1", length) + content)
        let body = "{\"id\":\(id),\"n\":\(number + 1)}"
        let expected =
          "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: "
          + "\(body.utf8.count)\r\nX-Q:   X-Evil:1\r\n\r\n\(body)"
        let answer = await client.receive(atLeast: expected.utf8.count)
        expectEqual(String(decoding: answer, as: UTF8.self), expected)
      }
      client.close()
    }
  }

  @Test func `interim responses come first, but not to a client of HTTP/1.0`() async throws {
    var page = Interaction(Request("GET", "/a"), .text("hi"), then: .repeat)
    page.editResponse { response in
      response.head.informational = [
        ResponseHead(status: 103, headers: ["Link": "</a.css>"]), ResponseHead(status: 100),
      ]
    }
    let head = "HTTP/1.1 200 OK\r\nContent-Type: text/plain; charset=utf-8\r\n"
    let last = "\(head)Content-Length: 2\r\nConnection: close\r\n\r\nhi"
    let first = "HTTP/1.1 103 Early Hints\r\nLink: </a.css>\r\n\r\nHTTP/1.1 100 Continue\r\n\r\n"
    try await ReplayServer.serving(Deck(Cassette([page]), matcher: .pathAndQuery)) { server in
      for _ in 1...2 {
        let asked = Self.asked("GET", "/a", "Connection: close\r\n")
        try await expectEqual(server.answer(to: asked), first + last)
      }
      try await expectEqual(server.answer(to: "GET /a HTTP/1.0\r\nHost: a\r\n\r\n"), last)
    }
    let deck = Deck(Cassette([page]), scenario: [.always(.always, .malformed(.lengthTooLong))])
    expectNil(deck.decide(Request("GET", "/a")).whole(on: .onTheWire)?.body)
    let delivery = Delivery(deck.decide(Request("GET", "/a")), on: .onTheWire)
    let wire = delivery.steps.compactMap { step -> String? in
      if case .bytes(.data(let data)) = step { String(decoding: data, as: UTF8.self) } else { nil }
    }
    #expect(wire.joined().hasPrefix("\(first)HTTP/1.1 200 OK\r\n"), "\(wire)")
  }
}
