/// One direction of a connection that is open, told of real bytes at real times and simulated up to
/// them: bytes arrive when the simulated receiver has them without a gap.
struct TCPStream: Sendable, Hashable {
  private var connection: TCPConnection
  private let way: Link.Way
  private let delay: Duration
  let queueBytes: Int?
  /// Where the connection's time began to be the caller's.
  private let start: Int
  private var origin: Duration?
  private let before: Int

  init(_ connection: TCPConnection, _ way: Link.Way, _ direction: Link.Direction) {
    self.connection = connection
    self.way = way
    delay = direction.delay
    queueBytes = direction.queueBytes
    start = connection.now
    before = connection.delivered(way)
  }

  mutating func send(_ count: Int, at now: Duration) -> Duration {
    // An end that nothing is behind travels as long as anything; behind bytes it comes with them.
    guard count > 0 else { return now + delay }
    if origin == nil { origin = now }
    let moment = microseconds(now)
    connection.advance(to: moment)
    connection.write(count, way, at: moment)
    return now
  }

  mutating func arrived(at now: Duration) -> Int {
    guard origin != nil else { return 0 }
    connection.advance(to: microseconds(now))
    return connection.delivered(way) - before
  }

  var nextMoment: Duration? {
    guard let origin, let moment = connection.nextMoment else { return nil }
    return origin + .microseconds(moment - start)
  }

  var room: Int { queueBytes.map { max(0, $0 - connection.unsent(way)) } ?? Int.max }

  /// It is the next acknowledgement that makes room.
  func roomAgain(for count: Int, at now: Duration) -> Duration {
    guard let queueBytes, room < min(count, queueBytes) else { return now }
    return max(nextMoment ?? now + .milliseconds(100), now + .nanoseconds(1))
  }

  private func microseconds(_ now: Duration) -> Int {
    guard let origin else { return start }
    return start + Int((now - origin).inNanoseconds / 1000)
  }
}

extension TCPConnection {
  /// What the application wrote and was not sent.
  func unsent(_ way: Link.Way) -> Int {
    way == .up ? client.sender.unsent : server.sender.unsent
  }
}
