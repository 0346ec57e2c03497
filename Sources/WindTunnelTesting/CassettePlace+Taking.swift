internal import Foundation
internal import WindTunnel
internal import WindTunnelServer

extension CassettePlace {
  /// Plays or records the tape for a part of a test.
  ///
  /// What it records is written if nothing of it fails; else it is thrown away, and that is told.
  ///
  /// - Parameters:
  ///   - deck: The deck of this place.
  ///   - taping: How it is played.
  ///   - fly: Runs the part.
  /// - Returns: What is to be told at the end, where the part has not thrown: what fails it, and what
  ///   is only to be known.
  /// - Throws: What the part throws. Then ``Deck/mismatches`` mostly say why.
  func take(
    _ deck: Deck,
    _ taping: Taping,
    _ fly: @Sendable () async throws -> Void
  ) async throws -> (problems: [String], notes: [String]) {
    let watch = FailureWatch(thrownAway)
    do {
      // Issues of tests that only play are nobody's affair.
      if records(deck) { try await watch.run(fly) } else { try await fly() }
    } catch {
      discard(deck)
      throw error
    }
    var problems = deck.mismatches.map { told($0) }
    problems += deck.unmet(taping.expectation).map { "\($0)" }
    let drift = await drift(of: deck, taping)
    problems += drift.drifted.map { "\(Drift([$0]))" }
    var notes = await skipped(drift)
    notes += deck.oversights(expecting: taping.expectation, of: file.lastPathComponent)
    guard problems.isEmpty, !watch.hasFailed else {
      if deck.hasRecorded, !problems.isEmpty { problems.append(thrownAway) }
      discard(deck)
      return (problems, notes)
    }
    do {
      if let note = try keep(deck, taping) { notes.append(note) }
    } catch let problem as CassetteProblem {
      return ([problem.description], notes)
    }
    return ([], notes)
  }

  /// Whether what a deck is asked may go to the live origin and be kept.
  func records(_ deck: Deck) -> Bool { deck.records && mode != .none && mode != .verify }

  /// Why nothing answered, with what to do about it at a desk.
  func told(_ mismatch: Mismatch) -> String {
    guard mode == .once else { return "\(mismatch)" }
    return "\(mismatch)\nTo record what is missing beside the rest: "
      + "WINDTUNNEL_RECORD=new-episodes swift test"
  }

  /// What is said where a test that records fails.
  var thrownAway: String {
    "Since this test has failed, nothing that it recorded is written to \(file.path)."
  }
}
