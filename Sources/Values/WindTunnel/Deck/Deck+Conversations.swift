@_spi(WindTunnel) internal import WindTunnelCore

extension Deck {
  /// Returns the player of an outcome's conversation; `nil` if the outcome begins none.
  package func conversation(of outcome: Outcome) -> ConversationPlayer? {
    guard case .recording(let interaction, let place) = outcome.source, interaction.isConversation
    else { return nil }
    let cassette = state.withLock { $0.cassette }
    // Another cassette may have been loaded since the decision.
    let isLoaded =
      place < cassette.interactions.count && cassette.interactions[place].isSame(as: interaction)
    return ConversationPlayer(
      isLoaded
        ? cassette.conversation(at: place)
        : Conversation(interaction, correlatedBy: cassette.matcher.correlated),
      pace: outcome.pace
    )
  }

  /// Reports a message of a live conversation to the observer.
  package func said(_ speech: LiveSpeech, in outcome: Outcome) {
    tell(.said(outcome, speech), of: outcome)
  }

  /// Notes the messages that a conversation did not play, and a client's message that is not on the
  /// cassette.
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
      // The values in a client's message may be secret.
      notes.append("A message is not on the cassette: \(mismatch.nearestWords).")
      state.withLock { $0.missed.keep(mismatch) }
      observer?.tell(.strayed(outcome, mismatch))
    }
    if !notes.isEmpty { note(notes, on: outcome) }
  }
}
