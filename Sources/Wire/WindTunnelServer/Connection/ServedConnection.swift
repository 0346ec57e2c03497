internal import Foundation
internal import WindTunnel

/// One client's connection, from its first byte or fault to its end or to another protocol.
///
/// Used only on the loop's thread.
final class ServedConnection {
  let context: PortContext
  let reactor: Reactor
  /// Set after the initialiser, because the channel needs its delegate first.
  private(set) var channel: Channel?
  private let live: LiveConnections
  private let handler: any RequestHandler
  private let codec: any ConnectionCodec
  private(set) lazy var requests = ServedRequests(of: self, handler, codec, deadline, live)
  /// Called at the end of the connection, with its error.
  private let ended: ((Channel, SocketError?) -> Void)?
  private var state = State.serving
  /// The choice of the version of HTTP; `nil` after it is made.
  private var choice: VersionChoice?
  let start: Moment
  private let deadline: Deadline
  /// The link over which the connection was opened; `nil` if there is none or its handshake delay
  /// was already applied.
  private var path: LinkPath?

  private enum State {
    /// Requests are received and answered.
    case serving
    /// The connection ends with the next byte that arrives.
    case parting(IdleEnd.CloseMethod)
    /// The delivery before the first request is being sent: a connection fault, or the delay of the
    /// TLS handshake. The second value has the client's bytes so far.
    case opening(ResponseWriter, Data)
    /// Another protocol has taken over the channel.
    case takenOver(any ConnectionSuccessor)
    /// Nothing more is sent, and the connection stays open. The value is the outcome of the last
    /// request.
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
    choice = codec == nil ? VersionChoice(context.httpVersions) : nil
    start = .now()
    deadline = Deadline(limits ?? context.limits)
  }

  var now: Duration { .nanoseconds(Moment.now() - start) }

  /// Whether requests are received and answered.
  var isServing: Bool { if case .serving = state { true } else { false } }

  // MARK: - Start

  /// Takes over a socket that was accepted and counted; `nil` if it is closed already.
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
    // A client may close its connection before it is served.
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

  /// Takes over an open connection, such as one after a CONNECT, and serves HTTP over TLS on it.
  ///
  /// - Parameters:
  ///   - channel: The connection, without TLS so far. Its delegate is replaced.
  ///   - host: The name in the certificate for a client that names no server (SNI).
  ///   - tls: The issuer of the certificate, and the versions of TLS.
  ///   - early: The bytes that the client has already sent.
  ///   - handshake: The course of the handshake.
  ///   - context: The port of the connection.
  ///   - live: The connections of the loop.
  ///   - handler: The role of the connection.
  ///   - ended: Called at the end of the connection, with its error.
  /// - Throws: `ServerError.tlsUnavailable` if OpenSSL has no memory.
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
    channel?.write { requests.codec.appendLast(.notice(403, text), on: nil, to: &$0) }
    channel?.close()
  }

  private func awaitRequest() {
    deadline.isOver = { [weak self] kind in self?.isLate(kind) }
    deadline.begin(.idle, on: reactor)
  }

  /// Waits for the first request, or applies the scenario's connection faults before it.
  func open() {
    awaitRequest()
    guard context.failsConnections else { return }
    let (opening, path, number) = context.deck.openConnection(
      lane: context.lane,
      on: .onTheWire,
      at: Date()
    )
    self.path = path
    requests.deck.number = number
    guard opening != .nothing else {
      if context.tls != nil { shakeHands(Handshake()) }
      return
    }
    carry(opening, behind: Data())
  }

  /// Sends the delivery before the first request.
  private func carry(_ opening: Delivery, behind hello: Data) {
    let writer = ResponseWriter(Player(opening), to: self)
    state = .opening(writer, hello)
    writer.advance(.tick)
  }

  /// Starts TLS. Faults before TLS apply to the TCP connection.
  ///
  /// A link's round trips for the handshake are waited for here, after the client's hello, so that
  /// the client's handshake timeout includes them.
  func shakeHands(_ handshake: Handshake) {
    var early: [UInt8] = []
    if case .opening(_, let hello) = state { early = Array(hello) }
    guard let path = self.path.take() else { return startTLS(handshake, early) }
    // On a dead link, the handshake never ends.
    let wait = path.securing().map { Delivery.Step.wait($0) } ?? .stall
    let hello: [Delivery.Step] = early.isEmpty ? [.await(.clientHello)] : []
    carry(Delivery(hello + [wait, .shakeHands(handshake)]), behind: Data(early))
  }

  private func startTLS(_ handshake: Handshake, _ early: [UInt8]) {
    state = .serving
    // Without TLS, the server rejects a scenario with handshake faults.
    guard let channel, let tls = context.tls else { return abandon() }
    do throws(ServerError) {
      let own = channel.socket.localAddress.flatMap { HostName($0.host) }
      let engine = try TLSEngine(tls, host: own, leaf: Leaf(handshake))
      engine.conduct(handshake)
      channel.startTLS(engine, early: early)
    } catch {
      // There is no memory for another connection.
      channel.abandon()
    }
  }

  // MARK: - End

  /// Stops serving requests. A response that has begun is completed.
  func closeWhenIdle() {
    // Bytes and the end that the client has already sent precede the stop.
    if case .takenOver(is ReplayedConversation) = state { channel?.takeInput() }
    switch state {
    case .serving:
      if requests.streams.isConversing { channel?.takeInput() }
      requests.end(by: .close)
    case .parting, .stalled, .opening: channel?.close()
    case .takenOver(let successor): successor.stop()
    case .ended: requests.stopSuccessors()
    }
  }

  /// Ends the connection at once, after the grace period.
  func abandon() {
    requests.stop()
    // Bytes for a client that has left may still be on the link.
    if case .takenOver(let successor) = state { successor.abandon() }
    channel?.abandon()
    for successor in requests.streams.successors.values { successor.abandon() }
  }

  /// Closes the connection if its FIN was sent and the client has received everything.
  func closeIfDelivered() {
    if let channel, channel.phase == .lingering, channel.socket.unsentBytes ?? 0 == 0 {
      channel.abandon()
    }
  }

  /// Whether this end still has bytes that the client has not received.
  var hasUnread: Bool {
    guard let channel else { return false }
    if case .takenOver(let successor) = state, successor.hasUnread { return true }
    let streams = requests.streams
    if !streams.undelivered.isEmpty { return true }
    if streams.tunnels.values.contains(where: { $0.successor?.hasUnread == true }) { return true }
    return channel.queuedBytes > 0 || channel.socket.unsentBytes ?? 0 > 0
  }

  /// Continues after a delivery, or ends the connection with it.
  func ended(_ writer: ResponseWriter, by end: DeliveryEnd) {
    let stream = requests.remove(writer)
    if case .ended = state { return }
    switch end {
    case .whole(let afterwards):
      if case .opening = state { return terminate(by: .close) }
      if let stream { requests.noteWritten(stream) }
      requests.next(afterwards)
    case .close: requests.end(by: .close, cutting: stream)
    case .reset: requests.end(by: .reset, cutting: stream)
    case .stall(let isReading):
      if !isReading, let stream, requests.stall(stream) { return }
      requests.cutAll()
      // Further bytes from the client are not parsed as requests.
      state = .stalled(writer.exchange?.outcome)
      if isReading { channel?.resumeReading() } else { deadline.begin(.none, on: reactor) }
    }
  }

  /// Waits for the next byte, which ends the connection.
  func part(by ending: IdleEnd.CloseMethod) {
    state = .parting(ending)
    deadline.begin(.idle, on: reactor)
  }

  /// Ends the connection after the written bytes.
  func terminate(by ending: IdleEnd.CloseMethod) {
    state = .ended
    switch ending {
    case .close: channel?.close()
    case .reset: channel?.reset()
    }
  }

  /// Releases the channel, which has another owner or is closed. The connection ends with the last
  /// protocol on its streams.
  func release() {
    channel = nil
    state = .ended
    deadline.end(on: reactor)
    if requests.streams.successors.isEmpty { live.remove(self) }
  }

  private func isLate(_ kind: Deadline.Kind) {
    switch kind {
    case .idle, .none: requests.endLate()
    case .request: requests.refuseLate()
    }
  }
}

