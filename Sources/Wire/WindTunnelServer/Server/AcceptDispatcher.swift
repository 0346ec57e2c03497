@_spi(WindTunnel) internal import WindTunnelCore

/// Distributes connections over the loops in turn. Used only on the listening loop; another thread
/// may only pass it back to that loop.
final class AcceptDispatcher: @unchecked Sendable {
  /// A weak reference to a loop. A strong one in the listener would keep a server alive that was
  /// released.
  struct LoopReference { weak var loop: EventLoop? }

  /// The receivers of the loops, in their order.
  var receivers: [ConnectionReceiver] = []
  /// The listener, which pauses while the server is full.
  weak var listener: Listener?
  private let places: [LoopReference]
  private let limit: ConnectionLimit
  private let openMax: Int
  private var next = 0

  init(_ places: [LoopReference], _ limit: ConnectionLimit, _ openMax: Int) {
    (self.places, self.limit, self.openMax) = (places, limit, openMax)
  }

  func receive(_ socket: Socket, on reactor: Reactor) {
    guard limit.enter(atMost: openMax) else { return socket.close() }
    defer { next = (next + 1) % places.count }
    let receiver = receivers[next]
    if next == 0 {
      receiver.receive(socket, on: reactor)
    } else {
      let isTaken = places[next].loop?.execute { reactor in receiver.receive(socket, on: reactor) }
      if isTaken != true {
        socket.close()
        limit.leave()
      }
    }
    if limit.count >= openMax { pauseAccepting() }
  }

  /// Leaves new connections in the accept queue until another connection has ended.
  private func pauseAccepting() {
    guard let listener else { return }
    listener.pause()
    let waits = limit.wait(forLessThan: openMax) { [weak self] in
      self?.places[0].loop?.execute { [weak self] _ in self?.listener?.resume() }
    }
    if !waits { listener.resume() }
  }
}

/// Starts a port's connections on one loop, each with the handler of the port.
struct ConnectionReceiver: Sendable {
  let context: PortContext
  let live: LiveConnections
  /// Creates the handler of a peer's connection, on a port that the server itself serves; `nil` if
  /// a deck is played.
  var own: (@Sendable (_ peer: String) -> any RequestHandler)?
  /// The counts of the port's peers, on all loops.
  var quota = Locked(PeerQuota(connectionsMax: .max))

  /// Takes over a socket that was accepted and counted.
  func receive(_ socket: Socket, on reactor: Reactor) {
    guard !live.isDraining else { return reject(socket) }
    guard own != nil || context.origins.proxy != nil else {
      begin(socket, ReplayHandler(context: context), on: reactor)?.open()
      return
    }
    // A peer that has reset its connection has no address, so that its handler cannot be chosen.
    guard let peer = socket.peerAddress?.host else { return reject(socket) }
    if let own {
      begin(socket, own(peer), from: peer, on: reactor)?.open()
    } else if let proxy = context.origins.proxy {
      func handler(unknown: String? = nil) -> ProxyHandler {
        ProxyHandler(proxy, in: context, from: peer, unknownPeer: unknown)
      }
      switch proxy.receive(peer) {
      case .served: begin(socket, handler(), from: peer, on: reactor)?.open()
      case .unknown: begin(socket, handler(unknown: peer), from: peer, on: reactor)?.open()
      case .refused(let sentence):
        begin(socket, handler(), from: peer, on: reactor)?.reject(sentence)
      }
    }
  }

  /// Starts a connection if the peer's kind is below its limit; `nil` otherwise, or if the socket
  /// is closed already.
  private func begin(
    _ socket: Socket,
    _ handler: any RequestHandler,
    from peer: String? = nil,
    on reactor: Reactor
  ) -> ServedConnection? {
    let place = peer.flatMap { PeerPlace(handler.peerKind, $0, in: quota) }
    if peer != nil, place == nil {
      reject(socket)
      return nil
    }
    if place != nil { live.makeRoom(below: context.limits.connectionsMax) }
    return ServedConnection.begin(socket, handler, in: context, live, at: place, on: reactor)
  }

  private func reject(_ socket: Socket) {
    socket.close()
    live.discard()
  }
}
