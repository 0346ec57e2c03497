import Origins
import TestSupport
import WindTunnel
import WindTunnelServer

@testable import WindTunnelNetworkLayer
@testable import WindTunnelNetworkLayerOffline

/// A server that has the key, and what it was sent.
final class SealedOrigin: Sendable {
  struct Seen: Sendable, Equatable {
    var sealed: Data
    var opened: Data?
    var mark: String?
    var signature: String?
  }

  let cipher: any AEAD
  let seen = Locked<[Seen]>([])
  /// The answers' statuses, one after the other; 200 after them.
  let statuses: Locked<[Int]>

  init(_ cipher: any AEAD, statuses: [Int] = []) {
    (self.cipher, self.statuses) = (cipher, Locked(statuses))
  }

  static func context(
    _ direction: String,
    _ method: String,
    _ path: String,
    _ type: String,
    query: String = ""
  ) -> Data {
    Data("2\n\(direction)\n\(method)\n\(path)\n\(query)\n\(type)".utf8)
  }

  /// An answer as it goes over the wire.
  func response(
    _ text: String,
    to method: String,
    _ path: String,
    query: String = "",
    status: Int = 200
  ) throws -> Response {
    let sealed = try cipher.seal(
      Data(text.utf8),
      authenticating: Self.context(
        "answer \(status)",
        method,
        path,
        "application/json",
        query: query
      )
    )
    return Response(
      status: status,
      headers: [
        "Content-Type": "application/json", "Sealing": "2;key=k-1", "Cache-Control": "max-age=60",
        "Content-Length": "\(sealed.count)",
      ],
      body: Body(sealed)
    )
  }

  /// The field of an answer without content.
  func proof(of status: Int, to method: String, _ path: String, query: String = "") throws -> String
  {
    let context = Self.context("answer \(status)", method, path, "", query: query)
    let proof = try cipher.seal(Data(), authenticating: context)
    return "2;key=k-1;proof=:\(proof.base64EncodedString()):"
  }

