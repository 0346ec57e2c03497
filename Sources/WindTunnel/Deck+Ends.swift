// What becomes of an outcome once it has left the deck.

package import Foundation

extension Deck {
  /// Tells that an outcome has been carried to its end, however it ended.
  public func finished(_ outcome: Outcome) {
    let (id, seat) = (outcome.id, outcome.seat)
    state.withLock { $0.finished(id, at: seat) }
    follow?(outcome, .end)
  }

  /// Tells whoever follows that an outcome has come so far.
  public func passed(_ milestone: Milestone, of outcome: Outcome) { follow?(outcome, milestone) }

  /// How long ago the scenario began: its first moment that was told; `nil` where none was.
  package func elapsed(at now: Date) -> Duration? {
    state.withLock { $0.beginning.elapsed(at: now) }
  }

  /// Keeps what the live origin answered to a forwarded request, in memory, until ``recorded()``
  /// takes the secrets out of it.
  public func keep(_ interaction: Interaction, for outcome: Outcome) {
    remember(interaction, for: outcome)?()
  }

  /// The same, but for what takes its time: what is answered writes the interaction down, before which
  /// its client is not to have all of it, on whatever thread; `nil` where nothing is written.
  package func remember(
    _ interaction: Interaction,
    for outcome: Outcome
  ) -> (@Sendable () -> Void)? {
    guard case .forward(let ticket?) = outcome.source else { return nil }
    return remember(interaction, under: ticket)
  }

  func keep(_ interaction: Interaction, under ticket: Int) {
    remember(interaction, under: ticket)?()
  }

  private func remember(_ interaction: Interaction, under ticket: Int) -> (@Sendable () -> Void)? {
    let isLeftOff = state.withLock { state in
      state.recording[ticket] = interaction
      return state.isProxied && interaction.isRefused
    }
    guard !isLeftOff, let recordingJournal else { return nil }
    return { recordingJournal.append(interaction, order: ticket) }
  }
}
