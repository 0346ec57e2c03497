/// A listening socket on a loop.
package final class Listener {
  /// The address that it listens at; the port is the one that the system chose if 0 was asked for.
  package let address: SocketAddress
  /// Tells whether connections are taken out of the accept queue.
  ///
  /// While they are not, they wait there and, when it is full, at their own side: a connect that
  /// times out.
  private(set) var isAccepting = true

  private let socket: Socket
  private let reactor: Reactor
  private let accepted: (Socket) -> Void
  private var watch: Watch?

  /// Binds and listens.
  ///
  /// The receiver of an accepted socket owns it.
  package convenience init(
    at address: SocketAddress = .loopback(),
    in network: PrivateNetwork? = nil,
    on reactor: Reactor,
    accepted: @escaping (Socket) -> Void
  ) throws(SocketError) {
    try self.init(
      Socket.listening(at: address, backlog: 1024, in: network),
      at: address,
      on: reactor,
      accepted: accepted
    )
  }

  /// Takes over a socket that listens.
  package init(
    _ socket: Socket,
    at address: SocketAddress,
    on reactor: Reactor,
    accepted: @escaping (Socket) -> Void
  ) throws(SocketError) {
    (self.socket, self.address) = (socket, socket.localAddress ?? address)
    (self.reactor, self.accepted) = (reactor, accepted)
    do throws(SocketError) {
      watch = try Watch(socket.descriptor, .readable, self, on: reactor)
    } catch {
      socket.close()
      throw error
    }
  }

  /// Leaves connections in the accept queue.
  package func pause() {
    isAccepting = false
    watch?.set([])
  }

  package func resume() {
    guard let watch else { return }
    isAccepting = true
    watch.set(.readable)
  }

  /// Frees the port.
  ///
  /// Connections that nobody has accepted are reset by the system.
  package func close() {
    guard let watch else { return }
    watch.end()
    self.watch = nil
    isAccepting = false
    socket.close()
  }
}

extension Listener: ReadinessHandler {
  package func isReady(_ readiness: Readiness) {
    // A flood of connections must leave room for those that are there.
    for _ in 0..<64 where isAccepting {
      do throws(SocketError) {
        guard let accepted = try socket.accept() else { return }
        self.accepted(accepted)
      } catch {
        // Mostly too many open files. The connection stays in the queue and would be told again
        // at once, so it is looked at again when somebody may have closed one.
        pause()
        reactor.schedule(after: 10_000_000) { [weak self] _ in self?.resume() }
        return
      }
    }
  }

  package func loopEnds() { close() }
}
