/// A part of a scenario's calls with its own client, deck and clock. In virtual time, several cells
/// of a long run run at once, each on its own thread.
///
/// The cells depend only on the plan. The numbers of threads and machines therefore do not affect
/// the report.
struct Cell: Sendable {
  /// The number of calls of a full cell.
  static let callsMax = 500

  /// The numbers of the calls, in order.
  var calls: [Int]
  /// The times at which all of the scenario's calls begin. `nil` means that the load decides.
  var arrivals: ArrivalProcess?

  /// The scenario's age when the first call is due. `nil` means that the scenario begins with that
  /// call.
  var age: Duration? {
    guard let arrivals, let first = calls.first, first > 0 else { return nil }
    return arrivals.offset(of: first)
  }
}

extension DrillPlan {
  /// Returns the cells of a scenario's calls that run here.
  ///
  /// There is only one cell if each call begins when another has ended. There is also only one if
  /// the client cannot be created again, because its state belongs to one clock.
  func cells(in scenario: Scenario, of subject: any Subject) -> [Cell] {
    guard time == .virtualTime, onlyCall == nil, subject.canBeMadeAnew,
      let arrivals = arrivals(in: scenario)
    else { return [Cell(calls: numbers(in: scenario))] }
    let calls = calls(in: scenario)
    let firsts = Array(stride(from: 0, to: calls, by: Cell.callsMax))
    let numbers = shard?.calls(of: firsts.count) ?? Array(firsts.indices)
    return numbers.map { number in
      let first = firsts[number]
      return Cell(calls: Array(first..<min(first + Cell.callsMax, calls)), arrivals: arrivals)
    }
  }

  /// Returns the times at which a scenario's calls begin, or `nil` if each call waits for the end
  /// of another.
  private func arrivals(in scenario: Scenario) -> ArrivalProcess? {
    guard !scenario.hasUnboundedBodies,
      case .openLoop(let rate) = load.atMost(scenario.callsPerSecond)
    else { return nil }
    return ArrivalProcess(seed: seed, callsPerSecond: rate, count: calls(in: scenario))
  }
}

extension Observation {
  /// Adds an age to all times, so that they count from an earlier moment.
  mutating func begin(later age: Duration) {
    let age = age.inWholeMicroseconds
    intendedStart = intendedStart.map { $0 + age }
    start = start.map { $0 + age }
    if var received = self.received {
      for place in received.messages.indices { received.messages[place].at += age }
      self.received = received
    }
    changeAllAttempts { attempt in
      attempt.start = attempt.start.map { $0 + age }
      attempt.end = attempt.end.map { $0 + age }
      attempt.retryNotBefore = attempt.retryNotBefore.map { $0 + age }
    }
  }
}
