@_spi(WindTunnel) internal import WindTunnelCore

extension Deck {
  /// Returns the player of the conversation that an outcome begins; `nil` where it begins none.
  package func conversation(of outcome: Outcome) -> ConversationPlayer? {
    guard case .recording(let interaction, let place) = outcome.source, interaction.isConversation
    else { return nil }
    let cassette = state.withLock { $0.cassette }
    // Another cassette may have been loaded since it was decided.
    let isLoaded =
      place < cassette.interactions.count && cassette.interactions[place].isSame(as: interaction)
    return ConversationPlayer(
      isLoaded
        ? cassette.conversation(at: place)
        : Conversation(interaction, correlatedBy: cassette.matcher.correlated),
      pace: outcome.pace
    )
  }

  /// Tells the observer of what was said in a live conversation.
  package func said(_ speech: LiveSpeech, in outcome: Outcome) {
    tell(.said(outcome, speech), of: outcome)
  }

  /// Notes what was left of a conversation that has ended, and a message of the client's that is
  /// not on the cassette.
  package func conversed(_ server: borrowing ConversationServer, in outcome: Outcome) {
    guard case .recording(_, let place) = outcome.source else { return }
    tell(server.undone, of: outcome)
    var notes = server.left
    if let stray = server.player.stray {
      let mismatch = Mismatch(
        strayFrom: outcome.request,
        number: place + 1,
        nearest: stray.nearest,
        difference: stray.difference,
        count: state.withLock { $0.cassette.interactions.count }
      )
      // A program's own values may be secret.
      notes.append("A message is not on the cassette: \(mismatch.nearestWords).")
      state.withLock { $0.missed.keep(mismatch) }
      observer?.tell(.strayed(outcome, mismatch))
    }
    if !notes.isEmpty { note(notes, on: outcome) }
  }
}
