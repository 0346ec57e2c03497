internal import WindTunnel

/// The calls that nobody has begun.
struct CallQueue: Sendable {
  private let calls: Locked<[Int]>

  init(_ numbers: [Int]) { calls = Locked(numbers.reversed()) }
  func next() -> Int? { calls.withLock { $0.popLast() } }
}
