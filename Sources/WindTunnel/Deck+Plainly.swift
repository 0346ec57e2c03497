package import Foundation

// Requests about which only the tape has a say, and whose answer a courier holds ready.
extension Deck {
  /// Decides that a request gets the answer that is held ready for it, and that it has been carried to
  /// its end.
  ///
  /// What is counted and noted is what ``decide(_:lane:at:)`` and ``finished(_:)`` would count and note,
  /// without an outcome to carry.
  ///
  /// - Returns: False where anything else answers, or may; then nothing was decided.
  package func decidePlainly(
    _ prepared: PreparedRequest,
    as plain: PlainAnswer,
    lane: Lane,
    at now: Date?
  ) -> Bool {
    // Who follows is told of an outcome.
    guard isPlain, follow == nil, prepared.lane == nil else { return false }
    return state.withLock { state in
      state.decidePlainly(prepared, as: plain, lane: lane, at: now, telling: observe)
    }
  }
}

extension Deck.State {
  fileprivate mutating func decidePlainly(
    _ prepared: PreparedRequest,
    as plain: PlainAnswer,
    lane: Lane,
    at now: Date?,
    telling observe: ((Journal.Entry) -> Void)?
  ) -> Bool {
    guard front === prepared.front, plain.tape == tapeNumber, onlyPlays,
      let sequence = prepared.sequence,
      playhead.deal(
        sequence,
        lane: lane,
        as: plain.place,
        then: { tape.interactions[$0].then ?? then }
      )
    else { return false }
    let id = newID()
    let arrival = arrivals.arrive(id, LaneKey(lane, prepared.print))
    _ = beginning.circumstances(scenario, of: prepared.request, in: lane, at: now)
    let decision = Decision(
      lane: lane,
      key: prepared.key.text,
      ordinal: arrival.ordinal,
      faults: []
    )
    enter(
      decision,
      .recording(plain.place),
      of: prepared.request,
      id: id,
      beside: arrival.others,
      telling: observe
    )
    arrivals.end(id, at: arrival.seat)
    return true
  }

  /// Whether the tape is played in no weather, and nothing else is done.
  private var onlyPlays: Bool {
    mode == .none && scenario.rules.isEmpty && scenario.link == nil && !passesOthers
      && routes.isEmpty
      && !computes
  }
}
