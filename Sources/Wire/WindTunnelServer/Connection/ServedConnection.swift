internal import Foundation
internal import WindTunnel

/// One client's connection, from its first byte or fault to its end or another protocol.
///
/// On the loop's thread only.
final class ServedConnection {
  let context: PortContext
  let reactor: Reactor
  /// Set right after the channel has been made, which wants its delegate first.
  private(set) var channel: Channel?
  private let live: LiveConnections
  private let handler: any RequestHandler
  private let codec: any ConnectionCodec
  private(set) lazy var requests = ServedRequests(of: self, handler, codec, deadline, live)
  /// Called at the end of the connection, with its error.
  private let ended: ((Channel, SocketError?) -> Void)?
  private var state = State.serving
  let start: Moment
  private let deadline: Deadline
  /// The link that it was opened over; `nil`: none, or one that was waited for elsewhere.
  private var path: LinkPath?

  private enum State {
    /// Requests are received and answered.
    case serving
    /// The connection ends with the next byte that arrives.
    case parting(IdleEnd.Ending)
    /// A connection fault is being carried; there will be no request.
    case opening(ResponseWriter, Data)
    /// Another protocol has the channel.
    case takenOver(any ConnectionSuccessor)
    /// Nothing more is sent, and the connection stays open; with the outcome of the last request.
    case stalled(Outcome?)
    case ended
  }

  private init(
    _ context: PortContext,
    _ live: LiveConnections,
    _ reactor: Reactor,
    _ handler: any RequestHandler,
    _ limits: Limits? = nil,
    speaking codec: (any ConnectionCodec)? = nil,
    ended: ((Channel, SocketError?) -> Void)? = nil
  ) {
    (self.context, self.live, self.reactor) = (context, live, reactor)
    (self.handler, self.ended) = (handler, ended)
    self.codec = codec ?? HTTP1Codec(limits: context.requestLimits)
    start = .now()
    deadline = Deadline(limits ?? context.limits)
  }

  var now: Duration { .nanoseconds(Moment.now() - start) }

  /// Whether requests are received and answered.
  var isServing: Bool { if case .serving = state { true } else { false } }

  // MARK: - Beginnings

  /// Takes over a socket that has been accepted, and counted; `nil` where it is gone already.
  static func begin(
    _ socket: Socket,
    _ handler: any RequestHandler,
    in context: PortContext,
    _ live: LiveConnections,
    at place: PeerPlace?,
    speaking codec: (any ConnectionCodec)? = nil,
    on reactor: Reactor
  ) -> ServedConnection? {
    let limits = place?.kind == .unpaired ? context.limits.whileUnpaired : context.limits
    let connection = ServedConnection(context, live, reactor, handler, limits, speaking: codec)
    // A connection that is gone before it is served is the client's affair.
    guard let channel = try? Channel(socket, on: reactor, limits: limits, delegate: connection)
    else {
      live.discard()
      return nil
    }
    connection.channel = channel
    channel.held = place
    connection.requests.deck.noteClient(on: channel)
    live.insert(connection)
    return connection
  }

  /// Takes a connection over that was somebody else's until now, such as one on which a CONNECT has
  /// been answered, and serves HTTP in TLS on it.
  ///
  /// - Parameters:
  ///   - channel: The connection, plain until now; its delegate is replaced.
  ///   - host: The name whose certificate is shown to a client that names nobody.
  ///   - tls: The issuer of the certificate, and the versions that are spoken.
  ///   - early: The bytes that the client has sent beforehand.
  ///   - handshake: The course of the handshake.
  ///   - context: The port that it belongs to.
  ///   - live: The connections of its loop.
  ///   - handler: The role of the connection.
  ///   - ended: Called with the end of the connection.
  /// - Throws: `ServerError.tlsUnavailable` where OpenSSL has no memory.
  static func takeOver(
    _ channel: Channel,
    as host: HostName?,
    by tls: TLSContext,
    early: [UInt8] = [],
    showing handshake: Handshake = Handshake(),
    in context: PortContext,
    _ live: LiveConnections,
    _ handler: any RequestHandler,
    ended: ((Channel, SocketError?) -> Void)? = nil
  ) throws(ServerError) {
    let engine = try TLSEngine(tls, host: host, leaf: Leaf(handshake))
    engine.conduct(handshake)
    let connection = ServedConnection(context, live, channel.reactor, handler, ended: ended)
    channel.delegate = connection
    connection.channel = channel
    connection.requests.deck.noteClient(on: channel)
    connection.awaitRequest()
    live.insertUncounted(connection)
    channel.startTLS(engine, early: early)
  }

