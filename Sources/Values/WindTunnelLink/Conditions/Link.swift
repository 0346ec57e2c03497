/// The network path between client and server: its delay, bandwidth and loss.
///
/// ```swift
/// let edge = Link(
///   up: .init(delay: .milliseconds(200), bitsPerSecond: 200_000),
///   down: .init(delay: .milliseconds(200), bitsPerSecond: 240_000)
/// )
/// ```
///
/// All delays are one-way: two of three tools use "latency" in that sense, and the third does not.
public struct Link: Sendable, Hashable {
  /// One direction of a connection.
  public enum Way: Sendable, Hashable, CaseIterable {
    /// From the client to the server.
    case up
    /// From the server to the client.
    case down
  }

  /// The conditions of one direction.
  public struct Direction: Sendable, Hashable {
    /// The one-way delay of a byte.
    public var delay: Duration
    /// The random variation of the delay of each packet; packets do not overtake each other.
    public var jitter: Jitter?
    /// The rate in bits per second, with 1 kbit as 1000 bits; `nil` for no limit.
    public var bitsPerSecond: Double?
    /// The queue's capacity in bytes, beyond which the sender must wait; `nil` for no limit.
    public var queueBytes: Int?
    /// The queue's capacity in packets, beyond which a packet is lost; `nil` for 1000, as in netem.
    public var queuePackets: Int?
    /// The model of packet losses.
    public var loss: LossModel

    /// The default capacity of the queue in packets.
    static let queuePacketsDefault = 1000

    /// Creates a direction from its conditions.
    public init(
      delay: Duration = .zero,
      jitter: Jitter? = nil,
      bitsPerSecond: Double? = nil,
      queueBytes: Int? = nil,
      queuePackets: Int? = nil,
      loss: LossModel = .none
    ) {
      (self.delay, self.jitter, self.bitsPerSecond) = (delay, jitter, bitsPerSecond)
      (self.queueBytes, self.queuePackets, self.loss) = (queueBytes, queuePackets, loss)
    }

    /// Creates a direction that loses each packet with the same probability.
    public init(
      delay: Duration = .zero,
      bitsPerSecond: Double? = nil,
      queueBytes: Int? = nil,
      lossProbability: Double
    ) {
      self.init(delay: delay, bitsPerSecond: bitsPerSecond, queueBytes: queueBytes)
      self.lossProbability = lossProbability
    }

    /// The long-run share of packets that are lost, from 0 to 1. Setting it makes losses
    /// independent.
    public var lossProbability: Double {
      get {
        switch loss {
        case .none, .script: 0
        case .bernoulli(let probability): probability
        case .gilbertElliott(let chain): chain.stationaryLoss
        }
      }
      set { loss = newValue > 0 ? .bernoulli(newValue) : .none }
    }

    /// Whether TCP's windows affect the times of the direction's packets.
    var needsTCP: Bool { delay > .zero || jitter != nil || loss.losesSome }
  }

  /// The direction from the client to the server.
  public var up: Direction
  /// The direction from the server to the client.
  public var down: Direction
  /// The duration of a name's resolution.
  public var dnsDelay: Duration
  /// Whether all concurrent connections share the rates and queues in equal parts; otherwise each
  /// connection has its own.
  public var isShared: Bool

  /// Creates a link from its directions.
  public init(up: Direction, down: Direction, dnsDelay: Duration = .zero, isShared: Bool = false) {
    (self.up, self.down, self.dnsDelay, self.isShared) = (up, down, dnsDelay, isShared)
  }

  /// The round-trip time: the delays of both directions.
  public var roundTrip: Duration { up.delay + down.delay }

  /// Whether one of the directions loses every packet.
  public var isDead: Bool { up.loss.losesAll || down.loss.losesAll }

  /// Whether any condition of the link is random.
  var hasChance: Bool {
    [up, down].contains { direction in
      if direction.jitter != nil { return true }
      switch direction.loss {
      case .none, .script: return false
      case .bernoulli, .gilbertElliott: return true
      }
    }
  }
}
