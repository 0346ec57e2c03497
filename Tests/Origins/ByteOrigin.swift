public import Foundation

/// A live server that knows nothing of the project: it answers each path with the bytes that it was
/// given, others with 404, and ends the connection.
///
/// It blocks on threads of its own; stopping it closes its port.
public final class ByteOrigin: Sendable {
  private let listening: LoopbackPort
  /// Where it listens, at 127.0.0.1.
  public var port: Int { listening.number }

  /// Its address without a path.
  public var url: String { "http://127.0.0.1:\(port)" }

  /// Begins to listen.
  public init(_ answers: [String: Data]) throws {
    listening = try LoopbackPort()
    listening.accepting { client in
      Thread.detachNewThread { Self.serve(client, answers) }
    }
  }

  /// Closes the port; whoever asks after that is refused.
  public func stop() { listening.close() }

  private static func serve(_ client: Int32, _ answers: [String: Data]) {
    defer { close(client) }
    var buffer = [UInt8](repeating: 0, count: 256 << 10)
    var request = Data()
    var isAnnounced = false
    while !Self.isWhole(request) {
      let count = recv(client, &buffer, buffer.count, 0)
      guard count > 0 else { return }
      request.append(contentsOf: buffer[..<count])
      guard !isAnnounced, let head = Self.head(request) else { continue }
      isAnnounced = true
      if head.contains("100-continue") {
        LoopbackPort.deliver(Data("HTTP/1.1 100 Continue\r\n\r\n".utf8), to: client)
      }
    }
    let line = String(decoding: request.prefix { $0 != 13 }, as: UTF8.self)
    let path = line.split(separator: " ").dropFirst().first.map(String.init) ?? "/"
    LoopbackPort.deliver(answers[path] ?? answer("404 Not Found\nContent-Length: 0"), to: client)
    shutdown(client, Int32(SHUT_WR))
    // Until the client has gone, so that nothing unread turns the end into a reset.
    while recv(client, &buffer, buffer.count, 0) > 0 {}
  }

  private static func isWhole(_ request: Data) -> Bool {
    guard let head = head(request) else { return false }
    let body = request.dropFirst(head.utf8.count + 4)
    if head.contains("transfer-encoding: chunked") {
      return body.suffix(5) == Data("0\r\n\r\n".utf8)
    }
    let length = head.components(separatedBy: "\r\n")
      .first { $0.hasPrefix("content-length:") }
      .flatMap { Int($0.dropFirst(15).drop { $0 == " " }) }
    return body.count >= length ?? 0
  }

  /// In small letters, which are as many.
  private static func head(_ request: Data) -> String? {
    request.range(of: Data("\r\n\r\n".utf8)).map { end in
      String(decoding: request[..<end.lowerBound], as: UTF8.self).lowercased()
    }
  }
}

/// An answer as it goes over the wire; a line feed ends a line of its head.
public func answer(_ head: String, _ body: Data = Data()) -> Data {
  Data("HTTP/1.1 \(head.replacingOccurrences(of: "\n", with: "\r\n"))\r\n\r\n".utf8) + body
}
