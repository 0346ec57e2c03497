internal import WindTunnel

/// A port that is listened at, as other threads hold it: they only carry it back to its loop.
struct Door: @unchecked Sendable {
  let port: Int
  private let closing: () -> Void

  /// Listens, and deals what comes to the loops in turn.
  static func open(
    at address: SocketAddress,
    for lane: Lane,
    _ crew: Crew,
    _ deck: Deck,
    _ options: ReplayServer.Options,
    _ tls: TLSContext?,
    opening contexts: TunnelContexts? = nil,
    admin: AdminDesk? = nil
  ) async throws -> Door {
    do {
      return try await crew.listening.run { reactor in
        let turns = Turns(
          crew.members.map { Turns.Place(loop: $0.loop) },
          crew.open,
          options.limits.connectionsMax
        )
        let bound = try Self.listen(at: address, for: lane, deck, options, on: reactor) {
          turns.receive($0, on: reactor)
        }
        turns.waitingRoom.listener = bound.listener
        // No connection is told of before this job ends.
        let port = bound.address.port
        let machine = OwnMachine(
          listeningAt: options.host,
          network: options.proxy == nil ? nil : .ofInterface(at: address)
        )
        let gate = options.proxy.map { Locked(PeerGate($0.admission, own: options.host)) }
        let queues = JournalWriting.Queues()
        turns.houses = crew.members.map { member in
          House(
            deck: deck,
            lane: lane,
            options: options,
            live: member.live,
            port: port,
            tls: tls,
            desk: options.proxy.flatMap { proxy in
              gate.map { ProxyDesk(proxy, $0, machine, member.loop, opening: contexts) }
            },
            admin: admin,
            journalWriting: JournalWriting(queues) { [weak loop = member.loop] job in
              loop?.execute(job)
            }
          )
        }
        return Door(port: port, closing: bound.close)
      }
    } catch let error as SocketError {
      throw ServerError(error, port: address.port)
    }
  }

  /// Listens; where attempts to connect are to be lost, through a gate.
  private static func listen(
    at address: SocketAddress,
    for lane: Lane,
    _ deck: Deck,
    _ options: ReplayServer.Options,
    on reactor: Reactor,
    accepted: @escaping (Socket) -> Void
  ) throws(SocketError) -> (address: SocketAddress, listener: Listener?, close: () -> Void) {
    guard options.losesSYNs(of: deck) else {
      let listener = try Listener(
        at: address,
        in: options.network,
        on: reactor,
        accepted: accepted
      )
      return (listener.address, listener, listener.close)
    }
    let gate = try SYNGate(
      at: address,
      in: options.network,
      on: reactor,
      fate: { deck.synFate(lane: lane, ordinal: $0) },
      accepted: accepted
    )
    return (gate.address, nil, gate.close)
  }

  /// Listens for whoever asks about a server, where it is wanted.
  static func openAdmin(
    _ crew: Crew?,
    _ options: ReplayServer.Options,
    _ deck: Deck,
    counting open: Occupancy
  ) async throws -> Door? {
    guard let crew, let admin = options.admin, let received = options.received else { return nil }
    guard let address = SocketAddress("127.0.0.1", port: admin.port) else {
      throw ServerError.cannotListen("\(admin.port) is no port; they end at 65535")
    }
    var own = ReplayServer.Options()
    own.limits = Admin.limits
    own.isAdmin = true
    let desk = AdminDesk(admin, deck, received, open)
    return try await Door.open(at: address, for: .deck, crew, deck, own, nil, admin: desk)
  }

  /// Frees the port. On the listening loop only.
  func close() { closing() }
}

/// Deals connections to the loops. On the listening loop only.
private final class Turns {
  /// A loop, as the listener on it may know it: one that held it would keep a forgotten server.
  struct Place { weak var loop: EventLoop? }

  /// The listener, as any thread may carry it back to its loop.
  final class WaitingRoom: @unchecked Sendable {
    weak var loop: EventLoop?
    weak var listener: Listener?

    init(_ loop: EventLoop?) { self.loop = loop }

    /// Lets the next one in.
    func open() { loop?.execute { [self] _ in listener?.resume() } }
  }

  var houses: [House] = []
  let waitingRoom: WaitingRoom
  private let places: [Place]
  private let occupancy: Occupancy
  private let openMax: Int
  private var next = 0

  init(_ places: [Place], _ occupancy: Occupancy, _ openMax: Int) {
    (self.places, self.occupancy, self.openMax) = (places, occupancy, openMax)
    waitingRoom = WaitingRoom(places[0].loop)
  }

  func receive(_ socket: Socket, on reactor: Reactor) {
    guard occupancy.enter(atMost: openMax) else { return socket.close() }
    defer { next = (next + 1) % places.count }
    let house = houses[next]
    if next == 0 {
      ClientConnection.begin(socket, in: house, on: reactor)
    } else {
      let isTaken = places[next].loop?.execute { reactor in
        ClientConnection.begin(socket, in: house, on: reactor)
      }
      if isTaken != true {
        socket.close()
        occupancy.leave()
      }
    }
    if occupancy.count >= openMax { letWait() }
  }

  /// Leaves whoever comes in the accept queue until somebody has left.
  private func letWait() {
    guard let listener = waitingRoom.listener else { return }
    listener.pause()
    let waits = occupancy.wait(forLessThan: openMax) { [waitingRoom] in waitingRoom.open() }
    if !waits { listener.resume() }
  }
}
