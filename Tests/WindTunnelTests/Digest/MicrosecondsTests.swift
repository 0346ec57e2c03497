import TestSupport
import WindTunnelCore

/// A length of time in eight bytes.
@Suite struct MicrosecondsTests {
  @Test(
    arguments: [
      nil, .zero, .microseconds(1), .microseconds(-1), .seconds(86_400), .milliseconds(-1_500),
      .seconds(9_000_000_000_000),
    ] as [Duration?]
  )
  func `a length comes back`(length: Duration?) {
    expectEqual(Microseconds(length).wrappedValue, length)
  }

  @Test func `less than a microsecond is left out`() {
    expectEqual(Microseconds(.nanoseconds(1_999)).wrappedValue, .microseconds(1))
    expectEqual(Microseconds(.nanoseconds(-1_999)).wrappedValue, .microseconds(-1))
  }

  @Test func `more than fits is as much as fits, and never missing`() {
    let most = Duration.microseconds(Int64.max)
    expectEqual(Microseconds(.seconds(Int64.max)).wrappedValue, most)
    expectEqual(Microseconds(most).wrappedValue, most)
    expectEqual(Microseconds(.seconds(Int64.min)).wrappedValue.map { $0 < .seconds(-9e12) }, true)
    expectEqual(Microseconds(.microseconds(Int64.max - 1) + .microseconds(5)).wrappedValue, most)
  }

  @Test func `they are ordered by length`() {
    let lengths = [nil, .seconds(-2), .zero, .seconds(3)].map { Microseconds($0) }
    expectEqual(lengths.shuffled().sorted(), lengths)
  }
}
