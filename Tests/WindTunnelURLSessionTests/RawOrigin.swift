import Foundation

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// A live server of the simplest kind: answers each request by its path with prepared bytes, and
/// ends the connection.
///
/// It blocks on a thread of its own; stopping it closes its port.
final class RawOrigin: Sendable {
  let port: Int
  private let descriptor: Int32

  init(_ answers: [String: [UInt8]]) throws {
    #if canImport(Darwin)
      let stream = SOCK_STREAM
    #else
      let stream = Int32(SOCK_STREAM.rawValue)
    #endif
    let listener = socket(AF_INET, stream, 0)
    descriptor = listener
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let result = withUnsafeMutableBytes(of: &address) { bytes -> Int32 in
      guard let base = bytes.baseAddress else { return -1 }
      let pointer = base.assumingMemoryBound(to: sockaddr.self)
      guard bind(listener, pointer, length) == 0, listen(listener, 64) == 0 else { return -1 }
      return getsockname(listener, pointer, &length)
    }
    guard result == 0 else { throw POSIXError(.EADDRNOTAVAIL) }
    port = Int(UInt16(bigEndian: address.sin_port))
    Thread.detachNewThread {
      while true {
        let client = accept(listener, nil, nil)
        if client < 0 { return }
        Thread.detachNewThread { Self.serve(client, answers) }
      }
    }
  }

  var url: String { "http://127.0.0.1:\(port)" }

  /// Closes the port; whoever asks after that is refused.
  func stop() {
    shutdown(descriptor, Int32(SHUT_RDWR))
    close(descriptor)
  }

  private static func serve(_ client: Int32, _ answers: [String: [UInt8]]) {
    defer { close(client) }
    var text = ""
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while !isWhole(text) {
      let count = recv(client, &buffer, buffer.count, 0)
      guard count > 0 else { return }
      text += String(decoding: buffer[..<count], as: UTF8.self)
    }
    let path = text.split(separator: " ").dropFirst().first.map(String.init) ?? "/"
    let answer = answers[path] ?? Array("HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n".utf8)
    _ = send(client, answer, answer.count, Int32(MSG_NOSIGNAL))
    shutdown(client, Int32(SHUT_WR))
    // Until the client has gone, so that nothing unread turns the end into a reset.
    while recv(client, &buffer, buffer.count, 0) > 0 {}
  }

  private static func isWhole(_ text: String) -> Bool {
    guard let end = text.range(of: "\r\n\r\n") else { return false }
    let head = text[..<end.lowerBound].lowercased()
    if head.contains("transfer-encoding: chunked") { return text.hasSuffix("0\r\n\r\n") }
    let length = head.range(of: "content-length: ").flatMap { range in
      Int(head[range.upperBound...].prefix { $0.isNumber })
    }
    return text[end.upperBound...].utf8.count >= length ?? 0
  }
}

/// An answer as it goes over the wire.
func answer(_ head: String, _ body: Data = Data()) -> [UInt8] {
  Array("HTTP/1.1 \(head.replacingOccurrences(of: "\n", with: "\r\n"))\r\n\r\n".utf8) + body
}
