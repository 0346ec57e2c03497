/// The state of the device's network, as far as the device knows: only an attempt shows whether a
/// server can be reached.
public enum NetworkStatus: Sendable, Hashable {
  /// The device has no network.
  case offline
  /// The device has a network, with its costs for the user.
  case online(NetworkCosts)

  /// The status of a network without costs.
  public static let online = NetworkStatus.online([])
}

/// The reasons for which a user may want less to be sent; none for a network that costs nothing.
public struct NetworkCosts: OptionSet, Sendable, Hashable {
  /// The bits of the reasons.
  public let rawValue: Int

  /// Makes a set of its bits.
  public init(rawValue: Int) { self.rawValue = rawValue }

  /// Bytes that cost money, as those of a cellular network or a personal hotspot may.
  public static let expensive = NetworkCosts(rawValue: 1)
  /// A network on which the user asked to save data.
  public static let constrained = NetworkCosts(rawValue: 2)
}

/// The networks that a call waits for.
public enum NetworkNeed: String, Sendable, Hashable, CaseIterable, Codable {
  /// Any network, whatever it costs.
  case any
  /// A network that is not expensive.
  case inexpensive
  /// A network on which the user did not ask to save data.
  case unconstrained
  /// A network that is neither expensive nor constrained.
  case unrestricted

  /// Tells whether a call with this need may be made now.
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
