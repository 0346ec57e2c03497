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
    let opening =
      deck.ignores(asked.url) ? .nothing : deck.open(lane: lane, on: .inProcess, at: Date())
    if opening != .nothing {
      if opening.afterwards == .keep { asking = (asked, lane) }
      player = Player(opening)
      return advance(.tick)
    }
    ask(asked, in: lane)
  }

  /// Decides what a request gets, on a connection that is open.
  func ask(_ asked: Request, in lane: Lane) {
    let deck = seat.deck
    let outcome = deck.decide(asked, lane: lane, at: Date())
    self.outcome = outcome
    // It is here at once; nobody has seen it come.
    deck.passed(.requestEnd(handshake: nil, upload: nil), of: outcome)
    if let answer = known(outcome) { return send(answer, outcome) }
    let delivery = deck.delivery(of: outcome, on: .inProcess)
    if let answer = whole(delivery, outcome) { return send(answer, outcome) }
    if let refusal = Self.refusal(of: delivery) { return land { $0.fail(refusal) } }
    player = Player(
      delivery,
      shaper: outcome.shaper
    )
    advance(.arrived(.requestEnd))
  }

  private func send(_ answer: WholeAnswer, _ outcome: Outcome) {
    seat.deck.passed(.firstByte, of: outcome)
    land { $0.send(answer) }
  }

  /// The answer as it was made for an earlier request.
  private func known(_ outcome: Outcome) -> WholeAnswer? {
    guard let plain = outcome.plain, let url = request.url, maySend else { return nil }
    return seat.answers.find(plain, at: url)
  }

  /// The answer, where it is there all at once, and will be for the next who asks.
  private func whole(_ delivery: Delivery, _ outcome: Outcome) -> WholeAnswer? {
    guard let plain = outcome.plain, let url = request.url, maySend, let answer = delivery.whole,
      let whole = WholeAnswer(answer, at: url)
    else { return nil }
    seat.answers.keep(whole, of: plain)
    return whole
  }
}
