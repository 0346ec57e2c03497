internal import Foundation
internal import WindTunnel

#if canImport(FoundationNetworking)
  internal import FoundationNetworking
#endif

// From a request to what it gets.
extension Flight {
  func decide(body: Data) {
    self.body = body
    let asked = RequestBridge.request(request, body: body, context.configuration)
    let deck = seat.deck
    let lane = asked.headers[Lane.header].map { Lane($0) } ?? seat.lane
    switch deck.arrive(asked, lane: lane, on: .inProcess, at: Date()) {
    case .opening(let opening):
      if opening.afterwards == .keep { asking = (asked, lane) }
      player = Player(opening)
      advance(.tick)
    case .decided(let outcome): answer(outcome)
    }
  }

  /// Decides what a request gets whose connection had to be waited for.
  func ask(_ asked: Request, in lane: Lane) {
    answer(seat.deck.decide(asked, lane: lane, at: Date()))
  }

  private func answer(_ outcome: Outcome) {
    let deck = seat.deck
    self.outcome = outcome
    // It is here at once; nobody has seen it come.
    deck.passed(.requestEnd(handshake: nil, upload: nil), of: outcome)
    if let answer = whole(outcome) { return send(answer, outcome) }
    let delivery = deck.delivery(of: outcome, on: .inProcess)
    if let refusal = Self.refusal(of: delivery) { return land { $0.fail(refusal) } }
    player = Player(
      delivery,
      shaper: outcome.shaper
    )
    advance(.arrived(.requestEnd))
  }

  private func send(_ answer: WholeAnswer, _ outcome: Outcome) {
    seat.deck.passed(.firstByte, of: outcome)
    courier.give(answer)
    land { $0.end() }
  }

  /// The answer, where it is there all at once: as it was made for an earlier request, or made now for
  /// those that follow.
  private func whole(_ outcome: Outcome) -> WholeAnswer? {
    guard let key = outcome.renderedKey, maySend, let url = request.url else { return nil }
    if let known = seat.answers.find(key, at: url) { return known }
    guard let answer = outcome.whole(on: .inProcess), let whole = WholeAnswer(answer, at: url)
    else {
      return nil
    }
    seat.answers.keep(whole, under: key)
    return whole
  }
}
