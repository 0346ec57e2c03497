import TestSupport

@testable import WindTunnel
@testable import WindTunnelWire

@Suite struct RequestParserTests {
  static let good = [
    "GET / HTTP/1.1\r\nHost: a.test\r\n\r\n",
    "\r\nGET /users/7?x=%20 HTTP/1.1\r\nhost:a.test:80\r\nAccept: \t*/* \r\nX:\r\n\r\n",
    "GET / HTTP/1.0\r\n\r\n",
    "POST /e HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhello",
    "POST /e HTTP/1.1\r\nHost: [::1]:80\r\ncontent-length:5\r\n\r\nhello",
    "POST /e HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n",
    "PUT /e HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
      + "5;name=\"value\"\r\nhello\r\n00a\r\n0123456789\r\n0\r\nX-Sum: 7\r\n\r\n",
    "PUT /e HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: CHUNKED\r\n\r\n0\r\n\r\n",
    "CONNECT a.test:443 HTTP/1.1\r\nHost: a.test:443\r\n\r\n",
    "OPTIONS * HTTP/1.1\r\nHost:\r\n\r\n",
    "GET http://a.test/x HTTP/1.1\r\nHost: a.test\r\n\r\n",
    "GET /caf\u{E9} HTTP/1.1\r\nHost: a\r\nX-Name: Zo\u{EB}\r\n\r\n",
    "GET / HTTP/1.7\r\nHost: a\r\n\r\n",
  ]

  @Test(arguments: good)
  func `a request is the same whole, byte by byte and with a tail`(text: String) throws {
    let bytes = Array(text.utf8)
    var parser = RequestParser()
    let whole = parser.events(of: bytes, by: bytes.count)
    #expect(whole.first?.headOrNil != nil)
    expectEqual(whole.last, .end)
    for step in [1, 2, 3, 7] {
      var parser = RequestParser()
      expectEqual(parser.events(of: bytes, by: step), whole)
      #expect(parser.isBetweenRequests)
    }
    var tailed = RequestParser()
    expectEqual(tailed.events(of: bytes + bytes, by: 1000), whole + whole)
    // What follows is not read before it is asked for.
    var asked = RequestParser()
    asked.feed(bytes + Array("tail".utf8))
    while let event = asked.next(), event != .end {}
    expectEqual(asked.takeRemainder(), Data("tail".utf8))
  }

  static func te(_ value: String, _ more: String = "") -> String {
    "POST / HTTP/1.1\r\nHost: a\r\n\(more)Transfer-Encoding: \(value)\r\n\r\n"
  }

  /// Each with the status it gets; most are a way to make two recipients disagree.
  @Test(arguments: try TestData.rows("bad-requests.json", count: 77) as [(String, Int)])
  func `a bad request is refused with a sentence, however it is cut`(
    text: String,
    status: Int
  ) throws {
    let bytes = Array(text.utf8)
    var parser = RequestParser()
    let whole = parser.events(of: bytes, by: bytes.count, end: false)
    let error = try #require(whole.last?.failure)
    expectEqual(error.status, status)
    #expect(error.sentence.hasSuffix("."))
    var dripped = RequestParser()
    let drips = dripped.events(of: bytes, by: 1, end: false)
    expectEqual(drips.last?.failure?.status, status)
    // After a failure there is nothing more, whatever comes.
    parser.feed("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
    expectNil(parser.next())
  }

  @Test func `content, extensions and trailers are taken out of the framing`() {
    var parser = RequestParser()
    let events = parser.events(of: Array(Self.good[6].utf8), by: 4)
    expectEqual(events.count, 4)
    expectEqual(events[1].contentText, "hello0123456789")
    expectEqual(events[2], .trailers(["X-Sum": "7"]))
  }

  @Test(arguments: [
    ("GET / HTTP/1.1\r\nHost: a", 0), ("GET", 0),
    ("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhel", 1),
    (te("chunked") + "5\r\nhello\r\n", 1),
  ])
  func `an end within a request is a truncation`(text: String, heads: Int) throws {
    var parser = RequestParser()
    let events = parser.events(of: Array(text.utf8), by: 1000)
    expectEqual(events.compactMap(\.headOrNil).count, heads)
    if case .truncated = events.last?.failure?.kind {} else { Issue.record("\(events)") }
  }

  @Test func `persistence follows version and Connection`() throws {
    func keepsAlive(_ version: String, _ connection: String) throws -> Bool {
      var parser = RequestParser()
      parser.feed("GET / \(version)\r\nHost: a\r\n\(connection)\r\n")
      return try #require(parser.next()?.headOrNil).keepsAlive
    }
    #expect(try keepsAlive("HTTP/1.1", ""))
    #expect(try !keepsAlive("HTTP/1.1", "Connection: x, Close\r\n"))
    #expect(try !keepsAlive("HTTP/1.0", ""))
    #expect(try keepsAlive("HTTP/1.0", "connection: Keep-Alive\r\n"))
  }
}
