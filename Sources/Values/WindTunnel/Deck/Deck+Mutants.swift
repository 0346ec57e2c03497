@_spi(WindTunnel) internal import WindTunnelCore

extension Deck {
  /// The mutants that are played in addition to the scenario; ``swap(_:seed:)`` and ``reset()``
  /// keep them.
  package var mutants: [Mutant] {
    get { state.withLock { $0.mutants } }
    set { state.withLock { $0.mutants = newValue } }
  }

  /// Returns the use of a mutant by the requests since the last ``reset()``.
  package func use(of mutant: Mutant) -> MutantUse {
    let entries = journal.all.filter { $0.take.interaction == mutant.recording }
    let met = entries.filter { entry in
      mutant.faults.allSatisfy { entry.decision.faults.contains($0) }
    }
    let misfits = met.map { entry in
      entry.misfits.first { misfit in
        mutant.faults.contains { misfit.hasPrefix("\($0.json) was not done") }
      }
    }
    return MutantUse(
      asked: entries.count,
      isMet: misfits.contains(nil),
      misfit: misfits.compactMap(\.self).first
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

  /// Returns the result of a run with the mutant.
  ///
  /// - Parameters:
  ///   - failure: The failure of the test; `nil` if it passed.
  ///   - plainAsked: The number of requests for the recording without the mutant.
  /// - Returns: No room or not reached if no request received the mutant, regardless of the test's
  ///   result.
  package func result(failure: MutantResult?, plainAsked: Int) -> MutantResult {
    guard isMet else { return misfit.map { .noRoom(reason: $0) } ?? .notReached }
    return failure ?? .survived(asked: asked, plainAsked: plainAsked)
  }
}
