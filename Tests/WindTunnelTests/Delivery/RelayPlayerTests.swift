import TestSupport

@testable import WindTunnel

/// What passes through a tunnel when, as a drawing: a list of moments and what is done at each.
@Suite struct RelayPlayerTests {
  private let relay = Delivery([.await(.requestEnd), .relay], afterwards: .close)

  private func player(
    _ delivery: Delivery? = nil,
    down: Link.Direction? = nil,
    up: Link.Direction? = nil
  ) -> Player {
    var player = Player(
      delivery ?? relay,
      shaper: down.map { Shaper($0) },
      up: up.map { Shaper($0) }
    )
    expectEqual(player.next(.arrived(.requestEnd), at: .zero), [.relay])
    return player
  }

  @Test func `a tunnel without a scenario is not metered`() {
    var player = player()
    #expect(!player.isMetering)
    #expect(player.isDone)
    expectEqual(player.next(.came(.down, 10), at: .zero), [])
  }

  @Test func `an unlimited link passes everything at once, ends included`() {
    var player = player(down: .init(), up: .init())
    #expect(player.isMetering)
    expectEqual(player.next(.came(.down, 65_536), at: .milliseconds(1)), [.pass(.down, 65_536)])
    expectEqual(player.next(.came(.up, 10), at: .milliseconds(1)), [.pass(.up, 10)])
    expectEqual(player.next(.ended(.up), at: .milliseconds(2)), [.passEnd(.up)])
    expectEqual(player.next(.came(.down, 5), at: .milliseconds(3)), [.pass(.down, 5)])
    #expect(!player.isDone)
    expectEqual(player.next(.ended(.down), at: .milliseconds(4)), [.passEnd(.down)])
    #expect(player.isDone)
  }

  @Test func `each way has its own delay, and an end is as late as a byte`() {
    var player = player(down: .init(delay: .milliseconds(30)), up: .init(delay: .milliseconds(10)))
    expectEqual(player.next(.came(.up, 3), at: .zero), [.wake(.milliseconds(10))])
    expectEqual(player.next(.ended(.up), at: .milliseconds(5)), [.wake(.milliseconds(10))])
    expectEqual(
      player.next(.tick, at: .milliseconds(10)),
      [.pass(.up, 3), .wake(.milliseconds(15))]
    )
    expectEqual(player.next(.came(.down, 7), at: .milliseconds(12)), [.wake(.milliseconds(15))])
    expectEqual(
      player.next(.tick, at: .milliseconds(15)),
      [.passEnd(.up), .wake(.milliseconds(42))]
    )
    expectEqual(player.next(.tick, at: .milliseconds(42)), [.pass(.down, 7)])
  }

  @Test func `a rate lets slices go, and a full queue holds the sender until there is room`() {
    // 8 Mbit/s are 1000 bytes a millisecond, and a slice is five of those.
    var player = player(down: .init(bitsPerSecond: 8_000_000, queueBytes: 10_000))
    expectEqual(
      player.next(.came(.down, 12_000), at: .zero),
      [.hold(.down), .wake(.milliseconds(5))]
    )
    expectEqual(
      player.next(.tick, at: .milliseconds(5)),
      [.pass(.down, 5000), .takeMore(.down), .wake(.milliseconds(10))]
    )
    expectEqual(player.next(.tick, at: .milliseconds(12)), [.pass(.down, 7000)])
  }

  @Test func `what is under way is bounded where the link has no queue to be full`() {
    var player = player(down: .init(delay: .seconds(1)))
    let window = Passage.windowBytes
    expectEqual(player.next(.came(.down, window - 1), at: .zero), [.wake(.seconds(1))])
    expectEqual(
      player.next(.came(.down, 1), at: .milliseconds(1)),
      [.hold(.down), .wake(.seconds(1))]
    )
    expectEqual(
      player.next(.tick, at: .seconds(1)),
      [.pass(.down, window - 1), .takeMore(.down), .wake(.milliseconds(1001))]
    )
  }

  @Test func `a response is cut at the fault's byte, and later bytes are dropped`() {
    let delivery = Delivery(
      [.await(.requestEnd), .relayUntil(downBytes: 10), .reset],
      afterwards: .reset
    )
    var player = player(delivery)
    expectEqual(player.next(.came(.up, 500), at: .zero), [.pass(.up, 500)])
    expectEqual(player.next(.came(.down, 4), at: .zero), [.pass(.down, 4)])
    expectEqual(player.next(.came(.down, 400), at: .zero), [.pass(.down, 6), .reset])
    expectEqual(player.next(.came(.down, 400), at: .zero), [])
    #expect(player.isDone)
  }

