import Origins
import TestSupport

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
      Thread {
        continuation.resume(with: Result { try LoopbackExchange.answer(to: request, at: port) })
      }.start()
    }
    let end = try #require(bytes.range(of: Data("\r\n\r\n".utf8)))
    return Answer(
      head: String(decoding: bytes[..<end.upperBound], as: UTF8.self),
      content: Data(bytes[end.upperBound...])
    )
  }
}
