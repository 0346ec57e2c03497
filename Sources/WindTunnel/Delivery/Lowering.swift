package import Foundation

extension Delivery {
  /// Lowers what was decided for a request to steps.
  ///
  /// A forwarded request is lowered to its waits and a live body: its head is the origin's.
  public init(_ outcome: Outcome, on stage: Stage) {
    self = Script.played(outcome, on: stage).delivery
  }
}

extension Script {
  /// An outcome's answer with everything that goes wrong.
  static func played(_ outcome: Outcome, on stage: Stage) -> Script {
    var script = Script(outcome, on: stage)
    for fault in outcome.decision.faults { script.add(fault, to: outcome.request) }
    if let path = outcome.path { script.travel(path, outcome) }
    return script
  }
}

extension Outcome {
  /// The response that nothing changes, where it is sent in one go: what its delivery comes to, without
  /// the steps.
  package func whole(on stage: Stage) -> (head: ResponseHead, body: Data)? {
    renderedKey == nil ? nil : Script(self, on: stage).whole
  }
}

extension Deck {
  /// Lowers an outcome to steps; the journal is told of mutations that its answer gave no room for.
  public func delivery(of outcome: Outcome, on stage: Stage) -> Delivery {
    let script = Script.played(outcome, on: stage)
    if !script.misfits.isEmpty { note(script.misfits, on: outcome) }
    return script.delivery
  }
}
