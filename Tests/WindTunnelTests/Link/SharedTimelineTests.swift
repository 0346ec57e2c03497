import Mutations
import TestSupport

@testable import WindTunnelLink
@testable import WindTunnelReports

/// Exchanges on one connection of a link: of streams at once, and one after another.
@Suite struct SharedTimelineTests {
  /// The arrivals of each response: milliseconds and the bytes so far.
  private static func arrivals(_ timeline: SharedTimeline) -> [[String]] {
    timeline.arrivals.map { $0.map { "\($0.at.inMilliseconds) \($0.totalBytes)" } }
  }

  /// Exchanges that begin at these milliseconds, with responses of these sizes.
  private static func played(
    _ link: Link,
    _ exchanges: [(at: Double, bytes: Int)],
    request: Int = 300,
    isSecure: Bool = false
  ) -> SharedTimeline {
    SharedTimeline(
      link,
      isSecure: isSecure,
      exchanges.enumerated().map { index, exchange in
        .init(
          start: Duration(milliseconds: exchange.at),
          requestBytes: request,
          responseBytes: exchange.bytes,
          draws: .nth(index + 1)
        )
      }
    )
  }

  @Test func `streams at once take turns of a frame in one window`() {
    let told = Self.played(.symmetric(roundTrip: 100), [(0, 30_000), (0, 30_000)])
    // Windows of 10, 20 and 40 segments of 1448 bytes, and turns of 16,384 bytes.
    expectEqual(
      Self.arrivals(told),
      [["200.0 14480", "300.0 27056", "400.0 30000"], ["300.0 16384", "400.0 30000"]]
    )
    expectEqual(told.done, [.milliseconds(400), .milliseconds(400)])
  }

  @Test func `a stream that begins later has the next turn`() {
    let told = Self.played(.symmetric(roundTrip: 100), [(0, 60_000), (160, 1000)])
    // Its bytes leave with the second window, behind the rest of the first frame.
    expectEqual(
      Self.arrivals(told),
      [["200.0 14480", "300.0 42440", "400.0 60000"], ["300.0 1000"]]
    )
  }

  @Test func `a lost segment of a stream also delays what others sent behind it`() {
    let link = Link.symmetric(roundTrip: 100, down: .script(LossScript(data: [3])))
    // Five segments and one: the second stream has no third.
    let together = Self.played(link, [(0, 7240), (0, 1000)])
    expectEqual(Self.arrivals(together), [["200.0 2896", "300.0 7240"], ["300.0 1000"]])
    let alone = Self.played(link, [(0, 1000)])
    expectEqual(Self.arrivals(alone), [["200.0 1000"]])
  }

  @Test func `a later exchange pays for no handshake and finds the window that was reached`() {
    let link = Link.symmetric(roundTrip: 100)
    let told = Self.played(link, [(0, 60_000), (500, 60_000)], isSecure: true)
    // 42 segments in one window.
    expectEqual(
      Self.arrivals(told),
      [["300.0 14480", "400.0 43440", "500.0 60000"], ["600.0 60000"]]
    )
    var (first, later) = (ExchangeStages(), ExchangeStages())
    (first.connect, first.tls) = (.milliseconds(100), .milliseconds(100))
    (first.upload, later.upload) = (.milliseconds(50), .milliseconds(50))
    expectEqual(told.stages, [first, later])
  }

  @Test func `after longer than a timeout without use the window begins again`() {
    let link = Link.symmetric(roundTrip: 100)
    let told = Self.played(link, [(0, 60_000), (700, 60_000), (10_000, 60_000)])
    // After one timeout the half of 52 segments, after many the initial 10 (RFC 5681 §4.1).
    expectEqual(
      Self.arrivals(told),
      [
        ["200.0 14480", "300.0 43440", "400.0 60000"],
        ["800.0 37648", "900.1 60000"],
        ["10100.0 14480", "10200.1 43440", "10300.2 60000"],
      ]
    )
  }

