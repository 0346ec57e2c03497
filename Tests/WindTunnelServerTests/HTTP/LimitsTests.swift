import TestSupport
import WindTunnel

@testable import WindTunnelWire

@Suite struct LimitsTests {
  static let limits: Limits = {
    var limits = Limits()
    limits.requestLineBytesMax = 64
    limits.headerBytesMax = 256
    limits.headerFieldsMax = 4
    limits.bodyBytesMax = 16
    limits.chunkLineBytesMax = 32
    limits.chunkExtensionBytesMax = 40
    return limits
  }()

  static let chunked = "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"

  static let cases: [(String, Int)] = [
    ("GET /\(String(repeating: "a", count: 64)) HTTP/1.1\r\nHost: a\r\n\r\n", 414),
    ("GET /\(String(repeating: "a", count: 64))", 414),
    ("GET / HTTP/1.1\r\nHost: a\r\nX: \(String(repeating: "a", count: 256))\r\n\r\n", 431),
    ("GET / HTTP/1.1\r\nHost: a\r\nX: \(String(repeating: "a", count: 256))", 431),
    ("GET / HTTP/1.1\r\nHost: a\r\nA: 1\r\nB: 1\r\nC: 1\r\nD: 1\r\n\r\n", 431),
    ("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 17\r\n\r\n", 413),
    (chunked + "11\r\n", 413),
    (chunked + "8\r\n12345678\r\n9\r\n", 413),
    (chunked + "1;\(String(repeating: "a", count: 32))\r\n", 400),
    (chunked + "1;\(String(repeating: "a", count: 32))", 400),
    (chunked + String(repeating: "1;aaaaaaaaaaaaaaa\r\nx\r\n", count: 4), 400),
    (chunked + "0\r\nX: \(String(repeating: "a", count: 256))\r\n\r\n", 431),
  ]

  @Test(arguments: cases, [1, 1000])
  func `what goes over a limit is refused by its own status`(
    message: (String, Int),
    step: Int
  ) throws {
    var parser = RequestParser(limits: Self.limits)
    let events = parser.events(of: Array(message.0.utf8), by: step, end: false)
    expectEqual(events.last?.failure?.status, message.1)
  }

  @Test func `a server takes what a cassette can hold`() {
    expectEqual(Limits.standard.bodyBytesMax, Cassette.fileBytesMax)
  }

  @Test func `a request at the exact limits is accepted`() {
    let path = String(repeating: "a", count: 64 - "GET / HTTP/1.1\r\n".utf8.count)
    let fields = "Host: a\r\nA: 1\r\nContent-Length: 16\r\n"
    let filler =
      "B: \(String(repeating: "b", count: 256 - fields.utf8.count - "B: \r\n\r\n".utf8.count))\r\n"
    let text = "GET /\(path) HTTP/1.1\r\n\(fields)\(filler)\r\n0123456789abcdef"
    var parser = RequestParser(limits: Self.limits)
    expectEqual(parser.events(of: Array(text.utf8), by: 5).last, .end)
  }
}
