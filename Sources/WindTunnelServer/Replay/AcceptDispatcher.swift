internal import WindTunnel

/// Deals connections to the loops in turn. On the listening loop only.
final class AcceptDispatcher {
  /// A loop, as the listener on it may know it: one that held it would keep a forgotten server.
  struct Place { weak var loop: EventLoop? }

  var contexts: [PortContext] = []
  let backpressure: AcceptBackpressure
  private let places: [Place]
  private let limit: ConnectionLimit
  private let openMax: Int
  private var next = 0

  init(_ places: [Place], _ limit: ConnectionLimit, _ openMax: Int) {
    (self.places, self.limit, self.openMax) = (places, limit, openMax)
    backpressure = AcceptBackpressure(places[0].loop)
  }

  func receive(_ socket: Socket, on reactor: Reactor) {
    guard limit.enter(atMost: openMax) else { return socket.close() }
    defer { next = (next + 1) % places.count }
    let context = contexts[next]
    if next == 0 {
      context.receive(socket, on: reactor)
    } else {
      let isTaken = places[next].loop?.execute { reactor in
        context.receive(socket, on: reactor)
      }
      if isTaken != true {
        socket.close()
        limit.leave()
      }
    }
    if limit.count >= openMax { letWait() }
  }

  /// Leaves whoever comes in the accept queue until somebody has left.
  private func letWait() {
    guard let listener = backpressure.listener else { return }
    listener.pause()
    let waits = limit.wait(forLessThan: openMax) { [backpressure] in backpressure.release() }
    if !waits { listener.resume() }
  }
}

/// The listener of a full server, as any thread may carry it back to its loop.
final class AcceptBackpressure: @unchecked Sendable {
  private weak var loop: EventLoop?
  /// On the loop only.
  weak var listener: Listener?

  init(_ loop: EventLoop?) { self.loop = loop }

  /// Lets the next one in.
  func release() { loop?.execute { [self] _ in listener?.resume() } }
}

extension PortContext {
  /// Takes over a socket that has been accepted and counted, in the role of the port.
  func receive(_ socket: Socket, on reactor: Reactor) {
    guard !live.isDraining else { return turnAway(socket) }
    let handler: any RequestHandler
    switch role {
    case .server where options.passesOn: handler = RecordingHandler(context: self)
    case .server: handler = ReplayHandler(context: self)
    case .other(let own): handler = own
    case .proxy(let proxy):
      switch proxy.receive(socket) {
      case .gone: return turnAway(socket)
      case .served: handler = ProxyHandler(proxy, in: self)
      case .unknown(let peer): handler = ProxyHandler(proxy, in: self, unknownPeer: peer)
      case .refused(let sentence):
        handler = ProxyHandler(proxy, in: self)
        ClientConnection.begin(socket, handler, in: self, on: reactor)?.turnAway(sentence)
        return
      }
    }
    ClientConnection.begin(socket, handler, in: self, on: reactor)?.open()
  }

  private func turnAway(_ socket: Socket) {
    socket.close()
    live.forget()
  }
}
