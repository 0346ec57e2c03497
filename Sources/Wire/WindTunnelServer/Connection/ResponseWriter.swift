internal import Foundation
internal import WindTunnel
internal import WindTunnelSymptoms

/// One delivery on its way to a client: the player, its actions and the encoder of the response.
///
/// The connection receives nothing but ``ServedConnection/ended(_:by:)``, a handshake or another
/// protocol.
final class ResponseWriter: Courier {
  /// The size of a body's slices, so that a client that does not read costs no more.
  static let sliceBytes = 64 * 1024

  /// The request that is answered; `nil` for the faults of a connection.
  let exchange: RequestExchange?
  private(set) weak var connection: ServedConnection?
  private let context: PortContext
  var queue: ActionQueue
  private var encoder: ResponseEncoder?
  private var trailers: HeaderFields = [:]
  private var hasBegun = false
  /// The live server's answer, as long as it passes.
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

  // MARK: What happens

  /// Goes on after the client has taken what was queued.
  func clientDrained() { if let upstream { upstream.clientDrained() } else { carry() } }

  /// Notes that the client sends no more.
  func clientEnded() { upstream?.clientEnded() }

  /// Ends the answer since the client's connection has ended.
  func clientLeft() {
    if let upstream = takeUpstream() { upstream.clientLeft() } else { finished(.clientLeft) }
  }

  /// Ends the answer since the server is stopped.
  func stopped() {
    guard let upstream else { return finished(.stopped) }
    upstream.stop()
  }

  /// Passes on more of the request's content.
  func contentCame() { upstream?.passContent() }

  /// Notes the end of the request's content.
  func contentEnded() {
    guard let upstream else { return advance(.arrived(.requestEnd)) }
    upstream.passContent()
    if channel?.inputEnded == true { upstream.clientEnded() }
  }

  /// Ends the answer since the request's content breaks off; returns true where the client already
  /// has a part of it.
  func requestBrokeOff() -> Bool {
    guard let upstream = takeUpstream() else {
      finished(.clientLeft)
      return false
    }
    let hasBegun = upstream.hasBegun
    upstream.clientLeft()
    return hasBegun
  }

  // MARK: What is done

  /// The connection's clock, as long as there is a connection.
  var now: Duration? { channel == nil ? nil : connection?.now }

  var isReady: Bool { channel?.isCongested == false }

  func carried() { if !queue.isEmpty { channel?.notifyWhenDrained() } }

  func wake(at moment: Duration) {
    // Milestones of several answers on one connection do not mix: each has its own player.
    guard let connection else { return }
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
    if let exchange { connection?.converse(exchange, answering: head, faults) }
  }

  func finish(_ afterwards: Delivery.Afterwards) {
    if let upstream = takeUpstream() { return upstream.clientHasAll() }
    if let encoder { channel?.write { encoder.appendEnd(trailers, to: &$0) } }
    finished(.whole)
    let keeps = afterwards.keepsConnection && encoder?.keepsAlive == true
    connection?.ended(self, by: .whole(keeps ? afterwards : .close))
  }

  func closeWrite() {
    channel?.finishWriting()
    end(.stall(isReading: true))
  }

  func close() { end(.close) }

  func reset() { end(.reset) }

  func stall() { end(.stall(isReading: false)) }

  // A wire has no other way to fail, and nothing to relay to.

  func fail(_ symptom: Symptom) { reset() }

  func relay() { reset() }

  func pass(_ count: Int, _ way: Link.Way) { upstream?.pass(count) }

  // Its end is written with what follows.
  func passEnd(_ way: Link.Way) {}

  func hold(_ way: Link.Way, _ isHeld: Bool) { upstream?.hold(isHeld) }

  func forward() {
    guard let connection else { return }
    // What follows is the upstream's to say, or the player's when it has heard of it.
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

  /// Answers a request that goes to another server than the recorded one.
  private func refuseToForward() {
    let request = exchange?.outcome.request
    // Whoever follows a redirect and shrugs at a 502 would keep half of what was to be recorded.
    if context.origins.leadsBack, let request { context.deck.missed(request) }
    if let exchange {
      let reason = "Its server is not the one that is recorded."
      context.deck.tell(.notAsked(exchange.outcome, reason), of: exchange.outcome)
      exchange.measure?.known.status = 502
    }
    cut()
    let name = request?.url.origin ?? "The server that is meant"
    let text =
      "\(name) is not asked here: it is not the server that is recorded, and nothing on the tape "
      + "answers. Record it without sockets, or by itself."
    channel?.write { encoder?.appendNotice(502, text, to: &$0) }
    connection?.ended(self, by: .close)
  }

  /// Lets go of the live answer, which holds this while it is metered.
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

  /// Tells that the answer has come to its end, once.
  private func finished(_ ending: ExchangeEnd.Ending) { exchange?.finished(ending) }

  // MARK: What is written

  /// Reports that the first byte leaves.
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

  /// Writes a slice; what is left of the data is what is done next.
  func send(_ data: Data) {
    guard let channel else { return }
    let slice = data.prefix(Self.sliceBytes)
    begin()
    exchange?.measure?.known.bytes += slice.count
    guard encoder?.isWithoutContent != true else { return }
    // Without a head these are raw bytes.
    if let encoder {
      channel.write { encoder.append(slice, to: &$0) }
    } else {
      channel.write(slice)
    }
    let rest = data.dropFirst(slice.count)
    if !rest.isEmpty { queue.putBack(.bytes(rest)) }
  }
}

/// The end of a delivery, as far as its connection is concerned.
enum DeliveryEnd {
  /// The response is whole.
  case whole(Delivery.Afterwards)
  case close
  case reset
  /// Nothing more is sent, and the connection stays open.
  case stall(isReading: Bool)
}
