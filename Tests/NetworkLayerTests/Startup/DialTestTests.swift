import Origins
import TestSupport
import WindTunnel
import WindTunnelServer

@testable import WindTunnelNetworkLayer
@testable import WindTunnelNetworkLayerOffline

/// A time that a closure tells; nobody sleeps in it.
private struct MovedTime: TimeSource {
  let now: @Sendable () -> Duration

  init(_ now: @escaping @Sendable () -> Duration) { self.now = now }

  var uptime: Duration { now() }
  var date: Date { ManualTime.epoch }
  // Nothing is late in it: who waits is cancelled.
  func sleep(for duration: Duration) async throws(CancellationError) {
    do { try await Task.sleep(for: .seconds(3600)) } catch { throw CancellationError() }
  }
}

/// Which of several servers is chosen, and what that costs them.
@Suite struct DialTestTests {
  static let data = Data((0..<(16 << 10)).map { UInt8(truncatingIfNeeded: $0 &* 7) })

  /// A server that counts what it is asked.
  struct Origin {
    let server: ReplayServer
    let url: URL
    let requests: RequestCount

    init(_ data: Data = DialTestTests.data, status: Int = 200, slowedBy delay: Duration? = nil)
      async throws
    {
      let requests = RequestCount()
      let deck = Deck(
        [
          .get("/v1/probe") { _ in
            requests.add()
            return Response(
              status: status,
              headers: ["Content-Length": "\(data.count)"],
              body: Body(data)
            )
          }
        ],
        scenario: delay.map { delay in
          Scenario("slow", rules: [.on("GET /v1/probe", .always, .delay(.exactly(delay)))])
        } ?? .calm
      )
      server = try await ReplayServer(deck, .patient)
      url = try #require(URL(string: server.url + "/v1"))
      self.requests = requests
    }
  }

  static func test(
    _ candidates: [URL],
    samples: Int = 3,
    budget: Duration = .seconds(60),
    margin: Double = 0.25,
    patience: Duration = .seconds(60),
    _ memory: DialMemory? = nil
  ) -> DialTest {
    DialTest(
      candidates: candidates,
      path: "/probe",
      expecting: data,
      samples: samples,
      budget: budget,
      margin: margin,
      patience: patience,
      remembering: memory
    )
  }

  /// The URL of a port that nobody listens at.
  static func dead() throws -> URL {
    let origin = try ByteOrigin([:])
    origin.stop()
    return try #require(URL(string: origin.url + "/v1"))
  }

  @Test func `if the nearest server is dead the next is used, and each has its number of probes`()
    async throws
  {
    let (dead, near, slow) = (
      try Self.dead(), try await Origin(), try await Origin(slowedBy: .seconds(3))
    )
    let admission = AdmissionController(
      .init(breaker: BreakerRules(window: 1, share: 1, pause: .seconds(3600)))
    )
    let record = await Self.test([dead, near.url, slow.url], samples: 1).run(
      on: "wifi",
      feeding: admission
    )
    expectEqual(record.order, [near.url, slow.url, dead])
    expectEqual(record.candidates.map(\.requests), [1, 1, 1])
    expectEqual([near, slow].map(\.requests.value), [1, 1])
    expectEqual(record.candidates.map { $0.median == nil }, [true, false, false])
    expectEqual(record.candidates[0].failure?.isEmpty, false)
    #expect((record.candidates[2].median ?? .zero) >= .seconds(3))
    #expect((record.bytesPerSecond ?? 0) > 0)
    expectEqual(record.next(after: near.url), slow.url)
    expectEqual(record.next(after: slow.url), dead)
    expectNil(record.next(after: dead))
    #expect(!record.isRemembered)
    // The breaker has heard of it: the next test leaves the dead one alone.
    let again = await Self.test([dead, near.url, slow.url], samples: 1).run(
      on: "wifi",
      feeding: admission
    )
    expectEqual(again.candidates.map(\.requests), [0, 1, 1])
    expectEqual([near, slow].map(\.requests.value), [2, 2])
    expectEqual(again.candidates[0].failure, "its circuit is open")
    expectEqual(again.order, [near.url, slow.url, dead])
    await near.server.stop()
    await slow.server.stop()
  }

