import Foundation
import Testing

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// A client without any library: what comes over the wire, byte for byte.
struct RawExchange: Sendable {
  struct Answer: Sendable {
    /// Up to the empty line, with its line ends.
    var head: String
    /// Everything behind it, framing and all.
    var content: Data
  }

  let port: Int

  /// Asks for a path and reads until the server ends the connection.
  func get(_ path: String) async throws -> Answer {
    try await ask(Data("GET \(path) HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n".utf8))
  }

  func ask(_ request: Data) async throws -> Answer {
    let bytes = try await withCheckedThrowingContinuation { continuation in
      // It blocks, on a thread of its own.
      Thread { continuation.resume(with: Result { try exchange(request) }) }.start()
    }
    let end = try #require(bytes.range(of: Data("\r\n\r\n".utf8)))
    return Answer(
      head: String(decoding: bytes[..<end.upperBound], as: UTF8.self),
      content: Data(bytes[end.upperBound...])
    )
  }

  private func exchange(_ request: Data) throws -> Data {
    #if canImport(Darwin)
      let stream = SOCK_STREAM
    #else
      let stream = Int32(SOCK_STREAM.rawValue)
    #endif
    let descriptor = socket(AF_INET, stream, 0)
    defer { close(descriptor) }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    address.sin_port = UInt16(port).bigEndian
    let length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isConnected = withUnsafeBytes(of: &address) { bytes in
      bytes.baseAddress.map {
        connect(descriptor, $0.assumingMemoryBound(to: sockaddr.self), length)
      }
    }
    guard isConnected == 0 else { throw POSIXError(.ECONNREFUSED) }
    var rest = request[...]
    while !rest.isEmpty {
      let sent = rest.withUnsafeBytes { send(descriptor, $0.baseAddress, $0.count, 0) }
      guard sent > 0 else { throw POSIXError(.EPIPE) }
      rest = rest.dropFirst(sent)
    }
    var answer = Data()
    var buffer = [UInt8](repeating: 0, count: 256 << 10)
    while true {
      let count = recv(descriptor, &buffer, buffer.count, 0)
      guard count >= 0 else { throw POSIXError(.ECONNRESET) }
      if count == 0 { return answer }
      answer.append(contentsOf: buffer[..<count])
    }
  }
}
