public import Foundation

/// A client without any library: bytes to a port of 127.0.0.1, and what comes back for them.
public enum LoopbackExchange {
  /// Sends bytes and reads until the server ends the connection; it blocks. One that is cut says that
  /// what it sends ends there.
  public static func answer(
    to request: Data,
    at port: Int,
    isCut: Bool = false
  ) throws(POSIXError) -> Data {
    let descriptor = LoopbackPort.socket()
    defer { close(descriptor) }
    var address = LoopbackPort.address(of: port)
    let length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isConnected = withUnsafeBytes(of: &address) { bytes in
      bytes.baseAddress.map {
        connect(descriptor, $0.assumingMemoryBound(to: sockaddr.self), length)
      }
    }
    guard isConnected == 0 else { throw POSIXError(.ECONNREFUSED) }
    guard LoopbackPort.deliver(request, to: descriptor) else { throw POSIXError(.EPIPE) }
    if isCut { shutdown(descriptor, Int32(SHUT_WR)) }
    var (answer, buffer) = (Data(), [UInt8](repeating: 0, count: 256 << 10))
    while true {
      let count = recv(descriptor, &buffer, buffer.count, 0)
      guard count >= 0 else { throw POSIXError(.ECONNRESET) }
      if count == 0 { return answer }
      answer.append(contentsOf: buffer[..<count])
    }
  }
}
