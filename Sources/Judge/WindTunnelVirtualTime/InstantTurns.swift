/// The turns of tasks at one instant of virtual time, to detect busy waits and late returns.
struct InstantTurns {
  /// The maximum number of turns at one instant, unless very many tasks are ready.
  private static let turnsMax = 10_000
  /// The maximum average number of turns for each task at one instant.
  private static let turnsOfEachMax = 100

  private var count = 0
  /// The tasks that had a turn at this instant. If one of them returns from another thread, time
  /// has not advanced without it.
  private var tasks: Set<UInt64> = []

  /// Whether some task waits in a loop.
  var isBusyWait: Bool { count > Self.turnsMax && count > Self.turnsOfEachMax * tasks.count }

  /// Returns whether a task had a turn at this instant.
  func has(_ task: UInt64) -> Bool { tasks.contains(task) }

  /// Counts a turn of any task.
  mutating func add() { count += 1 }

  /// Records the task that has the turn.
  mutating func note(_ task: UInt64) { tasks.insert(task) }

  /// Starts the next instant, at which no task has had a turn.
  mutating func clear() {
    count = 0
    tasks.removeAll(keepingCapacity: true)
  }
}
