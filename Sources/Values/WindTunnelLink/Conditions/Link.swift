/// The network path between client and server: its delay, bandwidth and loss.
///
/// ```swift
/// let edge = Link(
///   up: .init(delay: .milliseconds(200), bitsPerSecond: 200_000),
///   down: .init(delay: .milliseconds(200), bitsPerSecond: 240_000)
/// )
/// ```
///
/// Delays are one way, since two of three tools mean that by "latency" and the third does not.
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
    /// The time that a byte takes from one end to the other.
    public var delay: Duration
    /// The random variation of the delay, packet by packet; no packet overtakes another.
    public var jitter: Jitter?
    /// The rate in bits a second, 1 kbit being 1000 bits; `nil`: without limit.
    public var bitsPerSecond: Double?
    /// The number of bytes that can wait for the link before the sender has to; `nil`: any number.
    public var queueBytes: Int?
    /// The number of packets that can wait for the link before the next one is lost; `nil`: 1000,
    /// as in netem.
    public var queuePackets: Int?
    /// The model by which packets are lost.
    public var loss: LossModel

    /// The packets that a queue holds where nobody says.
    static let queuePacketsDefault = 1000

    /// Makes a direction of its conditions.
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

    /// Makes a direction that loses each packet with the same probability.
    public init(
      delay: Duration = .zero,
      bitsPerSecond: Double? = nil,
      queueBytes: Int? = nil,
      lossProbability: Double
    ) {
      self.init(delay: delay, bitsPerSecond: bitsPerSecond, queueBytes: queueBytes)
      self.lossProbability = lossProbability
    }

    /// The share of packets that are lost in the long run, from 0 to 1. Setting it makes the losses
    /// independent of one another.
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

    /// Tells whether its packets meet anything that the windows of TCP make a difference to.
    var needsTCP: Bool { delay > .zero || jitter != nil || loss.losesSome }
  }

  /// The direction from the client to the server.
  public var up: Direction
  /// The direction from the server to the client.
  public var down: Direction
  /// The time that the look-up of a name takes.
  public var dnsDelay: Duration
  /// Tells whether all concurrent connections share the rates and queues, each getting an even
  /// part; otherwise each has them for itself.
  public var isShared: Bool

  /// Makes a link of its directions.
  public init(up: Direction, down: Direction, dnsDelay: Duration = .zero, isShared: Bool = false) {
    (self.up, self.down, self.dnsDelay, self.isShared) = (up, down, dnsDelay, isShared)
  }

  /// The round-trip time: the delays of both directions.
  public var roundTrip: Duration { up.delay + down.delay }

  /// Tells whether one of the directions loses every packet.
  public var isDead: Bool { up.loss.losesAll || down.loss.losesAll }

  /// Tells whether anything about it is drawn.
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
