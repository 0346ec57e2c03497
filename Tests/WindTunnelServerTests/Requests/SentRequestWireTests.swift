import TestSupport

@testable import WindTunnel
@testable import WindTunnelServer

/// The requests that a server's deck keeps.
@Suite(.timeLimit(.minutes(5))) struct SentRequestWireTests {
  /// All that is known of a request but its number and its time.
  private static func line(_ sent: SentRequest) -> String {
    let framing = ["Transfer-Encoding", "Content-Length"]
    let fields = sent.headers.filter { !framing.contains($0.name) }
      .map { "\($0.name)=\($0.value)" }.joined(separator: ",")
    let connection = sent.connection
    let use = "\(connection?.isNew == true) \(connection?.isSecure == true)"
    return "\(sent.method) \(sent.url) [\(fields)] '\(sent.text ?? "-")' \(sent.isBodyKept) "
      + "\(sent.call) \(sent.response) \(sent.status ?? 0) \(sent.faults.map(\.json)) \(use)"
  }

  @Test func `each request is kept as it was sent, also one that is sent a rendered response`()
    async throws
  {
    let deck = Deck(
      Cassette([
        Interaction(Request("GET", "http://x/a"), .text(Body("hello"))),
        Interaction(Request("POST", "http://x/b"), Response(status: 204)),
      ]),
      then: .repeat
    )
    let get = "GET /a HTTP/1.1\r\nHost: x\r\nAccept: a\r\nAccept: b\r\nX-Note: caf\u{e9}\r\n\r\n"
    try await ReplayServer.serving(deck) { server in
      let client = try server.client()
      for count in 1...5 {
        if count == 5 { deck.swap([.on("GET /a", .always, .status(503))]) }
        await client.send(get)
        _ = await client.message()
      }
      await client.send(
        "POST /b HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n3\r\none\r\n2\r\n+2\r\n0\r\n\r\n"
      )
      _ = await client.receive(until: "\r\n\r\n")
      client.close()
      _ = try await server.answer(to: closing("PUT /c"))
    }
    let sent = deck.requests()
    let plain = "GET http://x/a [Accept=a,Accept=b,X-Note=caf\u{e9}] '' true deck recording(1)"
    let missing = SentRequest.ResponseSource.unmatched(nearest: "\(deck.mismatches[0])")
    expectEqual(
      sent.map(Self.line),
      ["\(plain) 200 [] true false"] + Array(repeating: "\(plain) 200 [] false false", count: 3) + [
        #"\#(plain) 503 [{"status":503}] false false"#,
        "POST http://x/b [] 'one+2' true deck recording(2) 204 [] "
          + "false false",
        "PUT http://x/c [] '' true deck \(missing) "
          + "\(sent.last?.status ?? 0) [] true false",
      ]
    )
    #expect(sent.last?.status ?? 0 >= 400)
    expectEqual(Set(sent.prefix(6).map(\.connection?.number)).count, 1)
    #expect(sent[0].connection?.number != sent[6].connection?.number)
  }

  @Test func `content beyond the limit passes by unkept, and a wait ends at the decision`()
    async throws
  {
    let deck = Deck(
      Cassette([Interaction(Request("PUT", "http://x/a"), Response(status: 204))]),
      then: .repeat
    )
    try await ReplayServer.serving(deck) { server in
      async let next = deck.nextRequest("PUT /a", within: .seconds(60))
      let count = ExchangeRecords.bodyBytesMax + 1
      let body = String(repeating: "x", count: count)
      let text = try await server.answer(
        to:
          "PUT /a HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: \(count)\r\n\r\n\(body)"
      )
      #expect(text.hasPrefix("HTTP/1.1 204"))
      let sent = try await next
      #expect(!sent.isBodyKept && sent.body.count == 0 && sent == deck.requests().first)
    }
  }

  @Test func `an admin port lists fields and content without secrets, and a deck keeps for it`()
    async throws
  {
    let deck = Deck(
      AdminServerTests.tape,
      options: PlaybackOptions(then: .repeat, keepsRequests: false)
    )
    try await ReplayServer.serving(deck, AdminServerTests.options()) { server in
      func send(_ body: [UInt8], _ type: String) async throws {
        let head =
          "POST /a HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer hunter2-hunter2-hunter2\r\n"
          + "Content-Type: \(type)\r\nConnection: close\r\nContent-Length: \(body.count)\r\n\r\n"
        _ = try await server.client().all(after: Array(head.utf8) + body)
      }
      let login = #"{"user": "ada", "password": "correct-horse-battery"}"#
      try await send(Array(login.utf8), "application/json")
      try await send([0xFF, 0x00], "application/octet-stream")
      try await send(Array(repeating: 120, count: 65_537), "text/plain")
      let text = try await AdminServerTests.ask(server, "GET /requests").content
      #expect(!text.contains("hunter2") && !text.contains("correct-horse"), "\(text)")
      let rows = try JSON(parsing: Data(text.utf8), source: "rows")["requests"]
      guard case .array(let rows)? = rows, rows.count == 3 else {
        return #expect(Bool(false), "\(text)")
      }
      let safe = deck.exchanges?.entries.first.flatMap {
        Interaction($0.request, Response()).withoutSecrets(by: .standard)?.request
      }
      let fields = try #require(safe).headers.map { JSON.array([.text($0.name), .text($0.value)]) }
      expectEqual(rows[0]["headers"], .array(fields))
      expectEqual(rows[0]["body"]?["text"]?.stringValue, safe?.body.text)
      #expect(rows[1]["body"] == ["base64": "/wA="] && rows[1]["bodyBytes"] == 2)
      #expect(rows[2]["body"] == .some(.null) && rows[2]["bodyBytes"] == 65_537)
    }
  }
}
