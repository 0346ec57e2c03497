/// Everything that a proxy saw and was told, in order, as far as it is kept.
public struct ProxyLog: Sendable {
  /// How many sightings are kept; further ones are counted.
  public static let sightingsMax = 100_000

  /// What a person at the terminal said about what the phone shows.
  public enum Mark: String, Sendable, Hashable, CaseIterable {
    /// There is something to see.
    case shown
    /// There is a blank page.
    case blank
  }

  /// The scenarios in the order in which they were flown; one that came again stands once.
  public private(set) var scenarios: [String] = []
  /// What passed.
  public private(set) var sightings: [Sighting] = []
  /// How many sightings were not kept.
  public private(set) var dropped = 0
  /// The marks with the scenario that was flown.
  public private(set) var marks: [(scenario: String, mark: Mark)] = []
  /// The addresses of the peers that were turned away.
  public private(set) var turnedAway: Set<String> = []

  private static let turnedAwayMax = 1000

  /// Starts with nothing.
  public init() {}

  /// A scenario begins.
  public mutating func begin(_ scenario: String) {
    if !scenarios.contains(scenario) { scenarios.append(scenario) }
  }

  /// Something was seen.
  public mutating func note(_ sighting: Sighting) {
    guard sightings.count < Self.sightingsMax else {
      dropped += 1
      return
    }
    sightings.append(sighting)
  }

  /// A person looked.
  public mutating func note(_ mark: Mark, in scenario: String) {
    guard marks.count < Self.sightingsMax else { return }
    marks.append((scenario, mark))
  }

  /// A peer was turned away.
  public mutating func turnAway(_ peer: String) {
    if turnedAway.count < Self.turnedAwayMax { turnedAway.insert(peer) }
  }
}