  @Test func `a rate without delay is shared in turns`() {
    // 1,000,000 bytes a second: a slice of 5 ms has 5000 bytes.
    let link = Link(up: .init(), down: .init(bitsPerSecond: 8_000_000))
    let told = Self.played(link, [(0, 20_000), (2, 10_000)])
    expectEqual(
      Self.arrivals(told),
      [["5.0 5000", "10.0 10000", "20.0 15000", "30.0 20000"], ["15.0 5000", "25.0 10000"]]
    )
  }

  @Test(arguments: 0..<60)
  func `the first exchange of a connection is as one with its own`(seed: UInt64) {
    let (link, bytes) = Self.drawn(seed)
    for isSecure in [false, true] {
      let shared = SharedTimeline(
        link,
        isSecure: isSecure,
        [.init(requestBytes: 300, responseBytes: bytes, draws: .nth(Int(seed)))]
      )
      let own = ExchangeTimeline(
        link,
        requestBytes: 300,
        responseBytes: bytes,
        isSecure: isSecure,
        draws: .nth(Int(seed))
      )
      // Several segments at once are one arrival.
      let arrivals = own.arrivals.indices.filter { index in
        own.arrivals.dropFirst(index + 1).first?.at != own.arrivals[index].at
      }
      expectEqual(shared.arrivals, [arrivals.map { own.arrivals[$0] }])
      expectEqual(shared.done, [own.done])
    }
  }

  @Test(arguments: 0..<60)
  func `whatever is lost, every response comes whole and in order`(seed: UInt64) {
    let (link, bytes) = Self.drawn(seed)
    var generator = Generator(seed: seed)
    let starts = (0..<8).map { _ in Double.random(in: 0...2000, using: &generator) }.sorted()
    let told = Self.played(link, starts.map { ($0, bytes) })
    for (arrivals, done) in zip(told.arrivals, told.done) {
      let counts = arrivals.map(\.totalBytes)
      expectEqual(counts, Array(Set(counts)).sorted())
      expectEqual(done != nil, counts.last == bytes)
    }
    // The same exchanges have the same times.
    expectEqual(Self.played(link, starts.map { ($0, bytes) }), told)
  }

  private static func drawn(_ seed: UInt64) -> (link: Link, bytes: Int) {
    var generator = Generator(seed: seed)
    let chain = GilbertElliott(goodToBad: 0.05, badToGood: 0.4, lossInGood: 0, lossInBad: 0.7)
    let models: [LossModel] = [.none, .bernoulli(0.1), .bernoulli(0.02), .gilbertElliott(chain)]
    var link = Link.symmetric(
      roundTrip: generator.pick([1, 40, 300]),
      up: generator.pick(models),
      down: generator.pick(models),
      bitsPerSecond: generator.pick([nil, 300_000, 20_000_000])
    )
    if Bool.random(using: &generator) { link.down.jitter = Jitter(link.down.delay / 2) }
    return (link, generator.pick([1000, 14_480, 100_000]))
  }

  @Test func `bytes of an exchange that ended are not sent any more`() throws {
    var (one, two) = try Self.two(on: .symmetric(roundTrip: 100))
    _ = one.shaper.send(1_000_000, at: .milliseconds(150))
    _ = two.shaper.send(1000, at: .milliseconds(150))
    one.path.exchange?.leave()
    // What the first window has sent is on the way, and nothing else comes before the second.
    expectEqual(two.shaper.arrived(at: .milliseconds(299)), 0)
    expectEqual(two.shaper.arrived(at: .milliseconds(300)), 1000)
    expectEqual(one.shaper.arrived(at: .seconds(10)), 0)
  }

  /// Two exchanges of one connection that begin at once.
  private static func two(on link: Link, _ rates: SharedRates? = nil) throws -> (
    (path: LinkPath, shaper: Shaper), (path: LinkPath, shaper: Shaper)
  ) {
    let connection = LinkConnection()
    func begin(_ ordinal: Int) throws -> (path: LinkPath, shaper: Shaper) {
      var path = LinkPath(link: link, draws: .nth(ordinal), shared: rates)
      path.exchange = LinkExchange(on: connection, at: .zero)
      _ = try #require(path.travel(requestBytes: 300, isSecure: false))
      return (path, path.responseShaper(behind: 300, isSecure: false))
    }
    return (try begin(1), try begin(2))
  }

