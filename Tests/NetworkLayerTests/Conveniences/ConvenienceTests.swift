import TestSupport
import WindTunnelTesting

@testable import WindTunnelNetworkLayer

@Suite struct ConvenienceTests {
  struct Page: Decodable, Equatable {
    var items: [Int]
    var next: String?
  }

  @Test(.cassette("pages")) func `a cursor leads from page to page`() async throws {
    let client = try Fixture(at: "/list").client
    let list = Endpoint(.get, "/list", query: ["size": "2"])
    let pages = Pages<Page>.byCursor(client, list, .json()) { $0.next }
    var items: [Int] = []
    for try await page in pages { items += page.items }
    // Nobody asks for a page that is not wanted.
    for try await page in pages {
      expectEqual(page, Page(items: [1, 2], next: "a b"))
      break
    }
    expectEqual(
      Deck.current.requests().map { "\($0.url)".split(separator: "?").last ?? "" },
      ["size=2", "size=2&cursor=a%20b", "size=2"]
    )
    let preview = ClosureClient { endpoint throws(NetworkError) in
      let json = endpoint.query == nil ? #"{"items":[4],"next":"b"}"# : #"{"items":[5]}"#
      return CallResponse(status: 200, body: Data(json.utf8))
    }
    let previews = Pages<Page>.byCursor(preview, Endpoint(.get, "/list"), .json()) { $0.next }
    for try await page in previews { items += page.items }
    expectEqual(items, [1, 2, 3, 4, 5])
  }

  @Test(.cassette("pages"))
  func `an offset grows by what a page holds, for each who reads`() async throws {
    let client = try Fixture(at: "/list").client
    let pages = Pages<Page>.byOffset(client, Endpoint(.get, "/list"), .json()) { $0.items.count }
    for _ in 0..<2 {
      var items: [Int] = []
      for try await page in pages { items += page.items }
      expectEqual(items, [1, 2, 3])
    }
  }

  @Test(.cassette("pages")) func `a failure ends the pages`() async throws {
    let client = try Fixture(at: "/list").client
    var pages = Pages<Page>.byCursor(client, Endpoint(.get, "/list"), .json()) { $0.next }
      .makeAsyncIterator()
    let first = try await pages.next()
    expectEqual(first?.items, [1])
    do {
      _ = try await pages.next()
      Issue.record("a page that is not there")
    } catch { expectEqual(error, .server(status: 404, body: Data())) }
    let last = try await pages.next()
    expectNil(last)
  }

  @Test(.cassette("pages"))
  func `several calls come back in order, or with the first failure`() async throws {
    let client = try Fixture(at: "/a").client
    let (a, b, c) = (Endpoint(.get, "/a"), Endpoint(.get, "/b"), Endpoint(.get, "/c"))
    try await expectEqual(
      client.all([b, a, b]).map(\.body),
      ["2", "1", "2"].map { Data($0.utf8) }
    )
    await #expect(throws: NetworkError.server(status: 404, body: Data())) {
      try await client.all([a, c, b])
    }
    let results = await client.results(of: [c, a])
    expectEqual(
      results,
      [
        .failure(.server(status: 404, body: Data())),
        .success(CallResponse(status: 200, body: Data("1".utf8))),
      ]
    )
  }

  @Test func `the first failure cancels the others`() async throws {
    let fixture = try HeldFixture()
    let all = Task { try await fixture.client.all([Endpoint(.get, "/a"), Endpoint(.get, "/b")]) }
    _ = await fixture.transport.next(2)
    fixture.transport.answer("/b", 404)
    await #expect(throws: NetworkError.server(status: 404, body: Data())) { try await all.value }
    expectEqual(fixture.transport.holding, 0)
  }

  @Test func `a suspended client starts nothing, and goes on in order`() async throws {
    // One at a time, so that the order is seen.
    let fixture = try HeldFixture(
      AdmissionController.Rules(caps: TrafficCaps(total: 1, reserved: 0))
    )
    fixture.client.admission.suspend()
    let first = await fixture.start(Endpoint(.get, "/a"))
    let second = await fixture.start(Endpoint(.get, "/b", priority: .critical))
    #expect(fixture.client.admission.load == (0, 2))
    fixture.client.admission.resume()
    for path in ["/b", "/a"] {
      await expectEqual(fixture.transport.next(1), [path])
      fixture.transport.answer(path)
    }
    for call in [first, second] { _ = try await call.value.get() }
  }
}
