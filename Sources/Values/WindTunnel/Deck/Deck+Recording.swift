@_spi(WindTunnel) internal import WindTunnelCore

extension Deck {
  /// Keeps the live origin's answer to a forwarded request, in memory, until
  /// ``recorded(volatile:)`` takes the secrets out of it.
  public func keep(_ interaction: Interaction, for outcome: Outcome) {
    if let status = interaction.response?.status { change(outcome) { $0.givenStatus = status } }
    remember(interaction, for: outcome)?()
  }

  /// Records that the live origin of a tunnel could not be reached, where anything is recorded.
  public func keep(_ failure: Failure, for tunnel: TunnelDecision, to authority: String) {
    guard let ticket = tunnel.ticket else { return }
    remember(Interaction(Request(tunnelTo: authority), .failure(failure)), under: ticket)?()
  }

  /// Keeps what the live origin answered, but for what takes its time: what is returned writes the
  /// interaction down, before which its client is not to have all of it, on whatever thread; `nil`
  /// where nothing is written.
  package func remember(
    _ interaction: Interaction,
    for outcome: Outcome
  ) -> (@Sendable () -> Void)? {
    guard case .forward(let ticket?) = outcome.source else { return nil }
    return remember(interaction, under: ticket)
  }

  private func remember(_ interaction: Interaction, under ticket: Int) -> (@Sendable () -> Void)? {
    var interaction = interaction
    // A client's braces are no pattern.
    interaction.request.url = interaction.request.url.literal ?? interaction.request.url
    let isLeftOff = state.withLock { [interaction] in $0.keep(interaction, under: ticket) }
    guard !isLeftOff, let recordingJournal else { return nil }
    return { [interaction] in recordingJournal.append(interaction, order: ticket) }
  }

  /// Returns the work that journals the part of an exchange that arrived, on whatever thread; `nil`
  /// if nothing is journalled.
  package func journalPart(
    of outcome: Outcome,
    _ part: @escaping @Sendable () -> Interaction
  ) -> (@Sendable () -> Void)? {
    guard case .forward(let ticket?) = outcome.source, let recordingJournal else { return nil }
    return {
      var part = part()
      part.request.url = part.request.url.literal ?? part.request.url
      recordingJournal.append(part, order: ticket, isPart: true)
    }
  }

  /// Takes note that this process could not ask the live origin, for want of something of its own:
  /// that is no answer, and stands on no cassette.
  package func couldNotAsk(_ outcome: Outcome, _ reason: String) {
    let ticket: Int? = if case .forward(let ticket) = outcome.source { ticket } else { nil }
    state.withLock { $0.recordings.noteUnasked(ticket, reason) }
  }

  /// Takes note that nothing is kept of a conversation, and why.
  package func couldNotRead(_ outcome: Outcome, _ reason: String) {
    guard case .forward(let ticket?) = outcome.source else { return }
    state.withLock { $0.recordings.noteUnread(ticket, reason) }
  }

  /// The same for a tunnel.
  package func couldNotAsk(_ tunnel: TunnelDecision, _ reason: String) {
    state.withLock { $0.recordings.noteUnasked(tunnel.ticket, reason) }
  }

  /// Keeps connections that were refused off the cassette, and returns what they were for:
  /// `GET http://a.example`, without path and query, which may hold a secret.
  @discardableResult
  package func forgetRefusals() -> [String] { state.withLock { $0.recordings.dropRefusals() } }

  /// Tells whether what is passed on is kept.
  package var records: Bool { state.withLock { $0.mode } != .none }

  /// Tells whether everything is recorded anew.
  var recordsAnew: Bool { state.withLock { $0.mode } == .rewrite }

  /// The recordings, and what becomes of what was there before.
  var recording: Recording { state.withLock { $0.recording } }

  /// The recordings so far.
  var newRecordings: NewRecordings { state.withLock { $0.recordings } }
}
