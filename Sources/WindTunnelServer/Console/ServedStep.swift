internal import WindTunnel

/// The part of an event that a console's lines are made of; small but for a request's beginning.
enum ServedStep: Sendable {
  /// A connection failed before there was a request.
  indirect case connection(Journal.Entry)
  /// A request has come whole.
  indirect case begun(Outcome, handshake: Duration?, upload: Duration?)
  /// Faults of the request with this number were not done.
  case undone(Int, [UndoneFault])
  case firstByte(Int)
  indirect case passed(Int, LiveAnswer)
  /// The answer has ended; the status is what the deck meant to send, where nothing was measured.
  indirect case ended(Int, ExchangeEnd?, status: Int?)
  case left(Int)
  indirect case conversed(Int, ConversationLog)
  indirect case tunnel(TunnelEnd)
  /// A segment begins behind the decision of this number.
  indirect case segment(Scenario, seed: UInt64, after: Int)

  /// Takes it out of an event; `nil` where no line changes by that.
  init?(_ event: ExchangeEvent) {
    switch event {
    case .decided(let entry):
      // A tunnel is told of at its end, and a connection that is only late goes on.
      guard entry.take == .connection, entry.decision.key == Decision.connectionKey,
        entry.decision.faults.contains(where: \.replacesOrCuts)
      else { return nil }
      self = .connection(entry)
    case .requestEnd(let outcome, let handshake, let upload):
      self = .begun(outcome, handshake: handshake, upload: upload)
    case .undone(let outcome, let faults): self = .undone(outcome.id, faults)
    case .firstByte(let outcome): self = .firstByte(outcome.id)
    case .passed(let outcome, let answer): self = .passed(outcome.id, answer)
    case .ended(let outcome, let end):
      self = .ended(outcome.id, end, status: end == nil ? outcome.status : nil)
    case .left(let outcome): self = .left(outcome.id)
    case .conversed(let outcome, let log): self = .conversed(outcome.id, log)
    case .tunnelEnded(let end): self = .tunnel(end)
    // The conversation has what a client says beside the cassette, without a number.
    case .strayed: return nil
    }
  }

  /// Tells whether a line begins with it.
  var beginsLine: Bool {
    switch self {
    case .begun, .connection, .tunnel: true
    case .undone, .firstByte, .passed, .ended, .left, .conversed, .segment: false
    }
  }

  /// The memory that it takes, roughly, in bytes.
  var cost: Int {
    switch self {
    case .begun(let outcome, _, _): outcome.cost
    case .passed(_, let answer): answer.content?.count ?? 0
    case .conversed(_, let log): log.cost
    case .connection, .undone, .firstByte, .ended, .left, .tunnel, .segment: 0
    }
  }
}

extension Outcome {
  /// The status that the deck means to send; `nil` where it is not the deck's to say.
  fileprivate var status: Int? {
    guard case .recording(let interaction, _) = source else { return nil }
    return decision.faults.contains(where: \.replacesOrCuts) ? nil : interaction.response?.status
  }
}
