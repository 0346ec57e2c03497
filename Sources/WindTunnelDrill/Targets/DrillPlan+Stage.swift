internal import WindTunnel

extension DrillPlan {
  /// The stage on which a scenario is flown.
  ///
  /// - Parameters:
  ///   - scenario: The scenario.
  ///   - seeingAttempts: Whether a place where every attempt is seen is preferred to real sockets.
  /// - Returns: The stage.
  /// - Throws: `DrillError.plan` where the asked-for stage cannot carry it.
  func stage(of scenario: Scenario, seeingAttempts: Bool = false) throws -> Stage {
    let obstacle = Targets.obstacle(to: scenario, isProgram: isProgram)
    let inProcessObstacle = scenario.obstacle(on: .inProcess)
    switch stage {
    case nil where !command.isEmpty:
      guard let obstacle else { return .onTheWire }
      throw DrillError.plan(
        "Scenario \"\(scenario.name)\" cannot be flown by a program: \(obstacle)."
      )
    case nil:
      if let obstacle, let inProcessObstacle {
        throw DrillError.plan(
          "Scenario \"\(scenario.name)\" can be flown nowhere: on the wire \(obstacle), and "
            + "\(inProcessObstacle). Make two scenarios of it."
        )
      }
      let isBlind = !Targets.seesAttempts(in: scenario, on: .onTheWire)
      let wantsInProcess = obstacle != nil || seeingAttempts && isBlind
      return wantsInProcess && inProcessObstacle == nil ? .inProcess : .onTheWire
    case .inProcess? where !command.isEmpty:
      throw DrillError.plan(
        "Scenario \"\(scenario.name)\" cannot be flown in process by a program: it is another process. "
          + "Fly it with --stage wire."
      )
    case .inProcess?:
      guard let inProcessObstacle else { return .inProcess }
      throw DrillError.plan(
        "Scenario \"\(scenario.name)\" cannot be flown in process: \(inProcessObstacle). "
          + "Fly it with --stage wire."
      )
    case .onTheWire?:
      guard let obstacle else { return .onTheWire }
      throw DrillError.plan(
        "Scenario \"\(scenario.name)\" cannot be flown on the wire: \(obstacle). "
          + "Fly it with --stage in-process."
      )
    }
  }

  /// Leaves out those of a group's scenarios that cannot be flown, as long as others can: whoever names
  /// a group wants all of it that there is, and is told what there is not.
  ///
  /// - Parameter group: The names of scenarios that nobody asked for by themselves.
  /// - Throws: The first refusal, where nothing is left; any of a scenario that was asked for by itself.
  mutating func leaveOut(among group: Set<String>) throws {
    var kept: [Scenario] = []
    var first: DrillError?
    for scenario in scenarios {
      do {
        _ = try stage(of: scenario)
        kept.append(scenario)
      } catch let error as DrillError where group.contains(scenario.name) {
        first = first ?? error
        leftOut.append(LeftOut(name: scenario.name, reason: error.description))
      }
    }
    if kept.isEmpty, let first { throw first }
    scenarios = kept
  }
}