  @Test func `bytes after an upgrade are counted and lost by their own exchange`() throws {
    // The second exchange loses its first segment, and the first one has sent its own.
    let link = Link.symmetric(roundTrip: 100, down: .script(LossScript(data: [1])))
    for (model, early) in [(Link.symmetric(roundTrip: 100), 100), (link, 0)] {
      var (one, two) = try Self.two(on: model)
      _ = one.shaper.send(1000, at: .milliseconds(150))
      var down = two.path.shaper(.down, behind: 300, isSecure: false)
      _ = down.send(100, at: .milliseconds(160))
      expectEqual(down.arrived(at: .milliseconds(215)), early)
      expectEqual(down.arrived(at: .seconds(10)), 100)
    }
  }

  @Test func `an exchange that ended early leaves the rate to other connections`() throws {
    let rates = SharedRates()
    var (one, two) = try Self.two(on: .symmetric(roundTrip: 100, bitsPerSecond: 1e6), rates)
    _ = one.shaper.send(1_000_000, at: .milliseconds(200))
    let other = SharedRate.Share(rates.down)
    other.set(true)
    expectEqual(rates.down.count, 2)
    one.path.exchange?.leave()
    two.path.exchange?.leave()
    expectEqual(rates.down.count, 1)
  }

  /// The number of values that a connection keeps. Every third of its exchanges ends early.
  private static func keptCount(after count: Int, on link: Link) throws -> Int {
    let connection = LinkConnection()
    var kept = 0
    for ordinal in 1...count {
      let exchange = LinkExchange(on: connection, at: .seconds(10 * ordinal))
      var path = LinkPath(link: link, draws: .nth(ordinal))
      path.exchange = exchange
      let travel = try #require(path.travel(requestBytes: 300, isSecure: false))
      var shaper = path.responseShaper(behind: 300, isSecure: false)
      _ = shaper.send(20_000, at: .seconds(10 * ordinal) + travel)
      if ordinal % 3 > 0 { _ = shaper.arrived(at: .seconds(10 * ordinal + 9)) }
      exchange.leave()
      kept = exchange.started(path, 300, isSecure: false).use { valueCount($0) }
    }
    return kept
  }

  /// The number of values in a value. Acknowledged segments are removed 512 at a time.
  private static func valueCount(_ value: Any) -> Int {
    if value is SentSegments { return 0 }
    return Mirror(reflecting: value).children.reduce(1) { $0 + valueCount($1.value) }
  }

  @Test func `a connection keeps no more after many exchanges than after a few`() throws {
    let rate = Link(up: .init(bitsPerSecond: 1e6), down: .init(bitsPerSecond: 8e6))
    for link in [rate, .symmetric(roundTrip: 100, down: .bernoulli(0.02))] {
      let few = try Self.keptCount(after: 49, on: link)
      try #expect(Self.keptCount(after: 196, on: link) < few + 49, "\(link)")
    }
  }

  @Test func `after a handshake that failed another exchange opens the connection`() throws {
    let link = Link.symmetric(roundTrip: 100, up: .bernoulli(0.8), down: .bernoulli(0.8))
    let connection = LinkConnection()
    func travel(_ ordinal: Int, on connection: LinkConnection) -> Duration? {
      var path = LinkPath(link: link, draws: .nth(ordinal))
      path.exchange = LinkExchange(on: connection, at: .zero)
      return path.travel(requestBytes: 300, isSecure: false)
    }
    let ordinals = 1...200
    let failing = try #require(ordinals.first { travel($0, on: LinkConnection()) == nil })
    let good = try #require(ordinals.first { travel($0, on: LinkConnection()) != nil })
    expectEqual(travel(failing, on: connection), nil)
    expectEqual(travel(good, on: connection), travel(good, on: LinkConnection()))
  }
}
