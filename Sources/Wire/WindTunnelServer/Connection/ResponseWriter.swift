internal import Foundation
internal import WindTunnel
internal import WindTunnelSymptoms

/// The sending of one delivery to a client: the player, its actions and the encoder of the
/// response.
///
/// The writer calls its connection only at its end (``ServedConnection/ended(_:by:)``), for a TLS
/// handshake, and for another protocol.
final class ResponseWriter: Courier {
  /// The size of a body's slices. It limits the memory for a client that does not read.
  static let sliceBytes = 64 * 1024

  /// The request of the response; `nil` for the faults of a connection.
  let exchange: RequestExchange?
  private(set) weak var connection: ServedConnection?
  private let context: PortContext
  var queue: ActionQueue
  private var encoder: ResponseEncoder?
  private var trailers: HeaderFields = [:]
  /// The response if it consists of bytes of HTTP/1.1 on a stream of HTTP/2; otherwise `nil`.
  private var respelled: RespelledResponse?
  private var hasBegun = false
  /// The exchange with the upstream, while it lasts.
  private var upstream: UpstreamExchange?

  /// Creates the writer of a response, or of the faults of a connection.
  init(
    _ player: Player,
    of exchange: RequestExchange? = nil,
    by encoder: ResponseEncoder? = nil,
    to connection: ServedConnection
  ) {
    (queue, self.connection, context) = (ActionQueue(player), connection, connection.context)
    (self.exchange, self.encoder) = (exchange, encoder)
  }

  /// The client's connection; `nil` after its end.
  var channel: Channel? { connection?.channel }

  // MARK: Events

  /// Continues after the client has read the queued bytes.
  func clientDrained() { if let upstream { upstream.clientDrained() } else { carry() } }

  /// Processes the end of the client's bytes.
  func clientEnded() { upstream?.clientEnded() }

  /// Ends the response because the client's connection has ended.
  func clientLeft() {
    if let upstream = takeUpstream() { return upstream.clientLeft() }
    // A cancelled stream has no fault any more that could end its connection.
    queue = ActionQueue()
    finished(.clientLeft)
  }

  /// Ends the response for a reason other than its own faults, which is a sentence.
  func cut(because problem: String) {
    queue = ActionQueue()
    exchange?.measure?.known.problem = problem
    cut()
  }

  /// Ends the response because the server stops.
  func stopped() {
    guard let upstream else { return finished(.stopped) }
    upstream.stop()
  }

  /// Passes more of the request's content to the upstream.
  func contentCame() { upstream?.passContent() }

  /// Processes the end of the request's content.
  func contentEnded() {
    guard let upstream else { return advance(.arrived(.requestEnd)) }
    upstream.passContent()
    if channel?.inputEnded == true { upstream.clientEnded() }
  }

  /// Ends the response because the request is cut off. Returns whether the client already has a
  /// part of the response.
  func requestBrokeOff() -> Bool {
    guard let upstream = takeUpstream() else {
      finished(.clientLeft)
      return false
    }
    let hasBegun = upstream.hasBegun
    upstream.clientLeft()
    return hasBegun
  }

  // MARK: Actions

  /// The time on the connection's clock; `nil` if the connection has ended.
  var now: Duration? { channel == nil ? nil : connection?.now }

  var isReady: Bool { channel?.isCongested == false && encoder?.isCongested != true }

  /// Whether actions wait for the client or for the stream.
  var isWaiting: Bool { !queue.isEmpty }

  func carried() {
    if isWaiting, let channel, channel.isCongested { channel.notifyWhenDrained() }
    guard encoder?.sharesConnection == true, let requests = connection?.requests else { return }
    requests.flush()
  }

  func wake(at moment: Duration) {
    guard let connection else { return }
    if exchange?.outcome.path?.exchange != nil { return connection.requests.wake(at: moment) }
    // Other responses on one connection do not share wake-ups: each has its own player.
    connection.reactor.schedule(at: connection.start + moment.inNanoseconds) { [weak self] _ in
      self?.advance(.tick)
    }
  }

  func shakeHands(_ handshake: Handshake) {
    queue.removeAll()
    connection?.shakeHands(handshake)
  }

  func converse(_ head: ResponseHead, _ faults: [ConversationFault]) {
    queue.removeAll()
    guard let exchange, let connection,
      let carrier = connection.requests.carrier(for: self)
    else { return }
    connection.converse(exchange, on: carrier, answering: head, faults)
  }

  func finish(_ afterwards: Delivery.Afterwards) {
    if let upstream = takeUpstream() { return upstream.clientHasAll() }
    if let encoder { channel?.write { encoder.appendEnd(trailers, to: &$0) } }
    finished(.whole)
    let keeps = afterwards.keepsConnection && encoder?.keepsAlive == true
    connection?.ended(self, by: .whole(keeps ? afterwards : .close))
  }

  func closeWrite() {
    if endsRespelled() { return }
    channel?.finishWriting()
    end(.stall(isReading: true))
  }

  func close() { if !endsRespelled() { end(.close) } }

