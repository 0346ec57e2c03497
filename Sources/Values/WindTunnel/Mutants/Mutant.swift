@_spi(WindTunnel) internal import WindTunnelCore

/// One recording broken in one way.
package struct Mutant: Sendable, Hashable {
  package let `operator`: MutationOperator
  /// The number of the recording, from 1.
  package let recording: Int
  /// The JSON path of the member that changes; `nil` if the operator changes no single member.
  package let path: String?
  /// The faults of the recording, in order.
  package let faults: [Fault]
  /// The number of requests after which a client receives the recorded response of status 429.
  static let retriesMin = 5
  /// The number of first requests of its path that may receive the faults; `nil` for all.
  package fileprivate(set) var first: Int?

  /// The rule that breaks the recording.
  package var rule: FaultRule {
    FaultRule(when: Trigger(first: first, recording: recording), faults)
  }

  /// The mutant for tests on a socket.
  ///
  /// A stall would last until each client's timeout. Instead the connection closes after 50 ms
  /// without a response.
  package var onWire: Mutant {
    guard `operator`.name == "stall" else { return self }
    let faults = [Fault.delay(.milliseconds(50)), .cut(at: .afterRequest, then: .close)]
    return Mutant(operator: `operator`, recording: recording, path: path, faults: faults)
  }

  /// Creates an empty record for a run of a test with this mutant.
  package func run(of test: String) -> MutantRun {
    MutantRun(test: test, recording: recording, mutant: `operator`.name, path: path)
  }
}

/// The mutants of a cassette's recordings, each created at its first use and then kept.
package final class Mutants: Sendable {
  private let interactions: [Interaction]
  private let plan: MutationPlan
  private let bodies: OtherBodies
  private let known = Locked<[Int: [Mutant]]>([:])

  /// Creates the mutants of a plan.
  package init(of interactions: [Interaction], by plan: MutationPlan = MutationPlan()) {
    (self.interactions, self.plan) = (interactions, plan)
    bodies = OtherBodies(interactions)
  }

  /// The mutants of a recording by its number from 1, in the order of ``MutationOperator/all``.
  ///
  /// The list has no mutant that would change no byte. It has no body changes for a recorded error,
  /// a 204, a HEAD, or a body that cannot be parsed as its type. A recorded failure has no mutants.
  package subscript(recording: Int) -> [Mutant] {
    if let known = known.withLock({ $0[recording] }) { return known }
    let all = mutants(of: recording)
    known.withLock { $0[recording] = all }
    return all
  }

  private func mutants(of recording: Int) -> [Mutant] {
    guard interactions.indices.contains(recording - 1) else { return [] }
    let interaction = interactions[recording - 1]
    guard plan.only.isEmpty || plan.only.contains(where: { $0.matches(interaction.request) }),
      let response = BrokenResponse(of: interaction, recording, among: bodies)
    else { return [] }
    let path = interaction.request.url.path
    let earlier = interactions.prefix(recording - 1).count { $0.request.url.path == path }
    return MutationOperator.all.flatMap { `operator` in
      if plan.operators?.contains(`operator`.name) == false { return [Mutant]() }
      return response.changes(by: `operator`.name, seed: plan.seed).map { path, faults in
        var mutant = Mutant(operator: `operator`, recording: recording, path: path, faults: faults)
        // A client may wait and retry without a limit.
        if `operator`.name == "status-429" { mutant.first = Mutant.retriesMin + earlier }
        return mutant
      }
    }
  }
}
