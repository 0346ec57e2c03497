/// Both ends of one TCP connection and the link between them, in virtual time: microseconds from the
/// first SYN on. Nothing happens but by ``step()``, and nothing in it looks at a clock.
///
/// Written after Linux 6.18 and held against it. What it does not know: ECN, pacing, receive windows
/// that close, the retransmissions of FIN, and path MTUs other than 1500 bytes.
struct TCPConnection: Sendable, Hashable {
  struct End: Sendable, Hashable {
    var sender: TCPSender
    var receiver = TCPReceiver()
  }

  /// Bytes of a stream that have come to the other end without a gap.
  struct Arrival: Sendable, Hashable {
    var way: Link.Way
    var at: Int
    var bytes: Int
  }

  private(set) var now = 0
  var (client, server): (End, End)
  var (up, down): (PacketPath, PacketPath)
  var handshake: ThreeWayHandshake
  /// Whether every arrival is noted.
  var notesArrivals = false
  var arrivals: [Arrival] = []
  private var burst: SegmentBurst
  private var shares: [SharedRate.Share] = []

  init(_ link: Link, _ draws: ConnectionDraws, shared: SharedRates? = nil) {
    let phase =
      link.hasChance
      ? Int(draws.up.apart(2).bits(0) % UInt64(KernelTimer.turn)) : KernelTimer.steadyPhase
    let timer = KernelTimer(phase: phase)
    burst = SegmentBurst(link.hasChance ? draws.down.apart(3) : nil)
    client = End(sender: TCPSender(timer))
    server = End(sender: TCPSender(timer))
    let (upShare, downShare) = (
      shared.map { SharedRate.Share($0.up) }, shared.map { SharedRate.Share($0.down) }
    )
    shares = [upShare, downShare].compactMap(\.self)
    up = PacketPath(link.up, draws.up, upShare)
    down = PacketPath(link.down, draws.down, downShare)
    handshake = ThreeWayHandshake(timer)
    handshake.begin(&up)
  }

  var isConnected: Bool { handshake.clientOpened != nil }
  /// Nothing will ever come any more.
  var isDead: Bool {
    handshake.hasGivenUp || client.sender.hasGivenUp || server.sender.hasGivenUp
  }

  func delivered(_ way: Link.Way) -> Int {
    way == .up ? server.receiver.delivered : client.receiver.delivered
  }

  /// When the next thing happens; `nil`: never.
  var nextMoment: Int? {
    guard !isDead else { return nil }
    var moment = Int.max
    for candidate in [
      up.nextArrival, down.nextArrival, client.sender.alarm?.at, server.sender.alarm?.at,
      client.receiver.due, server.receiver.due, handshake.nextMoment,
    ] {
      if let candidate, candidate < moment { moment = candidate }
    }
    return moment == .max ? nil : moment
  }

  /// The application at one end writes.
  mutating func write(_ bytes: Int, _ way: Link.Way, at moment: Int) {
    now = max(now, moment)
    if way == .up {
      client.sender.write(bytes)
      if isConnected { client.sender.transmit(at: now) }
    } else {
      server.sender.write(bytes)
      if handshake.serverOpened { server.sender.transmit(at: now) }
    }
    flush()
  }

  /// Lets the next thing happen; false where nothing will.
  mutating func step() -> Bool {
    guard let moment = nextMoment else { return false }
    now = max(now, moment)
    // Packets go before timers: what is there at the moment has been read when a timer looks.
    if up.nextArrival == moment {
      burst.begin(&server.sender)
      receive(up.receive(), atServer: true)
      burst.end(&server.sender, isLast: up.nextArrival != moment, at: now)
    } else if down.nextArrival == moment {
      burst.begin(&client.sender)
      receive(down.receive(), atServer: false)
      burst.end(&client.sender, isLast: down.nextArrival != moment, at: now)
    } else if client.sender.alarm?.at == moment {
      client.sender.ring(at: now)
    } else if server.sender.alarm?.at == moment {
      server.sender.ring(at: now)
    } else if client.receiver.due == moment {
      sendAcknowledgement(.up)
    } else if server.receiver.due == moment {
      sendAcknowledgement(.down)
    } else {
      handshake.ring(at: now, &up, &down)
    }
    flush()
    return true
  }

  /// Lets everything happen up to a moment.
  mutating func advance(to moment: Int) {
    while let next = nextMoment, next <= moment { _ = step() }
    now = max(now, moment)
  }

  // MARK: Packets

  private mutating func receive(_ packet: Packet, atServer: Bool) {
    switch packet.kind {
    case .synchronise: handshake.serverGot(packet, at: now, &down)
    case .synchroniseAcknowledge:
      handshake.clientGot(packet, at: now, &client.sender)
      client.receiver.note(packet)
      // A repeat of the SYN-ACK is answered, too: its sender is still waiting.
      sendAcknowledgement(.up)
      client.sender.transmit(at: now)
    case .data, .acknowledgement:
      if atServer {
        if !handshake.serverOpened { handshake.serverOpens(packet, at: now, &server.sender) }
        take(packet, .up)
        server.sender.transmit(at: now)
      } else {
        take(packet, .down)
      }
    }
  }

  private mutating func take(_ packet: Packet, _ way: Link.Way) {
    if way == .up {
      server.sender.acknowledge(packet, at: now)
    } else {
      client.sender.acknowledge(packet, at: now)
    }
    flush()
    guard packet.kind == .data else {
      if way == .up { server.receiver.note(packet) } else { client.receiver.note(packet) }
      return
    }
    let before = delivered(way)
    let timer = client.sender.timer
    let isNow =
      way == .up
      ? server.receiver.take(packet, at: now, timer)
      : client.receiver.take(packet, at: now, timer)
    if isNow { sendAcknowledgement(way == .up ? .down : .up) }
    if notesArrivals, delivered(way) > before {
      arrivals.append(Arrival(way: way, at: now, bytes: delivered(way)))
    }
  }

  private mutating func sendAcknowledgement(_ way: Link.Way) {
    var packet = Packet(kind: .acknowledgement)
    packet.segment = way == .up ? client.sender.sent.next : server.sender.sent.next
    send(&packet, way)
  }

  private mutating func flush() {
    for number in client.sender.outbox {
      var packet = Packet(number, client.sender.sent[number])
      send(&packet, .up)
    }
    client.sender.outbox.removeAll(keepingCapacity: true)
    for number in server.sender.outbox {
      var packet = Packet(number, server.sender.sent[number])
      send(&packet, .down)
    }
    server.sender.outbox.removeAll(keepingCapacity: true)
    if let share = shares.first { share.set(up.isBusy(at: now)) }
    if let share = shares.last, shares.count > 1 { share.set(down.isBusy(at: now)) }
  }

  private mutating func send(_ packet: inout Packet, _ way: Link.Way) {
    packet.stamp = now
    if way == .up {
      client.receiver.acknowledge(in: &packet)
      up.send(packet, at: now)
    } else {
      server.receiver.acknowledge(in: &packet)
      down.send(packet, at: now)
    }
  }
}

extension Packet {
  init(_ number: Int, _ segment: SentSegments.Segment) {
    self.init(kind: .data, segment: number, end: segment.end, length: segment.length)
  }
}
