import TestSupport

@testable import WindTunnel
@testable import WindTunnelServer

/// A tape and stubs that are changed over the admin port while a server plays.
@Suite(.timeLimit(.minutes(5))) struct AdminStubTests {
  private static let get = closing("GET /a")
  private static let tea =
    #"{"request":"GET /a","response":{"status":418,"headers":[["X-Kind","stub"]],"text":"tea"}}"#

  @Test func `a stub answers before the tape until it is taken away`() async throws {
    let deck = Deck(AdminServerTests.tape, matcher: .pathAndQuery, then: .repeat)
    try await ReplayServer.serving(deck, AdminServerTests.options()) { server in
      // One connection, whose answers are held ready by then.
      let client = try server.client()
      let ask = "GET /a HTTP/1.1\r\nHost: x\r\n\r\n"
      for _ in 1...3 {
        await client.send(ask)
        let answer = await client.receive(atLeast: "HTTP/1.1 200 OK".utf8.count)
        #expect(String(decoding: answer, as: UTF8.self).hasPrefix("HTTP/1.1 200"))
      }
      let put = try await AdminServerTests.ask(server, "PUT /stubs/tea%20time", Self.tea)
      expectEqual(put.statusLine, "HTTP/1.1 204 No Content")
      await client.send(ask)
      let tea = await client.receive(atLeast: "HTTP/1.1 418".utf8.count)
      #expect(String(decoding: tea, as: UTF8.self).hasPrefix("HTTP/1.1 418"))
      let list = try await AdminServerTests.ask(server, "GET /stubs").content
      expectEqual(
        list,
        #"{"stubs": [{"name": "tea time", "request": "GET /a", "status": 418}]}"# + "\n"
      )
      let gone = try await AdminServerTests.ask(server, "DELETE /stubs/tea%20time")
      expectEqual(gone.statusLine, "HTTP/1.1 204 No Content")
      await client.send(ask)
      let calm = await client.receive(atLeast: "HTTP/1.1 200 OK".utf8.count)
      #expect(String(decoding: calm, as: UTF8.self).hasPrefix("HTTP/1.1 200"))
      client.close()
      let told = try await AdminServerTests.ask(server, "GET /requests?source=computed").content
      expectEqual(told.count(of: #""status": 418"#), 1, "\(told)")
    }
  }

  @Test func `the stub that was put last answers, and a scenario acts on it`() async throws {
    let deck = Deck(
      AdminServerTests.tape,
      scenario: [.on("GET /a", .attempt(3), .status(503))],
      matcher: .pathAndQuery,
      then: .repeat
    )
    deck.put(NamedStub("any", "GET /**", .text(Body("any"))))
    deck.put(NamedStub("one", "GET /a", .text(Body("one"))))
    try await ReplayServer.serving(deck, AdminServerTests.options()) { server async throws in
      try await expectEqual(server.answer(to: Self.get).content, "one")
      deck.put(NamedStub("any", "GET /**", .text(Body("again"))))
      try await expectEqual(server.answer(to: Self.get).content, "again")
      #expect(try await server.answer(to: Self.get).statusLine.contains(" 503 "))
      deck.removeStubs()
      try await expectEqual(server.answer(to: Self.get).content, "hello")
      expectEqual(deck.stubs, [])
    }
  }

  @Test func `no request meets the old tape without its stubs`() async {
    var other = AdminServerTests.tape
    // Its index takes a while.
    other.interactions = (0..<2000).map { number in
      Interaction(
        Request("GET", RequestURL("https://api.example.test/\(number == 0 ? "a" : "\(number)")")),
        Response(body: Body("another"))
      )
    }
    for _ in 0..<20 {
      let deck = Deck(AdminServerTests.tape, matcher: .pathAndQuery, then: .repeat)
      deck.put(NamedStub("one", "GET /a", .text(Body("one"))))
      let asking = Task.detached {
        var seen: Set<String> = []
        while !seen.contains("another") {
          let outcome = deck.decide(Request("GET", "https://api.example.test/a"))
          switch outcome.source {
          case .recording(let interaction, _): seen.insert(interaction.response?.body.text ?? "")
          case .computed(let response): seen.insert(response.body.text ?? "")
          case .forward, .unmatched: seen.insert("none")
          }
        }
        return seen
      }
      deck.load(other, keepingStubs: false)
      #expect(await asking.value.isSubset(of: ["one", "another"]))
    }
  }

  @Test func `another tape begins at its head, and without stubs`() async throws {
    let deck = Deck(AdminServerTests.tape, matcher: .pathAndQuery)
    try await ReplayServer.serving(deck, AdminServerTests.options()) { server in
      try await expectEqual(server.answer(to: Self.get).content, "hello")
      #expect(deck.put(NamedStub("one", "GET /a", .text(Body("one")))))
      var other = AdminServerTests.tape
      other.interactions[0] = Interaction(
        Request("GET", "https://api.example.test/a"),
        Response(body: Body("another"))
      )
      let text = String(decoding: other.data(), as: UTF8.self)
      let loaded = try await AdminServerTests.ask(server, "PUT /cassette", text)
      expectEqual(loaded.content, #"{"interactions": 1}"# + "\n")
      try await expectEqual(server.answer(to: Self.get).content, "another")
      let plays = try await AdminServerTests.ask(server, "GET /interactions").content
      #expect(plays.contains(#""plays": 1"#), "\(plays)")
      // What is no cassette changes nothing.
      let bad = try await AdminServerTests.ask(server, "PUT /cassette", "{}")
      expectEqual(bad.statusLine, "HTTP/1.1 400 Bad Request")
      expectEqual(deck.interactions, other.interactions)
    }
  }

  @Test func `a deck takes a thousand stubs`() {
    let deck = Deck(Cassette())
    for number in 1...NamedStub.countMax {
      #expect(deck.put(NamedStub("\(number)", RequestPattern("GET /\(number)"), Response())))
    }
    #expect(!deck.put(NamedStub("more", "GET /more", Response())))
    #expect(deck.put(NamedStub("1", "GET /other", Response())))
    #expect(deck.stubs.count == NamedStub.countMax && deck.stubs.last?.name == "1")
    #expect(deck.removeStub(named: "2") && !deck.removeStub(named: "2"))
  }
}
