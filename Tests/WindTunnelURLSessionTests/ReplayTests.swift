import TestSupport
import WindTunnel
import WindTunnelSymptoms
import WindTunnelURLSession

@Suite struct ReplayTests {
  let user = "https://api.example.test/users/7"

  @Test func `a recording is played and the second request is told so`() async {
    let session = Deck([.get("https://api.example.test/users/7", json: ["id": 7])]).session()
    let first = await session.seen(user)
    expectEqual(first.status, 200)
    expectEqual(first.text, #"{"id":7}"#)
    expectEqual(first.response?.value(forHTTPHeaderField: "Content-Type"), "application/json")
    let second = await session.seen(user)
    expectEqual(second.status, 501)
    expectEqual(second.text?.contains("already played once"), true)
  }

  @Test func `a stray octet of a field is Latin-1, and trailers are not shown`() async {
    var response = Response(headers: ["X-Name": "caf\u{EFE9}, café"], body: Body("ok"))
    response.head.trailers = ["X-Sum": "7"]
    let deck = Deck(Cassette([Interaction(Request("GET", RequestURL(user)), response)]))
    let seen = await deck.session().seen(user)
    expectEqual(seen.response?.value(forHTTPHeaderField: "X-Name"), "café, café")
    expectNil(seen.response?.value(forHTTPHeaderField: "X-Sum"))
  }

  @Test func `two 503s cost two attempts and the third gets the recording`() async {
    let deck = Deck(
      [.get("/users/{id}", json: ["id": 7])],
      scenario: [.on("GET /users/*", .first(2), .status(503, retryAfter: .seconds(1)))]
    )
    let session = deck.session()
    var seen: [String] = []
    for _ in 0..<3 {
      let answer = await session.seen(user)
      let wait = answer.response?.value(forHTTPHeaderField: "Retry-After") ?? "-"
      seen.append("\(answer.status ?? 0) \(wait)")
    }
    expectEqual(seen, ["503 1", "503 1", "200 -"])
  }

  @Test func `64 sessions on one URL hear their own decks and no other`() async {
    await concurrently(0..<64) { number in
      let stub = Stub.get("https://api.example.test/n", json: ["n": .number(number)], then: .repeat)
      let session = Deck([stub]).session()
      for _ in 0..<20 {
        let seen = await session.seen("https://api.example.test/n")
        expectEqual(seen.text, #"{"n":\#(number)}"#)
      }
    }
  }

  @Test(arguments: [
    (Fault.reset(.afterRequest), Symptom.connectionLost),
    (.reset(afterBodyBytes: 2), .connectionLost),
    (.close, .emptyAnswer), (.truncate(afterBodyBytes: 2), .truncated),
    (.connection(.refused), .connectionRefused), (.connection(.hostNotFound), .hostNotFound),
    (.connection(.tls(.handshakeFailure)), .secureConnectionFailed),
    (.connection(.tls(.expired)), .serverCertificateHasBadDate),
    (.connection(.tls(.wrongHost)), .serverCertificateUntrusted),
    (.connection(.tls(.clientCertificateRequired)), .clientCertificateRequired),
    (.connection(.tls(.alert(.unknownCA))), .clientCertificateRejected),
  ])
  func `a fault surfaces as what the platform reports for it`(fault: Fault, symptom: Symptom)
    async throws
  {
    let deck = Deck(
      [.get("https://api.example.test/users/7", json: ["id": 7])],
      scenario: [.on("GET /users/*", .always, fault)]
    )
    let seen = await deck.session().seen(user)
    let error = try #require(seen.error)
    expectEqual(Symptom(error), symptom)
    expectNil(seen.body)
  }

  @Test(arguments: [
    (TLSFault.untrusted, URLError.Code.serverCertificateUntrusted),
    (.wrongHost, .serverCertificateUntrusted), (.expired, .serverCertificateHasBadDate),
    (.notYetValid, .serverCertificateNotYetValid), (.unknownRoot, .serverCertificateHasUnknownRoot),
    (.incompleteChain, .serverCertificateHasUnknownRoot),
    (.clientCertificateRequired, .clientCertificateRequired),
    (.alert(.badCertificate), .clientCertificateRejected),
    (.alert(.protocolVersion), .secureConnectionFailed), (.oldProtocol, .secureConnectionFailed),
  ])
  func `as on Apple platforms a handshake's error has its own code`(
    fault: TLSFault,
    code: URLError.Code
  ) async throws {
    func error(_ errors: Symptom.Platform) async throws -> URLError {
      let deck = Deck(
        [.get("https://api.example.test/users/7", json: ["id": 7])],
        scenario: [.always(.always, .connection(.tls(fault)))]
      )
      let session = URLSession(configuration: .windTunnel(deck, errors: errors))
      return try #require(await session.seen(user).error as? URLError)
    }
    try await expectEqual(error(.apple).code, code)
    #if canImport(Darwin)
      try await expectEqual(error(.current).code, code)
    #else
      try await expectEqual(error(.current).code, .unknown)
    #endif
  }

  @Test func `a stall ends in the session's own timeout`() async throws {
    let deck = Deck(
      [.get("https://api.example.test/users/7", json: ["id": 7])],
      scenario: [.on("GET /users/*", .always, .stall(.afterRequest))]
    )
    let session = deck.session { $0.timeoutIntervalForRequest = 1 }
    let error = try #require(await session.seen(user).error as? URLError)
    expectEqual(error.code, .timedOut)
    let resource = deck.session { $0.timeoutIntervalForResource = 0.2 }
    try expectEqual(#require(await resource.seen(user).error as? URLError).code, .timedOut)
  }

  @Test func `a delay and a slow link bring the whole body`() async {
    let text = String(repeating: "0123456789", count: 2000)
    let link = Link(
      up: .init(delay: .milliseconds(5)),
      down: .init(delay: .milliseconds(5), bitsPerSecond: 8_000_000, queueBytes: 4000)
    )
    let deck = Deck(
      [.get("https://api.example.test/t") { _ in .text(Body(text)) }],
      scenario: Scenario(
        "slow",
        link: link,
        rules: [.always(.always, .delay(.exactly(.milliseconds(10))))]
      )
    )
    let seen = await deck.session().seen("https://api.example.test/t")
    expectEqual(seen.text, text)
  }

  @Test func `redirects are followed and the last address is the answer's`() async {
    let moved = Interaction(
      Request("GET", "https://api.example.test/old"),
      Response(status: 302, headers: ["Location": "/new", "Set-Cookie": "s=1; Path=/"])
    )
    let deck = Deck([
      .recorded(moved),
      .get("https://api.example.test/new") { request in
        .text(Body(request.headers["Cookie"] ?? "none"))
      },
    ])
    let seen = await deck.session().seen("https://api.example.test/old")
    expectEqual(seen.text, "s=1")
    expectEqual(seen.response?.url?.absoluteString, "https://api.example.test/new")
  }

  @Test func `a loop of redirects ends`() async throws {
    let loop = Interaction(
      Request("GET", "https://api.example.test/a"),
      Response(status: 302, headers: ["Location": "/a"]),
      then: .repeat
    )
    let error = try #require(
      await Deck([.recorded(loop)]).session().seen("https://api.example.test/a").error
    )
    expectEqual(Symptom(error), .tooManyRedirects)
  }

  @Test func `a recorded cookie reaches the session's storage`() async throws {
    let login = Interaction(
      Request("GET", "https://api.example.test/login"),
      Response(headers: ["Set-Cookie": "a=1; Path=/", "Content-Length": "0"])
    )
    let session = Deck([.recorded(login)]).session()
    _ = await session.seen("https://api.example.test/login")
    let url = try #require(URL(string: "https://api.example.test/"))
    let cookies = session.configuration.httpCookieStorage?.cookies(for: url) ?? []
    expectEqual(cookies.map { "\($0.name)=\($0.value)" }, ["a=1"])
  }

  @Test func `what is matched carries additional headers, and an upload its body`() async throws {
    let deck = Deck([
      .post("https://api.example.test/echo") { request in
        .text(Body("\(request.headers["X-App"] ?? "-") \(request.body.text ?? "-")"))
      }
    ])
    let session = deck.session { $0.httpAdditionalHeaders = ["X-App": "7"] }
    var request = URLRequest(url: try #require(URL(string: "https://api.example.test/echo")))
    request.httpMethod = "POST"
    let upload: Seen = await withCheckedContinuation { continuation in
      session.uploadTask(with: request, from: Data("up".utf8)) { data, response, error in
        continuation.resume(
          returning: Seen(body: data, response: response as? HTTPURLResponse, error: error)
        )
      }.resume()
    }
    expectEqual(upload.text, "7 up")
    var streamed = request
    streamed.httpBodyStream = InputStream(data: Data("stream".utf8))
    await expectEqual(session.seen(streamed).text, "7 stream")
    await expectEqual(
      session.seen("https://api.example.test/echo", method: "POST", body: Data("b".utf8)).text,
      "7 b"
    )
  }

  @Test func `a Basic challenge is handed out and does not hang`() async {
    let challenge = Interaction(
      Request("GET", "https://api.example.test/secret"),
      Response(
        status: 401,
        headers: ["WWW-Authenticate": "Basic realm=\"x\"", "Content-Length": "2"],
        body: Body("no")
      )
    )
    let seen = await Deck([.recorded(challenge)]).session().seen("https://api.example.test/secret")
    expectEqual(seen.status, 401)
    expectEqual(seen.text, "no")
    expectEqual(seen.response?.url?.path, "/secret")
  }

  #if !canImport(Darwin)
    @Test func `a download task is refused in words`() async throws {
      let session = Deck([.get("https://api.example.test/users/7", json: [:])]).session()
      let url = try #require(URL(string: user))
      let error: (any Error)? = await withCheckedContinuation { continuation in
        session.downloadTask(with: url) { _, _, error in continuation.resume(returning: error) }
          .resume()
      }
      #expect("\(try #require(error))".contains("download task is not supported in process"))
    }
  #endif

  @Test func `a task that is suspended and resumed is the same attempt`() async throws {
    let deck = Deck(
      [.get("https://api.example.test/users/7", json: ["id": 7])],
      scenario: [.always(.always, .delay(.exactly(.milliseconds(50))))]
    )
    let session = deck.session()
    let url = try #require(URL(string: user))
    let seen: Seen = await withCheckedContinuation { continuation in
      let task = session.dataTask(with: url) { data, response, error in
        continuation.resume(
          returning: Seen(body: data, response: response as? HTTPURLResponse, error: error)
        )
      }
      task.resume()
      task.suspend()
      task.resume()
    }
    expectEqual(seen.text, #"{"id":7}"#)
    expectEqual(deck.journal.all.count, 1)
  }
}
