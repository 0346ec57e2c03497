internal import Foundation
internal import WindTunnel

#if canImport(FoundationNetworking)
  internal import FoundationNetworking
#endif

extension Flight {
  /// Asks the live origin, passes its answer through and lets the deck keep it.
  func forward() {
    guard let outcome else { return }
    watch()
    let forwarding = Forwarding(outcome, in: context) { [weak self] event in
      // What was on its way when the task was suspended waits with it.
      self?.goOn { $0.pass(event, of: outcome) }
    }
    self.forwarding = forwarding
    forwarding.resume()
  }

  private func pass(_ event: Forwarding.Event, of outcome: Outcome) {
    touch()
    switch event {
    case .head(let head):
      redirect = Redirect(head, from: request)
      if redirect == nil { courier.receive(head, at: request.url, isOpen: true) }
    case .bytes(let data): if redirect == nil { courier.receive(data) }
    case .end(let answer, let timing, let error):
      // Kept before a next hop asks, so that the hops stand in order on the tape.
      var interaction = Interaction(outcome.request, answer, timing: timing)
      interaction.joined = interaction.response?.headers.perhapsJoined ?? []
      seat.deck.keep(interaction, for: outcome)
      if let redirect, error == nil, case .response(let response) = answer {
        return follow(redirect, response.head) { flight in
          flight.courier.receive(response.head, at: flight.request.url, isOpen: true)
          flight.courier.receive(response.body.data)
          flight.land { $0.finish() }
        }
      }
      land { courier in if let error { courier.fail(error) } else { courier.finish() } }
    }
  }
}
