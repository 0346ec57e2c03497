import TestSupport

@testable import WindTunnelHTTP

/// The rules of the opening handshake (RFC 6455 §4.1, §4.2, §9.1), from both sides.
@Suite struct WebSocketHandshakeTests {
  private static let key = "dGhlIHNhbXBsZSBub25jZQ=="
  private static let proof = "s3pPLMBiTxaQ9kYGzzhZRbK+xOo="

  static let asked: HeaderFields = [
    "Host": "server.example.com", "Upgrade": "websocket", "Connection": "Upgrade",
    "Sec-WebSocket-Key": key, "Sec-WebSocket-Version": "13",
  ]
  static let answered: HeaderFields = [
    "Upgrade": "websocket", "Connection": "Upgrade", "Sec-WebSocket-Accept": proof,
  ]

  /// The vectors of FIPS 180-4, and the example of RFC 6455 §1.3.
  @Test(arguments: [
    ("", "da39a3ee5e6b4b0d3255bfef95601890afd80709"),
    ("abc", "a9993e364706816aba3e25717850c26c9cd0d89d"),
    (
      "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
      "84983e441c3bd26ebaae4aa1f95129e5e54670f1"
    ),
    (String(repeating: "a", count: 55), "c1c8bbdc22796e28c0e15163d20899b65621d65a"),
    (String(repeating: "a", count: 64), "0098ba824b5c16427bd7a1122a5a442a25ec644d"),
    (String(repeating: "a", count: 1_000_000), "34aa973cd4c4daa4f61eeb2bdbad27316534016f"),
  ])
  func `a hash is the standard's`(text: String, hash: String) {
    let digits = BodyDigest.sha1.hash(Array(text.utf8)).map { byte in
      (byte < 16 ? "0" : "") + String(byte, radix: 16)
    }
    expectEqual(digits.joined(), hash)
    expectEqual(WebSocketHandshake.accept(Self.key), Self.proof)
  }

  @Test func `a request is answered, and the answer is understood`() throws {
    let fields = WebSocketHandshake.request(
      key: Array("the sample nonce".utf8),
      subprotocols: ["chat", "superchat"],
      compresses: false
    )
    expectEqual(fields["Sec-WebSocket-Key"], Self.key)
    var asked = fields
    asked["Host"] = "server.example.com"
    let request = Request("GET", RequestURL("/chat"), headers: asked)
    #expect(WebSocketHandshake.isAsked(by: request))
    let (head, terms) = try WebSocketHandshake.answer(to: request, choosing: { $0.last })
    expectEqual(head.status, 101)
    expectEqual(head.headers["Sec-WebSocket-Accept"], Self.proof)
    expectEqual(head.headers["Sec-WebSocket-Protocol"], "superchat")
    expectNil(head.headers["Sec-WebSocket-Extensions"])
    expectEqual(terms, WebSocketHandshake.Terms(subprotocol: "superchat", deflate: nil))
    try expectEqual(WebSocketHandshake.terms(of: head, answering: fields), terms)
    // One that nobody offered is not chosen.
    let other = try WebSocketHandshake.answer(to: request, choosing: { _ in "other" })
    expectNil(other.head.headers["Sec-WebSocket-Protocol"])
  }

  /// A field, its value, and the status with which it is refused; `nil`: it is not.
  @Test(arguments: try TestData.rows("handshakes.json", count: 34) as [(String, String?, Int?)])
  func `a server holds a request to the rules`(name: String, value: String?, status: Int?) throws {
    var fields = Self.asked
    fields[name] = value
    let request = Request("GET", RequestURL("/chat"), headers: fields)
    do throws(WebSocketHandshake.Rejection) {
      try expectEqual(WebSocketHandshake.answer(to: request).head.status, 101)
      expectNil(status)
    } catch {
      expectEqual(error.head.status, status, "\(error.reason)")
      // Whoever has another version is told which one is spoken (§4.4).
      expectEqual((error.head.headers["Sec-WebSocket-Version"] == "13"), (status == 426))
    }
  }

  /// The method, the version of HTTP, and the field that comes twice. In HTTP/2, an extended CONNECT
  /// counts as such a GET.
  @Test(
    arguments: [
      ("POST", "1.1", nil), ("HEAD", "1.1", nil), ("get", "1.1", nil), ("OPTIONS", "1.1", nil),
      ("GET", "1.0", nil), ("GET", "3", nil), ("GET", "2", "Host"), ("GET", "1.1", "Host"),
      ("GET", "1.1", "Sec-WebSocket-Key"), ("GET", "1.1", "Sec-WebSocket-Version"),
    ] as [(String, String, String?)]
  )
  func `a handshake is a GET of HTTP 1.1, and each of its fields comes once`(
    method: String,
    version: String,
    twice: String?
  ) {
    let more = twice.map { [HeaderField($0, Self.asked[$0] ?? "")] } ?? []
    let fields = HeaderFields(Array(Self.asked) + more)
    let request = Request(method, RequestURL("/chat"), headers: fields)
    let version = "HTTP/\(version)"
    #expect(throws: WebSocketHandshake.Rejection.self) {
      try WebSocketHandshake.answer(to: request, version: version)
    }
    expectEqual(WebSocketHandshake.isAsked(by: request, version: version), (version != "HTTP/1.0"))
  }

  /// A field of an answer, its value, and whether a client may go on.
  @Test(
    arguments: try TestData.rows("handshake-answers.json", count: 16) as [(String, String?, Bool)]
  )
  func `a client holds an answer to the rules`(name: String, value: String?, isGood: Bool) {
    var asked = Self.asked
    asked["Sec-WebSocket-Protocol"] = "chat, superchat"
    var fields = Self.answered
    fields[name] = value
    let head = ResponseHead(status: 101, headers: fields)
    do throws(WebSocketHandshake.Failure) {
      _ = try WebSocketHandshake.terms(of: head, answering: asked)
      #expect(isGood)
    } catch {
      #expect(!isGood, "\(error)")
    }
  }

  @Test(arguments: [
    ("Upgrade", "h2c"), ("Sec-WebSocket-Accept", proof), ("Sec-WebSocket-Protocol", "chat"),
    ("Sec-WebSocket-Extensions", "permessage-deflate"),
  ])
  func `a field of an answer comes once`(name: String, value: String) throws {
    var asked = Self.asked
    asked["Sec-WebSocket-Protocol"] = "chat"
    asked["Sec-WebSocket-Extensions"] = "permessage-deflate"
    var fields = Self.answered
    fields[name] = fields[name] ?? value
    _ = try WebSocketHandshake.terms(
      of: ResponseHead(status: 101, headers: fields),
      answering: asked
    )
    let twice = HeaderFields(fields.map { $0 } + [HeaderField(name, value)])
    #expect(throws: WebSocketHandshake.Failure.self) {
      try WebSocketHandshake.terms(of: ResponseHead(status: 101, headers: twice), answering: asked)
    }
  }

  /// To a comparison of texts, the sign for kelvin is the letter K.
  @Test(arguments: [100, 200, 301, 401, 403, 426, 500, 101])
  func `another status, or a proof of other bytes, is no handshake`(status: Int) {
    var head = ResponseHead(status: status, headers: Self.answered)
    if status == 101 {
      head.headers["Sec-WebSocket-Accept"] = Self.proof.replacing("K", with: "\u{212A}")
    }
    #expect(throws: WebSocketHandshake.Failure.self) {
      try WebSocketHandshake.terms(of: head, answering: Self.asked)
    }
  }
}
