import Mutations
import TestSupport

@testable import WindTunnel

@Suite struct TCPShaperTests {
  private static func path(_ link: Link, _ ordinal: Int = 1) -> LinkPath {
    LinkPath(link: link, draws: .nth(ordinal))
  }

  private static func lossy(_ loss: Double) -> Link {
    .symmetric(roundTrip: 40, up: .bernoulli(loss), down: .bernoulli(loss))
  }

  /// Plays a whole delivery without a clock.
  private static func played(
    _ player: inout Player,
    _ first: Player.Event
  ) -> [(at: Duration, action: Player.Action)] {
    var (now, event) = (Duration.zero, first)
    var done: [(Duration, Player.Action)] = []
    while true {
      var wake: Duration?
      for action in player.next(event, at: now) {
        if case .wake(let moment) = action { wake = moment } else { done.append((now, action)) }
      }
      guard let wake, wake > now else { return done }
      (now, event) = (wake, .tick)
    }
  }

  @Test func `a body longer than the first window waits for acknowledgements, unharmed`() {
    let body = Data((0..<60_000).map { UInt8(truncatingIfNeeded: $0) })
    let delivery = Delivery([.bytes(.data(body)), .finish])
    var player = Player(delivery, shaper: Self.path(.symmetric(roundTrip: 100)).shaper(.down))
    var sent: [(at: Duration, bytes: Int)] = []
    var whole = Data()
    for case (let at, .bytes(let data)) in Self.played(&player, .tick) {
      sent.append((at, data.count))
      whole += data
    }
    expectEqual(whole, body)
    // 10, 20 and 12 segments, a round trip apart.
    expectEqual(sent.map(\.bytes), [14_480, 28_960, 16_560])
    expectEqual(sent.map(\.at), [.milliseconds(50), .milliseconds(150), .milliseconds(250)])
  }

  @Test(arguments: 1...20)
  func `lossy links release every byte once and in order, and the end behind them`(ordinal: Int) {
    let body = Data((0..<80_000).map { UInt8(truncatingIfNeeded: $0 &* 7) })
    let head = ResponseHead(headers: ["Content-Length": "80000"])
    let delivery = Delivery([.head(head), .bytes(.data(body)), .finish])
    var player = Player(delivery, shaper: Self.path(Self.lossy(0.1), ordinal).shaper(.down))
    let actions = Self.played(&player, .tick).map(\.action)
    expectEqual(actions.first, .head(head))
    expectEqual(actions.last, .finish(.keep))
    let bytes = actions.reduce(into: Data()) { bytes, action in
      if case .bytes(let data) = action { bytes += data }
    }
    expectEqual(bytes, body)
    #expect(player.isDone)
  }

  @Test func `a relay passes what came, no byte more or less, at ten per cent of loss`() {
    let path = Self.path(Self.lossy(0.1), 3)
    var player = Player(Delivery([.relay]), shaper: path.shaper(.down), up: path.shaper(.up))
    _ = player.next(.tick, at: .zero)
    var (now, passed, ended) = (Duration.zero, 0, 0)
    var generator = Generator(seed: 1)
    var (came, event) = (0, Player.Event.tick)
    while ended == 0, now < .seconds(600) {
      var wake: Duration?
      for action in player.next(event, at: now) {
        switch action {
        case .pass(.down, let count): passed += count
        case .passEnd(.down): ended += 1
        case .wake(let moment): wake = moment
        default: break
        }
      }
      if came < 300_000 {
        let count = Int.random(in: 1...5000, using: &generator)
        (came, event) = (came + count, .came(.down, count))
        now += .microseconds(Int.random(in: 0...900, using: &generator))
      } else if case .came = event {
        event = .ended(.down)
      } else {
        guard let wake else { break }
        (now, event) = (wake, .tick)
      }
    }
    #expect(passed == came && ended == 1)
  }

  @Test func `an end without bytes travels as long as a byte`() {
    var player = Player(
      Delivery([.reset]),
      shaper: Self.path(.symmetric(roundTrip: 40)).shaper(.down)
    )
    expectEqual(player.next(.tick, at: .zero), [.wake(.milliseconds(20))])
    expectEqual(player.next(.tick, at: .milliseconds(20)), [.reset])
  }

  @Test func `a queue holds the sender up and takes again what it released`() {
    var link = Link.symmetric(roundTrip: 20, bitsPerSecond: 1_000_000)
    link.down.queueBytes = 10_000
    let body = Data(repeating: 1, count: 100_000)
    var player = Player(
      Delivery([.bytes(.data(body)), .finish]),
      shaper: Self.path(link).shaper(.down)
    )
    let actions = Self.played(&player, .tick)
    let bytes = actions.reduce(0) { sum, item in
      if case .bytes(let data) = item.action { sum + data.count } else { sum }
    }
    expectEqual(bytes, body.count)
    // 800 ms for the bytes and 29 for the headers of 70 packets.
    let end = actions.last?.at ?? .zero
    #expect(.milliseconds(829)...(.milliseconds(900)) ~= end)
  }

  @Test func `two connections that share a rate take twice as long as one`() {
    var link = Link.symmetric(roundTrip: 20, bitsPerSecond: 800_000)
    link.isShared = true
    let shared = SharedRates()
    func path(_ ordinal: Int) -> LinkPath {
      LinkPath(link: link, draws: .nth(ordinal), shared: shared)
    }
    var (one, two) = (path(1).shaper(.down), path(2).shaper(.down))
    _ = one.send(100_000, at: .zero)
    _ = two.send(100_000, at: .zero)
    var now = Duration.zero
    var rest = 200_000
    while rest > 0, now < .seconds(10) {
      now += .milliseconds(1)
      rest = 200_000 - one.arrived(at: now) - two.arrived(at: now)
    }
    #expect(.milliseconds(1900)...(.milliseconds(2300)) ~= now)
    var alone = path(3).shaper(.down)
    _ = alone.send(100_000, at: .zero)
    expectEqual(alone.arrived(at: .milliseconds(1200)), 100_000)
  }

  @Test func `a connection on which nothing is under way has no part of a shared rate`() {
    var link = Link.symmetric(roundTrip: 20, bitsPerSecond: 800_000)
    link.isShared = true
    let shared = SharedRates()
    func path(_ ordinal: Int) -> LinkPath {
      LinkPath(link: link, draws: .nth(ordinal), shared: shared)
    }
    // It stays open, and is told of nothing more, as one that waits for messages.
    var idle = path(1).shaper(.down, behind: 200, isSecure: false)
    let unused = path(1).shaper(.up, behind: 200, isSecure: false)
    _ = idle.send(1000, at: .zero)
    while idle.arrived(at: idle.nextMoment ?? .zero) < 1000 {}
    var other = path(2).shaper(.up)
    _ = other.send(100_000, at: .zero)
    expectEqual(other.arrived(at: .milliseconds(1200)), 100_000)
    withExtendedLifetime((idle, unused)) {}
  }
}
