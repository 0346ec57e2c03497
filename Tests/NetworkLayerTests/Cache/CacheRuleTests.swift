import TestSupport
import WindTunnelTesting

@testable import WindTunnelNetworkLayer

/// The rules of the cache that an answer meets seldom.
@Suite struct CacheRuleTests {
  @Test(
    .cassette("cache"),
    arguments: [
      // No other status than a 200 is kept.
      ("201", "network"), ("203", "network"), ("204", "network"), ("206", "network"),
      ("301", "network"), ("304", "network"),
      // Of two lifetimes the shorter one counts, and max-age goes before Expires.
      ("shorter-last", "network"), ("shorter-first", "network"), ("expired", "cache"),
      // A field that neither request has is the same in both.
      ("varies", "cache"),
    ]
  )
  func `an answer is kept as its status and its fields say`(path: String, source: String)
    async throws
  {
    let fixture = try Fixture.cached(at: "/kept/\(path)")
    // No answer of these statuses has content.
    let body = ["204", "304"].contains(path) ? "" : "one"
    await expectEqual(fixture.pages(2), ["\(body) network", "\(body) \(source)"])
    expectEqual(fixture.transport.instants.count, source == "cache" ? 1 : 2)
  }

  @Test(
    .cassette("cache"),
    arguments: [
      "If-None-Match", "If-Modified-Since", "If-Match", "If-Unmodified-Since", "If-Range", "Range",
    ]
  )
  func `partial and conditional requests are neither served from the cache nor stored`(
    field: String
  ) async throws {
    let fixture = try Fixture.cached(at: "/minute")
    let special = Endpoint(.get, "/minute", headers: Headers([Headers.Field(field, "x")]))
    await expectEqual(
      fixture.seen([special, fixture.page, special, fixture.page]),
      ["one network", "one network", "one network", "one cache"]
    )
  }

  @Test(arguments: [
    (-5.0, "0", -60.0), (0, "0", -60), (5, "0", -55), (5, "9", -46), (5, "-9", -55),
  ])
  func `no answer is younger than new, whatever the clocks say`(
    passed: TimeInterval,
    age: String,
    staleness: TimeInterval
  ) {
    let kept = CachedResponse(
      key: "k",
      date: ManualTime.epoch,
      varied: [:],
      status: 200,
      headers: ["Cache-Control": "max-age=60", "Age": age],
      body: Data()
    )
    expectEqual(kept.staleness(at: ManualTime.epoch + passed, nil), staleness)
    let times = CacheTimes(fresh: .seconds(60))
    expectEqual(kept.staleness(at: ManualTime.epoch + passed, times), max(0, passed) - 60)
  }

