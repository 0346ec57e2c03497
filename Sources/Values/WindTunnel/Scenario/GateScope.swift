// The scenarios in which a gate is tested, by its prefix.
extension Gate {
  /// The prefix of a gate that is tested once, over all calls of a run.
  package static let run = "run"

  /// A scenario of a run, as gates select it.
  package struct Site: Sendable, Hashable {
    fileprivate let name: String
    /// The share of the calls that can succeed; `nil` if the scenario does not state it.
    fileprivate let calls: Survival.Calls?

    /// Creates a site from a name and its scenario, which may be unknown.
    package init(_ name: String, _ scenario: Scenario?) {
      (self.name, calls) = (name, scenario?.survival?.calls)
    }
  }

  /// Returns whether the gate is tested once, over all calls of a run of these scenarios.
  package func isOfRun(_ sites: [Site]) -> Bool {
    prefix == Self.run && !sites.contains { $0.name == prefix }
  }

  /// Returns whether the gate, which does not belong to a scenario, is tested in one scenario of a
  /// run.
  ///
  /// A gate without a prefix is not tested if no call can succeed in the scenario.
  package func isHeld(in site: Site, of sites: [Site]) -> Bool {
    guard let prefix else { return site.calls != Survival.Calls.none }
    if sites.contains(where: { $0.name == prefix }) { return site.name == prefix }
    return site.calls?.rawValue == prefix
  }

  /// Throws if the gate is tested in no scenario of a run, or cannot be tested over the whole run.
  package func check(against sites: [Site]) throws(GateError) {
    try checkText()
    if isOfRun(sites) {
      guard metric.isOfOneScenario else { return }
      throw misfit("\(metric.rawValue) is a metric of one scenario, not of a whole run")
    }
    if sites.isEmpty || sites.contains(where: { isHeld(in: $0, of: sites) }) { return }
    guard let prefix else {
      throw misfit("no call can succeed in this run, so a gate without a prefix is not checked")
    }
    if Survival.Calls(rawValue: prefix) != nil {
      throw misfit("no scenario of this run is in the class \"\(prefix)\"")
    }
    let names = sites.map(\.name)
    let classes = Survival.Calls.allCases.map(\.rawValue) + [Self.run]
    let near = nearest(to: prefix, in: names + classes).map { "the nearest name is \"\($0)\"" }
    let some = names.prefix(10).joined(separator: ", ") + (names.count > 10 ? ", …" : "")
    throw misfit("this run has no scenario \"\(prefix)\"; \(near ?? "it has \(some)")")
  }

  /// Throws if the gate has a prefix: a scenario's own gates are tested in that scenario.
  package func checkAsOwn() throws(GateError) {
    try checkText()
    guard prefix != nil else { return }
    throw misfit("a scenario's own gate cannot have a prefix")
  }

  /// Throws if the text is not parsed as the same gate.
  ///
  /// Swift code can create a gate with a name or a value that no text has, and reports store the
  /// text.
  private func checkText() throws(GateError) {
    guard try Gate(description) != self else { return }
    throw misfit("its text names another scenario or endpoint")
  }

  private func misfit(_ problem: String) -> GateError {
    GateError(gate: description, column: 1, problem: problem)
  }
}

extension GateMetric {
  /// Whether the figure depends on the times or the faults of one scenario.
  fileprivate var isOfOneScenario: Bool {
    [
      .worstSecondAmplification, .thunderingHerdIndex, .firstRecovery, .steadyRecovery, .coverage,
    ].contains(self)
  }
}

extension [Scenario] {
  /// The scenarios as gates select them.
  package var gateSites: [Gate.Site] { map { Gate.Site($0.name, $0) } }
}
