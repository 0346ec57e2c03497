@_spi(WindTunnel) internal import WindTunnelCore

extension Deck {
  /// Keeps the live origin's response to a forwarded request in memory.
  ///
  /// ``recorded(volatile:)`` later removes its secrets.
  public func keep(_ interaction: Interaction, for outcome: Outcome) {
    if let status = interaction.response?.status { change(outcome) { $0.givenStatus = status } }
    remember(interaction, for: outcome)?()
  }

  /// Records that the live origin of a tunnel could not be reached, if the deck records.
  public func keep(_ failure: Failure, for tunnel: TunnelDecision, to authority: String) {
    guard let ticket = tunnel.ticket else { return }
    remember(Interaction(Request(tunnelTo: authority), .failure(failure)), under: ticket)?()
  }

  /// Keeps a live origin's response, and returns the work that writes it to the journal.
  ///
  /// Run the work on any thread before the client has received the whole response. `nil` if nothing
  /// is written.
  package func remember(
    _ interaction: Interaction,
    for outcome: Outcome
  ) -> (@Sendable () -> Void)? {
    guard case .forward(let ticket?) = outcome.source else { return nil }
    return remember(interaction, under: ticket)
  }

  private func remember(_ interaction: Interaction, under ticket: Int) -> (@Sendable () -> Void)? {
    var interaction = interaction
    // Braces in a client's URL are not a pattern.
    interaction.request.url = interaction.request.url.literal ?? interaction.request.url
    let isLeftOff = state.withLock { [interaction] in $0.keep(interaction, under: ticket) }
    guard !isLeftOff, let recordingJournal else { return nil }
    return { [interaction] in recordingJournal.append(interaction, order: ticket) }
  }

  /// Returns the work that journals the part of an exchange that has arrived, for any thread; `nil`
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

  /// Records that this process could not contact the live origin, because it lacks a resource of
  /// its own.
  ///
  /// This is not a response, so it is not recorded on the cassette.
  package func couldNotAsk(_ outcome: Outcome, _ reason: String) {
    let ticket: Int? = if case .forward(let ticket) = outcome.source { ticket } else { nil }
    state.withLock { $0.recordings.noteUnasked(ticket, reason) }
  }

  /// Records that a conversation is not kept, and the reason.
  package func couldNotRead(_ outcome: Outcome, _ reason: String) {
    guard case .forward(let ticket?) = outcome.source else { return }
    state.withLock { $0.recordings.unread[ticket] = reason }
  }

  /// Records that this process could not contact the origin of a tunnel.
  package func couldNotAsk(_ tunnel: TunnelDecision, _ reason: String) {
    state.withLock { $0.recordings.noteUnasked(tunnel.ticket, reason) }
  }

  /// Drops recordings of refused connections, and returns their methods and origins.
  ///
  /// An example is `GET http://a.example`, without path and query, which may contain a secret.
  @discardableResult
  package func forgetRefusals() -> [String] { state.withLock { $0.recordings.dropRefusals() } }

  /// Whether forwarded exchanges are recorded.
  package var records: Bool { state.withLock { $0.mode } != .none }

  /// Whether everything is recorded again.
  var recordsAnew: Bool { state.withLock { $0.mode } == .rewrite }

  /// The new recordings, and the interactions that they are added to or replace.
  var recording: Recording { state.withLock { $0.recording } }

  /// The recordings so far.
  var newRecordings: NewRecordings { state.withLock { $0.recordings } }
}
