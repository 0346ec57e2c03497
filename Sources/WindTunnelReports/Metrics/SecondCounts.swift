/// The calls that began in each second of a scenario, and the attempts that were made for them.
struct SecondCounts: Sendable, Hashable {
  private struct Second: Sendable, Hashable {
    var calls = 0
    var attempts = 0

    mutating func add(_ other: Second) {
      calls += other.calls
      attempts += other.attempts
    }
  }

  /// More than an hour of seconds stands in a row, since most calls begin in one of them.
  private static let rowMax = 4096

  /// Up to the last that has any.
  private var row: [Second] = []
  /// No more of them than calls, whatever times a file tells.
  private var others: [Int: Second] = [:]

  mutating func add(_ attempts: Int, at start: Duration) {
    add(Second(calls: 1, attempts: attempts), at: Int(start.components.seconds))
  }

  mutating func merge(_ other: SecondCounts) {
    row.merge(other.row, empty: Second()) { one, another in
      var sum = one
      sum.add(another)
      return sum
    }
    for (second, count) in other.others { add(count, at: second) }
  }

  private mutating func add(_ count: Second, at second: Int) {
    guard 0..<Self.rowMax ~= second else {
      others[second, default: Second()].add(count)
      return
    }
    if row.count <= second { row += Array(repeating: Second(), count: second + 1 - row.count) }
    row[second].add(count)
  }

  /// The attempts a call in the worst second that has any calls.
  var worst: Double? {
    let seconds = row.filter { $0.calls > 0 } + Array(others.values)
    return seconds.map { Double($0.attempts) / Double($0.calls) }.max()
  }
}
