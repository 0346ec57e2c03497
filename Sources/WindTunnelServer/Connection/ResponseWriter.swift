internal import Foundation
internal import WindTunnel
internal import WindTunnelSymptoms

/// One delivery on its way to a client: the player, what it said, and how the content is framed.
final class ResponseWriter: Courier {
  /// The size of a body's slices, so that a client that does not read costs no more.
  static let sliceBytes = 64 * 1024

  private let exchange: RequestExchange?
  private weak var client: ClientConnection?
  private let context: PortContext
  var queue: ActionQueue
  private var framing: Framing?
  private var trailers: HeaderFields = [:]
  private var keepsAlive = false
  private var hasBegun = false
  /// The live server's answer, as long as it passes.
  private var upstream: UpstreamExchange?

  init(_ player: Player, of exchange: RequestExchange? = nil, to client: ClientConnection) {
    (queue, self.exchange, self.client) = (ActionQueue(player), exchange, client)
    context = client.context
  }

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
    exchange?.measure?.restart()
    if let exchange { client?.noteRequestEnd(of: exchange.outcome) }
    guard let upstream else { return advance(.arrived(.requestEnd)) }
    upstream.passContent()
    if client?.channel?.inputEnded == true { upstream.clientEnded() }
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
  var now: Duration? { client?.channel == nil ? nil : client?.now }

  var isReady: Bool { client?.channel?.isCongested == false }

  func carried() { if !queue.isEmpty { client?.channel?.notifyWhenDrained() } }

  func wake(at moment: Duration) {
    // Milestones of several answers on one connection do not mix: each has its own player.
    client?.schedule(at: moment) { [weak self] in self?.advance(.tick) }
  }

  func shakeHands(_ handshake: Handshake) {
    queue.removeAll()
    client?.shakeHands(handshake)
  }

  func converse(_ head: ResponseHead, _ faults: [ConversationFault]) {
    queue.removeAll()
    if let exchange { client?.converse(exchange, answering: head, faults) }
  }

  func finish(_ afterwards: Delivery.Afterwards) {
    if let upstream = takeUpstream() { return upstream.clientHasAll() }
    if framing == .chunked {
      client?.channel?.write { $0.appendLastChunk(trailers: trailers) }
    }
    finished(.whole)
    client?.next(keeps: afterwards.keepsConnection && keepsAlive, afterwards)
  }

  func closeWrite() {
    client?.channel?.finishWriting()
    cut()
    client?.stall(isReading: true, exchange?.outcome)
  }

  func close() { end { $0.close() } }

  func reset() { end { $0.reset() } }

  func stall() {
    cut()
    client?.stall(isReading: false, exchange?.outcome)
  }

  // A wire has no other way to fail, and nothing to relay to.

  func fail(_ symptom: Symptom) { reset() }

  func relay() { reset() }

  func pass(_ count: Int, _ way: Link.Way) { upstream?.pass(count) }

  // Its end is written with what follows.
  func passEnd(_ way: Link.Way) {}

  func hold(_ way: Link.Way, _ isHeld: Bool) { upstream?.hold(isHeld) }

  func forward() {
    guard let client else { return }
    // What follows is the upstream's to say, or the player's when it has heard of it.
    if !queue.isMetering { queue.removeAll() }
    guard let exchange, let server = context.origins.server(for: exchange.outcome) else {
      let request = exchange?.outcome.request
      // Whoever follows a redirect and shrugs at a 502 would keep half of what was to be recorded.
      if context.origins.leadsBack, let request { context.deck.missed(request) }
      if let exchange {
        let reason = "Its server is not the one that is recorded."
        context.deck.tell(.notAsked(exchange.outcome, reason), of: exchange.outcome)
        exchange.measure?.status = 502
      }
      let url = request?.url
      return end { channel in
        channel.writeNotice(
          502,
          "\(url?.origin ?? "The server that is meant") is not asked here: it is not the server that "
            + "is recorded, and nothing on the tape answers. Record it without sockets, or by itself."
        )
        channel.close()
      }
    }
    let upstream = UpstreamExchange(
      exchange,
      server,
      for: client,
      meter: queue.isMetering ? self : nil,
      in: context.origins,
      on: client.reactor
    )
    self.upstream = upstream
    upstream.begin()
  }

  /// Lets go of the live answer, which holds this while it is metered.
  private func takeUpstream() -> UpstreamExchange? {
    defer { upstream = nil }
    return upstream
  }

  private func end(_ ending: (Channel) -> Void) {
    cut()
    client?.end(ending)
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
    exchange.authority.localise(&head)
    let answer = AnswerFraming(
      status: head.status,
      to: exchange.head,
      length: head.announcedLength(to: exchange.head.method) {
        exchange.delivery.steps.reduce(0) { sum, step in
          guard case .bytes(.data(let data)) = step else { return sum }
          return sum + data.count
        }
      },
      keepsAlive: exchange.delivery.afterwards.keepsConnection && !context.origins.closesConnections
    )
    (framing, keepsAlive) = (answer.framing, answer.keepsAlive)
    trailers = exchange.head.accepted(head.trailers)
    exchange.measure?.take(head)
    client?.channel?.write { $0.appendHead(head, framed: answer, for: exchange.head.version) }
  }

  /// Writes a slice; what is left of the data is what is done next.
  func send(_ data: Data) {
    guard let channel = client?.channel else { return }
    let slice = data.prefix(Self.sliceBytes)
    begin()
    exchange?.measure?.bytes += slice.count
    switch framing {
    case .none?: return
    case .chunked?: channel.write { $0.appendChunk(slice) }
    // Without a head these are raw bytes.
    case .length?, .untilClose?, nil: channel.write(slice)
    }
    let rest = data.dropFirst(slice.count)
    if !rest.isEmpty { queue.putBack(.bytes(rest)) }
  }
}
