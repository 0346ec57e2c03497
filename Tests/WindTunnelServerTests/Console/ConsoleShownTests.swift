import TestSupport
@_spi(WindTunnel) import WindTunnelCore
import WindTunnelSymptoms

@testable import WindTunnel
@testable import WindTunnelServer

/// What a console shows and keeps of single exchanges.
@Suite(.timeLimit(.minutes(5))) struct ConsoleShownTests {
  private static let asked = Request("GET", "https://api.example.test/home?page=2")

  /// The exchanges behind one request with this answer.
  private static func exchanges(
    _ source: Outcome.Source,
    _ faults: [Fault] = [],
    undone: [UndoneFault] = []
  ) -> ConsoleFeed<ServedExchange> {
    let outcome = Outcome(
      id: 1,
      request: asked,
      source: source,
      decision: FaultDecision(lane: .deck, key: "GET /home", ordinal: 1, faults: faults)
    )
    var exchanges = ServedExchanges()
    exchanges.apply(.requestEnd(outcome, handshake: nil, upload: nil), at: .zero)
    if !undone.isEmpty { exchanges.apply(.undone(outcome, undone), at: .zero) }
    return exchanges.feed
  }

  @Test func `what is kept of an exchange is all that its recording has`() {
    var recorded = Interaction(
      Request("GET", "https://api.example.test/home"),
      .cut(
        Response(headers: ["Content-Type": "text/plain"], body: Body("hel")),
        Failure(.timedOut)
      ),
      timing: Timing(firstByte: .milliseconds(5), lastByte: .milliseconds(9))
    )
    recorded.messages = [
      WebSocketMessage(from: .server, Body("hello"), isText: true, offset: .zero)
    ]
    let kept = Self.exchanges(.recording(recorded, place: 0))[1]?.interaction
    recorded.request = Self.asked
    expectEqual(kept, recorded)
    let failed = Interaction(Self.asked, .failure(Failure(.connectionLost)))
    expectEqual(Self.exchanges(.recording(failed, place: 0))[1]?.interaction, failed)
  }

  private func response(of exchange: ServedExchange?) -> JSON? {
    exchange?.detail(in: nil).first { $0.name.value == "response" }?.value
  }

  @Test func `an answer that a fault kept back is not shown as the answer`() {
    let recorded = Interaction(Self.asked, Response(body: Body("hello")))
    let source = Outcome.Source.recording(recorded, place: 0)
    expectEqual(response(of: Self.exchanges(source)[1])?["line"], "HTTP/1.1 200")
    let delayed = Self.exchanges(source, [.delay(.exactly(.milliseconds(5)))])[1]
    expectEqual(response(of: delayed)?["body"], "hello")
    let refused = [Fault.status(503)]
    expectEqual(response(of: Self.exchanges(source, refused)[1]), .null)
    // One that was not done kept nothing back.
    let undone = [UndoneFault(.status(503), because: "there is no room")]
    expectEqual(response(of: Self.exchanges(source, refused, undone: undone)[1])?["body"], "hello")
    expectEqual(response(of: Self.exchanges(.computed(Response()), refused)[1]), .null)
  }

  @Test func `a tunnel that both ends closed has not failed`() {
    var exchanges = ServedExchanges()
    var end = TunnelEnd(
      scenario: "calm",
      authority: "api.example.test:443",
      connect: .milliseconds(2),
      bytesUp: 3,
      bytesDown: 4,
      duration: .milliseconds(9),
      reason: .closed
    )
    exchanges.apply(.tunnelEnded(end), at: .milliseconds(20))
    end.reason = .originReset
    exchanges.apply(.tunnelEnded(end), at: .milliseconds(30))
    let told = exchanges.feed.counters.json(at: .milliseconds(40))
    #expect(told["requests"] == 2 && told["answered"] == 1 && told["failed"] == 1)
    #expect(told["bytes"] == 8 && told["open"] == 0)
  }

  @Test func `a connection that failed is a line, and one that is late or a tunnel is none yet`() {
    var exchanges = ServedExchanges()
    func decide(_ id: Int, _ key: String, _ fault: ConnectionFault) {
      let decision = FaultDecision(lane: .deck, key: key, ordinal: 1, faults: [.connection(fault)])
      let entry = Journal.Record(id: id, decision: decision, take: .connection)
      exchanges.apply(.decided(entry), at: .milliseconds(id))
    }
    decide(1, FaultDecision.connectionKey, .refused)
    decide(2, FaultDecision.connectionKey, .lostSYNs(1))
    decide(3, "CONNECT api.example.test:443", .refused)
    let rows = exchanges.feed.subjects.map(\.row)
    #expect(rows.map(\.kind) == [.connection] && rows.map(\.at) == [.milliseconds(1)])
    let told = exchanges.feed.counters.json(at: .milliseconds(9))
    #expect(told["requests"] == 1 && told["failed"] == 1 && told["faulted"] == 1)
  }

  @Test func `the first byte comes no later than the last`() {
    var exchanges = ServedExchanges()
    let outcome = Outcome(
      id: 1,
      request: Self.asked,
      source: .computed(Response()),
      decision: FaultDecision(lane: .deck, key: "GET /home", ordinal: 1, faults: [])
    )
    exchanges.apply(.requestEnd(outcome, handshake: nil, upload: nil), at: .zero)
    exchanges.apply(.firstByte(outcome), at: .microseconds(200))
    let end = ExchangeEnd(status: 200, bytes: 0, latency: .microseconds(60), ending: .whole)
    exchanges.apply(.ended(outcome, end), at: .microseconds(300))
    let row = exchanges.feed[1]?.row
    #expect(row?.latency == .microseconds(60) && row?.firstByte == .microseconds(60))
  }

  @Test func `long addresses and fields count for the room that exchanges take`() {
    var exchanges = ServedExchanges()
    var request = Request("GET", RequestURL("/home?q=\(String(repeating: "x", count: 1 << 19))"))
    request.headers["X-Long"] = String(repeating: "y", count: 1 << 19)
    for id in 1...100 {
      let outcome = Outcome(
        id: id,
        request: request,
        source: .computed(Response()),
        decision: FaultDecision(lane: .deck, key: "GET /home", ordinal: id, faults: [])
      )
      exchanges.apply(.requestEnd(outcome, handshake: nil, upload: nil), at: .zero)
    }
    #expect(exchanges.feed.subjects.count < 64 && exchanges.feed.subjects.last?.id == 100)
  }

  @Test func `changes by hand leave a scenario that can be read, by a name that does not grow`()
    async throws
  {
    let stray = Jitter(.milliseconds(2), distribution: .normal)
    let way = Link.Direction(delay: .milliseconds(10), jitter: stray)
    let scenario = Scenario("rain", link: Link(up: way, down: way))
    try await ConsoleStand.serving(ConsoleStand.tape, scenario) { stand in
      _ = try await stand.get("/a")
      let refused = try await stand.ask("PUT /link", #"{"jitter":50}"#)
      #expect(refused.statusLine.contains(" 400 "))
      #expect(refused.content.contains("more than the delay of 10 ms"), "\(refused.content)")
      let before = try await stand.ask("GET /scenario", type: nil).content
      #expect(before.contains(#""name":"rain""#) && before.hasSuffix(#""segment":1}"#))
      for (line, body) in [
        ("PUT /link", #"{"jitter":4}"#), ("POST /rules", #"{"id":1,"fault":{"status":503}}"#),
        ("PUT /link", #"{"latency":40}"#), ("POST /rules", #"{"id":1,"fault":{"status":500}}"#),
      ] {
        #expect(try await stand.ask(line, body).statusLine.contains(" 200 "))
      }
      let told = try await stand.ask("GET /scenario", type: nil).content
      let json = try JSON(parsing: Data(told.utf8), source: "scenario")
      let data = Data((json["scenario"] ?? .null).bytes())
      let flown = try Scenario(data: data, source: "scenario")
      #expect(flown.name == "rain (link changed) (rules added)" && json["segment"] == 5)
      expectEqual(flown.link?.down.jitter, Jitter(.milliseconds(4), distribution: .normal))
      expectEqual(flown.link?.roundTrip, .milliseconds(40))
      expectEqual(flown.rules.map(\.faults), [[.status(500)], [.status(503)]])
    }
  }

  @Test func `the console shows neither secrets under custom names nor repetitions of secrets`()
    async throws
  {
    let secrets = (1...8).map { "qz\($0)v\(String($0 * 7919, radix: 36))hidden" }
    let token = "ghp_" + String(repeating: "aB3dE6", count: 6)
    let tape = Cassette([
      Interaction(
        Request("GET", RequestURL("https://api.example.test/near?shop=\(secrets[0])&page=1")),
        Response(body: Body("near"))
      )
    ])
    let rules = RedactionRules(names: ["shop"])
    try await ConsoleStand.serving(tape, redacting: rules) { stand in
      let fields = "Shop: \(secrets[1])\r\nX-Api-Key: \(secrets[2])\r\n"
      // Under a name of somebody's own; and a key and a bearer in places that name no secret.
      _ = try await stand.get("/near?shop=\(secrets[3])&page=2", fields: fields)
      _ = try await stand.get("/near/\(secrets[2])?page=2", fields: fields)
      _ = try await stand.get(
        "/far?q=\(secrets[4])",
        fields: "Authorization: Bearer \(secrets[4])\r\n"
      )
      _ = try await stand.get("/reset/\(token)/now")
      let body = "shop=\(secrets[5])"
      _ = try await stand.server.answer(
        to: "POST /form?shop=\(secrets[6]) HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n"
          + "Content-Type: application/x-www-form-urlencoded\r\n"
          + "Content-Length: \(body.utf8.count)\r\n\r\n\(body)"
      )
      for id in [2, 4] {
        let added = try await stand.ask("POST /rules", #"{"id":\#(id),"fault":{"status":503}}"#)
        #expect(added.statusLine.contains(" 200 "), "\(added)")
      }
      // The rules are for the requests nonetheless.
      for path in ["/near/\(secrets[2])", "/reset/\(token)/now"] {
        #expect(try await stand.get(path, fields: fields).statusLine.contains(" 503 "))
      }
      var bytes = try await stand.events(until: "event: counters")
      for id in 1...7 { bytes += try await stand.ask("GET /exchanges/\(id)", type: nil) }
      bytes += try await stand.ask("GET /exchanges", type: nil)
      bytes += try await stand.ask("POST /cassettes", #"{"ids":[1,2,3,4,5,6,7]}"#)
      bytes += try await stand.ask("GET /scenario", type: nil)
      #expect(bytes.contains("GET /near/*: status 503"))
      #expect(bytes.contains("GET /reset/*/now: status 503"))
      #expect(bytes.contains("/near?shop=REDACTED-shop-1&page=2"))
      for secret in secrets + [token] { #expect(!bytes.contains(secret), "\(secret)") }
    }
  }
}
