/// The path between client and server: how late, how wide and how lossy.
///
/// Delays are one way, since two of three tools mean that by "latency" and the third does not.
public struct Link: Sendable, Hashable {
  /// One direction.
  public struct Direction: Sendable, Hashable {
    /// How long a byte is on its way.
    public var delay: Duration
    /// Bits a second, 1 kbit being 1000 bits; `nil`: without limit.
    public var bitsPerSecond: Double?
    /// How many bytes wait for the link before the sender has to; `nil`: any number.
    public var queueBytes: Int?
    /// The share of packets that are lost, from 0 to 1.
    public var lossProbability: Double

    /// Makes a direction.
    public init(
      delay: Duration = .zero,
      bitsPerSecond: Double? = nil,
      queueBytes: Int? = nil,
      lossProbability: Double = 0
    ) {
      self.delay = delay
      self.bitsPerSecond = bitsPerSecond
      self.queueBytes = queueBytes
      self.lossProbability = lossProbability
    }
  }

  /// From the client to the server.
  public var up: Direction
  /// From the server to the client.
  public var down: Direction

  /// Makes a link.
  public init(up: Direction, down: Direction) {
    self.up = up
    self.down = down
  }

  /// The time there and back.
  public var roundTrip: Duration { up.delay + down.delay }
}
