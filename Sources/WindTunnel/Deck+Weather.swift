extension Deck {
  /// Changes the weather between two requests, and answers what it was.
  @discardableResult
  public func swap(_ scenario: Scenario, seed: UInt64? = nil) -> (scenario: Scenario, seed: UInt64)
  {
    state.withLock { state in
      defer {
        (state.scenario, state.seed) = (scenario, seed ?? state.seed)
        state.beginning = Deck.Beginning()
        state.ruleUse.change(to: scenario)
      }
      return (state.scenario, state.seed)
    }
  }

  /// What all draws start from.
  public var seed: UInt64 { state.withLock { $0.seed } }

  /// What the weather is.
  public var scenario: Scenario { state.withLock { $0.scenario } }
}