  /// Refuses a peer and ends its connection.
  func reject(_ text: String) {
    state = .ended
    channel?.write { codec.appendLast(.notice(403, text), on: nil, to: &$0) }
    channel?.close()
  }

  private func awaitRequest() {
    deadline.isOver = { [weak self] kind in self?.isLate(kind) }
    deadline.begin(.idle, on: reactor)
  }

  /// Waits for the first request, or meets what goes before it.
  func open() {
    awaitRequest()
    guard context.failsConnections else { return }
    let (opening, path, number) = context.deck.openConnection(
      lane: context.lane,
      on: .onTheWire,
      at: Date()
    )
    self.path = path
    requests.deck.noteNumber(number)
    guard opening != .nothing else {
      if context.tls != nil { shakeHands(Handshake()) }
      return
    }
    carry(opening, behind: Data())
  }

  /// Carries what goes before the first request.
  private func carry(_ opening: Delivery, behind hello: Data) {
    let writer = ResponseWriter(Player(opening), to: self)
    state = .opening(writer, hello)
    writer.advance(.tick)
  }

  /// Speaks TLS from here on; what fails before it is made below it. A link's round trips for it
  /// are waited for here, behind what a client says first, where its limit for handshakes sees
  /// them.
  func shakeHands(_ handshake: Handshake) {
    var early: [UInt8] = []
    if case .opening(_, let hello) = state { early = Array(hello) }
    guard let path else { return startTLS(handshake, early) }
    self.path = nil
    // On a dead link it never ends.
    let wait = path.securing().map { Delivery.Step.wait($0) } ?? .stall
    let hello: [Delivery.Step] = early.isEmpty ? [.await(.clientHello)] : []
    carry(Delivery(hello + [wait, .shakeHands(handshake)]), behind: Data(early))
  }

  private func startTLS(_ handshake: Handshake, _ early: [UInt8]) {
    state = .serving
    // A server without TLS has been refused such weather.
    guard let channel, let tls = context.tls else { return abandon() }
    do throws(ServerError) {
      let own = channel.socket.localAddress.flatMap { HostName($0.host) }
      let engine = try TLSEngine(tls, host: own, leaf: Leaf(handshake))
      engine.conduct(handshake)
      channel.startTLS(engine, early: early)
    } catch {
      // There is no memory for one more connection.
      channel.abandon()
    }
  }

  // MARK: - Ends

  /// Serves no further request; an answer that has begun is finished.
  func closeWhenIdle() {
    // What a client has said by now, or that it has left, was so before the end.
    if case .takenOver(is ReplayedConversation) = state { channel?.takeInput() }
    switch state {
    case .serving:
      channel?.write { codec.appendGoAway(to: &$0) }
      if !requests.isAnswering { channel?.close() }
    case .parting, .stalled, .opening: channel?.close()
    case .takenOver(let successor): successor.stop()
    case .ended: break
    }
  }

  /// Ends at once: the time is over in which an answer could have been finished.
  func abandon() {
    requests.stop()
    // Bytes of a client that is gone may be on their way.
    if case .takenOver(let successor) = state { successor.abandon() }
    channel?.abandon()
  }

  /// Gives the connection back if its end is out and the client has everything.
  func closeIfDelivered() {
    if let channel, channel.phase == .lingering, channel.socket.unsentBytes ?? 0 == 0 {
      channel.abandon()
    }
  }

  /// Tells whether a part of what was said is still on this side.
  var hasUnread: Bool {
    guard let channel else { return false }
    if case .takenOver(let successor) = state, successor.hasUnread { return true }
    return channel.queuedBytes > 0 || channel.socket.unsentBytes ?? 0 > 0
  }

