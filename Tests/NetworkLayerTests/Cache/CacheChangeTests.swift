import TestSupport
import WindTunnelTesting

@testable import WindTunnelNetworkLayer

/// What changes leave in the cache (RFC 9111 §4.4), whoever makes them and whatever is under way.
@Suite struct CacheChangeTests {
  /// Holds back what is read, or the first of it; all else is done at once.
  private struct SlowReads: Transport {
    let held = HeldTransport()
    var most = Int.max
    private let reads = Counter()

    init(most: Int = .max) { self.most = most }

    func send(_ request: URLRequest) async throws(TransportError) -> ServerResponse {
      guard request.httpMethod == "GET" else { return ServerResponse(status: 204) }
      if reads.next() <= most { return try await held.send(request) }
      return ServerResponse(status: 200, headers: fields, body: Data("new".utf8))
    }
  }

  private static let page = Endpoint(.get, "/page")
  private static let other = Endpoint(.get, "/other")
  private static let fields: Headers = ["Cache-Control": "max-age=60"]

  /// Reads two pages while one of them is changed, and tells where the next answers come from.
  private static func sources(
    _ change: (NetworkClient, ResponseCache) async throws -> Void
  ) async throws -> [CallResponse.Source] {
    let transport = SlowReads()
    let cache = ResponseCache()
    let client = NetworkClient(
      builder: RequestBuilder(baseURL: try Fixture.base()),
      transport: transport,
      cache: cache,
      time: ManualTime()
    )
    async let first = client.call(page)
    async let second = client.call(other)
    _ = await transport.held.next(2)
    try await change(client, cache)
    for endpoint in [page, other] { transport.held.answer(endpoint.path, 200, fields, body: "old") }
    try await expectEqual([first.body, second.body], [Data("old".utf8), Data("old".utf8)])
    var sources: [CallResponse.Source] = []
    for endpoint in [page, other] {
      async let next = client.call(endpoint)
      transport.held.answer(endpoint.path, 200, fields, body: "new")
      sources.append(try await next.source)
    }
    return sources
  }

  @Test func `a response to a request before a change is not stored after the change`() async throws
  {
    let sources = try await Self.sources { client, _ in
      _ = try await client.call(Endpoint(.put, "/page", body: .data(Data("new".utf8))))
    }
    expectEqual(sources, [.network, .cache])
  }

  @Test func `a response to a request before clearing is not stored after it`() async throws {
    let sources = try await Self.sources { _, cache in cache.clear() }
    expectEqual(sources, [.network, .network])
  }

  @Test func `of more changes than are remembered none is lost`() async throws {
    let sources = try await Self.sources { client, _ in
      for path in ["/page"] + (0..<1100).map({ "/item/\($0)" }) {
        _ = try await client.call(Endpoint(.delete, path))
      }
    }
    expectEqual(sources, [.network, .network])
  }

  @Test(.cassette("cache")) func `a read that begins after the change is kept`() async throws {
    let fixture = try Fixture.cached(at: "/minute")
    let calls = [Endpoint(.delete, "/minute"), fixture.page, fixture.page]
    await expectEqual(fixture.seen(calls), [" network", "one network", "one cache"])
  }

  enum Change: CaseIterable { case uncached, stream, download }

  @Test(.cassette("cache"), arguments: Change.allCases)
  func `a change counts, however its answer is taken`(change: Change) async throws {
    let fixture = try Fixture.cached(at: "/changed")
    await expectEqual(fixture.pages(), ["old network"])
    var put = Endpoint(.put, "/changed", body: .data(Data("new".utf8)))
    switch change {
    case .uncached:
      put.caching = .never
      try await expectEqual(fixture.client.call(put).body, Data("done".utf8))
    case .stream:
      let stream = try await fixture.client.stream(put)
      await expectEqual(fixture.pages(), ["new network"])
      return try await expectEqual(stream.content, Data("done".utf8))
    case .download:
      let file = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
      defer { try? FileManager.default.removeItem(at: file) }
      try await expectEqual(fixture.client.download(put, to: file).status, 200)
      try expectEqual(Data(contentsOf: file), Data("done".utf8))
    }
    await expectEqual(fixture.pages(), ["new network"])
  }

  @Test(arguments: [true, false])
  func `a call after a change does not share a response from before the change`(
    hasCache: Bool
  ) async throws {
    let transport = SlowReads(most: 1)
    let client = NetworkClient(
      builder: RequestBuilder(baseURL: try Fixture.base()),
      transport: transport,
      cache: hasCache ? ResponseCache() : nil,
      time: ManualTime()
    )
    let later = Endpoint(.get, "/page", priority: .deferrable)
    async let before = client.call(later)
    _ = await transport.held.next()
    _ = try await client.call(Endpoint(.put, "/page", body: .data(Data("new".utf8))))
    async let after = client.call(later)
    try await expectEqual(after.body, Data("new".utf8))
    transport.held.answer("/page", 200, Self.fields, body: "old")
    try await expectEqual(before.body, Data("old".utf8))
    try await expectEqual(client.call(later).body, Data("new".utf8))
  }

  @Test(.cassette("cache"))
  func `a change counts, whatever rules make of its answer`() async throws {
    let fixture = try Fixture.cached(at: "/elsewhere")
    await expectEqual(fixture.pages(), ["old network"])
    await expectEqual(fixture.seen([Endpoint(.put, "/elsewhere", rules: .json())]), ["server"])
    await expectEqual(fixture.pages(), ["new network"])
  }

  @Test func `nothing from before a change comes back from the disk`() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    defer { try? FileManager.default.removeItem(at: folder) }
    let disk = try DiskStore(directory: folder)
    let cache = ResponseCache(disk: disk)
    let request = URLRequest(url: try Fixture.base())
    let answer = CallResponse(status: 200, headers: Self.fields, body: Data("old".utf8))
    let kept = try #require(CachedResponse(answer, to: request, at: Date()))
    var change = request
    change.httpMethod = "PUT"
    let generation = cache.generation(of: request)
    cache.invalidate(change)
    cache.keep(kept, generation: generation)
    expectEqual(disk.bytes, 0)
    cache.keep(kept, generation: cache.generation(of: request))
    #expect(disk.bytes > 0)
    // One whose turn comes after the change is not written.
    disk.keep(kept) { false }
    cache.clear()
    expectEqual(disk.bytes, 0)
    if case .nothing = cache.find(request, nil, at: Date()) {
    } else {
      Issue.record("It is still there.")
    }
  }

  @Test(.cassette("cache"))
  func `a change that the server did not make leaves what is there`() async throws {
    let fixture = try Fixture.cached(at: "/refusing")
    await expectEqual(fixture.pages(), ["one network"])
    await expectEqual(
      fixture.result(of: Endpoint(.put, "/refusing", caching: .never)),
      .failure(.server(status: 409, body: Data()))
    )
    await expectEqual(fixture.pages(), ["one cache"])
  }

  /// A captive portal answers in place of the server that cannot be had.
  @Test(.cassette("cache"))
  func `a stale copy is returned if a captive portal responds instead of the server`() async throws
  {
    let page = Endpoint(.get, "/portal", rules: .json())
    let fixture = try Fixture.cached(at: "/portal")
    await expectEqual(fixture.seen([page]), ["{} network"])
    let answer = try await fixture.client.call(page)
    expectEqual(answer.body, Data("{}".utf8))
    expectEqual(answer.source, .stale)
    expectEqual(
      answer.standsInFor,
      .decode(.contentType("text/html", expected: ["application/json"]))
    )
  }
}
