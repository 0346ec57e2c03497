internal import WindTunnel

/// A name server on its loop: what comes by UDP, and the connections. On the loop's thread only.
final class DNSService {
  /// As many resolvers may be connected at once, and as many answers wait for their time.
  static let (connectionsMax, waitingMax) = (256, 10_000)

  let port: Int
  /// So long may a connection say nothing.
  let idleMax: Duration
  private let datagrams: Datagrams
  private let reactor: Reactor
  private var responder: DNSResponder
  private let observe: (@Sendable (DNSDecision) -> Void)?
  private var listener: Listener?
  private var watch: Watch?
  private var connections = 0
  private var waiting = 0

  init(
    at address: SocketAddress,
    _ responder: DNSResponder,
    idleMax: Duration,
    on reactor: Reactor,
    observe: (@Sendable (DNSDecision) -> Void)?,
    ports: (datagrams: Int32, listener: Int32)? = nil
  ) throws(SocketError) {
    (self.responder, self.observe, self.reactor) = (responder, observe, reactor)
    self.idleMax = idleMax
    if let ports {
      datagrams = Datagrams(descriptor: ports.datagrams)
    } else {
      datagrams = try Datagrams(at: address)
    }
    let bound = datagrams.localAddress ?? address
    port = bound.port
    do throws(SocketError) {
      let listening: Socket
      if let ports {
        listening = Socket(descriptor: ports.listener)
      } else {
        listening = try Socket.listening(at: bound, backlog: 1024)
      }
      listener = try Listener(listening, at: bound, on: reactor) { [weak self] socket in
        if let self { receive(socket) } else { socket.close() }
      }
      watch = try Watch(datagrams.descriptor, .readable, self, on: reactor)
    } catch {
      listener?.close()
      datagrams.close()
      throw error
    }
  }

  func close() {
    listener?.close()
    guard let watch else { return }
    watch.end()
    self.watch = nil
    datagrams.close()
  }

  // MARK: Questions

  func reply(to bytes: [UInt8], over transport: DNSResponder.Transport) -> DNSResponder.Reply {
    let reply = responder.reply(to: bytes, over: transport)
    if let decision = reply.decision { observe?(decision) }
    return reply
  }

  /// Does something when its time has come; false where too much waits already.
  func later(_ delay: Duration, _ body: @escaping () -> Void) -> Bool {
    guard delay > .zero else {
      body()
      return true
    }
    guard waiting < Self.waitingMax else { return false }
    waiting += 1
    reactor.schedule(after: delay.inNanoseconds) { [self] _ in
      waiting -= 1
      body()
    }
    return true
  }

  private func receive(_ socket: Socket) {
    guard connections < Self.connectionsMax else { return socket.close() }
    let connection = DNSConnection(self)
    // One that is gone before it is served is the resolver's affair.
    guard let channel = try? Channel(socket, on: reactor, delegate: connection) else { return }
    connections += 1
    connection.wait(on: channel)
  }

  /// A connection is closed.
  func left() { connections -= 1 }
}

extension DNSService: ReadinessHandler {
  func isReady(_ readiness: Readiness) {
    // A flood must leave room for the connections.
    for _ in 0..<64 {
      guard watch != nil, let (count, sender) = datagrams.receive(into: reactor.scratch) else {
        return
      }
      let reply = reply(to: Array(reactor.scratch[..<count]), over: .udp)
      guard let bytes = reply.bytes else { continue }
      // What is too much is lost, as by UDP it may be.
      _ = later(reply.delay) { [self] in if watch != nil { datagrams.send(bytes, to: sender) } }
    }
  }

  func loopEnds() { close() }
}
