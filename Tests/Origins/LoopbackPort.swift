public import Foundation
internal import WindTunnelServer

/// A free port of 127.0.0.1 that is listened to, for origins that block.
public struct LoopbackPort: Sendable {
  /// The listening socket.
  public let descriptor: Int32
  /// The port's number.
  public let number: Int

  /// Begins to listen.
  public init() throws {
    // Its clients may be gone when an origin answers them.
    BrokenPipes.ignore()
    let listener = Self.socket()
    descriptor = listener
    var address = Self.address(of: 0)
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let result = withUnsafeMutableBytes(of: &address) { bytes -> Int32 in
      guard let base = bytes.baseAddress else { return -1 }
      let pointer = base.assumingMemoryBound(to: sockaddr.self)
      guard bind(listener, pointer, length) == 0, listen(listener, 64) == 0 else { return -1 }
      return getsockname(listener, pointer, &length)
    }
    guard result == 0 else { throw POSIXError(.EADDRNOTAVAIL) }
    number = Int(UInt16(bigEndian: address.sin_port))
  }

  /// Tells of each connection, on a thread of its own, until the port is closed.
  public func accepting(_ take: @escaping @Sendable (_ client: Int32) -> Void) {
    Thread.detachNewThread { [descriptor] in
      while true {
        let client = accept(descriptor, nil, nil)
        if client < 0 { return }
        take(client)
      }
    }
  }

  /// Sends all bytes to a client; false where it has gone.
  @discardableResult
  public static func deliver(_ data: Data, to client: Int32) -> Bool {
    #if canImport(Darwin)
      let flags: Int32 = 0
    #else
      let flags = Int32(MSG_NOSIGNAL)
    #endif
    var rest = data[...]
    while !rest.isEmpty {
      let sent = rest.withUnsafeBytes { send(client, $0.baseAddress, $0.count, flags) }
      guard sent > 0 else { return false }
      rest = rest.dropFirst(sent)
    }
    return true
  }

  /// A new socket for a stream of bytes.
  static func socket() -> Int32 {
    #if canImport(Darwin)
      let stream = SOCK_STREAM
    #else
      let stream = Int32(SOCK_STREAM.rawValue)
    #endif
    return newSocket(AF_INET, stream, 0)
  }

  /// The address of a port of 127.0.0.1.
  static func address(of port: Int) -> sockaddr_in {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    address.sin_port = UInt16(port).bigEndian
    return address
  }

  /// Closes the port; whoever asks after that is refused.
  public func close() {
    shutdown(descriptor, Int32(SHUT_RDWR))
    _ = closeDescriptor(descriptor)
  }
}

/// The system's `close`, which the method of that name would hide.
private func closeDescriptor(_ descriptor: Int32) -> Int32 { close(descriptor) }

/// The system's `socket`, which the function of that name would hide.
private func newSocket(_ family: Int32, _ type: Int32, _ number: Int32) -> Int32 {
  socket(family, type, number)
}
