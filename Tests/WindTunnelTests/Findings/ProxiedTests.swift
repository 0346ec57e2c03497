import TestSupport
@_spi(WindTunnel) import WindTunnelCore
import WindTunnelReports
import WindTunnelSymptoms

/// The rules that can be decided from the exchanges of a proxy, by a deck's own decisions.
@Suite struct ProxiedTests {
  /// A proxy without a socket, whose clients ask at moments of a test's choosing.
  private final class Proxy: Sendable {
    private let log = Locked(ProxyLog())
    private let moment = Locked(Duration.zero)
    private let deck: Deck

    init(_ rules: String = "", tape: Cassette = Cassette()) throws {
      let text = #"{"windtunnelScenario":1,"name":"rain","rules":[\#(rules)]}"#
      deck = Deck(
        tape,
        scenario: try Scenario(data: Data(text.utf8), source: "rain"),
        options: PlaybackOptions(then: .repeat, isProxied: true),
        observe: { [log, moment] event in
          let now = moment.withLock { $0 }
          log.withLock { $0.apply(event, at: now) }
        }
      )
      log.withLock { $0.begin(Scenario("rain"), seed: 1) }
    }

    /// Asks at a moment, in milliseconds, and is answered some later; what a rule injects is what comes.
    @discardableResult
    func ask(
      _ method: String = "GET",
      _ url: String = "http://127.0.0.1:8000/home",
      at start: Int,
      for length: Int = 5,
      _ headers: HeaderFields = [:],
      body: String = "",
      by client: String = "10.0.0.7",
      status: Int = 200,
      ending: ExchangeEnd.Reason = .whole
    ) -> Outcome {
      moment.withLock { $0 = .milliseconds(start) }
      let request = Request(method, RequestURL(url), headers: headers, body: Body(body))
      var outcome = deck.decide(request, at: Date())
      outcome.client = client
      deck.requestEnded(outcome, handshake: nil, upload: nil)
      moment.withLock { $0 = .milliseconds(start + length) }
      let delivery = deck.delivery(of: outcome, on: .onTheWire)
      var head: ResponseHead?
      for case .head(let found) in delivery.steps { head = found }
      let isCut = outcome.decision.faults.contains { if case .cut = $0 { true } else { false } }
      deck.finished(
        outcome,
        ExchangeEnd(
          scenario: "rain",
          status: isCut ? nil : head?.status ?? status,
          bytes: 0,
          latency: .milliseconds(length),
          ending: isCut ? .cut : ending,
          retryAfter: head?.headers["Retry-After"],
          location: head?.headers["Location"]
        )
      )
      return outcome
    }

    /// Is seen to leave an answer that stands still.
    func leave(_ outcome: Outcome, at time: Int) {
      log.withLock { $0.apply(.left(outcome), at: .milliseconds(time)) }
    }

    var report: ProxyReport { ProxyReport(log.withLock { $0 }, seed: 1, duration: .seconds(9)) }

    /// The sentence of a finding with its weight and count; else the standing.
    func words(_ rule: String) throws -> String {
      let standing = report.scenarios[0].rules.first { $0.rule == rule }?.standing
      switch try #require(standing) {
      case .notMet: return "not met"
      case .passed(let count): return "kept by \(count)"
      case .broken(let finding):
        return "\(finding.severity): \(finding.seen) (\(finding.countDescription))"
      }
    }

