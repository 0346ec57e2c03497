/// What calls met, and what came to the surface of it.
struct WeatherTally: Sendable, Hashable {
  /// A fault and how a call ended that met it, in one name with a tab between; a call counts once
  /// with each fault that it met, and one that met none with ``none``.
  private(set) var surfaced = BoundedCounts()
  /// How often each fault fired.
  private(set) var fired = BoundedCounts()
  /// How often it did in an attempt that was followed by another, or by a failure.
  private(set) var noticed = BoundedCounts()
  /// Most calls meet nothing and succeed: they are counted without a look at their names.
  private(set) var plain = 0
  var met = 0
  var recovered = 0
  /// Calls that failed though they met nothing.
  var unexpected = 0
  /// From the beginning of the last attempt that met a fault to the success.
  private(set) var recovery = Distribution(exactMax: 10_000)

  static let none = "none"
  static let unseen = "unseen"
  /// The longest text of an end that is told apart.
  private static let charactersMax = 80

  mutating func add(_ call: Observation, _ names: inout FaultNames) {
    if call.ending == .succeeded, call.attemptCount != nil,
      call.attempts.indices.allSatisfy({ call.attempts[$0].metNothing })
    {
      plain += 1
      return
    }
    var last: Int?
    var all: [String] = []
    for place in call.attempts.indices where !call.attempts[place].metNothing {
      let faults = names.names(of: call.attempts[place])
      if faults.isEmpty { continue }
      last = place
      let isNoticed = place < call.attempts.count - 1 || call.ending != .succeeded
      for fault in faults {
        fired.add(fault)
        if isNoticed { noticed.add(fault) }
      }
      // Most meet one fault, whose name need not be put into another list.
      if all.isEmpty, faults.count == 1 {
        all = faults
      } else {
        for fault in faults where !all.contains(fault) { all.append(fault) }
      }
    }
    if let last {
      met += 1
      if call.ending == .succeeded { addRecovery(call, from: call.attempts[last]) }
    } else {
      // What nobody could see may have been anything.
      all = [call.attemptCount == nil ? Self.unseen : Self.none]
      if call.ending != .succeeded, !call.wasGivenUp { unexpected += 1 }
    }
    let end = Self.words(call)
    for fault in all { surfaced.add(Self.name(of: fault, end)) }
  }

  /// Without interpolation, which takes several times as long.
  private static func name(of fault: String, _ end: String) -> String {
    var name = fault
    name.reserveCapacity(fault.utf8.count + 1 + end.utf8.count)
    name += "\t"
    name += end
    return name
  }

  private mutating func addRecovery(_ call: Observation, from attempt: Observation.Attempt) {
    if call.attempts.count > 1 { recovered += 1 }
    guard let end = call.end, let start = attempt.start else { return }
    recovery.add(end - start)
  }

  /// How a call ended, as the matrix has it.
  private static func words(_ call: Observation) -> String {
    switch call.ending {
    case .succeeded: "succeeded"
    case .failed where call.cancellation != nil: "given up"
    // No text has more characters than bytes.
    case .failed(let reason) where reason.utf8.count <= charactersMax: reason
    case .failed(let reason): String(reason.prefix(charactersMax))
    case .crashed: "crashed"
    case .hung: "hung"
    }
  }

  mutating func merge(_ other: WeatherTally) {
    surfaced.merge(other.surfaced)
    fired.merge(other.fired)
    noticed.merge(other.noticed)
    plain += other.plain
    met += other.met
    recovered += other.recovered
    unexpected += other.unexpected
    recovery.merge(other.recovery)
  }
}