  func answer(_ request: Request, _ path: String) -> Response {
    let type = request.headers["Content-Type"] ?? ""
    // Without content it is the proof in the field that opens.
    let field = request.headers["Sealing"] ?? ""
    let proof = field.split(separator: ":").dropFirst().first.map(String.init) ?? ""
    let sealed = request.body.data.isEmpty ? Data(base64Encoded: proof) : request.body.data
    let opened = try? cipher.open(
      sealed ?? Data(),
      authenticating: Self.context("request", request.method, path, type)
    )
    seen.withLock {
      $0.append(
        Seen(
          sealed: request.body.data,
          opened: opened,
          mark: request.headers["Sealing"],
          signature: request.headers["X-Signature"]
        )
      )
    }
    let status = statuses.withLock { $0.isEmpty ? 200 : $0.removeFirst() }
    guard status == 200 else {
      return Response(status: status, headers: ["Content-Length": "4"], body: Body("busy"))
    }
    // A server that cannot answer has no answer of its own either.
    return (try? response(#"{"paid":true}"#, to: request.method, path)) ?? Response(status: 500)
  }
}

@Suite struct SealingMiddlewareTests {
  static func cipher() throws -> AES256GCM { try AES256GCM(key: SealTests.key) }

  /// A client on the wire with a server that has the key.
  static func run(
    _ origin: SealedOrigin,
    cache: ResponseCache? = nil,
    _ body: (NetworkClient) async throws -> Void
  ) async throws {
    let deck = Deck([
      .post("/pay") { origin.answer($0, "/pay") },
      .get("/balance") { origin.answer($0, "/balance") },
      .get("/open", json: ["open": true]),
    ])
    let server = try await ReplayServer(deck, .patient)
    let time = ManualTime()
    let client = NetworkClient(
      builder: RequestBuilder(baseURL: try #require(URL(string: server.url))),
      middleware: [
        SealingMiddleware(try cipher(), key: "k-1", paths: ["/pay", "/balance"]),
        RequestSigner(time: time, nonce: { "n" }) { text in
          text.sha256.base64EncodedString()
        },
      ],
      policy: RetryPolicy(backoff: Backoff(jitter: .none)),
      transport: URLSessionTransport(session: URLSession(configuration: .ephemeral)),
      cache: cache,
      limits: CallLimits(attemptTimeout: .seconds(3600), deadline: nil),
      time: time
    )
    await time.passing {
      do { try await body(client) } catch { Issue.record("\(error)") }
    }
    await server.stop()
  }

  static let pay = Endpoint(
    .post,
    "/pay",
    headers: ["Idempotency-Key": "p-1"],
    body: .data(Data(#"{"amount":7}"#.utf8), contentType: "application/json")
  )

  @Test func `content is sealed both ways, anew for each attempt, and signed as it is sent`()
    async throws
  {
    let origin = SealedOrigin(try Self.cipher(), statuses: [503, 503])
    try await Self.run(origin) { client in
      let answer = try await client.call(Self.pay)
      expectEqual(answer.body, Data(#"{"paid":true}"#.utf8))
      expectEqual(answer.attempts, 3)
    }
    let seen = origin.seen.withLock { $0 }
    expectEqual(seen.map(\.opened), Array(repeating: Data(#"{"amount":7}"#.utf8), count: 3))
    expectEqual(seen.map(\.mark), Array(repeating: "2;key=k-1", count: 3))
    expectEqual(Set(seen.map { $0.sealed.prefix(12) }).count, 3)
    for attempt in seen {
      expectNil(attempt.sealed.range(of: Data("amount".utf8)))
      let signed = Data("POST\n/pay\n\n784111777\nn\n".utf8) + attempt.sealed
      let time = signed.sha256.base64EncodedString()
      // The waits before a retry may have moved the second.
      if attempt == seen[0] { expectEqual(attempt.signature, time) }
    }
  }

  @Test func `the cache holds what was opened, and asks nobody for it`() async throws {
    let origin = SealedOrigin(try Self.cipher())
    try await Self.run(origin, cache: ResponseCache()) { client in
      let balance = Endpoint(.get, "/balance")
      let answers = [try await client.call(balance), try await client.call(balance)]
      expectEqual(answers.map(\.body), Array(repeating: Data(#"{"paid":true}"#.utf8), count: 2))
      expectEqual(answers.map(\.source), [.network, .cache])
    }
    let seen = origin.seen.withLock { $0 }
    expectEqual(seen.map(\.sealed), [Data()])
    // What has no content is proved all the same.
    expectEqual(seen.map(\.opened), [Data()])
    #expect(seen.allSatisfy { $0.mark?.hasPrefix("2;key=k-1;proof=:") == true })
  }

  @Test func `an endpoint that is not sealed is plain both ways`() async throws {
    try await Self.run(SealedOrigin(try Self.cipher())) { client in
      let answer = try await client.call(Endpoint(.get, "/open"))
      #expect(String(decoding: answer.body, as: UTF8.self).contains("open"))
    }
  }

  @Test func `a sealed recording is played to clients with the key`() async throws {
    let origin = SealedOrigin(try Self.cipher())
    let response = try origin.response("[1]", to: "POST", "/pay", query: "a=1&id=7")
    let recorded = Interaction(
      Request(
        "POST",
        "/pay?id=7&a=1",
        headers: ["Content-Type": "application/json"],
        body: Body("other bytes")
      ),
      response
    )
    let server = try await ReplayServer(Deck(Cassette([recorded])), .patient)
    let base = try #require(URL(string: server.url))
    func client(_ key: Data) throws -> NetworkClient {
      NetworkClient(
        builder: RequestBuilder(baseURL: base),
        middleware: [SealingMiddleware(try AES256GCM(key: key), key: "k-1")],
        policy: RetryPolicy(backoff: Backoff(jitter: .none)),
        transport: URLSessionTransport(session: URLSession(configuration: .ephemeral))
      )
    }
    var pay = Self.pay
    pay.query = ["id": "7", "a": "1"]
    try await expectEqual(client(SealTests.key).call(pay).body, Data("[1]".utf8))
    await server.stop()
  }

  private static let tampered = NetworkError.middleware(
    "The response for /pay was discarded. The sealed text cannot be opened: it was changed, or "
      + "sealed with another key or for another purpose."
  )

  private static let unsealed = NetworkError.middleware(
    "The response for /pay is not sealed as \"2;key=k-1\", so its sender is unknown; it was "
      + "discarded."
  )

  /// Counts how often a decoder is asked.
  static func decoder(_ asked: Counter) -> ResponseDecoder<Int> {
    ResponseDecoder { _ throws(NetworkError) in asked.next() }
  }

  @Test func `a tampered byte in a sealed response causes one error, before decoding`()
    async throws
  {
    let origin = SealedOrigin(try Self.cipher())
    let sealed = try origin.response("{}", to: "POST", "/pay").body.data
    let asked = Counter()
    let headers: Headers = ["Content-Type": "application/json", "Sealing": "2;key=k-1"]
    func result(_ body: Data, _ headers: Headers, _ status: Int = 200) async throws
      -> Result<Int, NetworkError>
    {
      let answer = ServerResponse(status: status, headers: headers, body: body)
      let fixture = try Fixture(
        [ScriptedTransport.Step(outcome: .success(answer)), .status(200)],
        middleware: [SealingMiddleware(try Self.cipher(), key: "k-1")]
      )
      defer { expectEqual(fixture.transport.requests.count, 1) }
      return await ended { () throws(NetworkError) in
        try await fixture.client.value(of: Self.pay, by: Self.decoder(asked))
      }
    }
    try await expectEqual(result(sealed, headers), .success(1))
    for place in sealed.indices {
      var changed = sealed
      changed[place] ^= 1
      try await expectEqual(result(changed, headers), .failure(Self.tampered), "byte \(place)")
    }
    var other = headers
    other["Content-Type"] = "text/html"
    try await expectEqual(result(sealed, other), .failure(Self.tampered))
    // One for another path, another method, and a request that is sent back.
    for (direction, method, path) in [
      ("answer 200", "POST", "/payed"), ("answer 200", "PUT", "/pay"),
      ("answer 402", "POST", "/pay"), ("request", "POST", "/pay"),
    ] {
      let context = SealedOrigin.context(direction, method, path, "application/json")
      let moved = try Self.cipher().seal(Data("{}".utf8), authenticating: context)
      try await expectEqual(result(moved, headers), .failure(Self.tampered))
    }
    for mark in [nil, "2;key=k-2", "1;key=k-1", "2;key=k-1;proof=:!:", "2;key=k-1x"] {
      other = headers
      other["Sealing"] = mark
      try await expectEqual(result(Data("{}".utf8), other), .failure(Self.unsealed))
      try await expectEqual(result(Data(), other), .failure(Self.unsealed))
    }
    try await expectEqual(
      result(Data("<html>".utf8), ["Content-Type": "text/html"], 404),
      .failure(.server(status: 404, body: Data()))
    )
    expectEqual(asked.current, 1)
  }

  /// The end of a call whose only answer is this one.
  private static func end(
    _ answer: ServerResponse,
    to endpoint: Endpoint,
    unbound: Set<String> = []
  ) async throws -> Result<WindTunnelNetworkLayer.CallResponse, NetworkError> {
    let fixture = try Fixture(
      [ScriptedTransport.Step(outcome: .success(answer)), .status(500)],
      middleware: [SealingMiddleware(try cipher(), key: "k-1", unbound: unbound)]
    )
    let end = await fixture.result(of: endpoint)
    expectEqual(fixture.transport.requests.count, 1)
    return end
  }

  @Test(arguments: [("POST", 204), ("POST", 205), ("GET", 304), ("HEAD", 200), ("POST", 200)])
  func `an answer without content is taken with its proof, and no other`(
    method: String,
    status: Int
  ) async throws {
    let origin = SealedOrigin(try Self.cipher())
    var endpoint = Self.pay
    if method != "POST" { endpoint = Endpoint(HTTPMethod(rawValue: method), "/pay") }
    if status == 304 { endpoint.headers["If-None-Match"] = "\"1\"" }
    func end(_ field: String?, body: String = "") async throws -> Result<
      WindTunnelNetworkLayer.CallResponse, NetworkError
    > {
      let headers: Headers = field.map { ["Sealing": $0] } ?? [:]
      let answer = ServerResponse(status: status, headers: headers, body: Data(body.utf8))
      return try await Self.end(answer, to: endpoint)
    }
    let proof = try origin.proof(of: status, to: method, "/pay")
    try await expectEqual(end(proof), .success(.init(status: status, headers: ["Sealing": proof])))
    try await expectEqual(end(nil), .failure(Self.unsealed))
    // The name of the key proves nothing.
    try await expectEqual(end("2;key=k-1"), .failure(Self.tampered))
    // Nor does one for another status, another place, another query, or of a request.
    for context in [
      SealedOrigin.context("answer \(status + 1)", method, "/pay", ""),
      SealedOrigin.context("answer \(status)", method, "/pays", ""),
      SealedOrigin.context("answer \(status)", method, "/pay", "", query: "a=1"),
      SealedOrigin.context("request", method, "/pay", ""),
    ] {
      let other = try Self.cipher().seal(Data(), authenticating: context)
      let field = "2;key=k-1;proof=:\(other.base64EncodedString()):"
      try await expectEqual(end(field), .failure(Self.tampered))
    }
    // A proof is of no content at all.
    try await expectEqual(end(proof, body: "<html>"), .failure(Self.tampered))
    let context = SealedOrigin.context("answer \(status)", method, "/pay", "")
    let text = try Self.cipher().seal(Data("{}".utf8), authenticating: context)
    try await expectEqual(
      end("2;key=k-1;proof=:\(text.base64EncodedString()):"),
      .failure(Self.tampered)
    )
  }

  @Test func `a sealed response is bound to the request's query, in any order of its items`()
    async throws
  {
    let origin = SealedOrigin(try Self.cipher())
    func end(
      _ query: String,
      _ bound: String,
      unbound: Set<String> = []
    ) async throws -> Result<Data, NetworkError> {
      let response = try origin.response("[1]", to: "GET", "/pay", query: bound)
      let answer = ServerResponse(
        status: 200,
        headers: ["Content-Type": "application/json", "Sealing": "2;key=k-1"],
        body: response.body.data
      )
      return try await Self.end(
        answer,
        to: Endpoint(.get, "/pay", query: Query(encoded: query)),
        unbound: unbound
      ).map(\.body)
    }
    for (query, bound) in [
      ("b=2&a=1", "a=1&b=2"), ("a=1&&b", "a=1&b"), ("", ""), ("a=%7e", "a=%7e"),
    ] {
      try await expectEqual(end(query, bound), .success(Data("[1]".utf8)))
    }
    for (query, bound) in [
      ("a=1", "a=2"), ("a=1", ""), ("", "a=1"), ("a=1&a=1", "a=1"), ("a=%7e", "a=~"),
    ] {
      if case .failure(.middleware) = try await end(query, bound) {
      } else {
        Issue.record("\(query) \(bound)")
      }
    }
    // What may be another when a recording is played is bound to nothing, and all else is.
    for query in ["a=1&t=9", "t=&a=1", "a=1&t", "a=1"] {
      try await expectEqual(end(query, "a=1", unbound: ["t"]), .success(Data("[1]".utf8)))
    }
    for query in ["a=2&t=9", "a=1&tt=9", "a=1&t%3D=9"] {
      if case .failure(.middleware) = try await end(query, "a=1", unbound: ["t"]) {
      } else {
        Issue.record("\(query)")
      }
    }
  }

  @Test func `a sealed request requires a sealed response, even if its path changed`()
    async throws
  {
    let sealing = SealingMiddleware(try Self.cipher(), key: "k-1", paths: ["/pay"])
    var request = URLRequest(url: try #require(URL(string: "http://a.test/v1/pay")))
    request.httpMethod = "POST"
    var sent = try await sealing.outgoing(request)
    sent.url = URL(string: "http://b.test/elsewhere")
    let moved = sent
    let plain = ServerResponse(status: 200, headers: [:], body: Data("{}".utf8))
    await #expect(throws: MiddlewareError.self) { try await sealing.incoming(plain, to: moved) }
  }

  @Test func `content in a file and answers to a file are refused in a sentence`() async throws {
    let sealing = SealingMiddleware(try Self.cipher(), key: "k-1")
    var request = URLRequest(url: try #require(URL(string: "http://a.test/up")))
    request.httpMethod = "POST"
    request.setValue("sha-256=:AAAA:", forHTTPHeaderField: "Content-Digest")
    let upload = request
    var streamed = request
    streamed.httpBodyStream = InputStream(data: Data("x".utf8))
    let stream = streamed
    let inStream = MiddlewareError("The content for /up is a stream, which cannot be sealed.")
    await #expect(throws: inStream) { try await sealing.outgoing(stream) }
    let inFile = MiddlewareError(
      "The content for /up is in a file, which cannot be sealed; send it as data."
    )
    await #expect(throws: inFile) { try await sealing.outgoing(upload) }
    var answer = ServerResponse(status: 200, headers: ["Sealing": "2;key=k-1"])
    answer.bytesElsewhere = 7
    let head = answer
    let toFile = MiddlewareError(
      "The response for /up is sealed, which a download or a stream cannot open; call it."
    )
    request.setValue("2;key=k-1", forHTTPHeaderField: "Sealing")
    let sent = request
    await #expect(throws: toFile) { try await sealing.incoming(head, to: sent) }
  }

  @Test(arguments: [
    ("/users/7", true), ("/users/7/", true), ("/users", false), ("/users/7/a", false), ("/", false),
    ("/pay", true), ("/Pay", false), ("/a%2Fb", true), ("/v1/pay", true), ("/v2/users/7", true),
    ("/p%61y", true), ("/pay/v1", false), ("/a/b", false),
  ])
  func `which paths are sealed is said by templates`(path: String, isSealed: Bool) async throws {
    let sealing = SealingMiddleware(
      try Self.cipher(),
      key: "k-1",
      paths: ["/users/{id}", "/pay", "a%2Fb"]
    )
    let request = URLRequest(url: try #require(URL(string: "http://a.test" + path)))
    let sent = try await sealing.outgoing(request)
    let field = sent.value(forHTTPHeaderField: "Sealing")
    expectEqual(field?.hasPrefix("2;key=k-1;proof=:"), (isSealed ? true : nil))
  }
}
