/// How many attempts may be under way at once.
public struct TrafficCaps: Sendable, Hashable {
  /// In all.
  public var total: Int
  /// To one host with its port.
  public var perHost: Int
  /// To one endpoint, by its template; one that is not named has no cap of its own.
  public var perEndpoint: [String: Int]
  /// How many of the slots are kept from calls that are deferrable, so that what comes next does not
  /// find all of them taken.
  public var reserved: Int
  /// How often somebody who waits and could start may be overtaken; after that he counts as critical,
  /// and so nobody starves.
  public var overtakingsMax: Int

  /// Makes caps; by default 8 in all and to one host, two of them kept from what is deferrable.
  public init(
    total: Int = 8,
    perHost: Int = 8,
    perEndpoint: [String: Int] = [:],
    reserved: Int = 2,
    overtakingsMax: Int = 32
  ) {
    self.total = max(1, total)
    self.perHost = max(1, perHost)
    self.perEndpoint = perEndpoint.mapValues { max(1, $0) }
    self.reserved = min(max(0, reserved), max(0, total - 1))
    self.overtakingsMax = max(0, overtakingsMax)
  }
}