  /// Continues after a delivery, or ends with it.
  func ended(_ writer: ResponseWriter, by end: DeliveryEnd) {
    requests.remove(writer)
    if case .ended = state { return }
    switch end {
    case .whole(let afterwards):
      if case .opening = state { terminate(by: .close) } else { requests.next(afterwards) }
    case .close: terminate(by: .close)
    case .reset: terminate(by: .reset)
    case .stall(let isReading):
      // What the client still sends is no request.
      state = .stalled(writer.exchange?.outcome)
      if isReading { channel?.resumeReading() } else { deadline.begin(.none, on: reactor) }
    }
  }

  /// Waits for a byte to end by.
  func part(by ending: IdleEnd.Ending) {
    state = .parting(ending)
    deadline.begin(.idle, on: reactor)
  }

  /// Ends the connection behind the bytes that were written.
  func terminate(by ending: IdleEnd.Ending) {
    state = .ended
    switch ending {
    case .close: channel?.close()
    case .reset: channel?.reset()
    }
  }

  /// Lets go of the channel, which is another's from here on.
  func release() {
    channel = nil
    state = .ended
    deadline.end(on: reactor)
    live.remove(self)
  }

  private func isLate(_ kind: Deadline.Kind) {
    switch kind {
    case .idle, .none: channel?.close()
    case .request:
      let seconds = Int(deadline.limits.requestSeconds)
      requests.refuse(ProtocolError(.tooSlow, "The request took longer than \(seconds) s."))
    }
  }
}

// MARK: - Bytes

extension ServedConnection: ChannelDelegate {
  func channelConnected(_ channel: Channel) {}

  func channel(_ channel: Channel, received bytes: UnsafeRawBufferPointer) {
    switch state {
    case .opening(let writer, var hello):
      hello.append(contentsOf: bytes)
      if context.isWatched, hello.first?.beginsMethod == true {
        state = .serving
        return hello.withUnsafeBytes { self.channel(channel, received: $0) }
      }
      state = .opening(writer, hello)
      // RFC 8446 §5.1: type, version, and the length of the record in two bytes.
      let length = hello.count >= 5 ? 5 + Int(hello[3]) << 8 + Int(hello[4]) : Int.max
      if hello.count >= length || hello.first != 22 { writer.advance(.arrived(.clientHello)) }
    case .parting(let ending): terminate(by: ending)
    case .takenOver, .stalled, .ended: break
    case .serving: requests.receive(bytes, on: channel)
    }
  }

  func channelReachedEnd(_ channel: Channel) {
    switch state {
    case .serving: requests.clientEnded(on: channel)
    case .opening, .stalled, .parting: channel.close()
    case .takenOver, .ended: break
    }
  }

  func channel(_ channel: Channel, gotPlainText bytes: UnsafeRawBufferPointer) {
    guard context.isWatched else { return requests.refuse(.plainOnTLSPort) }
    // What the client does without TLS is to be seen.
    self.channel(channel, received: bytes)
  }

  func channelDrained(_ channel: Channel) { requests.clientDrained() }

  func channelClosed(_ channel: Channel, _ error: SocketError?) {
    requests.clientLeft()
    // A server of recorded answers is told by who asks.
    if case .stalled(let outcome?) = state, context.origins.proxy != nil {
      context.deck.tell(.left(outcome), of: outcome)
    }
    ended?(channel, error)
    release()
  }
}

// MARK: - Other protocols

extension ServedConnection {
  /// Leaves the channel to another protocol, which is its delegate; returns the bytes that were
  /// received for it.
  func leave(to successor: any ConnectionSuccessor) -> Data {
    deadline.begin(.none, on: reactor)
    state = .takenOver(successor)
    return requests.takeRemainder()
  }

  /// Lets go of the client, which is served in TLS and by another handler from here on
  /// (``takeOver(_:as:by:early:showing:in:_:_:ended:)``).
  func handOver(by takeOver: (Channel, LiveConnections) throws(ServerError) -> Void) {
    guard let channel else { return }
    do throws(ServerError) {
      try takeOver(channel, live)
    } catch {
      // There is no memory for one more connection.
      return channel.abandon()
    }
    channel.resumeReading()
    release()
  }
}
