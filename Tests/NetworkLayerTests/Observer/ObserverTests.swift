import TestSupport
import WindTunnelTesting

@testable import WindTunnelNetworkLayer

@Suite struct ObserverTests {
  @Test(.cassette("observed")) func `a record tells a call in four parts`() async throws {
    let fixture = try Fixture(at: "/u/7")
    let asked = Endpoint(
      .post,
      "/u/7",
      template: "/u/{id}",
      headers: ["Idempotency-Key": "k"],
      body: .data(Data("b".utf8))
    )
    _ = await fixture.waited(1, for: asked)
    let record = try #require(fixture.observer.events.record())
    expectEqual(record.state, .answered)
    expectEqual(record.system, .init(engine: "ScriptedTransport", cache: nil, traceID: nil))
    expectEqual(
      record.request,
      .init(
        method: "POST",
        template: "/u/{id}",
        host: "api.example.test",
        priority: .standard,
        bytes: 1
      )
    )
    expectEqual(record.response, .init(status: 200, bytes: 4, source: .network, failure: nil))
    let (backoff, elapsed) = (Duration.milliseconds(200), Duration.milliseconds(200))
    expectEqual(record.counters, .init(attempts: 2, backoff: backoff, elapsed: elapsed))
  }

  @Test(.cassette("observed"))
  func `the states follow each other as the call does`() async throws {
    let fixture = try Fixture(at: "/busy")
    _ = await fixture.waited(1)
    let events = fixture.observer.events
    var states: [CallRecord.State] = []
    for count in 1...events.count {
      let state = try #require(Array(events.prefix(count)).record()?.state)
      if state != states.last { states.append(state) }
    }
    expectEqual(states, [.created, .running, .waiting, .running, .failed])
  }

  @Test(.cassette("observed"))
  func `an answer out of the cache and a call given up are told apart`() async throws {
    let fixture = try Fixture.cached(.recorded(), .recorded(takes: .seconds(9)), at: "/kept")
    await expectEqual(fixture.pages(2), ["kept network", "kept cache"])
    let call = fixture.start(Endpoint(.get, "/slow"))
    _ = await fixture.time.nextSleep()
    call.cancel()
    _ = await call.value
    let records = (1...3).map { fixture.observer.events.record(of: $0) }
    expectEqual(records.map(\.?.state), [.answered, .fromCache, .cancelled])
    expectEqual(records[1]?.system, .init(engine: nil, cache: .fresh, traceID: nil))
    expectEqual(records[2]?.response, .init(failure: .init(.cancelled)))
  }

  @Test(.cassette("observed"))
  func `all attempts of a call are one trace, each with a parent of its own`() async throws {
    let fixture = try Fixture(at: "/busy", draw: 0.5, sendsTraces: true)
    _ = await fixture.waited(1)
    let half = "8000000080000000"
    let sent = "00-\(half)\(half)-\(half)-01"
    expectEqual(fixture.sent("traceparent"), [sent, sent])
    expectEqual(fixture.observer.events.record()?.system.traceID, half + half)
    // All nought would be no identifier.
    let none = TraceContext { 0 }
    expectEqual(none.traceparent { 0 }, "00-00000000000000010000000000000001-0000000000000001-01")
    let most = TraceContext { 1 }
    expectEqual(most.traceID.count, 32)
  }

  @Test func `a line is written for each attempt and each call, without addresses`() async throws {
    let fixture = try Fixture([
      .symptom(.connectionLost, takes: .milliseconds(31)), .status(200, body: "ok"),
    ])
    let asked = Endpoint(.get, "/u/7", template: "/u/{id}", query: ["token": "hush-2"])
    _ = await fixture.waited(2, for: asked)
    let common = #""engine":"ScriptedTransport","environment":"production","event":"#
    let tail = #""host":"api.example.test","method":"GET","result":"#
    let end = #""template":"/u/{id}"}"# + "\n"
    var expected: [String] = []
    expected.append(#"{"attempt":1,"call":1,"elapsedMilliseconds":31,"#)
    expected[0] += "\(common)\"attempt\",\(tail)\"connectionLost\",\(end)"
    expected.append(#"{"attempt":2,"bytes":2,"call":1,"elapsedMilliseconds":231,"#)
    expected[1] += "\(common)\"attempt\",\(tail)\"answered\",\"status\":200,\(end)"
    expected.append(#"{"attempts":2,"bytes":2,"call":1,"elapsedMilliseconds":231,"#)
    expected[2] +=
      "\(common)\"call\",\(tail)\"answered\",\"source\":\"network\",\"status\":200,\(end)"
    expectEqual(fixture.observer.events.lines, expected)
  }

  @Test(.cassette("observed")) func `counters add up what many calls did`() async throws {
    let fixture = try Fixture(at: "/many")
    let counters = CallCounters()
    for _ in 0..<2 { _ = await fixture.start().value }
    _ = await fixture.waited(1)
    let both = Observers(counters, SilentObserver())
    for event in fixture.observer.events { both.observe(event) }
    let all = CallCounters.Group(calls: 3, failed: 1, attempts: 4)
    expectEqual(
      counters.counts,
      .init(
        calls: 3,
        ended: [.answered: 2, .failed: 1],
        attempts: 4,
        bytesReceived: 4,
        endpoints: ["/many": all],
        methods: ["GET": all],
        hosts: ["api.example.test": all],
        engines: ["ScriptedTransport": all],
        errors: ["server": 1]
      )
    )
  }

  @Test func `a journal keeps the latest, within its bounds`() async throws {
    let steps = (0..<20).map { ScriptedTransport.Step.status(200, body: "\($0)") }
    let fixture = try Fixture(steps)
    let journal = CallJournal(calls: 3, bytes: 5 * 1026, time: fixture.time)
    for number in 0..<20 { _ = await fixture.result(of: Endpoint(.get, "/\(number)")) }
    for event in fixture.observer.events { journal.observe(event) }
    expectEqual(journal.records.map(\.request.template), ["/17", "/18", "/19"])
    let paths = journal.entries.map { $0.request.url?.path ?? "" }
    expectEqual(paths, ["/15", "/16", "/17", "/18", "/19"])
    let last = ServerResponse(status: 200, body: Data("19".utf8))
    expectEqual(journal.entries.last?.outcome, .success(last))
    expectEqual(journal.entries.last?.date, ManualTime.epoch)
  }
}
