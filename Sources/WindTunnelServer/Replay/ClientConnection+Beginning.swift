internal import Foundation
internal import WindTunnel

// From the socket to the first byte.
extension ClientConnection {
  /// Takes a socket over.
  static func begin(_ socket: Socket, in context: PortContext, on reactor: Reactor) {
    func turnAway() {
      socket.close()
      context.live.forget()
    }
    guard !context.live.isDraining else { return turnAway() }
    let reception = context.proxy?.receive(socket) ?? .served
    if reception == .gone { return turnAway() }
    let connection = ClientConnection(context, reactor)
    // A connection that is gone before it is served is the client's affair.
    guard
      let channel = try? Channel(
        socket,
        on: reactor,
        limits: context.options.limits,
        delegate: connection
      )
    else { return context.live.forget() }
    if case .refused(let refusal) = reception {
      connection.channel = channel
      context.live.insert(connection)
      return connection.turnAway(refusal)
    }
    if case .unknown(let peer) = reception { connection.unknownPeer = peer }
    connection.serve(channel)
  }

  private func serve(_ channel: Channel) {
    self.channel = channel
    context.live.insert(self)
    open()
  }

  private func open() {
    deadline.isOver = { [weak self] kind in self?.isLate(kind) }
    deadline.begin(.idle, on: reactor)
    // A client reaches its proxy in any weather; what is behind it is decided by request and tunnel.
    guard context.proxy == nil, context.admin == nil else { return }
    let (opening, path) = context.deck.openConnection(
      lane: context.lane,
      on: .onTheWire,
      at: Date()
    )
    self.path = path
    guard opening != .nothing else {
      if context.tls != nil { shakeHands(Handshake()) }
      return
    }
    let writer = ResponseWriter(Player(opening), for: nil, in: context)
    state = .opening(writer, Data())
    advance(writer, .tick)
  }
}