  @Test func `where the nearest is slow another is chosen only if it is faster by the margin`()
    async throws
  {
    // Longer than a busy machine is late with the other's answer.
    let (slow, fast) = (try await Origin(slowedBy: .seconds(3)), try await Origin())
    let urls = [slow.url, fast.url]
    let record = await Self.test(urls, samples: 1).run(on: "wifi")
    expectEqual(record.chosen, fast.url)
    expectEqual([slow, fast].map(\.requests.value), [1, 1])
    // No time is shorter by all of it.
    let loyal = await Self.test(urls, samples: 1, margin: 1).run(on: "wifi")
    expectEqual(loyal.order, urls)
    await slow.server.stop()
    await fast.server.stop()
  }

  /// Servers whose answers take exactly so long, one after the other.
  private static func chosen(
    _ times: [String: Duration],
    _ names: [String],
    margin: Double,
    _ memory: DialMemory? = nil
  ) async throws -> String? {
    let now = Locked(Duration.zero)
    let time = MovedTime { now.withLock { $0 } }
    let engine = ScriptedEngine { request throws(TransportError) in
      let name = request.url?.host ?? ""
      now.withLock { $0 += times[name] ?? .zero }
      return ServerResponse(status: 200, body: Self.data)
    }
    let urls = try names.map { try #require(URL(string: "https://\($0)")) }
    // One after the other, since all have one clock.
    var found: [DialRecord.Candidate] = []
    for url in urls {
      let record = await test([url], samples: 1).run(on: nil, by: engine, time: time)
      found += record.candidates
    }
    expectEqual(found.map(\.median), names.map { times[$0] })
    return test(urls, margin: margin, memory).choice(of: found, instead: nil)?.url.host
  }

  @Test func `the one of before is left only for one that is faster by more than the margin`()
    async throws
  {
    let nanosecond = Duration.nanoseconds(1)
    func chosen(_ other: Duration, margin: Double, first: Duration = .seconds(1)) async throws
      -> String?
    {
      try await Self.chosen(["a": first, "b": other], ["a", "b"], margin: margin)
    }
    // Of a second a quarter is 250 ms.
    try await expectEqual(chosen(.milliseconds(750), margin: 0.25), "a")
    try await expectEqual(chosen(.milliseconds(750) + nanosecond, margin: 0.25), "a")
    try await expectEqual(chosen(.milliseconds(750) - nanosecond, margin: 0.25), "b")
    // Without a margin it is the faster one, and of two alike the one of before.
    try await expectEqual(chosen(.seconds(1), margin: 0), "a")
    try await expectEqual(chosen(.seconds(1) - nanosecond, margin: 0), "b")
    try await expectEqual(chosen(.zero, margin: 1), "a")
    // Of several that are fast enough it is the fastest, in whatever order.
    let times: [String: Duration] = [
      "a": .seconds(1), "b": .milliseconds(740), "c": .milliseconds(500), "d": .milliseconds(760),
    ]
    for names in [["a", "b", "c", "d"], ["a", "d", "c", "b"]] {
      try await expectEqual(Self.chosen(times, names, margin: 0.25), "c")
    }
    // One that is fast enough only beside another does not count.
    try await expectEqual(
      Self.chosen(
        ["a": .seconds(1), "b": .milliseconds(800), "c": .milliseconds(750)],
        ["a", "b", "c"],
        margin: 0.25
      ),
      "a"
    )
  }

  @Test func `one that lies is out at its first answer`() async throws {
    var other = Self.data
    other[other.count - 1] ^= 1
    let (liar, portal, honest) = (
      try await Origin(other), try await Origin(Self.data, status: 404),
      try await Origin(slowedBy: .milliseconds(50))
    )
    let longer = try await Origin(Self.data + [0])
    let record = await Self.test([liar.url, portal.url, longer.url, honest.url]).run(on: "wifi")
    expectEqual(record.order, [honest.url, liar.url, portal.url, longer.url])
    expectEqual(
      record.candidates.map(\.failure),
      ["it sent other data", "it sent status 404", "it sent other data", nil]
    )
    expectEqual([liar, portal, longer, honest].map(\.requests.value), [1, 2, 1, 3])
    for origin in [liar, portal, longer, honest] { await origin.server.stop() }
  }

  @Test func `a choice is remembered by network, and costs the next start nothing`() async throws {
    let folder = DiskStoreTests.Folder()
    try FileManager.default.createDirectory(at: folder.url, withIntermediateDirectories: true)
    let file = folder.url.appending(path: "dial")
    let (liar, honest) = (try await Origin(Data("<html>".utf8)), try await Origin())
    let urls = [liar.url, honest.url]
    let probed = await Self.test(urls, DialMemory(file: file)).run(on: "wifi")
    // The next process.
    let remembered = await Self.test(urls, DialMemory(file: file)).run(on: "wifi")
    #expect(remembered.isRemembered)
    expectEqual(remembered.order, [honest.url, liar.url])
    expectEqual(remembered.bytesPerSecond, probed.bytesPerSecond)
    expectEqual([liar, honest].map(\.requests.value), [1, 3])
    // Another network knows nothing of it, a day later it is asked again, and so is a refresh.
    let other = await Self.test(urls, DialMemory(file: file)).run(on: "lte")
    #expect(!other.isRemembered)
    let old = await Self.test(urls, DialMemory(file: file, goodFor: .zero)).run(on: "wifi")
    #expect(!old.isRemembered)
    let renewed = await Self.test(urls, DialMemory(file: file)).run(on: "wifi", isRenewal: true)
    #expect(!renewed.isRemembered)
    expectEqual([liar, honest].map(\.requests.value), [4, 12])
    // One that is no candidate any more is forgotten, and so is a damaged file.
    let gone = await Self.test([liar.url], DialMemory(file: file)).run(on: "wifi")
    #expect(!gone.isRemembered)
    try Data("[".utf8).write(to: file)
    expectNil(DialMemory(file: file).choice(on: "wifi", among: urls))
    await liar.server.stop()
    await honest.server.stop()
  }

  @Test func `what has not answered within the budget is out, and none at all changes nothing`()
    async throws
  {
    let silent = try StubbornOrigin(Data(), .stays)
    let url = try #require(URL(string: "http://127.0.0.1:\(silent.port)/v1"))
    let dead = try Self.dead()
    let record = await Self.test([url, dead], budget: .milliseconds(200)).run(on: "wifi")
    expectEqual(record.order, [url, dead])
    expectEqual(record.candidates.map(\.median), [nil, nil])
    expectEqual(record.candidates[0].failure, "the budget was spent")
    expectEqual(record.candidates.map(\.requests), [1, 2])
    #expect(record.elapsed >= .milliseconds(200))
    silent.stop()
  }

  @Test func `a start goes to the server that the test has chosen, and tells what it cost`()
    async throws
  {
    let stand = try BootstrapStand()
    let (dead, near) = (try Self.dead(), try await Origin())
    let bootstrap = try stand.bootstrap(dead.absoluteString, dialTest: Self.test([dead, near.url]))
    let startup = try await bootstrap.launch(by: BootstrapStand.transport())
    expectEqual(startup.configuration.baseURL, near.url)
    let dial = try #require(startup.record.dial)
    // The next one in the order takes all but the base URL.
    let next = try #require(dial.next(after: near.url))
    let moved = try startup.configuration.moved(to: next)
    expectEqual(moved.baseURL, dead)
    try expectEqual(moved.moved(to: near.url), startup.configuration)
    let plain = try #require(URL(string: "http://api.example.test"))
    #expect(throws: ConfigurationError.self) { try moved.moved(to: plain) }
    expectEqual(dial.network, "wifi")
    #expect(dial.elapsed <= startup.record.elapsed)
    expectEqual(stand.counters.counts.probes, 5)
    expectEqual(
      stand.observer.startupEvents.map(\.name),
      ["fetchRefused.unreachable", "dialed.probed", "configured.builtIn"]
    )
    let data = try JSONEncoder().encode(startup.record)
    try expectEqual(JSONDecoder().decode(StartupRecord.self, from: data), startup.record)
    await near.server.stop()
  }
}

extension DialTest {
  /// Runs it by a session.
  fileprivate func run(
    on network: String,
    feeding admission: AdmissionController? = nil,
    isRenewal: Bool = false
  ) async -> DialRecord {
    await run(on: network, by: BootstrapStand.transport(), feeding: admission, isRenewal: isRenewal)
  }
}
