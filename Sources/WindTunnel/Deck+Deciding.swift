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

  /// Remembers why nothing answered, with how often whoever asked was given what comes near.
  private func missed(_ mismatch: Mismatch, in lane: Lane) -> Mismatch {
    var mismatch = mismatch
    guard mismatch.played == 0 else {
      state.withLock { $0.missed(mismatch) }
      return mismatch
    }
    guard lane == .deck else {
      // Lanes are many, and of none the numbers are kept.
      let journal = journal
      for index in mismatch.candidates.indices {
        let take = Journal.Take.recording(mismatch.candidates[index].number - 1)
        mismatch.candidates[index].played = journal.count {
          $0.take == take && $0.decision.lane == lane
        }
      }
      state.withLock { $0.missed(mismatch) }
      return mismatch
    }
    return state.withLock { state in
      for index in mismatch.candidates.indices {
        let place = mismatch.candidates[index].number - 1
        mismatch.candidates[index].played = place < state.plays.count ? state.plays[place] : 0
      }
      state.missed(mismatch)
      return mismatch
    }
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
      outcome.source = later.source(for: prepared.request, by: prepared.front)
      if case .unmatched(let mismatch) = outcome.source {
        outcome.source = .unmatched(missed(mismatch, in: outcome.decision.lane))
      }
    }
    return outcome
  }
}
