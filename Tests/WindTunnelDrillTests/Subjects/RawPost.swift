import Foundation
import Testing
import WindTunnel
import WindTunnelDrill

/// A client that leaves in the middle of its request.
enum RawPost {
  static func breakOff(_ call: DrillCall) throws {
    let port = try #require(call.url.port)
    let length = call.request.body.count
    #if canImport(Darwin)
      let stream = SOCK_STREAM
    #else
      let stream = Int32(SOCK_STREAM.rawValue)
    #endif
    let descriptor = socket(AF_INET, stream, 0)
    defer { close(descriptor) }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = UInt16(port).bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    let code = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    try #require(code == 0)
    let head =
      "POST \(call.url.path) HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: \(length)\r\n\r\n"
    var bytes = Array(head.utf8) + [UInt8](repeating: 0, count: length / 2)
    while !bytes.isEmpty {
      let count = send(descriptor, bytes, bytes.count, 0)
      try #require(count > 0)
      bytes.removeFirst(count)
    }
    // The end of what it sends; the server ends the connection when it has noticed.
    shutdown(descriptor, Int32(SHUT_WR))
    var byte: UInt8 = 0
    while recv(descriptor, &byte, 1, 0) > 0 {}
  }
}
