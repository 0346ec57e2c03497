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

  /// Takes note that this process could not ask the live origin, for want of something of its own: that
  /// is no answer, and stands on no cassette.
  package func couldNotAsk(_ outcome: Outcome, _ reason: String) {
    let ticket: Int? = if case .forward(let ticket) = outcome.source { ticket } else { nil }
    state.withLock { $0.couldNotAsk(ticket, reason) }
  }

  /// The same for a tunnel.
  package func couldNotAsk(_ tunnel: TunnelDecision, _ reason: String) {
    state.withLock { $0.couldNotAsk(tunnel.ticket, reason) }
  }

  /// The number of requests that this process could not ask for, and the reason, as half a
  /// sentence; `nil` where it could ask for all.
  package var unasked: (count: Int, reason: String)? {
    state.withLock { state in state.unasked.map { ($0.count, $0.reason) } }
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

extension Deck.State {
  /// Requests that could not be asked for, for want of something of this process's.
  struct Unasked: Sendable {
    var count = 0
    let reason: String
    /// Those that were to be recorded.
    var tickets: Set<Int> = []
  }

  fileprivate mutating func couldNotAsk(_ ticket: Int?, _ reason: String) {
    var all = unasked ?? Unasked(reason: reason)
    all.count += 1
    if let ticket { all.tickets.insert(ticket) }
    unasked = all
  }
}
