internal import Foundation

/// One non-blocking TCP socket. Its owner must close it, once.
package struct Socket: Sendable {
  package let descriptor: Int32

  /// The result of a read or a write.
  package enum Transfer {
    case bytes(Int)
    /// The peer has finished sending.
    case end
    case wouldBlock
    case failed(SocketError)
  }

  package init(descriptor: Int32) { self.descriptor = descriptor }

  /// Creates an unbound socket for an address's family, in this process's network or another.
  package init(
    for address: SocketAddress,
    _ operation: SocketError.Operation,
    in network: PrivateNetwork? = nil
  ) throws(SocketError) {
    descriptor = network?.socket() ?? Platform.socket(address.family)
    guard descriptor >= 0 else { throw SocketError(operation, errno, address) }
  }

  /// Creates a listening socket.
  ///
  /// On Linux, a backlog of 0 lets one connection wait, and further connection attempts time out.
  /// On Darwin, it means the maximum.
  package static func listening(
    at address: SocketAddress,
    backlog: Int,
    in network: PrivateNetwork? = nil
  ) throws(SocketError) -> Socket {
    let socket = try Socket(for: address, .listen, in: network)
    // Without this option, a port stays in use for a minute after its server has stopped.
    socket.set(SOL_SOCKET, SO_REUSEADDR, to: 1)
    if address.family == AF_INET6 { socket.set(Int32(IPPROTO_IPV6), IPV6_V6ONLY, to: 1) }
    let listens =
      address.withSystem { bind(socket.descriptor, $0, $1) } == 0
      && listen(socket.descriptor, Int32(clamping: backlog)) == 0
    try socket.closeUnless(listens, .listen, address)
    return socket
  }

  /// Creates a socket that is bound to a port but does not listen.
  package static func bound(to address: SocketAddress) throws(SocketError) -> Socket {
    let socket = try Socket(for: address, .listen)
    let isBound = address.withSystem { bind(socket.descriptor, $0, $1) } == 0
    try socket.closeUnless(isBound, .listen, address)
    return socket
  }

  /// Starts to connect. When the socket becomes writable, check ``pendingError``.
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

  /// Returns the next waiting connection; `nil` if there is none.
  package func accept() throws(SocketError) -> Socket? {
    while true {
      let accepted = Platform.accept(descriptor)
      if accepted >= 0 { return Socket(descriptor: accepted) }
      switch errno {
      // A client that has disconnected meanwhile is not an error of the listener.
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

  /// The error that occurred outside of a call, such as a refused connection. Reading it resets it.
  package var pendingError: Int32 {
    var code: Int32 = 0
    var size = socklen_t(MemoryLayout<Int32>.size)
    guard getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &code, &size) == 0 else { return errno }
    return code
  }

  package var localAddress: SocketAddress? { .asked { getsockname(descriptor, $0, $1) } }
  package var peerAddress: SocketAddress? { .asked { getpeername(descriptor, $0, $1) } }

  /// The minimum round-trip time of the connection; `nil` if it is unknown.
  package var roundTrip: Duration? { Platform.roundTrip(descriptor) }

  /// The number of written bytes that the peer has not received; `nil` if it is unknown.
  package var unsentBytes: Int? { Platform.unsentBytes(descriptor) }

  /// Sends each write at once: the bytes of a fault must not be delayed and combined with others.
  func sendAtOnce() { set(Int32(IPPROTO_TCP), TCP_NODELAY, to: 1) }

  /// Configures the socket so that the next close sends RST.
  ///
  /// Bytes that were not sent before are lost.
  func resetOnClose() {
    var option = linger(l_onoff: 1, l_linger: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
  }

  /// Sends a FIN, which ends this direction; reading continues.
  package func finishWriting() { Platform.shutdownWriting(descriptor) }

  /// Closes the descriptor.
  ///
  /// With unread input, the peer receives a reset.
  package func close() { Platform.close(descriptor) }

  private func set(_ level: Int32, _ option: Int32, to value: Int32) {
    var value = value
    // These options exist on all supported systems. Without one, the socket still works.
    setsockopt(descriptor, level, option, &value, socklen_t(MemoryLayout<Int32>.size))
  }
}

/// A port of the loopback interface that refuses all connections for as long as this object exists:
/// nothing listens on it, and nothing else can.
public final class ClosedPort: Sendable {
  /// The port number, which the system chose.
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
