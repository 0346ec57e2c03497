import Foundation
import TestSupport
import Testing

@testable import WindTunnel
@testable import WindTunnelServer

/// What the replay server refuses, and how.
@Suite(.timeLimit(.minutes(5))) struct RefusalTests {
  @Test(arguments: [
    ("GET /\(String(repeating: "a", count: 9000)) HTTP/1.1\r\nHost: x\r\n\r\n", 414),
    ("GET / HTTP/1.1\r\nHost: x\r\nX: \(String(repeating: "a", count: 70_000))\r\n\r\n", 431),
    ("GET / HTTP/1.1\r\nHost: x\r\n\((0..<201).map { "X\($0): 1\r\n" }.joined())\r\n", 431),
    ("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000000\r\n\r\n", 413),
    ("GET / HTTP/2.0\r\nHost: x\r\n\r\n", 505),
    ("hello\r\n\r\n", 400),
    ("GET / HTTP/1.1\r\n\r\n", 400),
    ("GET / HTTP/1.1\r\nHost: x\r\nHost: y\r\n\r\n", 400),
    (
      "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
      400
    ),
    ("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\nContent-Length: 5\r\n\r\nabcde", 400),
    ("POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: gzip\r\n\r\n", 501),
    ("POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding : chunked\r\n\r\n0\r\n\r\n", 400),
    ("POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n", 400),
    ("GET / HTTP/1.1\r\nHost: x\r\n folded: 1\r\n\r\n", 400),
    ("\u{16}\u{3}\u{1}\u{2}\u{0}\u{1}\r\n\r\n", 400),
  ])
  func `what cannot be served is refused, and nothing after it is taken for a request`(
    text: String,
    status: Int
  ) async throws {
    try await ReplayServer.serving(.echo("/", "/smuggled")) { server async throws in
      let answer = try await server.answer(to: text + "GET /smuggled HTTP/1.1\r\nHost: x\r\n\r\n")
      #expect(answer.hasPrefix("HTTP/1.1 \(status) "))
      expectEqual(answer.count(of: " 200 OK"), 0)
    }
  }
}
