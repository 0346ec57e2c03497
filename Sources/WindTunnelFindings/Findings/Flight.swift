/// The calls of one client in one scenario, and what they were flown in.
public struct Flight: Sendable {
  /// The kinds of client, by what can be seen of them.
  public enum Client: String, Sendable, Hashable, CaseIterable {
    /// A program that is started once for each call: it says how it went by its exit code.
    case program
    /// A library whose calls share one process.
    case library
    /// A program that is started once and told of each call: it says how each went by a line.
    case service
    /// A client behind a proxy, such as a phone: its requests are seen, and neither what it was to do nor
    /// what came of it.
    case proxied

    /// The kinds that a drill flies, whose calls are its own.
    public static let flown: Set<Self> = [.program, .library, .service]
  }

  /// The kind of client that flew.
  public var client: Client
  /// The stage that it flew on.
  public var stage: Stage
  /// The calls that it made, in any order.
  public var calls: [Observation]
  /// The facts that belong to none of them.
  public var traffic: Traffic

  /// Makes a flight of its parts.
  public init(
    of client: Client,
    on stage: Stage,
    _ calls: [Observation],
    traffic: Traffic = Traffic()
  ) {
    (self.client, self.stage, self.calls, self.traffic) = (client, stage, calls, traffic)
  }
}
