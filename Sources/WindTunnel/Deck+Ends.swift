// What becomes of an outcome once it has left the deck.

package import Foundation

extension Deck {
  /// Tells that an outcome has been carried to its end, however it ended.
  public func finished(_ outcome: Outcome) {
    let id = outcome.id
    state.withLock { $0.finished(id) }
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
    guard case .forward(let ticket?) = outcome.source else { return }
    keep(interaction, under: ticket)
  }

  func keep(_ interaction: Interaction, under ticket: Int) {
    let isLeftOff = state.withLock { state in
      state.recording[ticket] = interaction
      return state.isProxied && interaction.isRefused
    }
    if !isLeftOff { recordingJournal?.append(interaction, order: ticket) }
  }
}
