/// One direction of a link for the packets of one connection, in microseconds.
///
/// The order is loss, queue, rate, delay. Packets never overtake each other. The draws of each
/// exchange decide about its own packets.
struct PacketPath: Sendable {
  private let delay: Int
  private let bitsPerSecond: Double?
  private let queuePackets: Int
  private let share: SharedRate.Share?
  private var chains: [PacketChains]
  /// The time at which all packets so far have been sent at the rate.
  private var busyUntil = 0
  /// The times at which the waiting packets and the current one will have been sent.
  private var departures: [Int] = []
  private var firstDeparture = 0
  private var underWay: [(Packet, at: Int)] = []
  private var first = 0

  init(_ direction: Link.Direction, _ draws: Draws, _ share: SharedRate.Share? = nil) {
    delay = direction.delay.inMicroseconds
    bitsPerSecond = direction.bitsPerSecond
    queuePackets = direction.queuePackets ?? Link.Direction.queuePacketsDefault
    self.share = share
    chains = [PacketChains(direction, draws, of: 0)]
  }

  /// Adds an exchange with its own draws.
  mutating func join(_ owner: Int, _ direction: Link.Direction, _ draws: Draws) {
    chains.append(PacketChains(direction, draws, of: owner))
  }

  /// Removes the draws of an exchange that has ended.
  mutating func forget(_ owner: Int) { chains.removeAll { $0.owner == owner } }

  /// The time at which the next packet arrives; `nil` if there is none.
  var nextArrival: Int? { first < underWay.count ? underWay[first].at : nil }

  /// Returns whether bytes are waiting for the rate.
  func isBusy(at now: Int) -> Bool { busyUntil > now }

  mutating func send(_ packet: Packet, at now: Int) {
    let place = chains.lastIndex { $0.owner == packet.owner }
    if let place, chains[place].loss.isLost(packet.kind) { return }
    var moment = now
    if let bitsPerSecond {
      while firstDeparture < departures.count, departures[firstDeparture] <= now {
        firstDeparture += 1
      }
      if firstDeparture == departures.count {
        departures.removeAll(keepingCapacity: true)
        firstDeparture = 0
      }
      // The packet that is being sent is not in the queue.
      guard departures.count - firstDeparture <= queuePackets else { return }
      share?.set(true)
      let rate = bitsPerSecond / Double(share?.count ?? 1)
      let length = Int(min((Double(packet.bytes) * 8e6 / rate).rounded(), 1e15))
      busyUntil = max(now, busyUntil) + length
      moment = busyUntil
      departures.append(moment)
    }
    let stray = place.flatMap { chains[$0].jitter?.next() } ?? 0
    let last = underWay.last?.at ?? 0
    underWay.append((packet, max(moment + max(0, delay + stray), last)))
  }

  /// Removes and returns the packet that arrives next.
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
}

extension Duration {
  /// The duration in whole microseconds, rounded up, so that a wait never ends too early.
  var inMicroseconds: Int { Int((inNanoseconds + 999) / 1000) }
}

/// A packet in transit between the two ends of a connection.
struct Packet: Sendable, Hashable {
  enum Kind: Sendable, Hashable {
    case synchronise
    case synchroniseAcknowledge
    case data
    case acknowledgement
  }

  var kind: Kind
  /// The exchange whose draws decide whether the packet is lost.
  var owner = 0
  /// The number of the segment; for an acknowledgement, of the next one.
  var segment = 0
  /// The number of bytes of the stream up to the segment's end.
  var end = 0
  /// The number of bytes of the stream in the packet.
  var length = 0
  /// The first segment that the packet's sender has not received.
  var acknowledged = 0
  /// The later segments that the packet's sender has received, the newest first (RFC 2018 §4).
  var blocks: [Range<Int>] = []
  /// The segment that the packet's sender has received twice (RFC 2883); `nil` for none.
  var duplicate: Range<Int>?
  /// The time at which the packet was sent (RFC 7323 §3).
  var stamp = 0
  /// The time stamp that the packet echoes.
  var echo = 0

  /// The payload of one segment: 1500 bytes without the headers of IPv4 and of TCP with timestamps.
  static let segmentBytes = 1448
  /// The size of these headers in bytes.
  private static let headerBytes = 52
  /// The size of a SYN, which has more options.
  private static let handshakeBytes = 60

  /// The size of the packet on the link, in bytes.
  var bytes: Int {
    switch kind {
    case .synchronise, .synchroniseAcknowledge: Self.handshakeBytes
    case .data: Self.headerBytes + length
    case .acknowledgement: Self.headerBytes
    }
  }
}

/// The losses and the variation of the delay of an exchange's packets in one direction.
private struct PacketChains: Sendable, Hashable {
  let owner: Int
  var loss: LossChain
  var jitter: JitterChain?

  init(_ direction: Link.Direction, _ draws: Draws, of owner: Int) {
    self.owner = owner
    loss = LossChain(direction.loss, draws)
    jitter = direction.jitter.map { JitterChain($0, draws.apart(1)) }
  }
}

/// The losses of successive packets in one direction of one connection.
///
/// A chain begins in its stationary distribution, so the first packets of many short connections
/// have the same losses as the packets of a long one.
struct LossChain: Sendable, Hashable {
  private let model: LossModel
  private let draws: Draws
  private var isBad = false
  private var (packets, handshakes, data, acknowledgements) = (0, 0, 0, 0)

  init(_ model: LossModel, _ draws: Draws) {
    self.model = model
    self.draws = draws
    if case .gilbertElliott(let chain) = model {
      isBad = draws.unit(Self.firstState) < chain.stationaryBad
    }
  }

  /// The indices of the draws: each packet has its own, so a lost packet does not shift others.
  private static let (firstState, perPacket) = (0, 2)

  /// Returns whether the next packet is lost.
  mutating func isLost(_ kind: Packet.Kind) -> Bool {
    packets += 1
    switch model {
    case .none: return false
    case .bernoulli(let probability):
      return draws.unit(packets * Self.perPacket) < probability
    case .gilbertElliott(let chain):
      let step = draws.unit(packets * Self.perPacket)
      if step < (isBad ? chain.badToGood : chain.goodToBad) { isBad.toggle() }
      let probability = isBad ? chain.lossInBad : chain.lossInGood
      return draws.unit(packets * Self.perPacket + 1) < probability
    case .script(let script):
      if script.packets.contains(packets) { return true }
      switch kind {
      case .synchronise, .synchroniseAcknowledge:
        handshakes += 1
        return script.handshake.contains(handshakes)
      case .data:
        data += 1
        return script.data.contains(data)
      case .acknowledgement:
        acknowledgements += 1
        return script.acknowledgements.contains(acknowledgements)
      }
    }
  }
}
