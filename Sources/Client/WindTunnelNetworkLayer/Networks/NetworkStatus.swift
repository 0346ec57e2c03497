/// The state of the device's network, as far as the device knows it.
///
/// Only an attempt shows whether a server is reachable.
public enum NetworkStatus: Sendable, Hashable {
  /// The device has no network.
  case offline
  /// The device has a network with these costs.
  case online(NetworkCosts)

  /// The status of a network without costs.
  public static let online = NetworkStatus.online([])
}

/// The reasons to send less data; empty for a network without costs.
public struct NetworkCosts: OptionSet, Sendable, Hashable {
  /// The raw bits of the set.
  public let rawValue: Int

  /// Creates a set from its bits.
  public init(rawValue: Int) { self.rawValue = rawValue }

  /// A network on which data may cost money, such as a cellular network or a personal hotspot.
  public static let expensive = NetworkCosts(rawValue: 1)
  /// A network on which the user enabled a data-saving mode.
  public static let constrained = NetworkCosts(rawValue: 2)
}

/// The networks that a call waits for.
public enum NetworkNeed: String, Sendable, Hashable, CaseIterable, Codable {
  /// Any network, regardless of its costs.
  case any
  /// A network that is not expensive.
  case inexpensive
  /// A network without a data-saving mode.
  case unconstrained
  /// A network that is neither expensive nor constrained.
  case unrestricted

  /// Returns whether a call with this need may be sent now.
  public func isMet(by status: NetworkStatus) -> Bool {
    guard case .online(let costs) = status else { return false }
    return costs.isDisjoint(with: unwanted)
  }

  private var unwanted: NetworkCosts {
    switch self {
    case .any: []
    case .inexpensive: .expensive
    case .unconstrained: .constrained
    case .unrestricted: [.expensive, .constrained]
    }
  }
}