    var broken: [String] { report.findings.map(\.finding.rule) }
  }

  private static let limited = #"{"faults":[{"status":429,"retryAfterSeconds":1}]}"#
  private static func always(_ status: Int) -> String { #"{"faults":[{"status":\#(status)}]}"# }

  @Test func `a retry before the end of Retry-After is a finding, and a later one keeps the rule`()
    throws
  {
    let hasty = try Proxy(Self.limited)
    hasty.ask(at: 0)
    hasty.ask(at: 105)
    try expectEqual(
      hasty.words("ignores-retry-after"),
      "warning: Asked by a 429 to wait 1 s, it tried again after 100 ms. (1 of 1 call)"
    )
    let patient = try Proxy(Self.limited)
    patient.ask(at: 0)
    patient.ask(at: 1010)
    try expectEqual(patient.words("ignores-retry-after"), "kept by 1")
    // A person who asks again is no program that does.
    let person = try Proxy(#"{"faults":[{"status":429,"retryAfterSeconds":60}]}"#)
    person.ask(at: 0)
    person.ask(at: 5000)
    try expectEqual(person.words("ignores-retry-after"), "not met")
    expectEqual(person.broken, [])
  }

  @Test func `a POST that may have been done and comes again is named; another content is another`()
    throws
  {
    let twice = try Proxy(Self.always(500))
    twice.ask("POST", at: 0, body: #"{"sum":1}"#)
    twice.ask("POST", at: 205, body: #"{"sum":1}"#)
    try expectEqual(
      twice.words("repeats-post"),
      "warning: After a 500 it sent POST http://127.0.0.1:8000/home again, 200 ms later. (1 of 1 call)"
    )
    let others = try Proxy(Self.always(500))
    others.ask("POST", at: 0, body: #"{"sum":1}"#)
    others.ask("POST", at: 205, body: #"{"sum":2}"#)
    try expectEqual(others.words("repeats-post"), "kept by 2")
    let keyed = try Proxy(Self.always(500))
    let key: HeaderFields = ["Idempotency-Key": "0d9f7a52-made-once"]
    keyed.ask("POST", at: 0, key, body: #"{"sum":1}"#)
    keyed.ask("POST", at: 205, key, body: #"{"sum":1}"#)
    try expectEqual(keyed.words("repeats-post"), "kept by 1")
    // Another device sends its own.
    let devices = try Proxy(Self.always(500))
    devices.ask("POST", at: 0, body: #"{"sum":1}"#)
    devices.ask("POST", at: 205, body: #"{"sum":1}"#, by: "10.0.0.8")
    try expectEqual(devices.words("repeats-post"), "kept by 2")
    // The origin's own failure is one, too.
    let live = try Proxy()
    live.ask("POST", at: 0, body: #"{"sum":1}"#, status: 500)
    live.ask("POST", at: 205, body: #"{"sum":1}"#, status: 500)
    #expect(try live.words("repeats-post").hasPrefix("warning: After a 500"))
    // A server that was not there has done nothing.
    let gone = try Proxy()
    for start in [0, 205] {
      gone.ask("POST", at: start, body: "{}", status: 502, ending: .failed(.connectionRefused))
    }
    try expectEqual(gone.words("repeats-post"), "not met")
  }

  @Test func `attempts without a pause or a bound are named, and those that back off are not`()
    throws
  {
    let hammer = try Proxy(Self.always(503))
    for call in 0..<2 { for place in 0..<12 { hammer.ask(at: call * 10_000 + place * 8) } }
    try expectEqual(
      hammer.words("no-back-off"),
      "warning: It tried 12 times and never waited more than 3.0 ms. (2 of 2 calls)"
    )
    try expectEqual(
      hammer.words("retries-without-bound"),
      "warning: It made 12 attempts for one call. (2 of 2 calls)"
    )
    let careful = try Proxy(Self.always(503))
    for call in 0..<2 {
      for start in [0, 205, 600, 1400] { careful.ask(at: call * 10_000 + start) }
    }
    try expectEqual(careful.words("no-back-off"), "kept by 2")
    try expectEqual(careful.words("retries-without-bound"), "kept by 2")
    expectEqual(careful.broken, [])
  }

  @Test
  func `retries of a permanent error are a finding if the scenario sent it, not the origin`()
    throws
  {
    let stubborn = try Proxy(Self.always(404))
    for start in [0, 105, 310] { stubborn.ask(at: start) }
    try expectEqual(
      stubborn.words("retries-permanent-error"),
      "warning: After 404 it sent the same request 2 more times. (1 of 1 call)"
    )
    let poll = try Proxy(#"{"faults":[{"delayMilliseconds":1}]}"#)
    for start in [0, 105, 310] { poll.ask(at: start, status: 404) }
    try expectEqual(poll.words("retries-permanent-error"), "not met")
    expectEqual(poll.broken, [])
  }

  @Test func `a refused credential that comes again is named; one that was renewed between is not`()
    throws
  {
    let token: HeaderFields = ["Authorization": "Bearer invented-token-1"]
    let stubborn = try Proxy(Self.always(401))
    for start in [0, 105, 310] { stubborn.ask(at: start, token) }
    try expectEqual(
      stubborn.words("repeats-refused-credential"),
      "warning: After 401 it sent the request 2 more times with the same credential. (1 of 1 call)"
    )
    let renewing = try Proxy(#"{"when":{"request":"GET /home"},"faults":[{"status":401}]}"#)
    for start in [0, 105, 310] {
      renewing.ask(at: start, token)
      renewing.ask("POST", "http://127.0.0.1:8000/login", at: start + 20)
    }
    try expectEqual(renewing.words("repeats-refused-credential"), "kept by 3")
  }

  @Test func `a secret in clear is named by its place and never shown; TLS and loopback are none`()
    throws
  {
    let proxy = try Proxy()
    let secrets: HeaderFields = [
      "Authorization": "Bearer invented-token-1", "X-Api-Key": "invented-key-2",
      "Cookie": "theme=dark-and-long; sessionid=invented-session-3",
    ]
    proxy.ask("GET", "http://api.example.com/me?access_token=invented-4", at: 0, secrets)
    try expectEqual(
      proxy.words("sends-secret-in-clear"),
      "error: It sent Authorization, X-Api-Key, a session's Cookie, access_token in its URL "
        + "by plain http. (1 of 1 call)"
    )
    let all =
      String(decoding: proxy.report.jsonData(), as: UTF8.self)
      + String(decoding: proxy.report.htmlData(), as: UTF8.self)
      + proxy.report.findingsText()
    #expect(all.contains("sends-secret-in-clear") && !all.contains("invented"))
    for url in ["https://api.example.com/me", "http://localhost/me", "http://[::1]:8000/me"] {
      let other = try Proxy()
      other.ask("GET", url, at: 0, secrets)
      try expectEqual(other.words("sends-secret-in-clear"), "not met", "\(url)")
    }
    let plain = try Proxy()
    plain.ask(
      "GET",
      "http://api.example.com/me?key=AIzaNotASecretHere",
      at: 0,
      ["Cookie": "theme=dark-and-long; csrftoken=invented-5", "Proxy-Authorization": "Basic x"]
    )
    try expectEqual(plain.words("sends-secret-in-clear"), "kept by 1")
  }

  @Test
  func `a secret of the client's own in a URL is named, and one that a server sent it to is not`()
    throws
  {
    let proxy = try Proxy()
    proxy.ask("GET", "https://api.example.com/me?page=1&apiKey=invented-4", at: 0)
    try expectEqual(
      proxy.words("puts-secret-in-url"),
      "warning: It added apiKey to the query of its URL. (1 of 1 call)"
    )
    let plain = try Proxy()
    plain.ask("GET", "https://api.example.com/me?page=1&sig=abcdef0123456789abcdef", at: 0)
    try expectEqual(plain.words("puts-secret-in-url"), "kept by 1")
  }

  @Test
  func `a redirect to another place is followed by its address, with the credential or without`()
    throws
  {
    let rule = #"{"when":{"request":"GET /home"},"faults":[{"answer":"redirectElsewhere"}]}"#
    for (isShown, words) in [
      (
        true,
        "error: It was redirected to another host, and sent its credential there. (1 of 1 call)"
      ),
      (false, "kept by 1"),
    ] {
      let proxy = try Proxy(rule)
      let token: HeaderFields = ["Authorization": "Bearer invented-token-1"]
      proxy.ask("GET", "http://127.0.0.1:8000/home", at: 0, token)
      proxy.ask("GET", "http://elsewhere.invalid/home", at: 30, isShown ? token : [:])
      try expectEqual(proxy.words("sends-credential-elsewhere"), words)
    }
  }

  @Test func `whoever follows a circle of redirects for ever is named`() throws {
    for (count, words) in [
      (60, "error: It followed 60 redirects, and would have continued. (1 of 1 call)"),
      (20, "kept by 1"),
    ] {
      let proxy = try Proxy(#"{"faults":[{"answer":"redirectLoop"}]}"#)
      for place in 0..<count { proxy.ask(at: place * 10) }
      try expectEqual(proxy.words("redirects-without-bound"), words)
    }
  }

  @Test(arguments: [590, 640])
  func `a repeated POST after a disconnect is found in any order of events`(left: Int) throws {
    let proxy = try Proxy(#"{"when":{},"faults":[{"stall":"afterRequest"}]}"#)
    let first = proxy.ask("POST", at: 0, for: 1, body: "{}")
    let second = proxy.ask("POST", at: 600, for: 1, body: "{}")
    proxy.leave(first, at: left)
    proxy.leave(second, at: 1200)
    #expect(try proxy.words("repeats-post").hasPrefix("warning: "))
  }

  @Test func `a screen that asks every two seconds is none that tries again`() throws {
    let calm = try Proxy()
    for place in 0..<30 { calm.ask(at: place * 2000) }
    expectEqual(calm.broken, [])
    // Nor when it fails now and then, or from some moment on.
    let pace = 1000
    let rough = try Proxy(#"{"when":{"every":3},"faults":[{"status":404}]}"#)
    for place in 0..<30 { rough.ask(at: place * pace) }
    expectEqual(rough.broken, [])
    let later = (3...30).map { #"{"when":{"attempt":\#($0)},"faults":[{"status":503}]}"# }
    let outage = try Proxy(later.joined(separator: ","))
    for place in 0..<30 { outage.ask("POST", at: place * pace, body: "{}") }
    expectEqual(outage.broken, [])
  }

  @Test func `one that asks as by a clock and never had an answer is no error`() throws {
    let proxy = try Proxy(Self.always(404))
    for place in 0..<20 { proxy.ask(at: place * 1000) }
    expectEqual(proxy.report.findings.map(\.finding.severity).max(), .warning)
  }

  @Test func `a person who asks again five seconds after an error is none that tries again`() throws
  {
    for method in ["GET", "POST"] {
      let proxy = try Proxy(Self.always(500))
      for place in 0..<4 { proxy.ask(method, at: place * 5005, body: method == "GET" ? "" : "{}") }
      expectEqual(proxy.broken, [], "\(method)")
    }
  }

  @Test func `two screens that ask for the same at once repeat nothing`() throws {
    let proxy = try Proxy(#"{"faults":[{"status":503,"retryAfterSeconds":1}]}"#)
    for call in 0..<20 { for _ in 0..<5 { proxy.ask(at: call * 5000, for: 40) } }
    expectEqual(proxy.broken, [])
  }

  @Test func `what a proxy cannot see is said to be that, for each such rule`() throws {
    let proxy = try Proxy()
    proxy.ask(at: 0)
    for standing in proxy.report.scenarios[0].rules {
      let rule = try #require(FindingRule.named(standing.rule))
      guard !rule.clients.contains(.proxied) else { continue }
      expectEqual(
        standing.standing,
        .notMet("A proxy cannot observe this: it sees requests, but not the result of a call."),
        "\(rule.id)"
      )
    }
    let flown = ClientRun(of: .library, on: .onTheWire, []).held()
    expectEqual(
      flown.first { $0.rule == "sends-secret-in-clear" }?.standing,
      .notMet("Only a proxy can observe this: a drill itself serves plain http.")
    )
  }

  @Test func `a finding stands in the JSON with its client, time and attempts, and on the page`()
    throws
  {
    let proxy = try Proxy(Self.always(500))
    proxy.ask("POST", at: 1000, body: "{}")
    proxy.ask("POST", at: 1205, body: "{}")
    let json = try JSON(parsing: proxy.report.jsonData(), source: "report")
    let finding = try #require(json["findings"]?.elements.first)
    expectEqual(finding["rule"]?.stringValue, "repeats-post")
    expectEqual(finding["client"]?.stringValue, "10.0.0.7")
    expectEqual(finding["startMilliseconds"], .number(1000))
    expectEqual(
      finding["steps"]?.elements.map { $0["words"]?.stringValue },
      [
        "POST http://127.0.0.1:8000/home → 500", "POST http://127.0.0.1:8000/home → 500",
        "no further attempt was seen",
      ]
    )
    let html = String(decoding: proxy.report.htmlData(), as: UTF8.self)
    let rule = try #require(FindingRule.named("repeats-post"))
    for text in [
      "Findings: 1 warning", rule.cost, "<ol class=\"line\">", "first by 10.0.0.7, 1000 ms",
    ] {
      #expect(html.contains(text), "\(text)")
    }
    #expect(!html.contains("--again"))
    let place = try #require(html.range(of: "id=\"findings\"")?.lowerBound)
    #expect(place < (try #require(html.range(of: "<h2>rain</h2>")?.lowerBound)))
    #expect(proxy.report.findingsText().hasPrefix("\nfindings: 1 warning; "))
    #expect(proxy.report.hasFindings(.warning) && !proxy.report.hasFindings(.error))
    let log = ProxyReport(ProxyLog(), seed: 1, duration: .zero)
    #expect(!log.hasFindings(.note) && log.findingsText() == "")
  }
}
