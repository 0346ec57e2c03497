/// The effect of a link on the bytes of one direction of one connection.
///
/// A shaper is a value: its inputs are numbers of bytes and times, and its outputs are the times of
/// their arrival. Bytes arrive in order. On a link with delay, jitter or loss they follow the rules
/// of TCP: they are sent in windows, and are late after a lost packet (``ExchangeTimeline``
/// describes the model). Nothing is ever dropped: with TCP a lost packet is late instead of
/// missing.
public struct Shaper: Sendable {
  /// The model of the link without windows.
  private var pipe: Pipe
  /// The stream that replaces the pipe if windows affect the times: at most one.
  ///
  /// It is in a list because it is large and most deliveries have none. It is changed in place and
  /// never copied.
  private var stream: [TCPStream] = []
  /// The exchange of a shared connection that replaces both; `nil` for a connection of its own.
  private var shared: LinkExchange.Started?
  /// The number of bytes that were sent so far.
  public private(set) var sentBytes = 0

  /// Creates a shaper of one direction alone: its delay and rate, without windows and loss, which
  /// depend on both directions.
  public init(_ direction: Link.Direction) { pipe = Pipe(direction) }

  /// Creates a shaper for the following bytes of an exchange on an open connection.
  init(_ connection: TCPConnection, _ way: Link.Way, of link: Link, for owner: Int = 0) {
    let direction = way == .up ? link.up : link.down
    pipe = Pipe(direction)
    stream = [TCPStream(connection, way, direction, for: owner)]
  }

  /// Creates a shaper for the response of one exchange among others.
  init(_ shared: LinkExchange.Started, _ direction: Link.Direction) {
    (pipe, self.shared) = (Pipe(direction), shared)
  }

  /// Sends bytes and returns the earliest time at which the last of them arrives; without bytes,
  /// the delay.
  ///
  /// Times have any common origin and never decrease.
  public mutating func send(_ count: Int, at now: Duration) -> Duration {
    sentBytes += count
    if let shared { return shared.use { $0.send(count, for: shared.number, at: now) } }
    return stream.isEmpty ? pipe.send(count, at: now) : stream[0].send(count, at: now)
  }

  /// Returns the number of bytes that have arrived by now.
  public mutating func arrived(at now: Duration) -> Int {
    if let shared {
      return shared.use { $0.arrived(of: shared.number, at: now) } - shared.downBytes
    }
    return stream.isEmpty ? pipe.arrived(at: now) : stream[0].arrived(at: now)
  }

  /// The time at which to call ``arrived(at:)`` again, because bytes may arrive; `nil` if no more
  /// bytes will arrive.
  public var nextMoment: Duration? {
    if let shared { return shared.use { $0.nextMoment } }
    return stream.isEmpty ? pipe.nextMoment : stream[0].nextMoment
  }

  /// Returns the number of bytes that may be sent now before the queue is full.
  public func room(at now: Duration) -> Int {
    if let shared { return shared.use { $0.room(of: shared.number, at: now) } }
    return stream.isEmpty ? pipe.room(at: now) : stream[0].room
  }

  /// Returns the time at which the queue has room for `count` bytes, or is empty if `count` is
  /// larger.
  public func timeOfRoom(for count: Int, at now: Duration) -> Duration {
    if let shared { return shared.use { $0.timeOfRoom(for: count, of: shared.number, at: now) } }
    return stream.isEmpty
      ? pipe.timeOfRoom(for: count, at: now)
      : stream[0].timeOfRoom(for: count, at: now, room: stream[0].room)
  }

  /// The number of bytes to send at once, so that the rate is even and a fast link needs few
  /// wake-ups.
  public var sliceBytes: Int {
    let isPipe = shared.map { $0.use { !$0.isTCP } } ?? stream.isEmpty
    return isPipe ? pipe.sliceBytes : queueBytes ?? Int.max
  }

  /// The capacity of the queue in bytes; `nil` for no limit.
  package var queueBytes: Int? { pipe.direction.queueBytes }
}

/// A model of rate and delay without windows: bytes leave in order, wait in the queue and are then
/// in transit.
struct Pipe: Sendable {
  let direction: Link.Direction
  /// The time at which the link will have sent all bytes so far.
  private(set) var busyUntil = Duration.zero
  private var underWay: [Mark] = []
  private var first = 0
  private var arrived = 0

  private struct Mark: Sendable, Hashable {
    var at: Duration
    var bytes: Int
  }

  init(_ direction: Link.Direction) { self.direction = direction }

  mutating func send(_ count: Int, at now: Duration) -> Duration {
    busyUntil = max(busyUntil, now) + transmission(of: count)
    let moment = busyUntil + direction.delay
    if count > 0 { underWay.append(Mark(at: moment, bytes: count)) }
    return moment
  }