// MARK: - Bytes

extension ServedConnection: ChannelDelegate {
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
    case .serving:
      if choice != nil {
        choose(by: bytes, on: channel)
      } else {
        requests.receive(bytes, on: channel)
      }
    }
  }

  /// Chooses the version of HTTP by the first bytes.
  private func choose(by bytes: UnsafeRawBufferPointer, on channel: Channel) {
    guard let chosen = choice?.take(bytes, agreed: channel.applicationProtocol) else {
      return deadline.begin(.request, on: reactor)
    }
    let early = choice?.early ?? []
    choice = nil
    switch chosen {
    case .http1: break
    case .http2: requests.speak(context.http2Codec())
    case .refused(let error): return requests.refuse(error)
    }
    if early.isEmpty { return requests.receive(bytes, on: channel) }
    (early + bytes).withUnsafeBytes { requests.receive($0, on: channel) }
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
    // The client's requests without TLS are judged, so they are served.
    self.channel(channel, received: bytes)
  }

  func channelDrained(_ channel: Channel) { requests.clientDrained() }

  func channelClosed(_ channel: Channel, _ error: SocketError?) {
    requests.clientLeft(error)
    // Only a proxy reports this. With a replay server, the client itself reports when it gives up.
    if case .stalled(let outcome?) = state, context.origins.proxy != nil {
      context.deck.tell(.left(outcome), of: outcome)
    }
    ended?(channel, error)
    release()
  }
}

// MARK: - Other protocols

extension ServedConnection {
  /// Hands the channel over to another protocol, which is its delegate. Returns the bytes that were
  /// received for that protocol.
  func leave(to successor: any ConnectionSuccessor) -> Data {
    deadline.begin(.none, on: reactor)
    state = .takenOver(successor)
    requests.answering = []
    return requests.codec.takeRemainder()
  }

  /// Hands the client over to another handler, which serves it over TLS
  /// (``takeOver(_:as:by:early:showing:in:_:_:ended:)``).
  func handOver(by takeOver: (Channel, LiveConnections) throws(ServerError) -> Void) {
    guard let channel else { return }
    do throws(ServerError) {
      try takeOver(channel, live)
    } catch {
      // There is no memory for another connection.
      return channel.abandon()
    }
    channel.resumeReading()
    release()
  }
}
