internal import CWindTunnelSystem
@_spi(WindTunnel) internal import WindTunnelCore

/// A flow with everything that is the same in each of its runs.
struct FlowFlight: Sendable {
  let name: String
  let plan: DrillPlan
  /// Creates the flow with surroundings of its own.
  let flow: @Sendable () throws -> SurroundedFlow

  /// The maximum duration of a flow without faults.
  static let longest = Duration.seconds(86_400)

  /// Returns the time after which the flow counts as hung: its duration without faults, and the
  /// patience with each of its requests.
  func patience(after calm: FlowRun, in scenario: Scenario) -> Duration {
    let one = plan.deadline(in: scenario)
    return calm.observation.latency + (one + one / 2 + .seconds(1)) * max(1, calm.places.count)
  }

  /// Runs the flow with a fault set.
  ///
  /// - Parameters:
  ///   - faultSet: The fault set.
  ///   - seed: The seed of all random draws. `nil` means the plan's seed.
  ///   - patience: The time after which the flow counts as hung. `nil` means the plan's time.
  /// - Returns: The run of the flow.
  /// - Throws: `NotVirtual`, `DrillError` if the fault set is not possible, or the error of
  ///   surroundings that cannot be created.
  func run(
    _ faultSet: FaultSet,
    seed: UInt64? = nil,
    hangingAfter patience: Duration? = nil
  ) async throws -> FlowRun {
    var plan = plan
    plan.order = faultSet.order
    plan.seed = seed ?? plan.seed
    plan.patience = patience ?? plan.patience
    let log = Locked(FlowSubject.Log())
    let flow = try flow()
    let subject = FlowSubject(name: name, flow: flow, interruption: faultSet.interruption, log: log)
    // If a crash ends the whole process, this text identifies the fault set.
    let place = wt_crash_begin(Self.lastWords(faultSet))
    defer { wt_crash_end(place) }
    let seen: Observation
    do { seen = try await Drill.one(subject, plan, faultSet.scenario) } catch {
      // A run that was not possible has no violations.
      _ = flow.surroundings.runEnded()
      throw error
    }
    return FlowRun(seen, log.withLock { $0 }, flow.surroundings.runEnded())
  }

  /// Returns the text that a process prints before it crashes in a fault set.
  private static func lastWords(_ faultSet: FaultSet) -> String {
    let isCalm = faultSet.scenario.rules.isEmpty && faultSet.interruption == nil
    let begin = isCalm ? "The process crashed in calm" : "The process crashed in this fault set"
    return "\(begin), or in another one that follows:\n\(faultSet.file)"
  }
}

extension FlowRun {
  fileprivate init(_ observation: Observation, _ log: FlowSubject.Log, _ broken: [Violation]) {
    self.broken = broken
    self.observation = observation
    issues = log.issues
    steps = log.steps?.seen ?? []
    anew = (log.restarted ?? log.steps?.cameBack).map { $0 + (observation.start ?? .zero) }
    attempts = observation.attempts.filter { $0.isRequest && $0.place != nil }
    places = attempts.compactMap(\.place)
    switch observation.ending {
    case .succeeded: ending = .returned(log.mark ?? 0)
    case .failed(let reason): ending = .failed(reason)
    case .hung, .crashed: ending = log.crash.map { .crashed("\($0)") } ?? .hung
    }
  }
}
