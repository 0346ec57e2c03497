/// One direction of a link for the packets of one connection, in microseconds: loss first, then the
/// queue, the rate, the delay. Packets never overtake one another.
struct PacketPath: Sendable, Hashable {
  private let delay: Int
  private let bitsPerSecond: Double?
  private let queuePackets: Int
  private let share: SharedRate.Share?
  private var loss: LossChain
  private var jitter: JitterChain?
  /// When the rate has let pass everything so far.
  private var busyUntil = 0
  /// When the packets that wait or are being sent will have been sent.
  private var departures: [Int] = []
  private var firstDeparture = 0
  private var underWay: [(Packet, at: Int)] = []
  private var first = 0

  init(_ direction: Link.Direction, _ draws: Draws, _ share: SharedRate.Share? = nil) {
    delay = direction.delay.inMicroseconds
    bitsPerSecond = direction.bitsPerSecond
    queuePackets = direction.queuePackets ?? Link.Direction.queuePacketsDefault
    self.share = share
    loss = LossChain(direction.loss, draws)
    jitter = direction.jitter.map { JitterChain($0, draws.apart(1)) }
  }

  /// When the next packet arrives.
  var nextArrival: Int? { first < underWay.count ? underWay[first].at : nil }

  /// Whether bytes wait for the rate.
  func isBusy(at now: Int) -> Bool { busyUntil > now }

  mutating func send(_ packet: Packet, at now: Int) {
    guard !loss.isLost(packet.kind) else { return }
    var moment = now
    if let bitsPerSecond {
      while firstDeparture < departures.count, departures[firstDeparture] <= now {
        firstDeparture += 1
      }
      if firstDeparture == departures.count {
        departures.removeAll(keepingCapacity: true)
        firstDeparture = 0
      }
      // The one that is being sent is out of the queue.
      guard departures.count - firstDeparture <= queuePackets else { return }
      share?.set(true)
      let rate = bitsPerSecond / Double(share?.count ?? 1)
      let length = Int(min((Double(packet.bytes) * 8e6 / rate).rounded(), 1e15))
      busyUntil = max(now, busyUntil) + length
      moment = busyUntil
      departures.append(moment)
    }
    let stray = jitter?.next() ?? 0
    let last = underWay.last?.at ?? 0
    underWay.append((packet, max(moment + max(0, delay + stray), last)))
  }

  /// Takes the packet that arrives next.
  mutating func receive() -> Packet {
    let packet = underWay[first].0
    first += 1
    if first == underWay.count {
      underWay.removeAll(keepingCapacity: true)
      first = 0
    } else if first > 1024 {
      underWay.removeSubrange(..<first)
      first = 0
    }
    return packet
  }

  static func == (left: PacketPath, right: PacketPath) -> Bool {
    left.loss == right.loss && left.jitter == right.jitter && left.busyUntil == right.busyUntil
      && left.underWay.elementsEqual(right.underWay) { $0.0 == $1.0 && $0.at == $1.at }
  }

  func hash(into hasher: inout Hasher) {
    hasher.combine(loss)
    hasher.combine(busyUntil)
  }
}

extension Duration {
  /// This duration in whole microseconds, rounded up: a moment that was waited for has come.
  var inMicroseconds: Int { Int((inNanoseconds + 999) / 1000) }
}
