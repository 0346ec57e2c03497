import TestSupport

@testable import WindTunnel
@testable import WindTunnelServer

/// The answers of the admin port, out of what they are made of.
@Suite struct AdminAnswerTests {
  static let home = Interaction(
    Request("GET", "https://api.example.test/home"),
    Response(body: Body("hello"))
  )

  static func snapshot() -> AdminSnapshot {
    let rain: Scenario = [.on("GET /home", .attempt(2), .status(503))]
    let deck = Deck(Cassette([home]), scenario: rain, then: .repeat)
    var server = AdminSnapshot(interactions: deck.interactions, scenario: deck.scenario, seed: 3)
    server.shipped = [.calm, Scenario("rain", rules: [.on("GET /home", .always, .status(429))])]
    server.uptime = .milliseconds(1500)
    server.openConnections = 2
    let end = ExchangeEnd(status: 200, bytes: 5, latency: .microseconds(1250), ending: .whole)
    server.start = Date(timeIntervalSinceReferenceDate: 0)
    for (path, offset) in [("/home", 0.01), ("/home", 0.02), ("/away", 0.03)] {
      let request = Request("GET", RequestURL("https://api.example.test\(path)"))
      let outcome = deck.decide(request, at: server.start + offset)
      if outcome.id == 1 { deck.finished(outcome, end) }
    }
    server.records = deck.exchanges ?? ExchangeRecords()
    return server
  }

  /// More requests than are kept.
  static var full: ExchangeRecords {
    let deck = Deck(Cassette([home]), then: .repeat)
    for _ in 0...ExchangeRecords.entriesMax { deck.finished(deck.decide(home.request)) }
    return deck.exchanges ?? ExchangeRecords()
  }

  static func ask(
    _ method: String,
    _ target: String,
    _ body: String = "",
    headers: HeaderFields = ["Host": "127.0.0.1:8081"]
  ) -> AdminAnswer {
    AdminAnswer(
      to: Request(method, RequestURL(target), headers: headers, body: Body(body)),
      seeing: snapshot(),
      refusing: { $0.hasConnectionFaults ? "Not here." : nil }
    )
  }

  static func text(_ method: String, _ target: String, _ body: String = "") -> String {
    let response = ask(method, target, body).response
    return "\(response.status) \(response.body.text ?? "")"
  }

  @Test func `health says how it is`() {
    expectEqual(
      Self.text("GET", "/health"),
      #"200 {"status": "ok", "scenario": "plan", "interactions": 1, "uptimeSeconds": 1.5}"#
        + "\n"
    )
  }

  @Test func `requests are told with what became of them`() {
    let first =
      #"{"id": 1, "atMilliseconds": 10, "method": "GET", "url": "https://api.example.test/home", "#
      + #""source": "recording", "interaction": 1, "ordinal": 1, "faults": [], "status": 200, "#
      + #""bytes": 5, "latencyMilliseconds": 1.25, "ending": "whole", "headers": [], "body": null, "#
      + #""bodyBytes": 0}"#
    let second =
      #"{"id": 2, "atMilliseconds": 20, "method": "GET", "url": "https://api.example.test/home", "#
      + #""source": "withheld", "interaction": 1, "ordinal": 2, "faults": [{"status": 503}], "#
      + #""status": null, "bytes": null, "latencyMilliseconds": null, "ending": null, "#
      + #""headers": [], "body": null, "bodyBytes": 0}"#
    func answer(_ requests: String, next: Int) -> String {
      #"200 {"requests": [\#(requests)], "dropped": 0, "next": \#(next)}"# + "\n"
    }
    expectEqual(Self.text("GET", "/requests?path=/home"), answer("\(first), \(second)", next: 3))
    expectEqual(Self.text("GET", "/requests?source=withheld"), answer(second, next: 3))
    expectEqual(Self.text("GET", "/requests?limit=1"), answer(first, next: 1))
    expectEqual(Self.text("GET", "/requests?since=3"), answer("", next: 3))
  }

  @Test func `interactions are told with their plays`() {
    expectEqual(
      Self.text("GET", "/interactions"),
      #"200 {"interactions": [{"number": 1, "request": "GET https://api.example.test/home", "#
        + #""status": 200, "plays": 1}]}"# + "\n"
    )
  }

  @Test func `metrics are text that Prometheus reads`() {
    let answer = Self.ask("GET", "/metrics").response
    expectEqual(answer.headers["Content-Type"], "text/plain; version=0.0.4")
    expectEqual(answer.body.text, TestData.text("metrics.txt"))
  }

