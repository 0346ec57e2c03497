/// What a link does to the bytes of one direction of one connection.
///
/// A value that is told byte counts and times and answers what may be released when. Bytes leave
/// in order. On a link with delay, jitter or loss they do as TCP has it: in windows, and late where a
/// packet is lost (``ExchangeTimeline`` says what is modelled). Nothing is ever dropped: on TCP a
/// lost packet is late, not missing.
public struct Shaper: Sendable, Hashable {
  /// What it is without windows.
  private var pipe: Pipe
  /// What takes the pipe's place where windows make a difference: at most one, in a list, since it is
  /// large and most deliveries have none. It is changed in place and never copied.
  private var stream: [TCPStream] = []
  /// How many bytes it was told of.
  public private(set) var sentBytes = 0

  /// Makes the shaper of a direction for itself: its delay and rate, without windows and loss, which
  /// take both directions.
  public init(_ direction: Link.Direction) { pipe = Pipe(direction) }

  /// Goes on with an open connection.
  init(_ connection: TCPConnection, _ way: Link.Way, of link: Link) {
    let direction = way == .up ? link.up : link.down
    pipe = Pipe(direction)
    stream = [TCPStream(connection, way, direction)]
  }

  /// Takes bytes at a time and answers when the last of them arrives at the earliest; the pure delay
  /// where there are none. Times count from any one origin and never run backwards.
  public mutating func send(_ count: Int, at now: Duration) -> Duration {
    sentBytes += count
    return stream.isEmpty ? pipe.send(count, at: now) : stream[0].send(count, at: now)
  }

  /// How many bytes of all have arrived by now.
  public mutating func arrived(at now: Duration) -> Int {
    stream.isEmpty ? pipe.arrived(at: now) : stream[0].arrived(at: now)
  }

  /// When to ask again: something arrives then, or something happens that leads to it. `nil`: nothing
  /// more arrives of what was sent.
  public var nextMoment: Duration? { stream.isEmpty ? pipe.nextMoment : stream[0].nextMoment }

  /// How many bytes may be handed over at a time before the queue is full.
  public func room(at now: Duration) -> Int {
    stream.isEmpty ? pipe.room(at: now) : stream[0].room
  }

  /// When there is room for at least one byte, or for a whole empty queue's worth of `count`.
  public func roomAgain(for count: Int, at now: Duration) -> Duration {
    stream.isEmpty
      ? pipe.roomAgain(for: count, at: now) : stream[0].roomAgain(for: count, at: now)
  }

  /// How many bytes one release should hold, so that a rate shows in the small and a fast link
  /// needs few wake-ups.
  public var sliceBytes: Int {
    stream.isEmpty ? pipe.sliceBytes : queueBytes ?? Int.max
  }

  /// How many bytes the queue holds; `nil`: any number.
  package var queueBytes: Int? { pipe.direction.queueBytes }
}
