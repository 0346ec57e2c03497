import Foundation
import TestSupport
import Testing
import WindTunnelSymptoms

@testable import WindTunnelNetworkLayer

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite struct CacheTests {
  let page = Endpoint(.get, "/page")

  func bodies(_ fixture: Fixture, _ count: Int) async -> [String] {
    await fixture.seen(Array(repeating: page, count: count)) { "\($0)" }
  }

  @Test func `a fresh answer is shown without asking, and a stale one is asked about`() async throws
  {
    let fixture = try Fixture.cached(
      .status(200, ["Cache-Control": "max-age=60", "ETag": "\"1\""], body: "one"),
      .status(304, ["Cache-Control": "max-age=30"]),
      .status(200, ["Cache-Control": "max-age=60"], body: "two")
    )
    await expectEqual(bodies(fixture, 2), ["one network", "one cache"])
    fixture.time.advance(by: .seconds(60))
    await expectEqual(bodies(fixture, 2), ["one revalidated", "one cache"])
    // The server's new word counts: 30 s.
    fixture.time.advance(by: .seconds(30))
    await expectEqual(bodies(fixture, 2), ["two network", "two cache"])
    expectEqual(fixture.sent("If-None-Match"), [nil, "\"1\"", "\"1\""])
  }

  @Test(
    arguments: [
      ["Cache-Control": "no-store, max-age=60"], [:], ["Cache-Control": "max-age=0"],
      ["Cache-Control": "max-age=soon"], ["Cache-Control": "max-age=60", "Age": "60"],
      ["Cache-Control": "max-age=60", "Vary": "*"], ["Cache-Control": "no-cache, max-age=60"],
      ["Expires": "0"], ["Expires": "Sun, 06 Nov 1994 08:49:37 GMT"],
    ] as [[String: String]]
  )
  func `what may not be shown without asking is asked for`(fields: [String: String]) async throws {
    let headers = Headers(fields.map { Headers.Field($0.key, $0.value) })
    let fixture = try Fixture.cached(.status(200, headers, body: "one"), .status(200, body: "two"))
    await expectEqual(bodies(fixture, 2), ["one network", "two network"])
  }

  @Test func `Expires counts from the server's own Date`() async throws {
    let headers: Headers = [
      "Date": "Sun, 06 Nov 1994 09:00:00 GMT", "Expires": "Sun, 06 Nov 1994 09:00:10 GMT",
    ]
    let fixture = try Fixture.cached(.status(200, headers, body: "one"), .status(200, body: "two"))
    await expectEqual(bodies(fixture, 1), ["one network"])
    fixture.time.advance(by: .seconds(9))
    await expectEqual(bodies(fixture, 1), ["one cache"])
    fixture.time.advance(by: .seconds(1))
    await expectEqual(bodies(fixture, 1), ["two network"])
  }

  @Test func `stale is shown and marked while a newer one is fetched, once`() async throws {
    let fixture = try Fixture.cached(
      .status(200, ["Cache-Control": "max-age=1, stale-while-revalidate=10"], body: "one"),
      .status(200, ["Cache-Control": "max-age=100"], body: "two", takes: .seconds(2))
    )
    try await fixture.client.runningErrands {
      await expectEqual(bodies(fixture, 1), ["one network"])
      fixture.time.advance(by: .seconds(2))
      await expectEqual(bodies(fixture, 3), ["one stale", "one stale", "one stale"])
      let isStale = try await fixture.client.call(page).isStale
      #expect(isStale)
      await expectEqual(fixture.time.passSleeps(1), [.seconds(2)])
      while fixture.client.shared.revalidations.count > 0 { await Task.yield() }
      await expectEqual(bodies(fixture, 1), ["two cache"])
      expectEqual(fixture.transport.instants.count, 2)
    }
  }

  @Test func `without anybody who would fetch a newer one the server is asked first`() async throws
  {
    let fixture = try Fixture.cached(
      .status(200, ["Cache-Control": "max-age=1, stale-while-revalidate=10"], body: "one"),
      .status(200, body: "two")
    )
    await expectEqual(bodies(fixture, 1), ["one network"])
    fixture.time.advance(by: .seconds(2))
    await expectEqual(bodies(fixture, 1), ["two network"])
  }

  @Test func `if the server fails what is there is shown, as long as that is granted`() async throws
  {
    let fixture = try Fixture.cached(
      .status(200, ["Cache-Control": "max-age=1, stale-if-error=10"], body: "one"),
      .symptom(.offline),
      .status(404),
      .symptom(.offline)
    )
    await expectEqual(bodies(fixture, 1), ["one network"])
    fixture.time.advance(by: .seconds(5))
    await expectEqual(bodies(fixture, 1), ["one stale"])
    await expectEqual(bodies(fixture, 1), ["The server answered with status 404 and 0 bytes."])
    fixture.time.advance(by: .seconds(6))
    await expectEqual(bodies(fixture, 1), ["There is no network: offline"])
  }

  @Test func `an app may be more generous than its server, except where that forbids it`()
    async throws
  {
    let generous = ResponseCache.Rules(staleIfError: .seconds(100))
    for (control, shown) in [("max-age=1", true), ("max-age=1, must-revalidate", false)] {
      let fixture = try Fixture(
        [.status(200, ["Cache-Control": control], body: "one"), .symptom(.offline)],
        cache: ResponseCache(rules: generous)
      )
      await expectEqual(bodies(fixture, 1), ["one network"])
      fixture.time.advance(by: .seconds(50))
      let then = await bodies(fixture, 1)
      expectEqual(then, [shown ? "one stale" : "There is no network: offline"])
    }
  }

  @Test func `a change removes what was kept, and so does clearing`() async throws {
    let good = ScriptedTransport.Step.status(200, ["Cache-Control": "max-age=60"], body: "one")
    let cache = ResponseCache()
    let fixture = try Fixture([good, .status(204), good, good], cache: cache)
    await expectEqual(bodies(fixture, 1), ["one network"])
    _ = await fixture.result(of: Endpoint(.put, "/page", body: .data(Data("x".utf8))))
    await expectEqual(bodies(fixture, 2), ["one network", "one cache"])
    cache.clear()
    expectEqual(cache.bytes, 0)
    await expectEqual(bodies(fixture, 1), ["one network"])
  }

  @Test func `what was asked for before a sign-out is not kept after it`() async throws {
    let cache = ResponseCache()
    let fixture = try HeldFixture(cache: cache)
    let call = await fixture.start(page)
    await expectEqual(fixture.transport.next(), "/page")
    cache.clear()
    fixture.transport.answer("/page", 200, ["Cache-Control": "max-age=60"], body: "hers")
    try await expectEqual(call.value.get().body, Data("hers".utf8))
    expectEqual(cache.bytes, 0)
  }

  @Test func `an answer is only for requests with the fields that it varies by`() async throws {
    let headers: Headers = ["Cache-Control": "max-age=60", "Vary": "Accept-Language"]
    let fixture = try Fixture.cached(
      .status(200, headers, body: "hallo"),
      .status(200, headers, body: "hello")
    )
    var languages: [String] = []
    for language in ["de", "de", "en", "en"] {
      let endpoint = Endpoint(.get, "/page", headers: ["Accept-Language": language])
      languages.append(
        String(decoding: try await fixture.client.call(endpoint).body, as: UTF8.self)
      )
    }
    expectEqual(languages, ["hallo", "hallo", "hello", "hello"])
    expectEqual(fixture.transport.instants.count, 2)
  }
}
