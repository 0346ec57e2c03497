import TestSupport
import WindTunnelReports

@Suite struct ProxyReportTests {
  private func request(
    _ url: RequestURL,
    _ milliseconds: Int,
    status: Int? = 200,
    ending: ExchangeEnd.Reason = .whole
  ) -> ExchangeEvent {
    .ended(
      Deck(Cassette()).decide(Request("GET", url)),
      ExchangeEnd(
        scenario: "rain",
        status: status,
        bytes: 10,
        latency: .milliseconds(milliseconds),
        ending: ending
      )
    )
  }

  private func tunnel(_ reason: TunnelEnd.Reason, connect: Duration?) -> ExchangeEvent {
    .tunnelEnded(
      TunnelEnd(
        scenario: "rain",
        authority: "api.example.com:443",
        connect: connect,
        bytesUp: 100,
        bytesDown: 2000,
        duration: .seconds(3),
        reason: reason
      )
    )
  }

  private var log: ProxyLog {
    var log = ProxyLog()
    log.begin(Scenario("calm"), seed: 1)
    log.begin(Scenario("rain"), seed: 1)
    log.begin(Scenario("calm"), seed: 1)
    log.apply(request("http://me:pw@a.example/x?token=hunter2", 10))
    log.apply(request("http://me:pw@a.example/x?token=hunter2", 30, status: 503))
    log.apply(request("http://a.example/x?token=other", 20))
    log.apply(request("http://a.example/y", 5, status: nil, ending: .cut))
    log.apply(tunnel(.closed, connect: .milliseconds(80)))
    log.apply(tunnel(.cut, connect: .milliseconds(90)))
    log.apply(tunnel(.refused(403), connect: nil))
    log.note(.blank, in: "rain")
    log.turnAway("192.168.1.9")
    return log
  }

  @Test func `requests are folded by address, repeats by the whole request`() throws {
    let report = ProxyReport(log, seed: 1, duration: .seconds(9))
    expectEqual(report.scenarios.map(\.name), ["calm", "rain"])
    let rain = try #require(report.scenarios.last)
    expectEqual(rain.requests.map(\.place), ["http://a.example/x", "http://a.example/y"])
    let first = try #require(rain.requests.first)
    #expect(first.count == 3 && first.repeats == 1 && first.failed == 1)
    expectEqual(first.statuses, [200: 2, 503: 1])
    #expect(first.p50 == .milliseconds(20) && first.p95 == .milliseconds(30))
    #expect(rain.total.count == 4 && rain.total.failed == 2 && rain.total.repeats == 1)
    expectEqual(rain.connections.map(\.isBroken), [false, true, true])
    #expect(rain.shown == 0 && rain.blank == 1)
    expectEqual(report.scenarios.first?.total.count, 0)
    expectNil(report.scenarios.first?.total.p95)
  }

  @Test func `each change of the scenario begins a segment with its hash and figures`() throws {
    let report = ProxyReport(log, seed: 1, duration: .seconds(9))
    expectEqual(report.segments.map(\.part.number), [1, 2, 3])
    expectEqual(report.segments.map(\.part.scenario), ["calm", "rain", "calm"])
    let hashes = report.segments.map(\.part.hash)
    #expect(hashes[0] == hashes[2] && hashes[0] != hashes[1] && hashes[0].count == 16)
    #expect(Scenario("calm").hash(seed: 2) != hashes[0])
    // All of them were decided behind the last change.
    expectEqual(report.segments.map(\.total.count), [0, 0, 4])
    let json = try JSON(parsing: report.jsonData(), source: "report")
    let segments = json["segments"]?.elements ?? []
    expectEqual(segments.map { $0["requests"] }, [.number(0), .number(0), .number(4)])
    expectEqual(segments.map { $0["hash"]?.stringValue }, hashes)
    expectEqual(segments.map { $0["seed"]?.intValue }, [1, 1, 1])
    // Each ends where the next begins, and the last one with the flight.
    let starts = segments.map { $0["startMilliseconds"]?.doubleValue }
    let ends = segments.map { $0["endMilliseconds"]?.doubleValue }
    expectEqual(ends, starts.dropFirst() + [9000])
    let html = String(decoding: report.htmlData(), as: UTF8.self)
    #expect(html.contains("The run by segments") && html.contains(hashes[1]))
  }

  @Test func `what could not be seen is said`() {
    expectEqual(
      ProxyReport(log, seed: 1, duration: .seconds(9)).unseen,
      [
        "Calls that the client served from a cache, or cancelled before sending.",
        "The content of 2 tunnels: requests, statuses and retries.",
        "Traffic that does not use the proxy, such as UDP and other apps' own routes.",
        "1 peers that were rejected: 192.168.1.9.",
      ]
    )
  }

  @Test func `neither page nor JSON shows queries and users, and names are no markup`() throws {
    var log = log
    log.begin(Scenario("<b>&"), seed: 1)
    log.note(.shown, in: "<b>&")
    let report = ProxyReport(log, seed: 1, duration: .seconds(9))
    let html = String(decoding: report.htmlData(), as: UTF8.self)
    let json = String(decoding: report.jsonData(), as: UTF8.self)
    for text in [html, json] {
      #expect(!text.contains("hunter2") && !text.contains("pw@"))
      #expect(text.contains("http://a.example/x"))
    }
    #expect(html.contains("&lt;b&gt;&amp;") && !html.contains("<b>&"))
    #expect(html.contains("broken by the network conditions") && html.contains("refused with 403"))
  }

  @Test func `the JSON report has a version, its observer, and null for unobserved values`() throws
  {
    let report = ProxyReport(log, seed: 1, duration: .seconds(9))
    let json = try JSON(parsing: report.jsonData(), source: "report")
    #expect(json["windtunnelReport"] == .number(1) && json["seenBy"]?.stringValue == "proxy")
    let scenarios = json["scenarios"]?.elements ?? []
    let connections = scenarios.last?["connections"]?.elements ?? []
    #expect(scenarios.count == 2 && scenarios.first?["p95Milliseconds"] == .null)
    expectEqual(connections.map { $0["connectMilliseconds"] }, [.number(80), .number(90), .null])
    expectEqual(connections.map { $0["broken"] }, [.bool(false), .bool(true), .bool(true)])
  }

  @Test func `beyond its bound a log counts`() {
    var log = ProxyLog()
    log.begin(Scenario("rain"), seed: 1)
    let event = request("http://a.example/", 1)
    for _ in 0..<ProxyLog.entriesMax + 2 { log.apply(event) }
    expectEqual(log.requests.count, ProxyLog.entriesMax)
    log.begin(Scenario("another"), seed: 1)
    let report = ProxyReport(log, seed: 1, duration: .zero)
    expectEqual(report.unseen.last, "2 requests and connections beyond the first 100000.")
  }
}
