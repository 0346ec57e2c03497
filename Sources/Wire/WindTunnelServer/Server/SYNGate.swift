internal import Foundation
internal import WindTunnel

/// A listener that loses attempts to connect before it answers one.
///
/// While its accept queue is full the system drops each SYN (RFC 9293 §3.5) and counts it, and the
/// client's system sends it again after a while. So the queue is kept full by a connection of the
/// gate's own until as many are lost as should be. On its loop's thread only.
final class SYNGate {
  let address: SocketAddress

  private let socket: Socket
  private let reactor: Reactor
  private let network: PrivateNetwork?
  /// Returns what becomes of the connection of an ordinal, counted from one.
  private let fate: (Int) -> SYNFate
  private let accepted: (Socket) -> Void
  private var watch: Watch?
  private var ordinal = 1
  /// The connection that fills the queue; `nil` while it is open.
  private var filler: Socket?
  private var dropsBefore = 0

  /// The interval at which the count is looked at. An attempt is repeated after a second at the
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

  /// Frees the port; who is not through sees nobody there.
  func close() {
    filler?.close()
    filler = nil
    guard let watch else { return }
    watch.end()
    self.watch = nil
    socket.close()
  }

  /// Makes ready for the next connection.
  private func prepare() throws(SocketError) {
    if fate(ordinal) == .answered {
      socket.listenAgain(backlog: 1024)
      watch?.set(.readable)
    } else {
      try shut()
      look()
    }
  }

  /// Prepares the fillers or, without a descriptor for one, opens the gate: then no attempt is
  /// lost.
  private func prepareOrOpen() {
    do throws(SocketError) { try prepare() } catch { watch?.set(.readable) }
  }

  private func shut() throws(SocketError) {
    watch?.set([])
    socket.listenAgain(backlog: 0)
    filler = try Socket.connecting(to: address, in: network)
    // It is this machine's own connection and needs nobody to accept it.
    _ = filler?.isConnected(within: 50)
    dropsBefore = socket.droppedSYNs ?? 0
  }

  /// Counts what was lost, and lets the next one through when it is enough.
  private func look() {
    guard watch != nil, let filler else { return }
    let lost = (socket.droppedSYNs ?? 0) - dropsBefore
    let isEnough =
      switch fate(ordinal) {
      case .answered: true
      // If another came in the filler's place, it is through.
      case .lost(let count): lost >= count || !filler.isConnected(within: 0)
      case .unanswered: false
      }
    if isEnough { return drain() }
    reactor.schedule(after: Self.lookNanoseconds) { [weak self] _ in self?.look() }
  }

  /// Empties the queue; what is in it beside the filler is a client's connection.
  private func drain() {
    let (own, before) = (filler?.localAddress, ordinal)
    while let socket = next() {
      if let own, socket.peerAddress == own { socket.close() } else { deliver(socket) }
    }
    filler?.close()
    filler = nil
    if ordinal > before { prepareOrOpen() } else { watch?.set(.readable) }
  }

  private func deliver(_ socket: Socket) {
    ordinal += 1
    accepted(socket)
  }

  /// One that waits. What cannot be accepted now, mostly for too many open files, stays there.
  private func next() -> Socket? {
    do throws(SocketError) { return try socket.accept() } catch { return nil }
  }
}

extension SYNGate: ReadinessHandler {
  func isReady(_ readiness: Readiness) {
    // Who is in the queue was answered by the system and cannot be lost any more.
    let before = ordinal
    while watch != nil, let socket = next() { deliver(socket) }
    guard watch != nil, ordinal > before else { return }
    prepareOrOpen()
  }

  func loopEnds() { close() }
}

extension Socket {
  /// Changes how many connections wait to be accepted: one more than the backlog.
  fileprivate func listenAgain(backlog: Int32) { _ = listen(descriptor, backlog) }

  /// Tells whether a connect has come through, which is waited for at most so many milliseconds.
  fileprivate func isConnected(within milliseconds: Int32) -> Bool {
    var request = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
    return poll(&request, 1, milliseconds) == 1 && pendingError == 0
  }

  /// The count of attempts to connect to this listening socket that were lost; `nil` where the
  /// system does not count.
  fileprivate var droppedSYNs: Int? { Platform.droppedSYNs(descriptor) }
}
