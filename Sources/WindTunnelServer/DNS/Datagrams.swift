internal import Foundation

/// A UDP socket that never blocks. Whoever holds it closes it, once.
struct Datagrams: Sendable {
  let descriptor: Int32

  /// Binds a socket.
  init(at address: SocketAddress) throws(SocketError) {
    descriptor = Platform.datagramSocket(address.family)
    guard descriptor >= 0 else { throw SocketError(.listen, errno, address) }
    guard address.withSystem({ bind(descriptor, $0, $1) }) == 0 else {
      let error = SocketError(.listen, errno, address)
      close()
      throw error
    }
  }

  /// Takes over a socket that is bound.
  init(descriptor: Int32) { self.descriptor = descriptor }

  /// The next datagram and who sent it; `nil` where none waits. What is longer than the buffer is cut.
  func receive(into buffer: UnsafeMutableRawBufferPointer) -> (count: Int, from: SocketAddress)? {
    var count = -1
    let sender = SocketAddress.asked { address, length in
      repeat {
        count = recvfrom(descriptor, buffer.baseAddress, buffer.count, 0, address, length)
      } while count < 0 && errno == EINTR
      return count < 0 ? -1 : 0
    }
    guard count >= 0, let sender else { return nil }
    return (count, sender)
  }

  /// Sends a datagram, or loses it: nobody is told by UDP.
  func send(_ bytes: [UInt8], to address: SocketAddress) {
    address.withSystem { system, length in
      _ = sendto(descriptor, bytes, bytes.count, Platform.writeFlags, system, length)
    }
  }

  var localAddress: SocketAddress? { .asked { getsockname(descriptor, $0, $1) } }

  func close() { Platform.close(descriptor) }
}
