import TestSupport

@testable import WindTunnel

@Suite struct ShaperTests {
  @Test func `bytes wait for their turn and are then under way`() {
    var shaper = Shaper(.init(delay: .milliseconds(10), bitsPerSecond: 8000))
    expectEqual(shaper.send(100, at: .zero), .milliseconds(110))
    expectEqual(shaper.send(100, at: .zero), .milliseconds(210))
    expectEqual(shaper.send(100, at: .seconds(1)), .milliseconds(1110))
  }

  @Test func `a queue's room is its capacity minus the untransmitted bytes`() {
    var shaper = Shaper(.init(bitsPerSecond: 8000, queueBytes: 300))
    expectEqual(shaper.room(at: .zero), 300)
    _ = shaper.send(200, at: .zero)
    expectEqual(shaper.room(at: .zero), 100)
    expectEqual(shaper.room(at: .milliseconds(150)), 250)
    expectEqual(shaper.timeOfRoom(for: 200, at: .zero), .milliseconds(100))
    expectEqual(shaper.timeOfRoom(for: 1000, at: .zero), .milliseconds(200))
    expectEqual(shaper.timeOfRoom(for: 100, at: .zero), .zero)
  }

  @Test func `without a rate nothing waits`() {
    var shaper = Shaper(.init(delay: .milliseconds(1), queueBytes: 10))
    expectEqual(shaper.send(1 << 40, at: .zero), .milliseconds(1))
    expectEqual(shaper.room(at: .zero), 10)
    expectEqual(shaper.sliceBytes, Int.max)
  }

  @Test func `a slice is five milliseconds' worth and at least a segment`() {
    expectEqual(Shaper(.init(bitsPerSecond: 8_000_000)).sliceBytes, 5000)
    expectEqual(Shaper(.init(bitsPerSecond: 100)).sliceBytes, 1460)
  }

  @Test func `a link too slow for any clock is late and not a trap`() {
    var shaper = Shaper(.init(bitsPerSecond: 1e-9))
    expectEqual(shaper.send(0, at: .zero), .zero)
    #expect(shaper.send(1 << 40, at: .zero) > .seconds(1_000_000_000))
  }
}
