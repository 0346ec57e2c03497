@_spi(WindTunnel) internal import WindTunnelCore

extension Deck {
  /// The mutants that are played in addition to the scenario; ``swap(_:seed:)`` and ``reset()``
  /// keep them.
  package var mutants: [Mutant] {
    get { state.withLock { $0.mutants } }
    set { state.withLock { $0.mutants = newValue } }
  }

  /// Returns the use of a mutant by the requests since the last ``reset()``, without a number of
  /// first ones.
  package func use(of mutant: Mutant, after first: Int = 0) -> MutantUse {
    let entries = journal.all.dropFirst(first).filter { $0.take.interaction == mutant.recording }
    func isMet(by entry: Journal.Record) -> Bool {
      mutant.faults.allSatisfy { entry.decision.faults.contains($0) }
    }
    let met = entries.filter { isMet(by: $0) }
    let misfits = met.map { entry in
      entry.misfits.first { misfit in
        mutant.faults.contains { misfit.hasPrefix("\($0.json) was not done") }
      }
    }
    let hasEnded =
      mutant.first != nil && met.count >= Mutant.retriesMin
      && entries.last.map { !isMet(by: $0) } == true
    return MutantUse(
      asked: entries.count,
      isMet: misfits.contains(nil),
      misfit: misfits.contains(nil)
        ? hasEnded ? MutantUse.ended : nil : misfits.compactMap(\.self).first
    )
  }
}

/// The use of a mutant by a test.
package struct MutantUse: Sendable, Hashable {
  /// The number of requests for its recording.
  package let asked: Int
  /// Whether one of them received the mutated response.
  package let isMet: Bool
  /// The reason why the change was not possible with the response; `nil` if there is none.
  package let misfit: String?
  /// The misfit of a client that retried until the mutant ended.
  static let ended = "the client retried until it received the recorded response"

  /// Returns the result of a run with the mutant.
  ///
  /// - Parameters:
  ///   - failure: The failure of the test; `nil` if it passed.
  ///   - plainAsked: The number of requests for the recording without the mutant.
  /// - Returns: No room or not reached if no request received the mutant, regardless of the test's
  ///   result.
  package func result(failure: MutantResult?, plainAsked: Int) -> MutantResult {
    if !isMet, misfit == nil { return .notReached }
    if isMet, let failure { return failure }
    return misfit.map { .noRoom(reason: $0) } ?? .survived(asked: asked, plainAsked: plainAsked)
  }
}