  mutating func arrived(at now: Duration) -> Int {
    while first < underWay.count, underWay[first].at <= now {
      arrived += underWay[first].bytes
      first += 1
    }
    // Arrived marks are removed in large parts, so that a long transfer does not accumulate them.
    if first == underWay.count || first > 1024 {
      underWay.removeSubrange(..<first)
      first = 0
    }
    return arrived
  }

  var nextMoment: Duration? { first < underWay.count ? underWay[first].at : nil }

  func room(at now: Duration) -> Int {
    guard let most = direction.queueBytes else { return Int.max }
    return max(0, most - queued(at: now))
  }

  func timeOfRoom(for count: Int, at now: Duration) -> Duration {
    guard let most = direction.queueBytes else { return now }
    let wanted = min(count, most)
    let excess = queued(at: now) + wanted - most
    // At least a nanosecond, so that a wake-up is in the future on the fastest link as well.
    return excess <= 0 ? now : now + max(.nanoseconds(1), transmission(of: excess))
  }

  /// The bytes of five milliseconds, but at least one full segment (RFC 6691's 1460).
  var sliceBytes: Int {
    guard let rate = direction.bitsPerSecond else { return Int.max }
    return max(1460, Int(rate / 8 * 0.005))
  }

  private func queued(at now: Duration) -> Int {
    guard let rate = direction.bitsPerSecond, busyUntil > now else { return 0 }
    return Int((Double((busyUntil - now).inNanoseconds) / 1e9 * rate / 8).rounded(.up))
  }

  private func transmission(of count: Int) -> Duration {
    guard let rate = direction.bitsPerSecond, count > 0 else { return .zero }
    return .nanoseconds(Int64(min((Double(count) * 8e9 / rate).rounded(), 9e18)))
  }
}

/// One direction of an open connection, which is simulated up to the real time of each call.
///
/// Bytes arrive when the simulated receiver has them without a gap.
struct TCPStream: Sendable {
  var connection: TCPConnection
  private let way: Link.Way
  private let delay: Duration
  private let queueBytes: Int?
  /// The connection's time at which the caller's time begins.
  private let start: Int
  private var origin: Duration?
  /// The exchange whose bytes are sent, if no other one is named.
  private let owner: Int
  private let before: Int

  init(
    _ connection: TCPConnection,
    _ way: Link.Way,
    _ direction: Link.Direction,
    from start: Int? = nil,
    for owner: Int = 0
  ) {
    self.connection = connection
    (self.way, self.owner) = (way, owner)
    delay = direction.delay
    queueBytes = direction.queueBytes
    self.start = start ?? connection.now
    before = self.connection.delivered(way, of: owner)
  }

  /// Begins the caller's time, unless it has begun.
  mutating func begin(at origin: Duration) { self.origin = self.origin ?? origin }

  /// Sends bytes of an exchange, and returns the earliest time at which they arrive.
  mutating func send(_ count: Int, for writer: Int? = nil, at now: Duration) -> Duration {
    // An end without bytes before it only has the delay; after bytes it arrives with them.
    guard count > 0 else { return now + delay }
    begin(at: now)
    let moment = microseconds(now)
    connection.advance(to: moment)
    connection.write(count, way, at: moment, for: writer ?? owner)
    return now
  }

  mutating func arrived(at now: Duration) -> Int {
    guard origin != nil else { return 0 }
    connection.advance(to: microseconds(now))
    return connection.delivered(way, of: owner) - before
  }

  /// Returns the number of an exchange's bytes that have arrived by now.
  mutating func arrived(of owner: Int, at now: Duration) -> Int {
    _ = arrived(at: now)
    return connection.delivered(way, of: owner)
  }

  var nextMoment: Duration? {
    guard let origin, let moment = connection.nextMoment else { return nil }
    return origin + .microseconds(moment - start)
  }

  /// The number of bytes that may be sent before the queue is full.
  var room: Int { room(of: owner) }

  /// Returns the number of bytes that an exchange may send before its queue is full.
  func room(of owner: Int) -> Int {
    queueBytes.map { max(0, $0 - connection.unsent(way, of: owner)) } ?? Int.max
  }

  /// Returns the time of the next acknowledgement, which frees room in the queue.
  func timeOfRoom(for count: Int, at now: Duration, room: Int) -> Duration {
    guard let queueBytes, room < min(count, queueBytes) else { return now }
    return max(nextMoment ?? now + .milliseconds(100), now + .nanoseconds(1))
  }

  func microseconds(_ now: Duration) -> Int {
    guard let origin else { return start }
    return start + Int((now - origin).inNanoseconds / 1000)
  }
}
