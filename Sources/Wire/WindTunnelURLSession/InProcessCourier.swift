internal import Foundation
@_spi(WindTunnel) internal import WindTunnel
internal import WindTunnelSymptoms

/// A courier to a client in the same process, from a request to its response.
///
/// There is no connection: instead of closing one, it reports the symptom that a client would see.
protocol InProcessCourier: Courier {
  var deck: Deck { get }
  /// The lane of requests that name none.
  var lane: Lane { get }
  /// The request that waits for its connection to open.
  var unopened: Request? { get set }
  /// The deck's decision about the request; `nil` before it is made.
  var outcome: Outcome? { get set }
  /// The part of the response that has arrived.
  var progress: AnswerInHand { get }

  /// Sends a response that requires no player, and returns whether it was one.
  func sendAtOnce(_ outcome: Outcome) -> Bool
  /// Ends the exchange with a symptom, or normally if it is `nil`.
  func end(with symptom: Symptom?)
  /// Ends the exchange because its response requires a socket.
  func refuse(_ reason: HarnessError)
}

extension InProcessCourier {
  /// Sends a request to the deck, and performs the deck's decision.
  ///
  /// The decision is first about the connection, which may have to open or may fail, then about the
  /// response.
  func arrive(_ request: Request) {
    switch deck.arrive(request, lane: lane(of: request), on: .inProcess, at: Date()) {
    case .opening(let opening):
      if opening.afterwards == .keep { unopened = request }
      queue = ActionQueue(Player(opening))
      advance(.tick)
    case .decided(let outcome): respond(as: outcome)
    }
  }

  /// Requests the response once the connection is open.
  func carried() {
    guard let request = unopened, isReady, queue.isDone else { return }
    unopened = nil
    respond(as: deck.decide(request, lane: lane(of: request), at: Date()))
  }

  /// Begins the response of the decision.
  func respond(as outcome: Outcome) {
    self.outcome = outcome
    // In process, a request is complete at once.
    deck.requestEnded(outcome)
    if sendAtOnce(outcome) { return }
    let delivery = deck.delivery(of: outcome, on: .inProcess)
    if let refusal = Self.refusal(of: delivery) { return refuse(refusal) }
    queue = ActionQueue(Player(delivery, shaper: outcome.shaper))
    advance(.arrived(.requestEnd))
  }

  /// Reports to the deck that the exchange is over, if a response was decided.
  func noteFinished() { if let outcome { deck.finished(outcome) } }

  private func lane(of request: Request) -> Lane {
    request.headers[Lane.header].map { Lane($0) } ?? lane
  }

  /// Returns the reason why a delivery requires a socket; `nil` if it does not.
  private static func refusal(of delivery: Delivery) -> HarnessError? {
    let lacking = delivery.needs.subtracting(Stage.inProcess.abilities)
    guard !lacking.isEmpty else { return nil }
    let nouns = lacking.map(\.noun).sorted().joined(separator: " and ")
    return HarnessError(
      """
      The faults of this request need \(nouns), which URLProtocol does not support. Play the same \
      deck on a loopback server.
      """
    )
  }

  // MARK: - Ends

  func finish(_ afterwards: Delivery.Afterwards) { end(with: nil) }
  func close() { end(with: progress.symptomWhenClosed) }
  func reset() { fail(.connectionLost) }
  // Events after a complete response do not matter.
  func fail(_ symptom: Symptom) { end(with: progress.isWhole ? nil : symptom) }
  func closeWrite() { close() }

  // These require two connections or a socket, and ``respond(as:)`` refuses such deliveries.

  func relay() { unable() }
  func pass(_ count: Int, _ way: Link.Way) { unable() }
  func passEnd(_ way: Link.Way) { unable() }
  func hold(_ way: Link.Way, _ isHeld: Bool) { unable() }
  func shakeHands(_ handshake: Handshake) { unable() }
  func converse(_ head: ResponseHead, _ faults: [ConversationFault]) { unable() }
  private func unable() { end(with: .unknown) }
}