  @Test func `a cut in a late link is as late as the byte before it`() {
    let delivery = Delivery([.await(.requestEnd), .relayUntil(downBytes: 10), .close])
    var player = player(delivery, down: .init(delay: .milliseconds(20)))
    expectEqual(player.next(.came(.down, 50), at: .zero), [.hold(.down), .wake(.milliseconds(20))])
    expectEqual(player.next(.tick, at: .milliseconds(20)), [.pass(.down, 10), .close])
  }

  @Test func `a sender is held once everything has come that may pass, and not let go again`() {
    let delivery = Delivery([.await(.requestEnd), .relayUntil(downBytes: 6000), .stall])
    // 8 Mbit/s are 1000 bytes a millisecond, and a slice is five of those.
    var player = player(delivery, down: .init(bitsPerSecond: 8_000_000, queueBytes: 100_000))
    expectEqual(player.next(.came(.down, 5999), at: .zero), [.wake(.milliseconds(5))])
    expectEqual(player.next(.came(.down, 1), at: .zero), [.hold(.down), .wake(.milliseconds(5))])
    expectEqual(
      player.next(.tick, at: .milliseconds(5)),
      [.pass(.down, 5000), .wake(.microseconds(5999))]
    )
    expectEqual(player.next(.tick, at: .milliseconds(6)), [.pass(.down, 1000), .stall])
  }

  @Test func `ends that come before the cut are the end`() {
    let delivery = Delivery([.await(.requestEnd), .relayUntil(downBytes: 10), .reset])
    var player = player(delivery)
    expectEqual(player.next(.ended(.down), at: .zero), [.passEnd(.down)])
    expectEqual(player.next(.ended(.up), at: .zero), [.passEnd(.up)])
    #expect(player.isDone)
  }

  @Test func `a cut before the first byte needs no byte`() {
    let delivery = Delivery([.await(.requestEnd), .relayUntil(downBytes: 0), .reset])
    var player = player(delivery)
    expectEqual(player.next(.tick, at: .zero), [.reset])
  }

  @Test func `a live answer is metered where the courier can tell of its bytes`() {
    let delivery = Delivery([.await(.requestEnd), .bytes(.live), .finish])
    var player = Player(delivery, shaper: Shaper(.init(delay: .milliseconds(20))), metersLive: true)
    expectEqual(player.next(.arrived(.requestEnd), at: .zero), [.live])
    expectEqual(player.next(.came(.down, 100), at: .zero), [.wake(.milliseconds(20))])
    expectEqual(player.next(.ended(.down), at: .milliseconds(3)), [.wake(.milliseconds(20))])
    expectEqual(
      player.next(.tick, at: .milliseconds(20)),
      [.pass(.down, 100), .wake(.milliseconds(23))]
    )
    expectEqual(player.next(.tick, at: .milliseconds(23)), [.passEnd(.down), .finish(.keep)])
  }

  @Test func `nothing is lost and nothing made, however the bytes are cut`() {
    for (chunk, rate) in [(1, 1e6), (1447, 8e6), (65_536, 1e9), (300_000, 5e6)] {
      var player = player(
        down: .init(delay: .milliseconds(7), bitsPerSecond: rate, queueBytes: 20_000)
      )
      var (now, passed, sent, isHeld) = (Duration.zero, 0, 0, false)
      var wake: Duration?
      let total = min(1_000_000, chunk * 2000)
      while passed < total {
        let event: Player.Event
        if !isHeld, sent < total {
          let count = min(chunk, total - sent)
          sent += count
          event = .came(.down, count)
        } else if let moment = wake {
          now = max(now, moment)
          event = .tick
        } else {
          Issue.record("\(chunk): stuck at \(passed) of \(total)")
          break
        }
        wake = nil
        for action in player.next(event, at: now) {
          switch action {
          case .pass(.down, let count): passed += count
          case .hold(.down): isHeld = true
          case .takeMore(.down): isHeld = false
          case .wake(let moment): wake = moment
          default: Issue.record("\(action)")
          }
        }
        // The queue, one read that overfills it, what is on the way, and a slice that is not whole.
        #expect(sent - passed <= 20_000 + chunk + Int(rate / 8 * 0.012) + 1461)
      }
      #expect(now >= .seconds(Double(total) * 8 / rate))
    }
  }
}