  @Test func `a scenario is asked for by name or brought along`() {
    let named = Self.ask("PUT", "/scenario", #"{"name":"rain","seed":7}"#)
    let rain = Self.snapshot().shipped[1]
    expectEqual(
      named.response.body.text,
      #"{"seed": 7, "shipped": ["calm", "rain"], "scenario": {"windtunnelScenario": 1, "#
        + #""name": "rain", "rules": [{"when": {"request": "GET /home"}, "#
        + #""faults": [{"status": 429}]}]}}"# + "\n"
    )
    guard case .run(let order)? = named.change else { return #expect(Bool(false), "no change") }
    #expect(order.scenario == rain && order.seed == 7)
    let whole = Self.ask("PUT", "/scenario", String(decoding: rain.data(), as: UTF8.self))
    guard case .run(let own)? = whole.change else { return #expect(Bool(false), "no change") }
    #expect(own.scenario == rain && own.seed == nil)
  }

  @Test func `a reset is done, and has nothing to say`() {
    let answer = Self.ask("POST", "/reset")
    expectEqual(answer.change, .reset)
    expectEqual(answer.response, Response(status: 204))
  }

  @Test(
    arguments: try TestData.rows("refused-by-admin.json", count: 11)
      as [(String, String, String, String)]
  )
  func `what makes no sense is refused in words, and changes nothing`(
    method: String,
    target: String,
    body: String,
    words: String
  ) throws {
    let answer = Self.ask(method, target, body)
    expectEqual(answer.response.status, 400)
    expectNil(answer.change)
    let text = try #require(answer.response.body.text)
    let sentence = try JSON(parsing: Data(text.utf8), source: "answer")["error"]?.stringValue ?? ""
    #expect(
      sentence.contains(words.replacing("\\\"", with: "\"")) && [".", "?"].contains(sentence.last),
      "\(sentence)"
    )
  }

  @Test func `other ways and places are named`() {
    expectEqual(
      Self.text("DELETE", "/scenario"),
      #"405 {"error": "/scenario accepts GET or PUT, not DELETE."}"# + "\n"
    )
    expectEqual(
      Self.ask("DELETE", "/scenario").response.headers["Allow"],
      "GET, PUT, HEAD, OPTIONS"
    )
    let options = Self.ask("OPTIONS", "/verify")
    #expect(options.response.status == 204 && options.response.headers["Allow"] == "POST, OPTIONS")
    expectEqual(Self.ask("OPTIONS", "/away").response.status, 404)
    #expect(Self.text("GET", "/away").hasPrefix(#"404 {"error": "Unknown path /away."#))
  }

  @Test(
    arguments: [
      (["Host": "127.0.0.1:1"], 204), (["Host": "LOCALHOST:1"], 204), (["Host": "[::1]"], 204),
      (["Host": "rebound.example.test:1"], 403), ([:], 403), (["Host": "127.0.0.1.example"], 403),
      (["Host": "10.0.0.1"], 403),
      (["Host": "127.0.0.1", "Origin": "https://evil.example.test"], 403),
      (["Host": "127.0.0.1", "Origin": "null"], 403),
      (["Host": "127.0.0.1:1", "Origin": "http://localhost:3000"], 403),
      (["Host": "127.0.0.1:1", "Origin": "http://127.0.0.1:2"], 403),
      (["Host": "127.0.0.1:1", "Origin": "HTTP://127.0.0.1:1"], 204),
    ] as [(HeaderFields, Int)]
  )
  func `only this machine is answered`(headers: HeaderFields, status: Int) {
    let answer = Self.ask("POST", "/reset", headers: headers)
    expectEqual(answer.response.status, status)
    expectEqual((answer.change == nil), (status == 403))
  }

  @Test func `a whole URL prevails over the Host field`() {
    let answer = Self.ask("POST", "http://rebound.example.test:8081/reset")
    #expect(answer.response.status == 403 && answer.change == nil)
    expectEqual(Self.ask("POST", "http://localhost:8081/reset").response.status, 204)
  }

  @Test func `a count of what has gone is not given`() {
    var server = Self.snapshot()
    server.records = Self.full
    let question = Request(
      "POST",
      "/verify",
      headers: ["Host": "localhost"],
      body: Body(#"{"request":"GET /"}"#)
    )
    let answer = AdminAnswer(to: question, seeing: server)
    expectEqual(answer.response.status, 409)
    expectEqual(answer.response.body.text?.contains("are no longer stored"), true)
  }
}
