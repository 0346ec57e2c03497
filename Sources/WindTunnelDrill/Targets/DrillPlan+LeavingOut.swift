internal import WindTunnel

extension DrillPlan {
  /// A scenario that is not flown, and why not.
  struct LeftOut: Sendable, Hashable {
    /// Its name.
    var name: String
    /// The sentence that it would have been refused with.
    var reason: String
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
