internal import Foundation
internal import WindTunnel

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
    let delivery = deck.delivery(of: outcome, on: .inProcess)
    if let refusal = Self.refusal(of: delivery) { return land { $0.fail(refusal) } }
    player = Player(
      delivery,
      shaper: outcome.shaper
    )
    advance(.arrived(.requestEnd))
  }
}
