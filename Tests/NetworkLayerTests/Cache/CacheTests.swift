import TestSupport
import WindTunnelTesting

@testable import WindTunnelNetworkLayer

@Suite(.cassette("cache")) struct CacheTests {
  @Test func `a fresh answer is shown without asking, and a stale one is asked about`() async throws
  {
    let fixture = try Fixture.cached(
      .recorded(),
      .recorded(),
      .status(200, ["Cache-Control": "max-age=60"], body: "two"),
      at: "/tagged"
    )
    await expectEqual(fixture.pages(2), ["one network", "one cache"])
    fixture.time.advance(by: .seconds(60))
    await expectEqual(fixture.pages(2), ["one revalidated", "one cache"])
    // The server's new word counts: 30 s.
    fixture.time.advance(by: .seconds(30))
    await expectEqual(fixture.pages(2), ["two network", "two cache"])
    expectEqual(fixture.sent("If-None-Match"), [nil, "\"1\"", "\"1\""])
  }

  @Test(arguments: [
    "no-store", "no-field", "no-time", "no-number", "too-old", "any-request", "no-cache",
    "no-date", "past",
  ])
  func `a response that requires validation is requested again`(fields: String) async throws {
    let fixture = try Fixture.cached(at: "/unfresh/\(fields)")
    await expectEqual(fixture.pages(2), ["one network", "two network"])
  }

  @Test func `Expires counts from the server's own Date`() async throws {
    let fixture = try Fixture.cached(at: "/expires")
    await expectEqual(fixture.pages(), ["one network"])
    fixture.time.advance(by: .seconds(9))
    await expectEqual(fixture.pages(), ["one cache"])
    fixture.time.advance(by: .seconds(1))
    await expectEqual(fixture.pages(), ["two network"])
  }

  @Test func `stale is shown and marked while a newer one is fetched, once`() async throws {
    let fixture = try Fixture.cached(.recorded(), .recorded(takes: .seconds(2)), at: "/renewed")
    try await fixture.client.runningErrands {
      await expectEqual(fixture.pages(), ["one network"])
      fixture.time.advance(by: .seconds(2))
      await expectEqual(fixture.pages(3), ["one stale", "one stale", "one stale"])
      let isStale = try await fixture.client.call(fixture.page).isStale
      #expect(isStale)
      await expectEqual(fixture.time.passSleeps(1), [.seconds(2)])
      while fixture.client.shared.revalidations.count > 0 { await Task.yield() }
      await expectEqual(fixture.pages(), ["two cache"])
      expectEqual(fixture.transport.instants.count, 2)
    }
  }

  @Test func `without a background runner, a stale response is renewed before it is returned`()
    async throws
  {
    let fixture = try Fixture.cached(at: "/renewed")
    await expectEqual(fixture.pages(), ["one network"])
    fixture.time.advance(by: .seconds(2))
    await expectEqual(fixture.pages(), ["two network"])
  }

  @Test func `if the server fails what is there is shown, as long as that is granted`() async throws
  {
    let fixture = try Fixture.cached(
      .recorded(),
      .symptom(.offline),
      .recorded(),
      .symptom(.offline),
      at: "/offline"
    )
    await expectEqual(fixture.pages(), ["one network"])
    fixture.time.advance(by: .seconds(5))
    await expectEqual(fixture.pages(), ["one stale"])
    await expectEqual(fixture.pages(), ["The server responded with status 404 and 0 bytes."])
    fixture.time.advance(by: .seconds(6))
    await expectEqual(fixture.pages(), ["There is no network: offline"])
  }

  @Test func `an app may be more generous than its server, except where that forbids it`()
    async throws
  {
    let generous = ResponseCache.Rules(staleIfError: .seconds(100))
    for (path, then) in [("", "one stale"), ("/forbidden", "There is no network: offline")] {
      let cache = ResponseCache(rules: generous)
      let fixture = try Fixture(
        [.recorded(), .symptom(.offline)],
        at: "/generous\(path)",
        cache: cache
      )
      await expectEqual(fixture.pages(), ["one network"])
      fixture.time.advance(by: .seconds(50))
      await expectEqual(fixture.pages(), [then])
    }
  }

  @Test func `a change removes what was kept, and so does clearing`() async throws {
    let cache = ResponseCache()
    let fixture = try Fixture(at: "/minute", cache: cache)
    await expectEqual(fixture.pages(), ["one network"])
    let put = Endpoint(.put, "/minute", body: .data(Data("x".utf8)))
    await expectEqual(fixture.seen([put]), [" network"])
    await expectEqual(fixture.pages(2), ["one network", "one cache"])
    cache.clear()
    expectEqual(cache.bytes, 0)
    await expectEqual(fixture.pages(), ["one network"])
  }

  @Test func `a response to a request before a sign-out is not stored after it`() async throws {
    let cache = ResponseCache()
    let fixture = try Fixture([.recorded(takes: .seconds(1))], at: "/minute", cache: cache)
    let call = fixture.start()
    await expectEqual(fixture.time.nextSleep(), .seconds(1))
    cache.clear()
    fixture.time.advance(by: .seconds(1))
    try await expectEqual(call.value.get().body, Data("one".utf8))
    expectEqual(cache.bytes, 0)
  }

  @Test func `an answer is only for requests with the fields that it varies by`() async throws {
    let fixture = try Fixture.cached(at: "/languages")
    let calls = ["de", "de", "en", "en"].map {
      Endpoint(.get, "/languages", headers: ["Accept-Language": $0])
    }
    await expectEqual(
      fixture.seen(calls),
      ["hallo network", "hallo cache", "hello network", "hello cache"]
    )
    expectEqual(fixture.transport.instants.count, 2)
  }
}
