/// The draws of one connection, by direction.
public struct ConnectionDraws: Sendable, Hashable {
  /// For what goes up.
  public var up: Draws
  /// For what goes down.
  public var down: Draws

  /// Names the connection: the *n*-th of a key in a lane.
  public init(seed: UInt64, scenario: String, lane: Lane, key: String, ordinal: Int) {
    func draws(_ direction: String) -> Draws {
      Draws(
        seed: seed,
        scenario: scenario,
        lane: lane,
        key: key,
        ordinal: ordinal,
        rule: "link/\(direction)"
      )
    }
    (up, down) = (draws("up"), draws("down"))
  }
}

/// The rates that the connections of a deck share.
package struct SharedRates: Sendable, Hashable {
  let up = SharedRate()
  let down = SharedRate()

  package init() {}

  package static func == (left: SharedRates, right: SharedRates) -> Bool { left.up === right.up }
  package func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(up)) }
}
