import Mutations
import TestSupport
import WindTunnelSymptoms

@testable import WindTunnel

/// Time is a drawing here: a list of moments and what is done at each.
@Suite struct PlayerTests {
  private let head = ResponseHead(headers: [:])

  private func milliseconds(_ count: Int) -> Duration { .milliseconds(count) }

  @Test func `a delivery without waits is carried at once`() {
    var player = Player(Delivery([.await(.requestEnd), .head(head), .bytes("he"), .reset]))
    expectEqual(player.next(.tick, at: .zero), [])
    #expect(!player.isDone)
    expectEqual(
      player.next(.arrived(.requestEnd), at: milliseconds(1)),
      [.head(head), .bytes("he"), .reset]
    )
    #expect(player.isDone)
    expectEqual(player.next(.tick, at: milliseconds(2)), [])
  }

  @Test func `a wait begins when it is reached and asks to be woken`() {
    var player = Player(
      Delivery([.await(.requestEnd), .wait(milliseconds(5)), .head(head), .finish])
    )
    expectEqual(player.next(.arrived(.requestEnd), at: milliseconds(10)), [.wake(milliseconds(15))])
    expectEqual(player.next(.tick, at: milliseconds(12)), [.wake(milliseconds(15))])
    expectEqual(player.next(.tick, at: milliseconds(15)), [.head(head), .finish(.keep)])
  }

  @Test func `lateness does not add up over waits that follow each other`() {
    let steps: [Delivery.Step] = [
      .await(.requestEnd), .wait(milliseconds(10)), .bytes("a"), .wait(milliseconds(10)),
      .bytes("b"), .wait(milliseconds(10)), .bytes("c"), .await(.clientHello),
      .wait(milliseconds(10)), .finish,
    ]
    var player = Player(Delivery(steps))
    expectEqual(player.next(.arrived(.requestEnd), at: milliseconds(1)), [.wake(milliseconds(11))])
    expectEqual(player.next(.tick, at: milliseconds(14)), [.bytes("a"), .wake(milliseconds(21))])
    expectEqual(player.next(.tick, at: milliseconds(35)), [.bytes("b"), .bytes("c")])
    // Who has been waited for is not late.
    expectEqual(
      player.next(.arrived(.clientHello), at: milliseconds(50)),
      [.wake(milliseconds(60))]
    )
    expectEqual(player.next(.tick, at: milliseconds(60)), [.finish(.keep)])
  }

  @Test func `what arrives early is remembered`() {
    var player = Player(Delivery([.await(.clientHello), .await(.requestEnd), .closeWrite]))
    expectEqual(player.next(.arrived(.requestEnd), at: .zero), [])
    expectEqual(player.next(.arrived(.clientHello), at: .zero), [.closeWrite])
  }

  @Test func `every step has its action`() {
    let steps: [Delivery.Step] = [
      .bytes(.live), .finish, .closeWrite, .close, .reset, .stall, .fail(.timedOut), .relay,
    ]
    var player = Player(Delivery(steps, afterwards: .close))
    expectEqual(
      player.next(.tick, at: .zero),
      [.live, .finish(.close), .closeWrite, .close, .reset, .stall, .fail(.timedOut), .relay]
    )
  }

  @Test func `a link's delay shifts everything and changes no order`() {
    var player = Player(
      Delivery([.head(head), .bytes("a"), .wait(milliseconds(5)), .bytes("b"), .finish]),
      shaper: Shaper(.init(delay: milliseconds(20)))
    )
    expectEqual(player.next(.tick, at: .zero), [.wake(milliseconds(5))])
    expectEqual(player.next(.tick, at: milliseconds(5)), [.wake(milliseconds(20))])
    expectEqual(
      player.next(.tick, at: milliseconds(20)),
      [.head(head), .bytes("a"), .wake(milliseconds(25))]
    )
    expectEqual(player.next(.tick, at: milliseconds(25)), [.bytes("b"), .finish(.keep)])
  }

  @Test func `a rate cuts a body into slices`() {
    let body = Data(repeating: 1, count: 4000)
    // 1460 bytes take 146 ms at 80 kbit/s, and the head's 19 bytes 1.9 ms.
    var player = Player(
      Delivery([.head(head), .bytes(.data(body)), .finish]),
      shaper: Shaper(.init(bitsPerSecond: 80_000))
    )
    var drawing: [(Duration, Int)] = []
    var now = Duration.zero
    for _ in 0..<10 where !player.isDone {
      for action in player.next(.tick, at: now) {
        if case .bytes(let data) = action { drawing.append((now, data.count)) }
        if case .wake(let moment) = action { now = moment }
      }
    }
    expectEqual(drawing.map(\.1), [1460, 1460, 1080])
    expectEqual(drawing.map(\.0), [147_900, 293_900, 401_900].map { Duration.microseconds($0) })
  }

  @Test(arguments: 0..<100)
  func `no link harms a body or stands still`(seed: UInt64) {
    var generator = Generator(seed: seed)
    let rates: [Double?] = [nil, 1, 300, 9600, 1e6, 3e10, 1e15]
    let queues: [Int?] = [nil, 1, 100, 1460, 1461, 5000, 65_536]
    let direction = Link.Direction(
      delay: .microseconds(Int64.random(in: 0...100_000, using: &generator)),
      bitsPerSecond: generator.pick(rates),
      queueBytes: generator.pick(queues)
    )
    var sent = Data()
    var steps: [Delivery.Step] = [.head(head)]
    for _ in 0..<Int.random(in: 0...6, using: &generator) {
      let slice = Data(
        (0..<Int.random(in: 0...9000, using: &generator)).map { _ in
          UInt8.random(in: 0...255, using: &generator)
        }
      )
      sent += slice
      steps += [
        .bytes(.data(slice)), .wait(.milliseconds(Int.random(in: 0...9, using: &generator))),
      ]
    }
    var player = Player(Delivery(steps + [.finish]), shaper: Shaper(direction))
    var got = Data()
    var now = Duration.zero
    var turns = 0
    while !player.isDone, turns < 10_000 {
      turns += 1
      var next: Duration?
      for action in player.next(.tick, at: now) {
        switch action {
        case .bytes(let data): got += data
        case .wake(let moment): next = moment
        default: break
        }
      }
      guard let next else { break }
      #expect(next > now)
      now = next
    }
    #expect(player.isDone, "\(direction)")
    expectEqual(got, sent, "\(direction)")
  }
}
