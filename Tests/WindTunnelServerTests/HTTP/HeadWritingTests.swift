import TestSupport

@testable import WindTunnel
@testable import WindTunnelWire

@Suite struct HeadWritingTests {
  func request(_ line: String = "GET / HTTP/1.1") throws -> RequestHead {
    var parser = RequestParser()
    parser.feed("\(line)\r\nHost: a\r\n\r\n")
    return try #require(parser.next()?.headOrNil)
  }

  func head(_ status: Int, _ headers: HeaderFields, to line: String, length: Int?) throws -> String
  {
    let request = try request(line)
    let framing = AnswerFraming(status: status, to: request, length: length)
    var bytes: [UInt8] = []
    bytes.appendHead(
      ResponseHead(status: status, headers: headers),
      framed: framing,
      for: request.version
    )
    return String(decoding: bytes, as: UTF8.self)
  }

  @Test func `framing replaces the recorded framing at its place`() throws {
    let recorded = HeaderFields([
      HeaderField("A", "1"), HeaderField("transfer-encoding", "chunked"),
      HeaderField("Connection", "keep-alive, X"), HeaderField("B", "2"),
    ])
    try expectEqual(
      head(200, recorded, to: "GET / HTTP/1.1", length: 5),
      "HTTP/1.1 200 OK\r\nA: 1\r\nContent-Length: 5\r\nB: 2\r\n\r\n"
    )
    try expectEqual(
      head(200, ["Content-Length": "9"], to: "GET / HTTP/1.1", length: nil),
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
    )
    try expectEqual(
      head(404, [:], to: "GET / HTTP/1.0", length: nil),
      "HTTP/1.1 404 Not Found\r\nConnection: close\r\n\r\n"
    )
  }

  @Test func `204 and interim answers announce nothing, HEAD and 304 what a GET would have`() throws
  {
    try expectEqual(
      head(204, ["Content-Length": "0"], to: "GET / HTTP/1.1", length: 0),
      "HTTP/1.1 204 No Content\r\n\r\n"
    )
    try expectEqual(
      head(103, [:], to: "GET / HTTP/1.1", length: nil),
      "HTTP/1.1 103 Early Hints\r\n\r\n"
    )
    try expectEqual(
      head(200, [:], to: "HEAD / HTTP/1.1", length: 7),
      "HTTP/1.1 200 OK\r\nContent-Length: 7\r\n\r\n"
    )
    try expectEqual(
      head(200, ["Content-Length": "900"], to: "HEAD / HTTP/1.1", length: 0),
      "HTTP/1.1 200 OK\r\nContent-Length: 900\r\n\r\n"
    )
    try expectEqual(
      head(304, ["Content-Length": "900"], to: "GET / HTTP/1.1", length: 0),
      "HTTP/1.1 304 Not Modified\r\nContent-Length: 900\r\n\r\n"
    )
  }

  @Test func `a value cannot end its field`() {
    var bytes: [UInt8] = []
    bytes.appendHead(ResponseHead(status: 200, headers: ["X": "a\r\nSet-Cookie: b\u{0}"]))
    expectEqual(
      String(decoding: bytes, as: UTF8.self),
      "HTTP/1.1 200 OK\r\nX: a  Set-Cookie: b \r\n\r\n"
    )
  }

  @Test func `chunks are written as they are read`() {
    var bytes = Array("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n".utf8)
    bytes.appendChunk(Array("hello".utf8))
    bytes.appendChunk([])
    bytes.appendChunk(Data(repeating: 0x61, count: 300))
    bytes.appendLastChunk(trailers: ["X": "1"])
    var parser = ResponseParser()
    parser.expectAnswer(to: "GET")
    let events = parser.events(of: bytes, by: bytes.count)
    expectEqual(events[1].contentText, "hello" + String(repeating: "a", count: 300))
    expectEqual(events.suffix(2), [.trailers(["X": "1"]), .end])
  }
}
