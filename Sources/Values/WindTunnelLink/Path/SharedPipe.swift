/// The model of rate without windows for the responses of several exchanges.
///
/// The exchanges take turns of one slice each.
struct SharedPipe: Sendable {
  private(set) var pipe: Pipe
  private var outgoing: OutgoingBytes
  /// The exchange with the last bytes of the last slice.
  private var sender: Int?

  init(_ direction: Link.Direction) {
    pipe = Pipe(direction)
    outgoing = OutgoingBytes(turnBytes: pipe.sliceBytes)
  }

  mutating func send(_ count: Int, for number: Int, at now: Duration) -> Duration {
    sendSlices(until: now)
    outgoing.write(count, for: number)
    if pipe.busyUntil <= now { sendSlice(at: now) }
    return now
  }

  mutating func arrived(of number: Int, at now: Duration) -> Int {
    sendSlices(until: now)
    return outgoing.arrived(of: number, amongFirst: pipe.arrived(at: now))
  }

  func room(of number: Int, at now: Duration) -> Int {
    let queue = sender == number ? pipe.room(at: now) : pipe.direction.queueBytes ?? .max
    return max(0, queue - outgoing.waiting(of: number))
  }

  /// Returns the end of the current slice, which frees room.
  func timeOfRoom(for count: Int, at now: Duration, room: Int) -> Duration {
    room < min(count, pipe.direction.queueBytes ?? 0)
      ? max(pipe.busyUntil, now + .nanoseconds(1)) : now
  }

  mutating func drop(_ number: Int) { _ = outgoing.drop(number) }

  /// Sends the slices whose turn has begun.
  private mutating func sendSlices(until now: Duration) {
    while outgoing.count > 0, pipe.busyUntil <= now { sendSlice(at: pipe.busyUntil) }
  }

  private mutating func sendSlice(at moment: Duration) {
    let count = min(outgoing.count, pipe.sliceBytes)
    if count > 0 { sender = outgoing.take(count) }
    _ = pipe.send(count, at: moment)
  }
}
