/// One direction of what is passed on while it comes: bytes are counted in, wait as long as the link
/// has them wait, and are counted out.
struct Passage: Sendable {
  /// How many bytes may be on their way at once, before the sender has to wait. A TCP receiver says
  /// so, too: the largest window that Linux opens by itself is 6 MiB (`tcp_rmem`).
  static let windowBytes = 1 << 20

  let way: Link.Way
  private var shaper: Shaper
  /// How many more bytes may pass; `nil`: any number.
  private var bytesLeft: Int?
  /// What the shaper had been told of before.
  private let before: Int
  private var passed = 0
  private var underWayBytes = 0
  private var end: Duration?
  private var isHeld = false
  /// Tells whether the end has been passed on.
  private(set) var isEnded = false

  init(_ way: Link.Way, _ shaper: Shaper?, bytesMax: Int? = nil) {
    self.way = way
    self.shaper = shaper ?? Shaper(Link.Direction())
    before = self.shaper.sentBytes
    bytesLeft = bytesMax
  }

  /// Tells whether everything has passed that may.
  var isExhausted: Bool { bytesLeft == 0 && underWayBytes == 0 }

  mutating func came(_ count: Int, at now: Duration) {
    var rest = min(count, bytesLeft ?? count)
    bytesLeft = bytesLeft.map { $0 - rest }
    underWayBytes += rest
    while rest > 0 {
      let slice = min(rest, shaper.sliceBytes)
      _ = shaper.send(slice, at: now)
      rest -= slice
    }
  }

  mutating func ended(at now: Duration) {
    if end == nil { end = shaper.send(0, at: now) }
  }

  /// Says what has arrived, and answers when to look again.
  mutating func take(at now: Duration, _ actions: inout [Player.Action]) -> Duration? {
    let count = shaper.arrived(at: now) - before - passed
    if count > 0 {
      underWayBytes -= count
      passed += count
      actions.append(.pass(way, count))
    }
    if let end, end <= now, underWayBytes == 0, !isEnded {
      isEnded = true
      actions.append(.passEnd(way))
    }
    let next = underWayBytes > 0 ? shaper.nextMoment : isEnded ? nil : end
    guard let room = regulate(at: now, &actions) else { return next }
    return next.map { min($0, room) } ?? room
  }

  /// Stops the sender while the queue is full, and answers when there will be room.
  private mutating func regulate(at now: Duration, _ actions: inout [Player.Action]) -> Duration? {
    let isFull =
      if bytesLeft == 0 {
        // Nothing more may pass, so nothing more is to come while the last of it is under way.
        isHeld || underWayBytes > 0
      } else {
        underWayBytes >= Self.windowBytes || (underWayBytes > 0 && shaper.room(at: now) == 0)
      }
    if isFull != isHeld {
      isHeld = isFull
      actions.append(isFull ? .hold(way) : .takeMore(way))
    }
    guard isFull, bytesLeft != 0, underWayBytes < Self.windowBytes else { return nil }
    return shaper.roomAgain(for: shaper.sliceBytes, at: now)
  }
}

/// Both directions of what passes while it comes, until both have ended or one is exhausted.
struct Meter: Sendable {
  private var up: Passage?
  private var down: Passage

  /// Meters a relay.
  init(up: Shaper?, down: Shaper?, downBytesMax: Int?) {
    self.up = Passage(.up, up)
    self.down = Passage(.down, down, bytesMax: downBytesMax)
  }

  /// Meters an answer.
  init(down: Shaper?) { self.down = Passage(.down, down) }

  /// Tells whether so many bytes have passed as may.
  var isCut: Bool { down.isExhausted }
  /// Tells whether every way has ended.
  var isOver: Bool { down.isEnded && up?.isEnded != false }

  mutating func next(
    _ event: Player.Event,
    at now: Duration,
    _ actions: inout [Player.Action]
  ) -> Duration? {
    switch event {
    case .came(.up, let count): up?.came(count, at: now)
    case .came(.down, let count): down.came(count, at: now)
    case .ended(.up): up?.ended(at: now)
    case .ended(.down): down.ended(at: now)
    case .tick, .arrived: break
    }
    let up = up?.take(at: now, &actions)
    guard let down = down.take(at: now, &actions) else { return up }
    return up.map { min($0, down) } ?? down
  }
}
