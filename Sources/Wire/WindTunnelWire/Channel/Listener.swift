/// A listening socket on a loop.
package final class Listener: ReadinessHandler {
  /// The address of the socket; if port 0 was requested, it has the port that the system chose.
  package let address: SocketAddress
  /// Whether connections are accepted.
  ///
  /// Otherwise they wait in the accept queue and, if it is full, on the client's side, where the
  /// connect times out.
  private(set) var isAccepting = true

  private let socket: Socket
  private let reactor: Reactor
  private let accepted: (Socket) -> Void
  private var watch: Watch?

  /// Binds a socket and listens.
  ///
  /// `accepted` becomes the owner of each accepted socket.
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

  /// Takes over a listening socket.
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

  /// Stops accepting; connections stay in the accept queue.
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
  /// The system resets connections that were not accepted.
  package func close() {
    guard let watch = self.watch.take() else { return }
    watch.end()
    isAccepting = false
    socket.close()
  }

  package func isReady(_ readiness: Readiness) {
    // Many new connections must leave time for existing ones.
    for _ in 0..<64 where isAccepting {
      do throws(SocketError) {
        guard let accepted = try socket.accept() else { return }
        self.accepted(accepted)
      } catch {
        // Usually too many open files. The connection stays in the queue and would be reported
        // again at once, so the listener retries when files may have been closed.
        pause()
        reactor.schedule(after: 10_000_000) { [weak self] _ in self?.resume() }
        return
      }
    }
  }

  package func loopEnds() { close() }
}
