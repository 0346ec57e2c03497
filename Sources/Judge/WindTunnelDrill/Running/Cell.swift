/// A part of a scenario's calls with a client, a deck and a time of its own: of a long flight in
/// virtual time several are in the air at once, on as many threads.
///
/// A plan is cut the same way whoever flies it, so that neither the number of threads nor that of
/// machines is in a report.
struct Cell: Sendable {
  /// The number of calls of a whole one.
  static let callsMax = 500

  /// The numbers of the calls, in order.
  var calls: [Int]
  /// The moments at which all of the scenario's calls begin; `nil`: as the load says.
  var arrivals: ArrivalProcess?

  /// The scenario's age when the first of them is meant to begin; `nil`: it begins with that.
  var age: Duration? {
    guard let arrivals, let first = calls.first, first > 0 else { return nil }
    return arrivals.offset(of: first)
  }
}

extension DrillPlan {
  /// Returns the cells of a scenario's calls that are flown here.
  ///
  /// Calls that each begin when another has ended are one, and so is a scenario whose client cannot
  /// be made anew: whatever it keeps has the same time.
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

  /// The moments at which a scenario's calls begin; `nil` where each waits for another's end.
  private func arrivals(in scenario: Scenario) -> ArrivalProcess? {
    guard !scenario.hasUnboundedBodies,
      case .openLoop(let rate) = load.atMost(scenario.callsPerSecond)
    else { return nil }
    return ArrivalProcess(seed: seed, callsPerSecond: rate, count: calls(in: scenario))
  }
}

extension Observation {
  /// Counts its times from a moment that was so much earlier.
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
