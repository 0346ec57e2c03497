internal import Foundation
internal import WindTunnel

/// A listener that loses connection attempts before it accepts one.
///
/// While the accept queue is full, the system drops each SYN (RFC 9293 §3.5) and counts it. The
/// client's system sends it again after a while. So the gate fills the queue with a connection of
/// its own until enough attempts are lost. Used only on its loop's thread.
final class SYNGate: ReadinessHandler {
  let address: SocketAddress

  private let socket: Socket
  private let reactor: Reactor
  private let network: PrivateNetwork?
  /// Returns the fate of a connection by its ordinal, counted from 1.
  private let fate: (Int) -> SYNFate
  private let accepted: (Socket) -> Void
  private var watch: Watch?
  private var ordinal = 1
  /// The connection that fills the queue; `nil` while the gate is open.
  private var filler: Socket?
  private var dropsBefore = 0

  /// The interval at which the count is read. A client repeats an attempt after a second at the
  /// earliest.
  private static let lookNanoseconds: Int64 = 20_000_000

  init(
    at address: SocketAddress,
    in network: PrivateNetwork? = nil,
    on reactor: Reactor,
    fate: @escaping (Int) -> SYNFate,
    accepted: @escaping (Socket) -> Void
  ) throws(SocketError) {
    socket = try Socket.listening(at: address, backlog: 0, in: network)
    self.address = socket.localAddress ?? address
    self.network = network
    (self.reactor, self.fate, self.accepted) = (reactor, fate, accepted)
    do throws(SocketError) {
      watch = try Watch(socket.descriptor, [], self, on: reactor)
      try prepare()
    } catch {
      close()
      throw error
    }
  }

  /// Closes the port. Waiting clients find no server there.
  func close() {
    filler.take()?.close()
    guard let watch = self.watch.take() else { return }
    watch.end()
    socket.close()
  }

  /// Opens or closes the gate for the next connection.
  private func prepare() throws(SocketError) {
    if fate(ordinal) == .answered {
      socket.listenAgain(backlog: 1024)
      watch?.set(.readable)
    } else {
      try shut()
      look()
    }
  }

  /// Prepares the next connection. Without a descriptor for the filler, it opens the gate, and no
  /// attempt is lost.
  private func prepareOrOpen() {
    do throws(SocketError) { try prepare() } catch { watch?.set(.readable) }
  }

  private func shut() throws(SocketError) {
    watch?.set([])
    socket.listenAgain(backlog: 0)
    filler = try Socket.connecting(to: address, in: network)
    // The system completes this connection without a call of `accept`.
    _ = filler?.isConnected(within: 50)
    dropsBefore = socket.droppedSYNs ?? 0
  }

  /// Counts the lost attempts, and admits the next one if they are enough.
  private func look() {
    guard watch != nil, let filler else { return }
    let lost = (socket.droppedSYNs ?? 0) - dropsBefore
    let isEnough =
      switch fate(ordinal) {
      case .answered: true
      // If a client's connection took the filler's place, it is admitted.
      case .lost(let count): lost >= count || !filler.isConnected(within: 0)
      case .unanswered: false
      }
    if isEnough { return drain() }
    reactor.schedule(after: Self.lookNanoseconds) { [weak self] _ in self?.look() }
  }

  /// Empties the queue. Every connection except the filler is a client's.
  private func drain() {
    let (own, before) = (filler?.localAddress, ordinal)
    while let socket = next() {
      if let own, socket.peerAddress == own { socket.close() } else { deliver(socket) }
    }
    filler.take()?.close()
    if ordinal > before { prepareOrOpen() } else { watch?.set(.readable) }
  }

  private func deliver(_ socket: Socket) {
    ordinal += 1
    accepted(socket)
  }

  /// Returns a waiting connection. If it cannot be accepted, mostly because of too many open files,
  /// it stays in the queue.
  private func next() -> Socket? {
    do throws(SocketError) { return try socket.accept() } catch { return nil }
  }

  func isReady(_ readiness: Readiness) {
    // The system has answered the connections in the queue, so they can no longer be lost.
    let before = ordinal
    while watch != nil, let socket = next() { deliver(socket) }
    guard watch != nil, ordinal > before else { return }
    prepareOrOpen()
  }

  func loopEnds() { close() }
}

extension Socket {
  /// Changes the backlog. The queue holds one connection more than the backlog.
  fileprivate func listenAgain(backlog: Int32) { _ = listen(descriptor, backlog) }

  /// Returns whether the connection is open, after waiting at most a number of milliseconds.
  fileprivate func isConnected(within milliseconds: Int32) -> Bool {
    var request = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
    return poll(&request, 1, milliseconds) == 1 && pendingError == 0
  }

  /// The number of lost connection attempts to this listening socket; `nil` if the system does not
  /// count them.
  fileprivate var droppedSYNs: Int? { Platform.droppedSYNs(descriptor) }
}