  /// Ends a response of HTTP/1.1 bytes on a stream of HTTP/2; false if that leaves it incomplete.
  ///
  /// If it is complete, the connection continues with its other responses.
  private func endsRespelled() -> Bool {
    channel?.write { respelled?.readEnd(to: &$0) }
    guard case .whole? = respelled?.state else { return false }
    cut()
    connection?.ended(self, by: .whole(.close))
    return true
  }

  func reset() { end(.reset) }

  func stall() { end(.stall(isReading: false)) }

  // On the wire, a failure and a relay are resets.

  func fail(_ symptom: Symptom) { reset() }

  func relay() { reset() }

  func pass(_ count: Int, _ way: Link.Way) { upstream?.pass(count) }

  // The next action writes the end of the response.
  func passEnd(_ way: Link.Way) {}

  func hold(_ way: Link.Way, _ isHeld: Bool) { upstream?.hold(isHeld) }

  func forward() {
    guard let connection else { return }
    // The upstream determines the next actions. If the delivery is metered, the player does so
    // after it has received the upstream's events.
    if !queue.isMetering { queue.removeAll() }
    guard let exchange, let encoder, let server = context.origins.server(for: exchange.outcome)
    else { return refuseToForward() }
    let upstream = UpstreamExchange(
      exchange,
      server,
      answering: encoder,
      for: self,
      isMetered: queue.isMetering,
      on: connection.reactor
    )
    self.upstream = upstream
    upstream.begin()
  }

  /// Sends 502 for a request whose server is not the recorded one.
  private func refuseToForward() {
    let request = exchange?.outcome.request
    // A client that follows a redirect and ignores the 502 would leave the recording incomplete. So
    // the request counts as not answered.
    if context.origins.leadsBack, let request { context.deck.missed(request) }
    if let exchange {
      let reason = "Its server is not the recorded one."
      context.deck.tell(.notAsked(exchange.outcome, reason), of: exchange.outcome)
      exchange.measure?.known.status = 502
    }
    cut()
    let name = request?.url.origin ?? "The server that is meant"
    let text =
      "\(name) receives no requests here: it is not the recorded server, and no recording matches. "
      + "Record it in process, or by itself."
    answerAlone(.notice(502, text))
  }

  /// Sends a response of the server instead of the decided one. A connection without other streams
  /// ends with it.
  private func answerAlone(_ response: Response) {
    guard var encoder else { return }
    guard encoder.sharesConnection else {
      channel?.write { encoder.appendLast(response, to: &$0) }
      connection?.ended(self, by: .close)
      return
    }
    channel?.write { encoder.append(response, keepsAlive: true, to: &$0) }
    connection?.ended(self, by: .whole(.keep))
  }

  /// Releases the upstream's exchange, which retains this writer while it is metered.
  private func takeUpstream() -> UpstreamExchange? {
    defer { upstream = nil }
    return upstream
  }

  private func end(_ end: DeliveryEnd) {
    cut()
    connection?.ended(self, by: end)
  }

  private func cut() {
    finished(.cut)
    upstream = nil
  }

  /// Reports the end of the exchange, once.
  private func finished(_ ending: ExchangeEnd.Reason) { exchange?.finished(ending) }

  // MARK: Output

  /// Reports once that the response begins.
  private func begin() {
    guard !hasBegun, let exchange else { return }
    hasBegun = true
    context.deck.responseBegan(exchange.outcome)
  }

  func send(_ head: ResponseHead) {
    guard let exchange else { return }
    begin()
    var head = head
    exchange.mapping.localise(&head)
    encoder?.frame(
      head.status,
      length: head.announcedLength(to: exchange.head.method) {
        exchange.delivery.steps.reduce(0) { sum, step in
          guard case .bytes(.data(let data)) = step else { return sum }
          return sum + data.count
        }
      },
      keepsAlive: exchange.delivery.afterwards.keepsConnection && !context.origins.closesConnections
    )
    trailers = head.trailers
    exchange.measure?.take(head)
    channel?.write { encoder?.append(head, to: &$0) }
  }

  /// Writes a slice, and puts the rest of the data back into the queue as the next action.
  func send(_ data: Data) {
    guard let channel else { return }
    if encoder?.sharesConnection == true, encoder?.hasHead == false { return send(raw: data) }
    let slice = data.prefix(Self.sliceBytes)
    begin()
    exchange?.measure?.known.bytes += slice.count
    guard encoder?.isWithoutContent != true else { return }
    // Without an encoder, the data is raw bytes.
    if let encoder {
      channel.write { encoder.append(slice, to: &$0) }
    } else {
      channel.write(slice)
    }
    let rest = data.dropFirst(slice.count)
    if !rest.isEmpty { queue.putBack(.bytes(rest)) }
  }

  /// Writes bytes of HTTP/1.1 on a stream of HTTP/2.
  private func send(raw data: Data) {
    guard let encoder, let exchange else { return }
    begin()
    exchange.measure?.known.bytes += data.count
    if respelled == nil { respelled = RespelledResponse(to: exchange.head.method, by: encoder) }
    channel?.write { respelled?.read(data, to: &$0) }
  }
}

/// The effect of a delivery's end on its connection.
enum DeliveryEnd {
  /// The response is whole.
  case whole(Delivery.Afterwards)
  case close
  case reset
  /// Nothing more is sent, and the connection stays open.
  case stall(isReading: Bool)
}
