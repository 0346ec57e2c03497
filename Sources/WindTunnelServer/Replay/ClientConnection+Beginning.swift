internal import Foundation
internal import WindTunnel

// From the socket to the first byte.
extension ClientConnection {
  /// Takes a socket over.
  static func begin(_ socket: Socket, in house: House, on reactor: Reactor) {
    func turnAway() {
      socket.close()
      house.live.forget()
    }
    guard !house.live.isDraining else { return turnAway() }
    let reception = house.desk?.receive(socket) ?? .served
    if reception == .gone { return turnAway() }
    let connection = ClientConnection(house, reactor)
    // A connection that is gone before it is served is the client's affair.
    guard
      let channel = try? Channel(
        socket,
        on: reactor,
        limits: house.options.limits,
        delegate: connection
      )
    else { return house.live.forget() }
    if case .refused(let refusal) = reception {
      connection.channel = channel
      house.live.insert(connection)
      return connection.turnAway(refusal)
    }
    if case .unknown(let peer) = reception { connection.unknownPeer = peer }
    connection.serve(channel)
  }

  private func serve(_ channel: Channel) {
    self.channel = channel
    house.live.insert(self)
    open()
  }

  private func open() {
    deadline.isOver = { [weak self] kind in self?.isLate(kind) }
    deadline.begin(.idle, on: reactor)
    // A client reaches its proxy in any weather; what is behind it is decided by request and tunnel.
    guard house.desk == nil, house.admin == nil else { return }
    let (opening, path) = house.deck.openConnection(
      lane: house.lane,
      on: .onTheWire,
      at: Date()
    )
    self.path = path
    guard opening != .nothing else {
      if house.tls != nil { shakeHands(Handshake()) }
      return
    }
    let performance = Performance(Player(opening), for: nil, in: house)
    state = .opening(performance, Data())
    advance(performance, .tick)
  }
}
