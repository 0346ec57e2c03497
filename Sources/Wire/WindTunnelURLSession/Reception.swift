internal import Foundation
@_spi(WindTunnel) internal import WindTunnel
internal import WindTunnelSymptoms

/// The reception of one response by a client without a session, with the clock of its caller.
final class Reception: InProcessCourier {
  let deck: Deck
  let lane: Lane
  var queue = ActionQueue()
  var unopened: Request?
  var outcome: Outcome?
  private(set) var progress = AnswerInHand()
  private let request: Request
  private let exchange: DirectExchange
  /// Returns the time since the request.
  private let clock: () -> Duration

  /// The time at which more may arrive; `nil` if nothing more will arrive.
  private(set) var wakeTime: Duration?
  /// The time at which the head arrived.
  private(set) var headTime: Duration?
  /// The time of the last byte, or of the request.
  private(set) var lastActivity = Duration.zero
  /// The longest time without a byte before the last one.
  private(set) var longestSilence = Duration.zero
  /// The response or the failure, once it is over.
  private(set) var result: Result<DirectExchange.WholeResponse, DirectExchange.Failure>?

  private var head: ResponseHead?
  private var body = Data()
  /// Whether `body` is without a content coding.
  private var isOpen = false
  /// The number of bytes of the body that a listener has received; `nil` before the head.
  private var reported: Int?

  init(of request: Request, for exchange: DirectExchange, by clock: @escaping () -> Duration) {
    (self.request, self.exchange, self.clock) = (request, exchange, clock)
    (deck, lane) = (exchange.deck, exchange.lane)
  }

  /// Continues the reception at ``wakeTime``.
  func wake() {
    wakeTime = nil
    advance(.tick)
  }

  /// Reports the data since the last call, except for a redirect.
  ///
  /// A body with a content coding can be reported only when it is complete.
  func report(to listener: DirectExchange.Listener) {
    guard let head else { return }
    if reported == nil { listener.head(head) }
    let piece = isOpen ? body.dropFirst(reported ?? 0) : Data()
    reported = (reported ?? 0) + piece.count
    if !piece.isEmpty { listener.piece(piece) }
  }

  // MARK: - Actions

  var now: Duration? { clock() }
  var isReady: Bool { result == nil }

  func sendAtOnce(_ outcome: Outcome) -> Bool { false }

  func send(_ head: ResponseHead) {
    noteActivity()
    headTime = headTime ?? lastActivity
    if let outcome { deck.responseBegan(outcome) }
    // The body of a redirect is not read.
    if Request(following: head, from: request) != nil {
      return result = .success(DirectExchange.WholeResponse(head: head, body: Data()))
    }
    (self.head, progress) = (head, AnswerInHand(head, to: request.method))
    isOpen = progress.coding == nil
  }

  func send(_ data: Data) {
    noteActivity()
    progress.received += data.count
    body.append(data)
  }

  func stall() { if progress.isWhole { end(with: nil) } }

  func wake(at moment: Duration) { wakeTime = moment }

  func forward() {
    refuse(HarnessError("Without a session, no request can be sent to the live origin."))
  }

  func end(with symptom: Symptom?) {
    if let symptom { return result = .failure(.failed(exchange.surfaced(symptom))) }
    guard let head else { return end(with: .malformedResponse) }
    guard let open = ContentCoding.open(body, body.isEmpty ? nil : progress.coding) else {
      return ContentCoding.refusal(progress.coding).map { refuse($0) }
        ?? end(with: .undecodableBody)
    }
    (body, isOpen) = (open, true)
    result = .success(DirectExchange.WholeResponse(head: head, body: open))
  }

  func refuse(_ reason: HarnessError) { result = .failure(.impossible(reason.description)) }

  private func noteActivity() {
    let time = clock()
    longestSilence = max(longestSilence, time - lastActivity)
    lastActivity = time
  }
}

extension Request {
  /// Creates the request that follows a redirect; `nil` if the response is no redirect.
  init?(following head: ResponseHead, from original: Request) {
    guard 300..<400 ~= head.status,
      let target = RedirectTarget(
        head,
        from: URL(string: original.url.description),
        method: original.method
      )
    else { return nil }
    self.init(
      target.method,
      RequestURL(target.url.absoluteString),
      headers: HeaderFields(
        original.headers.filter { field in !target.dropped.contains { field.isNamed($0) } }
      ),
      body: target.keepsBody ? original.body : .empty
    )
  }
}
