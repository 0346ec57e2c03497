/// All conditions of one flow: its faults, the user's interruption, and the order in which the
/// client's tasks run.
public struct FaultSet: Sendable, Hashable {
  /// The ways in which a user interrupts a flow.
  public enum Interruption: Sendable, Hashable {
    /// A step is cancelled at a time after its beginning, and performed again when the user
    /// returns. If `step` is `nil`, the whole flow is cancelled at a time after its beginning, and
    /// is not performed again.
    case cancel(step: String?, after: Duration)
    /// The client's process ends at a time after the flow's beginning, and the flow starts again.
    case restart(after: Duration)
  }

  /// The faults and the link.
  public var scenario: Scenario
  /// The user's interruption. `nil` means none.
  public var interruption: Interruption?
  /// The order in which ready tasks run.
  public var order: TurnOrder

  /// Creates a fault set from its parts.
  public init(
    _ scenario: Scenario,
    interruption: Interruption? = nil,
    order: TurnOrder = .arrival
  ) {
    (self.scenario, self.interruption, self.order) = (scenario, interruption, order)
  }

  /// The contents of a scenario file of at most ten lines, which `windtunnel drill` can run, too.
  ///
  /// Members with names that begin with `_` describe the parts that a drill cannot reproduce, in
  /// sentences.
  public var file: String {
    guard case .object(let members) = scenario.json else { return "" }
    let own = members.filter { $0.name.value != "windtunnelScenario" }
    let lines =
      own.map { "  \"\($0.name.value)\": \($0.value)" }
      + beyondDrills.map { "  \(JSON.text($0)): \(JSON.text($1))" }
    return "{ \"windtunnelScenario\": 1,\n\(lines.joined(separator: ",\n")) }\n"
  }

  /// The parts that a drill cannot reproduce, each with a sentence.
  private var beyondDrills: [(String, String)] {
    var parts: [(String, String)] = []
    func add(_ name: String, _ sentence: String) { parts.append((name, sentence)) }
    switch interruption {
    case .cancel(let step?, let after):
      add(
        "_step",
        "The user cancels the step \(step) \(Words.time(after)) after its beginning and repeats "
          + "it, which a drill's users do not do."
      )
    case .restart(let after):
      add(
        "_restart",
        "The client's process ends \(Words.time(after)) after the beginning and the flow restarts, "
          + "which a drill cannot do."
      )
    case .cancel(nil, _), nil: break
    }
    if case .drawn(let seed) = order {
      add(
        "_order",
        "The client's tasks run in the order of seed \(seed), which requires virtual time."
      )
    }
    return parts
  }
}
