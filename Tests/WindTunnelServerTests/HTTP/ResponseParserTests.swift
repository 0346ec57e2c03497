import TestSupport

@testable import WindTunnel
@testable import WindTunnelWire

@Suite struct ResponseParserTests {
  func events(_ text: String, to method: String = "GET", by step: Int = 10_000)
    -> [ResponseParser.Event]
  {
    var parser = ResponseParser()
    parser.expectAnswer(to: method)
    return parser.events(of: Array(text.utf8), by: step)
  }

  static let whole: [(String, String, String?)] = [
    ("GET", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello", "hello"),
    ("GET", "HTTP/1.1 200\r\nContent-Length: 2\r\n\r\nhi", "hi"),
    ("GET", "HTTP/1.1 200 \nContent-Length: 2\n\nhi", "hi"),
    ("GET", "HTTP/1.0 200 Very well\r\n\r\nuntil the end", "until the end"),
    ("GET", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\n\r\n", "hi"),
    ("GET", "HTTP/1.1 200 OK\r\nX: a\r\n  b\r\nContent-Length: 2\r\n\r\nhi", "hi"),
    ("HEAD", "HTTP/1.1 200 OK\r\nContent-Length: 500\r\n\r\n", nil),
    ("GET", "HTTP/1.1 204 No Content\r\n\r\n", nil),
    ("GET", "HTTP/1.1 304 Not Modified\r\nContent-Length: 500\r\n\r\n", nil),
    ("GET", "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi", "hi"),
    ("CONNECT", "HTTP/1.1 200 Go\r\nContent-Length: 5\r\n\r\n", nil),
    ("GET", "HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\n", nil),
    ("GET", "HTTP/1.1 200 OK\r\nP3P : CP\r\nContent-Length \t: 2\r\n\r\nhi", "hi"),
    (
      "GET",
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n"
        + "2\r\nhi\r\n0\r\nX-Sum : 7\r\n\r\n",
      "hi"
    ),
  ]

  @Test(arguments: [
    "Content-Length: 5\r\n\r\nhello", "Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n",
    "\r\nhello",
  ])
  func `content that is larger than is read is refused in every framing`(text: String) {
    for (bytesMax, isWhole) in [(5, true), (4, false)] {
      var limits = Limits.upstream
      limits.bodyBytesMax = bytesMax
      var parser = ResponseParser(limits: limits)
      parser.expectAnswer(to: "GET")
      let last = parser.events(of: Array("HTTP/1.1 200 OK\r\n\(text)".utf8), by: 100).last
      expectEqual(last, (isWhole ? .end : .failed(.tooLarge(limits))))
    }
  }

  @Test(arguments: whole)
  func `an answer ends where its framing says, however it is cut`(
    method: String,
    text: String,
    content: String?
  ) {
    let whole = events(text, to: method)
    expectEqual(whole.last, .end)
    expectEqual(whole.compactMap(\.contentText).first, content)
    for step in [1, 3] { expectEqual(events(text, to: method, by: step), whole) }
  }

  @Test(arguments: [
    ("", ProtocolError.Truncation.beforeHead),
    ("HTTP/1.1 200 OK\r\nContent-Le", .inHead),
    ("HTTP/1.1 100 Continue\r\n\r\n", .beforeHead),
    (
      "HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\nfive.",
      .inContent(received: 5, expected: 1000)
    ),
    ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nab", .inChunks(received: 2)),
    ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n", .inChunks(received: 2)),
  ])
  func `an early end says where it was`(text: String, place: ProtocolError.Truncation) {
    expectEqual(events(text).last?.failure?.kind, .truncated(place))
  }

  @Test(arguments: try TestData.rows("bad-responses.json", count: 16) as [String])
  func `an answer that is none fails and is no truncation`(text: String) throws {
    let kind = try #require(events(text).last?.failure?.kind)
    if case .truncated = kind { Issue.record("\(kind)") }
  }

  @Test func `interim answers come before the answer`() {
    let text = "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 204 Gone well\r\n\r\n"
    let heads = events(text).compactMap(\.headOrNil)
    expectEqual(heads.map(\.head.status), [103, 204])
    expectEqual(heads.map(\.isInterim), [true, false])
    expectEqual(heads.last?.reason, "Gone well")
  }

  @Test func `a folded field of an answer is one line`() {
    let heads = events(Self.whole[5].1).compactMap(\.headOrNil)
    expectEqual(heads.first?.head.headers["X"], "a b")
  }

  @Test func `answers follow each other on one connection`() {
    var parser = ResponseParser()
    parser.feed("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhiHTTP/1.1 204 X\r\n\r\n")
    expectNil(parser.next())
    parser.expectAnswer(to: "GET")
    expectEqual(parser.events().last, .end)
    #expect(parser.bufferedBytes > 0)
    parser.expectAnswer(to: "GET")
    expectEqual(parser.events().last, .end)
    expectEqual(parser.bufferedBytes, 0)
  }
}