  @Test(.cassette("cache"))
  func `a revalidated response is checked with its stored content`() async throws {
    let fixture = try Fixture.cached(at: "/confirmed")
    let json = Endpoint(.get, "/confirmed", rules: .json(requiring: "id"))
    await expectEqual(
      fixture.seen([json, json]),
      [#"{"id":1} network"#, #"{"id":1} revalidated"#]
    )
  }

  @Test(.cassette("cache"))
  func `a configuration keeps an endpoint out of the cache by no time at all`() async throws {
    let terms = ["/minute": EndpointTerms(freshSeconds: 0)]
    let fixture = try Fixture.cached(at: "/minute", endpoints: terms)
    await expectEqual(fixture.pages(2), ["one network", "one network"])
    expectEqual(fixture.client.cache?.bytes, 0)
  }

  @Test(.cassette("cache"))
  func `an endpoint has its own lifetime, cache first and stale grant`() async throws {
    // A server without Cache-Control, which is down in the end.
    let times = CacheTimes(
      fresh: .seconds(60),
      staleWhileRevalidate: .zero,
      staleIfError: .seconds(60)
    )
    let fixture = try Fixture.cached(at: "/down")
    var timed = fixture.page
    timed.caching = .kept(times)
    timed.mostRetries = 0
    await expectEqual(fixture.seen([timed, timed]), ["one network", "one cache"])
    fixture.time.advance(by: .seconds(60))
    await expectEqual(fixture.seen([timed]), ["two network"])
    // Another endpoint of that server has none of it.
    let other = Endpoint(.get, "/other", mostRetries: 0)
    await expectEqual(fixture.seen([other]), ["server"])
    fixture.time.advance(by: .seconds(119))
    await expectEqual(fixture.seen([timed]), ["two stale"])
    fixture.time.advance(by: .seconds(1))
    await expectEqual(fixture.seen([timed]), ["server"])
    // Cache first: what there is, however old, and a newer one behind.
    let first = try Fixture.cached(at: "/up")
    await first.client.runningErrands {
      var kept = first.page
      kept.caching = .kept(.cacheFirst)
      await expectEqual(first.seen([kept]), ["one network"])
      for shown in ["one stale", "two stale"] {
        first.time.advance(by: .seconds(365 * 86_400))
        await expectEqual(first.seen([kept]), [shown])
        while first.client.shared.revalidations.count > 0 { await Task.yield() }
      }
      expectEqual(first.transport.instants.count, 3)
    }
  }

  @Test(.cassette("cache")) func `without a tag the server is asked by the date`() async throws {
    let fixture = try Fixture.cached(at: "/modified")
    await expectEqual(fixture.pages(2), ["one network", "one revalidated"])
    expectEqual(fixture.sent("If-Modified-Since"), [nil, "Sat, 05 Nov 1994 08:49:37 GMT"])
  }

  @Test func `a confirmation brings new fields, but none of its own content`() async throws {
    let fixture = try Fixture.cached(
      .status(
        200,
        ["ETag": "\"1\"", "Age": "5", "Content-Length": "3", "X": "old", "Y": "kept"],
        body: "one"
      ),
      .status(
        304,
        [
          "Cache-Control": "max-age=10", "Content-Length": "0", "Content-Encoding": "gzip",
          "Content-Range": "bytes 0-0/1", "Transfer-Encoding": "chunked", "x": "new",
        ]
      )
    )
    await expectEqual(fixture.pages(2), ["one network", "one revalidated"])
    // The age is that of the answer, not of its confirmation: all of the ten seconds are left.
    fixture.time.advance(by: .seconds(9))
    let answer = try await fixture.client.call(fixture.page)
    expectEqual(answer.source, .cache)
    expectEqual(
      answer.headers,
      [
        "ETag": "\"1\"", "Content-Length": "3", "Y": "kept", "Cache-Control": "max-age=10",
        "x": "new",
      ]
    )
    expectEqual(fixture.transport.instants.count, 2)
  }

  @Test(.cassette("cache"))
  func `a server that wants fewer requests is absent, too`() async throws {
    let fixture = try Fixture.cached(at: "/limited")
    await expectEqual(fixture.pages(), ["one network"])
    fixture.time.advance(by: .seconds(2))
    await expectEqual(fixture.pages(), ["one stale"])
  }

  @Test(.cassette("cache"))
  func `while a host is left alone what is stale is shown`() async throws {
    let rules = AdmissionController.Rules(breaker: BreakerRules(window: 1))
    let fixture = try Fixture.cached(at: "/limited", rules: rules)
    await expectEqual(fixture.pages(), ["one network"])
    fixture.time.advance(by: .seconds(2))
    let late = Endpoint(.get, "/late", mostRetries: 0)
    await expectEqual(fixture.seen([late, fixture.page]), ["timedOut", "one stale"])
    expectEqual(fixture.transport.instants.count, 2)
  }

  @Test(.cassette("cache"))
  func `the time in which stale is shown first has an end`() async throws {
    let fixture = try Fixture.cached(at: "/renewed")
    await fixture.client.runningErrands {
      await expectEqual(fixture.pages(), ["one network"])
      fixture.time.advance(by: .seconds(11))
      await expectEqual(fixture.pages(), ["two network"])
    }
  }

  @Test(.cassette("cache"), arguments: [(10, 100), (100, 10)])
  func `of the server's grace and the app's the longer one counts`(
    server: Int,
    app: Int
  ) async throws {
    let cache = ResponseCache(rules: .init(staleIfError: .seconds(app)))
    let fixture = try Fixture(
      [.recorded(), .symptom(.offline), .symptom(.offline)],
      at: "/grace/\(server)",
      cache: cache
    )
    await expectEqual(fixture.pages(), ["one network"])
    fixture.time.advance(by: .seconds(100))
    await expectEqual(fixture.pages(), ["one stale"])
    fixture.time.advance(by: .seconds(1))
    await expectEqual(fixture.pages(), ["There is no network: offline"])
  }

  @Test(
    .cassette("cache"),
    arguments: [
      (.head, " network"), (.options, " network"), (.trace, " network"),
      (.delete, "The server responded with status 409 and 0 bytes."),
    ] as [(HTTPMethod, String)]
  )
  func `what changes nothing and a change that is refused remove nothing`(
    method: HTTPMethod,
    shown: String
  ) async throws {
    let fixture = try Fixture.cached(at: "/refusing")
    let calls = [fixture.page, Endpoint(method, "/refusing"), fixture.page]
    await expectEqual(fixture.seen(calls) { "\($0)" }, ["one network", shown, "one cache"])
  }

  @Test(.cassette("cache"), arguments: [false, true])
  func `a removed response is also removed from disk`(clears: Bool) async throws {
    let folder = DiskStoreTests.Folder()
    let cache = ResponseCache(disk: try DiskStore(directory: folder.url))
    let fixture = try Fixture(at: "/minute", cache: cache)
    await expectEqual(fixture.pages(), ["one network"])
    try expectEqual(folder.names.count, 1)
    if clears { cache.clear() } else { _ = await fixture.seen([Endpoint(.delete, "/minute")]) }
    try expectEqual(folder.names, [])
  }

  @Test(.cassette("cache"))
  func `an endpoint without caching sends each call`() async throws {
    let fixture = try Fixture.cached(at: "/minute")
    let never = Endpoint(.get, "/minute", caching: .never)
    await expectEqual(fixture.seen([never, never]), ["one network", "one network"])
    expectEqual(fixture.client.cache?.bytes, 0)
  }

  @Test(.cassette("cache"), arguments: ["no-cache", "must-revalidate"])
  func `a response that requires revalidation is no update before it`(
    control: String
  ) async throws {
    let fixture = try Fixture.cached(at: "/asked/\(control)")
    await expectEqual(fixture.pages(), ["one network"])
    fixture.time.advance(by: .seconds(2))
    var sources: [CallResponse.Source] = []
    for try await answer in fixture.client.updates(of: fixture.page) {
      sources.append(answer.source)
    }
    expectEqual(sources, [.revalidated])
  }

  @Test(.cassette("cache"))
  func `a newer answer is fetched behind when nothing more urgent is`() async throws {
    // Of those who wait it says what it says, and of nobody else.
    let terms = ["/renewed": EndpointTerms(priority: .critical)]
    let fixture = try Fixture.cached(at: "/renewed", endpoints: terms)
    await fixture.client.runningErrands {
      await expectEqual(fixture.pages(), ["one network"])
      fixture.time.advance(by: .seconds(2))
      await expectEqual(fixture.pages(), ["one stale"])
      while fixture.client.shared.revalidations.count > 0 { await Task.yield() }
      let priorities = fixture.observer.events.compactMap { event -> CallPriority? in
        if case .callStarted(let endpoint) = event.kind { endpoint.priority } else { nil }
      }
      expectEqual(priorities, [.critical, .critical, .deferrable])
    }
  }

  @Test func `on disk what was used last stays, too`() throws {
    let folder = DiskStoreTests.Folder()
    let store = try DiskStore(directory: folder.url, bytes: 10_000)
    for number in 0..<20 {
      store.keep(DiskStoreTests.answer("\(number)", Data(count: 1_000)))
      _ = store["0"]
    }
    #expect(store["0"] != nil)
    expectNil(store["1"])
    // One that fills all the room would drive out everything for itself.
    store.keep(DiskStoreTests.answer("huge", Data(count: 9_000)))
    expectNil(store["huge"])
    #expect(store["0"] != nil)
  }

  @Test func `at a start what was written first goes first`() throws {
    let folder = DiskStoreTests.Folder()
    let keys = (0..<4).map { "\($0)" }
    var files: Set<URL> = []
    for (place, key) in keys.enumerated() {
      try DiskStore(directory: folder.url).keep(DiskStoreTests.answer(key, Data(count: 1_000)))
      let all = Set(try folder.names.map { folder.url.appendingPathComponent($0) })
      let new = try #require(all.subtracting(files).first)
      files = all
      let date = ManualTime.epoch.addingTimeInterval(Double(place))
      try FileManager.default.setAttributes([.modificationDate: date], ofItemAtPath: new.path)
    }
    let bytes = try DiskStore(directory: folder.url).bytes
    let store = try DiskStore(directory: folder.url, bytes: bytes / 2)
    expectEqual(keys.filter { store[$0] != nil }, ["2", "3"])
  }
}
