import TestSupport

@testable import WindTunnel
@testable import WindTunnelServer

/// The answers of the admin port, out of what they are made of.
@Suite struct AdminAnswerTests {
  static let home = Interaction(
    Request("GET", "https://api.example.test/home"),
    Response(body: Body("hello"))
  )

  static let shipped = [.calm, Scenario("rain", rules: [.on("GET /home", .always, .status(429))])]
  private static let start = Date(timeIntervalSinceReferenceDate: 0)

  /// A deck that three requests have asked.
  @Sendable static func deck() -> Deck {
    let rain: Scenario = [.on("GET /home", .attempt(2), .status(503))]
    let deck = Deck(Cassette([home]), scenario: rain, seed: 3, then: .repeat)
    let end = ExchangeEnd(status: 200, bytes: 5, latency: .microseconds(1250), ending: .whole)
    for (path, offset) in [("/home", 0.01), ("/home", 0.02), ("/away", 0.03)] {
      let request = Request("GET", RequestURL("https://api.example.test\(path)"))
      let outcome = deck.decide(request, at: start + offset)
      if outcome.id == 1 { deck.finished(outcome, end) }
    }
    return deck
  }

  /// A deck of more requests than are kept.
  @Sendable static func full() -> Deck {
    let deck = Deck(Cassette([home]), then: .repeat)
    for _ in 0...ExchangeRecords.entriesMax { deck.finished(deck.decide(home.request)) }
    return deck
  }

  static func ask(
    _ method: String,
    _ target: String,
    _ body: String = "",
    headers: HeaderFields = ["Host": "127.0.0.1:8081"],
    of deck: Deck = deck()
  ) -> Response {
    let open = ConnectionLimit()
    _ = (open.enter(), open.enter())
    var admin = Admin()
    admin.scenarios = shipped
    admin.refusal = { $0.hasConnectionFaults ? "Not here." : nil }
    let uptime: @Sendable () -> Duration = { .milliseconds(1500) }
    let port = AdminHandler(admin, deck, open, start: start, uptime: uptime) { _, _ in }
    let request = Request(method, RequestURL(target), headers: headers, body: Body(body))
    return port.answer(request)
  }

  /// What a request to the port may change.
  private static func state(_ deck: Deck) -> [AnyHashable] {
    let requests = deck.exchanges?.entries.map(\.id)
    return [deck.scenario, deck.seed, deck.interactions, deck.stubs, requests]
  }

  static func text(_ method: String, _ target: String, _ body: String = "") -> String {
    let response = ask(method, target, body)
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
    let answer = Self.ask("GET", "/metrics")
    expectEqual(answer.headers["Content-Type"], "text/plain; version=0.0.4")
    expectEqual(answer.body.text, TestData.text("metrics.txt"))
  }

  @Test func `a scenario is asked for by name or brought along`() {
    let (rain, deck) = (Self.shipped[1], Self.deck())
    let named = Self.ask("PUT", "/scenario", #"{"name":"rain","seed":7}"#, of: deck)
    expectEqual(
      named.body.text,
      #"{"seed": 7, "shipped": ["calm", "rain"], "scenario": {"windtunnelScenario": 1, "#
        + #""name": "rain", "rules": [{"when": {"request": "GET /home"}, "#
        + #""faults": [{"status": 429}]}]}}"# + "\n"
    )
    #expect(deck.scenario == rain && deck.seed == 7)
    let other = Self.deck()
    _ = Self.ask("PUT", "/scenario", String(decoding: rain.data(), as: UTF8.self), of: other)
    #expect(other.scenario == rain && other.seed == 3)
  }

  @Test func `a reset is done, and has nothing to say`() {
    let deck = Self.deck()
    expectEqual(Self.ask("POST", "/reset", of: deck), Response(status: 204))
    expectEqual(deck.exchanges?.entries.count, 0)
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
    let deck = Self.deck()
    let before = Self.state(deck)
    let answer = Self.ask(method, target, body, of: deck)
    expectEqual(answer.status, 400)
    expectEqual(Self.state(deck), before)
    let text = try #require(answer.body.text)
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
    expectEqual(Self.ask("DELETE", "/scenario").headers["Allow"], "GET, PUT, HEAD, OPTIONS")
    let options = Self.ask("OPTIONS", "/verify")
    #expect(options.status == 204 && options.headers["Allow"] == "POST, OPTIONS")
    expectEqual(Self.ask("OPTIONS", "/away").status, 404)
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
    let deck = Self.deck()
    expectEqual(Self.ask("POST", "/reset", headers: headers, of: deck).status, status)
    expectEqual(deck.exchanges?.entries.isEmpty, status == 204)
  }

  @Test func `a whole URL prevails over the Host field`() {
    let deck = Self.deck()
    let answer = Self.ask("POST", "http://rebound.example.test:8081/reset", of: deck)
    #expect(answer.status == 403 && deck.exchanges?.entries.count == 3)
    expectEqual(Self.ask("POST", "http://localhost:8081/reset").status, 204)
  }

  @Test func `a count of what has gone is not given`() {
    let answer = Self.ask("POST", "/verify", #"{"request":"GET /"}"#, of: Self.full())
    expectEqual(answer.status, 409)
    expectEqual(answer.body.text?.contains("are no longer stored"), true)
  }
}
