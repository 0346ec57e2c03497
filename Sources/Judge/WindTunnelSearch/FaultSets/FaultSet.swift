/// The weather of one flow, to the last detail: its faults, what its user breaks off, and the order
/// in which the client's tasks have their turns.
public struct FaultSet: Sendable, Hashable {
  /// The things that a user does to a flow.
  public enum Interruption: Sendable, Hashable {
    /// A step is cancelled so long after its beginning, and done again: the user comes back. `nil`:
    /// the whole flow is cancelled so long after its beginning, for good.
    case cancel(step: String?, after: Duration)
    /// The client's process ends so long after the flow's beginning, and the flow begins anew.
    case restart(after: Duration)
  }

  /// The faults, and the link.
  public var scenario: Scenario
  /// The thing that the user does; `nil`: nothing.
  public var interruption: Interruption?
  /// The order of turns.
  public var order: TurnOrder

  /// Makes a fault set of its parts.
  public init(
    _ scenario: Scenario,
    interruption: Interruption? = nil,
    order: TurnOrder = .arrival
  ) {
    (self.scenario, self.interruption, self.order) = (scenario, interruption, order)
  }
}

extension FaultSet {
  /// The contents of a scenario's file of at most ten lines that `windtunnel drill` flies, too.
  ///
  /// Sentences under names that begin with `_` say what of it a drill cannot do.
  public var file: String {
    guard case .object(let members) = scenario.json else { return "" }
    let own = members.filter { $0.name.value != "windtunnelScenario" }
    let lines =
      own.map { "  \"\($0.name.value)\": \($0.value)" }
      + beyondDrills.map { "  \(JSON.text($0)): \(JSON.text($1))" }
    return "{ \"windtunnelScenario\": 1,\n\(lines.joined(separator: ",\n")) }\n"
  }

  /// The parts that no drill can do, each with a sentence.
  private var beyondDrills: [(String, String)] {
    var parts: [(String, String)] = []
    func add(_ name: String, _ sentence: String) { parts.append((name, sentence)) }
    switch interruption {
    case .cancel(let step?, let after):
      add(
        "_step",
        "The user leaves the step \(step) \(Words.time(after)) after its beginning and does it "
          + "again, which a drill's users do not."
      )
    case .restart(let after):
      add(
        "_restart",
        "The client's process ends \(Words.time(after)) after the beginning and the flow begins "
          + "anew, which a drill cannot do."
      )
    case .cancel(nil, _), nil: break
    }
    if case .drawn(let seed) = order {
      add(
        "_order",
        "The client's tasks have their turns in the order of seed \(seed), which is to be had in "
          + "virtual time alone."
      )
    }
    return parts
  }
}
