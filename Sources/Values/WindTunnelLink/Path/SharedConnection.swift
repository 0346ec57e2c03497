/// The state of a connection with several exchanges: both ends, or a rate in each direction if no
/// windows affect the times.
struct SharedConnection: Sendable {
  /// Responses of all exchanges; `nil` if no windows affect the times, or if no request arrives.
  private var stream: TCPStream?
  private var up = Pipe(Link.Direction())
  private var down = SharedPipe(Link.Direction())
  /// The number of exchanges so far.
  private(set) var count = 0
  /// The time at which the first request arrives; `nil` if it never does.
  private var firstArrival: Duration?
  /// The number of exchanges whose requests arrive and that have not ended.
  private var openCount = 0
  /// The exchanges that have ended, and whose packets may still be on the link.
  private var ended: [Int] = []

  /// The number of ended exchanges whose draws are kept.
  private static let endedMost = 16

  /// Whether windows affect the times.
  var isTCP: Bool { stream != nil }

  /// Opens the connection with its first exchange.
  mutating func open(
    _ path: LinkPath,
    _ entry: inout LinkExchange.Started,
    isSecure: Bool,
    at start: Duration
  ) {
    (count, openCount) = (1, 0)
    var own = path
    own.exchange = nil
    entry.travel = own.travel(requestBytes: entry.upBytes, isSecure: isSecure)
    entry.stages = own.stages(requestBytes: entry.upBytes, isSecure: isSecure)
    if entry.travel != nil { openCount = 1 }
    guard path.needsTCP else {
      (up, down) = (Pipe(path.link.up), SharedPipe(path.link.down))
      _ = up.send(entry.upBytes, at: start + (entry.stages.dns ?? .zero))
      return
    }
    let journey = own.journey(requestBytes: entry.upBytes, isSecure: isSecure)
    guard let arrival = journey.delivered, let sent = journey.sent else { return }
    firstArrival = entry.travel.map { start + $0 }
    stream = TCPStream(sent, .down, path.link.down, from: arrival)
    (entry.upBytes, entry.downBytes) = (sent.written(.up), sent.delivered(.down))
    sent.useShares()
  }

  /// Begins another exchange on the connection.
  mutating func join(_ path: LinkPath, _ entry: inout LinkExchange.Started, at start: Duration) {
    count += 1
    if let firstArrival {
      stream?.begin(at: firstArrival)
      let moment = stream?.microseconds(start) ?? 0
      stream?.connection.join(entry.number, path.link, path.draws)
      stream?.connection.advance(to: moment)
      // Removes the parts of earlier requests that have arrived.
      _ = stream?.connection.delivered(.up, of: entry.number)
      stream?.connection.write(entry.upBytes, .up, at: moment, for: entry.number)
      entry.travel = forecast(entry)?.at.map { .microseconds($0 - moment) }
    } else if !path.needsTCP {
      _ = up.arrived(at: start)
      entry.travel = up.send(entry.upBytes, at: start) - start
    }
    entry.stages.upload = entry.travel
    if entry.travel != nil { openCount += 1 }
  }

  /// Returns the connection when an exchange's request has arrived, and the time of the arrival,
  /// which is `nil` if it never arrives. Later bytes of other exchanges are unknown.
  func forecast(_ entry: LinkExchange.Started) -> (connection: TCPConnection, at: Int?)? {
    guard var copy = stream?.connection else { return nil }
    let longest = copy.now + Journey.longest
    while copy.delivered(.up, of: entry.number) < entry.upBytes {
      guard copy.step(), copy.now < longest else { return (copy, nil) }
    }
    stream?.connection.useShares()
    return (copy, copy.now)
  }

  mutating func leave(_ number: Int) {
    down.drop(number)
    stream?.connection.drop(number)
    openCount -= 1
    if openCount == 0 { stream?.connection.releaseShares() }
    ended.append(number)
    guard ended.count > Self.endedMost else { return }
    let oldest = ended.removeFirst()
    stream?.connection.forget(oldest)
  }

  // MARK: Responses

  mutating func send(_ count: Int, for number: Int, at now: Duration) -> Duration {
    stream?.send(count, for: number, at: now) ?? down.send(count, for: number, at: now)
  }

  mutating func arrived(of number: Int, at now: Duration) -> Int {
    if let firstArrival, now >= firstArrival { stream?.begin(at: firstArrival) }
    return stream?.arrived(of: number, at: now) ?? down.arrived(of: number, at: now)
  }

  var nextMoment: Duration? { isTCP ? stream?.nextMoment : down.pipe.nextMoment }

  func room(of number: Int, at now: Duration) -> Int {
    stream?.room(of: number) ?? down.room(of: number, at: now)
  }

  func timeOfRoom(for count: Int, of number: Int, at now: Duration) -> Duration {
    let room = room(of: number, at: now)
    return stream?.timeOfRoom(for: count, at: now, room: room)
      ?? down.timeOfRoom(for: count, at: now, room: room)
  }
}
