/// The turns at one instant: those who had one are known, and whoever waits in a loop shows.
struct InstantTurns {
  /// So many turns at one instant are a crowd's, or somebody waits in a loop.
  private static let turnsMax = 10_000
  /// A crowd's members have no more turns each at one instant.
  private static let turnsOfEachMax = 100

  private var count = 0
  /// The tasks that had a turn at this instant: if one comes back from another thread, no time has
  /// gone on without it.
  private var tasks: Set<UInt64> = []

  /// Tells whether somebody waits in a loop.
  var isBusyWait: Bool { count > Self.turnsMax && count > Self.turnsOfEachMax * tasks.count }

  /// Tells whether a task had a turn.
  func has(_ task: UInt64) -> Bool { tasks.contains(task) }

  /// Counts a turn, of whomever.
  mutating func add() { count += 1 }

  /// Notes the task whose turn it is.
  mutating func note(_ task: UInt64) { tasks.insert(task) }

  /// Begins another instant, at which nobody has had a turn.
  mutating func clear() {
    count = 0
    tasks.removeAll(keepingCapacity: true)
  }
}
