import TestSupport
@_spi(WindTunnel) import WindTunnelCore

@testable import WindTunnel
@testable import WindTunnelServer

/// A console's port over real sockets.
@Suite(.timeLimit(.minutes(5))) struct ConsoleServerTests {
  @Test func `a page and its modules come with strict fields`() async throws {
    try await ConsoleStand.serving { stand in
      for path in ConsoleFiles.all.keys.sorted() {
        let answer = try await stand.ask("GET \(path)", type: nil)
        #expect(answer.statusLine.hasSuffix("200 OK"), "\(path)")
        #expect(answer.contains("\r\nContent-Security-Policy: default-src 'none'; "), "\(path)")
        #expect(answer.contains("\r\nX-Content-Type-Options: nosniff\r\n"), "\(path)")
        #expect(answer.contains("\r\nCache-Control: no-store\r\n"), "\(path)")
      }
      #expect(ConsoleFiles.all.keys.contains("/") && ConsoleFiles.all.count > 10)
    }
  }

  @Test func `the stream begins with the whole picture and goes on with what is new`() async throws
  {
    try await ConsoleStand.serving { stand in
      _ = try await stand.get("/a")
      let reading = Task { try await stand.events(until: #""id":2,"#) }
      // It reads when the console has somebody who looks.
      while !stand.console.isWatched { await Task.yield() }
      _ = try await stand.get("/b")
      let text = try await reading.value
      let names = text.content.split(separator: "\n").filter { $0.hasPrefix("event: ") }
      #expect(names.first == "event: hello" && names.dropFirst().first == "event: segment")
      #expect(text.hasPrefix("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n"))
      #expect(text.contains(#""tool":"serve","can":{"scenario":true,"link":true,"rule":true,"#))
      #expect(text.contains(#""id":1,"kind":"request""#) && text.contains(#""source":"unmatched""#))
    }
  }

  @Test func `where nobody looks no line is made`() async throws {
    try await ConsoleStand.serving { stand in
      for _ in 0..<20 { _ = try await stand.get("/a") }
      expectEqual(stand.console.board.rowsMade, 0)
      expectEqual(stand.console.board.counts.kept, 20)
      _ = try await stand.events(until: #""id":20,"#)
      #expect(stand.console.board.rowsMade >= 20)
    }
  }

  @Test func `a switch changes the next request and none that is under way`() async throws {
    let slow = Scenario(
      "slow",
      rules: [.on("GET /a", .attempt(1), .delay(.exactly(.milliseconds(400))))]
    )
    try await ConsoleStand.serving(ConsoleStand.tape, slow) { stand in
      let first = Task { try await stand.get("/a") }
      _ = try await stand.events(until: #""id":1,"#)
      let told = try await stand.ask("PUT /scenario", #"{"name":"rain"}"#)
      expectEqual(told.content, #"{"segment":2}"#)
      #expect(try await stand.get("/a").statusLine.contains(" 429 "))
      try await expectEqual(first.value.content, "hello")
      let rows = try await stand.ask("GET /exchanges", type: nil).content
      #expect(rows.contains(#""id":1,"kind":"request","#) && rows.contains(#""segment":2,"#))
      let segments = try JSON(parsing: Data(rows.utf8), source: "rows")["rows"]
      guard case .array(let lines)? = segments else {
        Issue.record("no rows")
        return
      }
      expectEqual(lines.map { $0["segment"]?.intValue }, [1, 2])
      expectEqual(lines.map { $0["status"]?.intValue }, [200, 429])
    }
  }

  @Test func `a link and a rule are changed in segments of their own`() async throws {
    try await ConsoleStand.serving { stand in
      _ = try await stand.get("/a")
      try await expectEqual(
        stand.ask("PUT /link", #"{"latency":20,"loss":0.01}"#).content,
        #"{"segment":2}"#
      )
      try await expectEqual(
        stand.ask("POST /rules", #"{"id":1,"fault":{"status":503}}"#).content,
        #"{"segment":3}"#
      )
      #expect(try await stand.get("/a").statusLine.contains(" 503 "))
      let text = try await stand.events(until: "event: segment", times: 3)
      #expect(text.contains(#""scenario":"calm (link changed)""#))
      #expect(text.contains(#""link":{"latency":20,"jitter":null,"loss":0.01,"down":null"#))
      #expect(text.contains(#""rules":["GET /a: status 503"]"#))
    }
  }

  @Test func `a rule is taken out by its number, in the segment that was looked at`() async throws {
    try await ConsoleStand.serving { stand in
      _ = try await stand.get("/a")
      for fault in [#"{"status":500}"#, #"{"status":503}"#] {
        _ = try await stand.ask("POST /rules", #"{"id":1,"fault":\#(fault)}"#)
      }
      let late = try await stand.ask("DELETE /rules/1?segment=2", type: nil)
      #expect(late.statusLine.contains(" 409 "))
      expectEqual(late.content, #"{"error":"Segment 2 has ended; change the rules of segment 3."}"#)
      let none = try await stand.ask("DELETE /rules/3?segment=3", type: nil)
      expectEqual(none.content, #"{"error":"Rule 3 does not exist; the scenario has 2."}"#)
      let gone = try await stand.ask("DELETE /rules/2?segment=3", type: nil)
      expectEqual(gone.content, #"{"segment":4}"#)
      #expect(try await stand.get("/a").statusLine.contains(" 503 "))
      try await expectEqual(stand.ask("DELETE /rules/1", type: nil).content, #"{"segment":5}"#)
      #expect(try await stand.get("/a").statusLine.contains(" 200 "))
      let text = try await stand.events(until: "event: segment", times: 5)
      #expect(text.contains(#""scenario":"calm (rules added) (rules removed)""#))
      for line in [
        "DELETE /rules/\(Int.min)", "GET /exchanges/\(Int.min)", "GET /exchanges/\(Int.max)",
      ] {
        #expect(try await stand.ask(line, type: nil).statusLine.contains(" 404 "))
      }
      let kept = try await stand.ask("POST /cassettes", #"{"ids":[\#(Int.min),\#(Int.max)]}"#)
      #expect(kept.statusLine.contains(" 4"))
      // Another page of the machine cannot.
      let foreign = try await stand.ask(
        "DELETE /rules/1",
        type: nil,
        fields: "Origin: http://127.0.0.1:1\r\n"
      )
      #expect(foreign.statusLine.contains(" 403 "))
    }
  }

  @Test func `an exchange is told in full, kept and sent again`() async throws {
    try await ConsoleStand.serving { stand in
      _ = try await stand.get("/a")
      let detail = try await stand.ask("GET /exchanges/1", type: nil).content
      #expect(detail.contains(#""line":"GET https://api.example.test/a HTTP/1.1""#))
      #expect(detail.contains(#""body":"hello","bodyBytes":5,"bodyKind":"text""#))
      #expect(detail.contains("is interaction #1, GET https://api.example.test/a."))
      #expect(detail.contains(#""scenario":"calm""#))
      let tape = try await stand.ask("POST /cassettes", #"{"ids":[1]}"#).content
      let kept = try Cassette(data: Data(tape.utf8), source: "kept")
      expectEqual(kept.interactions.map(\.response?.body.text), ["hello"])
      #expect(try await stand.ask("POST /exchanges/1/again", "{}").statusLine.contains(" 202 "))
      let text = try await stand.events(until: #""id":2,"#)
      #expect(text.contains(#""ordinal":2,"attempt":1"#))
    }
  }

  @Test(
    arguments: try TestData.rows("refused-by-console.json", count: 10)
      as [(String, String, String, String)]
  )
  func `what cannot be done is told in a sentence`(
    line: String,
    body: String,
    status: String,
    sentence: String
  ) async throws {
    try await ConsoleStand.serving { stand in
      _ = try await stand.get("/a")
      let answer = try await stand.ask(line, body)
      #expect(answer.statusLine.contains(" \(status) "), "\(answer)")
      #expect(answer.content.contains(sentence), "\(answer.content)")
      #expect(answer.contains("\r\nContent-Security-Policy: "))
    }
  }

  @Test func `a form of another page changes nothing`() async throws {
    try await ConsoleStand.serving { stand in
      let body = #"{"name":"rain"}"#
      for type in ["text/plain", "application/x-www-form-urlencoded", nil] {
        #expect(try await stand.ask("PUT /scenario", body, type: type).statusLine.contains(" 415 "))
      }
      let foreign = try await stand.ask(
        "PUT /scenario",
        body,
        fields: "Origin: http://evil.example\r\n"
      )
      #expect(foreign.statusLine.contains(" 403 "))
      try await expectEqual(stand.get("/a").content, "hello")
      let (bytes, _) = try await RawClient(.loopback(port: stand.port)).all(
        after: "GET /events HTTP/1.1\r\nHost: rebound.example\r\n\r\n"
      )
      let text = String(decoding: bytes, as: UTF8.self)
      #expect(text.statusLine.contains(" 403 ") && !text.contains("event:"))
    }
  }

  @Test func `a ninth page is told that there are eight`() async throws {
    try await ConsoleStand.serving { stand in
      var clients: [RawClient] = []
      for _ in 1...ConsolePort.readersMax {
        let client = try RawClient(.loopback(port: stand.port))
        await client.send("GET /events HTTP/1.1\r\nHost: localhost\r\n\r\n")
        _ = await client.receive(until: "event: segment")
        clients.append(client)
      }
      #expect(try await stand.events(until: "close one").statusLine.contains(" 503 "))
      for client in clients { client.close() }
      while stand.console.isWatched { await Task.yield() }
      #expect(try await stand.events(until: "event: segment").contains("event: hello"))
    }
  }

  @Test func `the end of the tool is told`() async throws {
    let reading = Locked<Task<String, any Error>?>(nil)
    try await ConsoleStand.serving { stand in
      reading.withLock { $0 = Task { try await stand.events(until: "event: end") } }
      while !stand.console.isWatched { await Task.yield() }
    }
    let text = try await reading.withLock { $0 }?.value
    expectEqual(text?.contains("event: end\ndata: {}\n\n"), true)
  }

  /// Values under names of secrets, in every place that a request has.
  @Test func `no byte of the port holds a secret`() async throws {
    let secrets = (1...40).map { "s3cr3t-\($0)-\(String($0 * 7919, radix: 36))zq" }
    func secret(_ number: Int) -> String { secrets[number - 1] }
    let fields = [
      "Authorization: Bearer \(secret(1))", "Cookie: session=\(secret(2)); sid=\(secret(3))",
      "X-Api-Key: \(secret(4))", "Proxy-Authorization: Basic \(secret(5))",
      "X-Auth-Token: \(secret(6))", "X-CSRF-Token: \(secret(7))",
      "X-Amz-Security-Token: \(secret(8))", "X-Access-Token: \(secret(37))",
      "X-Session-Token: \(secret(38))",
    ]
    let queries = [
      "access_token=\(secret(9))", "api_key=\(secret(10))", "password=\(secret(11))",
      "client_secret=\(secret(12))", "refresh_token=\(secret(13))", "id_token=\(secret(14))",
      "auth_token=\(secret(39))", "private_key=\(secret(40))",
    ]
    let members = [
      "password", "accessToken", "refreshToken", "clientSecret", "apiKey", "privateKey",
      "sessionToken", "authToken", "idToken", "secretKey",
    ]
    let json = members.enumerated().map { #""\#($1)":"\#(secret(15 + $0))""# }
    let forms = ["password", "client_secret", "refresh_token", "access_token", "api_key"]
    let form = forms.enumerated().map { "\($1)=\(secret(25 + $0))" }
    var answer = Response(
      headers: ["Content-Type": "application/json"],
      body: Body(#"{"access_token":"\#(secret(30))","refresh_token":"\#(secret(31))"}"#)
    )
    answer.head.headers["Set-Cookie"] = "session=\(secret(32)); Path=/"
    answer.head.headers["X-Auth-Token"] = secret(33)
    let tape = Cassette([
      Interaction(Request("POST", "https://api.example.test/login"), answer),
      Interaction(
        Request(
          "GET",
          RequestURL("https://u:\(secret(34))@api.example.test/near?api_key=\(secret(35))")
        ),
        Response(body: Body("near"))
      ),
    ])
    try await ConsoleStand.serving(tape) { stand in
      func send(_ line: String, _ more: [String], _ type: String, _ body: String) async throws {
        let all = (more + ["Content-Type: \(type)", "Content-Length: \(body.utf8.count)"])
          .map { "\($0)\r\n" }.joined()
        _ = try await stand.server.answer(
          to: "\(line) HTTP/1.1\r\nHost: 127.0.0.1\r\n\(all)Connection: close\r\n\r\n\(body)"
        )
      }
      let query = queries.joined(separator: "&")
      try await send("POST /login", fields, "application/json", "{\(json.joined(separator: ","))}")
      try await send(
        "POST /near?\(query)",
        fields,
        "application/x-www-form-urlencoded",
        form.joined(separator: "&")
      )
      try await send("GET /near?api_key=\(secret(36))", [], "text/plain", "")
      var bytes = try await stand.events(until: #""id":3,"#)
      for id in 1...3 { bytes += try await stand.ask("GET /exchanges/\(id)", type: nil) }
      bytes += try await stand.ask("GET /exchanges", type: nil)
      bytes += try await stand.ask("POST /cassettes", #"{"ids":[1,2,3]}"#)
      bytes += try await stand.ask("GET /scenario", type: nil)
      #expect(bytes.contains("/near?access_token="))
      for secret in secrets { #expect(!bytes.contains(secret), "\(secret)") }
    }
  }
}
