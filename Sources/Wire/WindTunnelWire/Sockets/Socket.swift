internal import Foundation

/// One TCP socket that never blocks.
///
/// Whoever holds it closes it, once.
package struct Socket: Sendable {
  package let descriptor: Int32

  /// The result of a read or a write.
  package enum Transfer {
    case bytes(Int)
    /// The peer has said that it sends no more.
    case end
    case wouldBlock
    case failed(SocketError)
  }

  package init(descriptor: Int32) { self.descriptor = descriptor }

  /// Makes an unbound socket for an address's family, in this process's network or another.
  package init(
    for address: SocketAddress,
    _ operation: SocketError.Operation,
    in network: PrivateNetwork? = nil
  ) throws(SocketError) {
    descriptor = network?.socket() ?? Platform.socket(address.family)
    guard descriptor >= 0 else { throw SocketError(operation, errno, address) }
  }

  /// Makes a socket that listens.
  ///
  /// On Linux a backlog of 0 lets one connection wait, and further ones see their connect time out;
  /// on Darwin it means the most there is.
  package static func listening(
    at address: SocketAddress,
    backlog: Int,
    in network: PrivateNetwork? = nil
  ) throws(SocketError) -> Socket {
    let socket = try Socket(for: address, .listen, in: network)
    // Without it a port is taken for a minute after its server has stopped.
    socket.set(SOL_SOCKET, SO_REUSEADDR, to: 1)
    if address.family == AF_INET6 { socket.set(Int32(IPPROTO_IPV6), IPV6_V6ONLY, to: 1) }
    let listens =
      address.withSystem { bind(socket.descriptor, $0, $1) } == 0
      && listen(socket.descriptor, Int32(clamping: backlog)) == 0
    try socket.closeUnless(listens, .listen, address)
    return socket
  }

  /// Makes a socket that has a port and does not listen at it.
  package static func bound(to address: SocketAddress) throws(SocketError) -> Socket {
    let socket = try Socket(for: address, .listen)
    let isBound = address.withSystem { bind(socket.descriptor, $0, $1) } == 0
    try socket.closeUnless(isBound, .listen, address)
    return socket
  }

  /// Begins to connect; when the socket is writable ask for ``pendingError``.
  package static func connecting(
    to address: SocketAddress,
    in network: PrivateNetwork? = nil
  ) throws(SocketError) -> Socket {
    let socket = try Socket(for: address, .connect, in: network)
    let code = address.withSystem { connect(socket.descriptor, $0, $1) }
    let isUnderWay = code == 0 || errno == EINPROGRESS || errno == EINTR
    try socket.closeUnless(isUnderWay, .connect, address)
    return socket
  }

  /// Closes the socket if a system call has failed, and throws its error.
  package func closeUnless(
    _ isDone: Bool,
    _ operation: SocketError.Operation,
    _ address: SocketAddress
  ) throws(SocketError) {
    guard !isDone else { return }
    let error = SocketError(operation, errno, address)
    close()
    throw error
  }

  /// Returns the next connection that waits, if any.
  package func accept() throws(SocketError) -> Socket? {
    while true {
      let accepted = Platform.accept(descriptor)
      if accepted >= 0 { return Socket(descriptor: accepted) }
      switch errno {
      // A client that has left meanwhile is no error of the listener's.
      case EINTR, ECONNABORTED: continue
      case EAGAIN, EWOULDBLOCK: return nil
      default: throw SocketError(.accept, errno, localAddress)
      }
    }
  }

  package func read(into buffer: UnsafeMutableRawBufferPointer) -> Transfer {
    while true {
      let count = recv(descriptor, buffer.baseAddress, buffer.count, 0)
      if count > 0 { return .bytes(count) }
      if count == 0 { return .end }
      if errno == EINTR { continue }
      return failure(.read)
    }
  }

  package func write(_ bytes: UnsafeRawBufferPointer) -> Transfer {
    while true {
      let count = send(descriptor, bytes.baseAddress, bytes.count, Platform.writeFlags)
      if count >= 0 { return .bytes(count) }
      if errno == EINTR { continue }
      return failure(.write)
    }
  }

  private func failure(_ operation: SocketError.Operation) -> Transfer {
    let code = errno
    if code == EAGAIN || code == EWOULDBLOCK { return .wouldBlock }
    return .failed(SocketError(operation, code, peerAddress))
  }

  /// The error that came without a call to tell it to, such as a refused connect; asking spends it.
  package var pendingError: Int32 {
    var code: Int32 = 0
    var size = socklen_t(MemoryLayout<Int32>.size)
    guard getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &code, &size) == 0 else { return errno }
    return code
  }

  package var localAddress: SocketAddress? { .asked { getsockname(descriptor, $0, $1) } }
  package var peerAddress: SocketAddress? { .asked { getpeername(descriptor, $0, $1) } }

  /// The shortest round trip that the connection has had; `nil` where the system does not tell.
  package var roundTrip: Duration? { Platform.roundTrip(descriptor) }

  /// The bytes that were written and are not yet safe at the peer; `nil` if nobody can tell.
  package var unsentBytes: Int? { Platform.unsentBytes(descriptor) }

  /// Sends each write when it is made: a fault's bytes must not wait for company.
  func sendAtOnce() { set(Int32(IPPROTO_TCP), TCP_NODELAY, to: 1) }

  /// Makes the coming close a reset.
  ///
  /// The bytes that are unsent at that time are lost.
  func resetOnClose() {
    var option = linger(l_onoff: 1, l_linger: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
  }

  /// Tells the peer that nothing more will come (FIN); reading goes on.
  package func finishWriting() { Platform.shutdownWriting(descriptor) }

  /// Gives the descriptor back.
  ///
  /// With unread input the peer sees a reset.
  package func close() { Platform.close(descriptor) }

  private func set(_ level: Int32, _ option: Int32, to value: Int32) {
    var value = value
    // The options set here exist wherever this compiles; without one the socket still works.
    setsockopt(descriptor, level, option, &value, socklen_t(MemoryLayout<Int32>.size))
  }
}

/// A port of the loopback interface at which nothing listens, and nothing else can: connections to
/// it are refused for as long as this object lives.
public final class ClosedPort: Sendable {
  /// The number of the port, which the system chose.
  public let port: Int
  private let socket: Socket

  /// Reserves a free port that the system chooses; throws if no socket can be bound.
  public init() throws(ServerError) {
    do throws(SocketError) {
      let address = SocketAddress.loopback()
      socket = try Socket.bound(to: address)
      port = socket.localAddress?.port ?? 0
    } catch {
      throw ServerError(error, port: 0)
    }
  }

  deinit { socket.close() }
}
