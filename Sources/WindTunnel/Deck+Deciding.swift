public import Foundation

extension Deck {
  /// Decides what a request gets; the same request may get something else next time.
  ///
  /// The request names its lane itself (``Lane/take(from:)``), else it is of `lane`. The caller says
  /// what time it is (``open(lane:on:at:)``).
  public func decide(_ request: Request, lane: Lane = .deck, at now: Date? = nil) -> Outcome {
    decide(request, as: prepare(request), lane: lane, at: now)
  }

  /// The same for a request that was prepared, which is done anew where another tape was loaded since.
  package func decide(
    _ request: Request,
    as prepared: PreparedRequest,
    lane: Lane,
    at now: Date?
  ) -> Outcome {
    do throws(OtherTape) {
      return try decide(prepared, lane: lane, at: now)
    } catch {
      let front = state.withLock { $0.front }
      return decide(request, as: front.prepare(request), lane: lane, at: now)
    }
  }

  /// Why a request has to be prepared anew: another tape was loaded since.
  package struct OtherTape: Error {}

  /// The same for a request that is prepared, and may be known by that alone.
  package func decide(
    _ prepared: PreparedRequest,
    lane: Lane = .deck,
    at now: Date? = nil
  ) throws(OtherTape) -> Outcome {
    var later: Later?
    let outcome = try state.withLock { state throws(OtherTape) -> Outcome in
      guard state.front === prepared.front else { throw OtherTape() }
      return state.decide(prepared, lane, at: now, pace: pace, telling: observe, later: &later)
    }
    // Almost none is left to be worked on, and so none is copied for it.
    return today == nil && later == nil ? outcome : complete(outcome, of: prepared, by: later)
  }

  /// What of a decision is not worked out under the lock.
  private func complete(
    _ outcome: Outcome,
    of prepared: PreparedRequest,
    by later: Later?
  ) -> Outcome {
    var outcome = outcome
    if let today, case .recording(let interaction, let place) = outcome.source {
      outcome.source = .recording(interaction.refreshingDates(at: today()), place: place)
      // What is of today is put together each day anew.
      outcome.plain = nil
    }
    if let later {
      outcome.source = later.source(for: prepared.request, matcher: prepared.front.matcher)
      if case .unmatched(let mismatch) = outcome.source { state.withLock { $0.missed(mismatch) } }
    }
    return outcome
  }
}
