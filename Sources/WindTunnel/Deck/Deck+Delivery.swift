extension Deck {
  /// Lowers an outcome to steps; the journal is told of mutations that its answer gave no room for.
  public func delivery(of outcome: Outcome, on stage: Stage) -> Delivery {
    let script = Script.played(outcome, on: stage)
    if !script.misfits.isEmpty { note(script.misfits, on: outcome) }
    return script.delivery
  }
}
