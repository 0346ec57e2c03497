import TestSupport
import WindTunnelTesting

@testable import WindTunnelNetworkLayer

@Suite struct MiddlewareTests {
  /// Puts a letter on the way out, and takes one off on the way back.
  struct Letter: Middleware {
    let letter: String
    func outgoing(_ request: URLRequest) async throws(MiddlewareError) -> URLRequest {
      var request = request
      request.setValue(
        (request.value(forHTTPHeaderField: "Path") ?? "") + letter,
        forHTTPHeaderField: "Path"
      )
      return request
    }
    func incoming(
      _ answer: ServerResponse,
      to request: URLRequest
    ) async throws(MiddlewareError) -> ServerResponse {
      guard answer.status != 418 else { throw MiddlewareError("It is a teapot.") }
      var answer = answer
      answer.body += Data(letter.utf8)
      return answer
    }
  }

  @Test(.cassette("tokens"))
  func `each attempt goes through all, there and back, from the request as built`() async throws {
    let letters = [Letter(letter: "a"), Letter(letter: "b")]
    let fixture = try Fixture(at: "/busy", middleware: letters)
    try await expectEqual(fixture.waited(1).result.get().body, Data(":ba".utf8))
    expectEqual(fixture.sent("Path"), ["ab", "ab"])
  }

  @Test(.cassette("tokens"))
  func `a middleware can end a call, and no slot stays taken`() async throws {
    let fixture = try Fixture(at: "/teapot", middleware: [Letter(letter: "a")])
    await expectEqual(fixture.start().value, .failure(.middleware("It is a teapot.")))
    #expect(fixture.client.admission.load == (0, 0))
  }

  @Test func `an attempt is signed over all of it, each time anew`() async throws {
    let time = ManualTime()
    let numbers = Counter()
    let signer = RequestSigner(
      time: time,
      nonce: { "n\(numbers.next())" },
      sign: { "<\(String(decoding: $0, as: UTF8.self).replacingOccurrences(of: "\n", with: "|"))>" }
    )
    var request = URLRequest(url: try #require(URL(string: "http://a.test/p%20q?b=2&a=1")))
    request.httpMethod = "POST"
    request.httpBody = Data("body".utf8)
    for number in 1...2 {
      let sent = try await signer.outgoing(request)
      expectEqual(
        sent.allHTTPHeaderFields,
        [
          "X-Timestamp": "784111777", "X-Nonce": "n\(number)",
          "X-Signature": "<POST|/p%20q|a=1&b=2|784111777|n\(number)|body>",
        ]
      )
    }
  }

  @Test func `of content in a file its digest is signed`() async throws {
    let signer = RequestSigner(time: ManualTime(), nonce: { "n" }) {
      String(decoding: $0, as: UTF8.self).replacingOccurrences(of: "\n", with: "|")
    }
    var request = URLRequest(url: try #require(URL(string: "https://a.example/p")))
    request.httpMethod = "POST"
    request.setValue("sha-256=:AAAA:", forHTTPHeaderField: "Content-Digest")
    let signed = try await signer.outgoing(request)
    expectEqual(
      signed.value(forHTTPHeaderField: "X-Signature"),
      "POST|/p||784111777|n|sha-256=:AAAA:"
    )
  }

  @Test func `parts are spelled as the standard says, and the boundary is in none of them`() throws
  {
    let body = try RequestBody.multipart([
      .init("note", "--part-boundary-0"),
      .init("file\"\r\n", fileName: "a.png", contentType: "image/png\r\nX: y", Data([0, 255])),
    ])
    let boundary = "part-boundary-1"
    let text =
      "--\(boundary)\r\nContent-Disposition: form-data; name=\"note\"\r\n\r\n--part-boundary-0\r\n"
      + "--\(boundary)\r\nContent-Disposition: form-data; name=\"file%22%0D%0A\"; "
      + "filename=\"a.png\"\r\nContent-Type: image/pngX: y\r\n\r\n"
    expectEqual(body.data, Data(text.utf8) + [0, 255] + Data("\r\n--\(boundary)--\r\n".utf8))
    expectEqual(body.contentType, "multipart/form-data; boundary=\(boundary)")
  }
}

@Suite struct BearerTokensTests {
  struct NoToken: Error {}

  @Test(arguments: [false, true])
  func `a refused token is fetched once for all who were refused`(runs: Bool) async throws {
    let fetches = Counter()
    let engine = ScriptedEngine { request throws(TransportError) in
      let isNew = request.value(forHTTPHeaderField: "Authorization") == "Bearer 1"
      return ServerResponse(status: isNew ? 200 : 401)
    }
    let client = NetworkClient(
      builder: RequestBuilder(baseURL: try Fixture.base()),
      authenticator: BearerTokens("0") {
        for _ in 0..<100 { await Task.yield() }
        return "\(fetches.next())"
      },
      transport: engine,
      limits: CallLimits(deadline: nil)
    )
    let runner = runs ? Task { await client.run() } : nil
    let answers = try await client.all((0..<50).map { Endpoint(.get, "/\($0)") })
    expectEqual(answers.map(\.status), Array(repeating: 200, count: 50))
    #expect(Set(answers.map(\.attempts)).isSubset(of: [1, 2]))
    expectEqual(fetches.next(), 2)
    runner?.cancel()
    await runner?.value
    expectEqual(client.shared.renewals.count, 0)
  }

  @Test(.cassette("tokens"))
  func `without a new token the caller receives the 401, and renewal is not repeated`()
    async throws
  {
    let tokens = BearerTokens("0") { throw NoToken() }
    let fixture = try Fixture(at: "/locked/once", authenticator: tokens)
    await expectEqual(fixture.start().value, .failure(.credentials(status: 401, body: Data())))
    let again = try Fixture(at: "/locked/twice", authenticator: BearerTokens { "1" })
    await expectEqual(again.start().value, .failure(.credentials(status: 401, body: Data())))
    expectEqual(again.sent("Authorization"), [nil, "Bearer 1"])
    #expect(again.observer.events.contains { $0.kind == .credentialRenewed(after: 1) })
  }

  @Test(.cassette("tokens"))
  func `a caller who gives up does not end the fetch for the others`() async throws {
    let (begun, hasBegun) = AsyncStream<Void>.makeStream()
    let (open, opens) = AsyncStream<Void>.makeStream()
    let tokens = BearerTokens("0") {
      hasBegun.finish()
      for await _ in open {}
      try Task.checkCancellation()
      return "1"
    }
    let fixture = try Fixture(at: "/locked/twice", authenticator: tokens)
    try await fixture.client.runningErrands {
      let first = fixture.start()
      for await _ in begun {}
      let second = fixture.start()
      while fixture.transport.instants.count < 2 { await Task.yield() }
      first.cancel()
      await expectEqual(first.value, .failure(.cancelled))
      opens.finish()
      try await expectEqual(second.value.get().attempts, 2)
      expectEqual(fixture.transport.instants.count, 3)
    }
  }
}
