import Origins
import TestSupport
import WindTunnelServer
import WindTunnelSymptoms

@testable import WindTunnelNetworkLayer
@testable import WindTunnelNetworkLayerSockets

/// The transport on sockets against servers that know nothing of the project: bytes in, bytes out.
@Suite struct SocketTransportTests {
  static func request(_ url: String, _ method: String = "GET") throws -> URLRequest {
    var request = URLRequest(url: try #require(URL(string: url)))
    request.httpMethod = method
    // However long a test waits for its turn, nothing runs out meanwhile.
    request.timeoutInterval = 3600
    return request
  }

  static let fine: [KeptOrigin.Step] = [.send(answer("200 OK\nContent-Length: 0"))]

  /// Runs a transport against an origin that does these steps for one request line, and is fine for
  /// all others.
  static func run<Result>(
    at line: String,
    _ steps: [KeptOrigin.Step],
    limits: SocketTransport.Limits? = nil,
    _ body: (KeptOrigin, SocketTransport) async throws -> Result
  ) async throws -> Result {
    try await run({ $0.line == line ? steps : fine }, limits: limits, body)
  }

  /// Runs a transport of so many connections against an origin that answers when it is let go.
  private static func run(
    connections: Int,
    _ body: (KeptOrigin, SocketTransport, _ go: DispatchSemaphore) async throws -> Void
  ) async throws {
    var limits = SocketTransport.Limits()
    (limits.connectionsPerServer, limits.idleTime) = (connections, .seconds(3600))
    let go = DispatchSemaphore(value: 0)
    try await run({ _ in [.await(go)] + fine }, limits: limits) { try await body($0, $1, go) }
  }

  /// Makes a server of one answer to everything, and stops it behind the body.
  static func run<Result>(
    _ answer: @escaping @Sendable (KeptOrigin.Asked) -> [KeptOrigin.Step],
    limits: SocketTransport.Limits? = nil,
    _ body: (KeptOrigin, SocketTransport) async throws -> Result
  ) async throws -> Result {
    let origin = try KeptOrigin(answer)
    defer { origin.stop() }
    var patient = SocketTransport.Limits()
    patient.idleTime = .seconds(3600)
    patient.connectTime = .seconds(3600)
    return try await body(origin, SocketTransport(limits: limits ?? patient))
  }

  /// The error of a request; `nil` where it was answered.
  static func error(_ work: () async throws -> some Any) async -> TransportError? {
    do {
      _ = try await work()
      return nil
    } catch let error as TransportError {
      return error
    } catch {
      Issue.record(error)
      return nil
    }
  }

  static func symptom(_ error: TransportError?) -> Symptom? {
    if case .failed(let symptom, _) = error { symptom } else { nil }
  }

  // MARK: Framing

  /// An answer on the wire, and what it is. Each leaves its connection for the next one, but for
  /// those that only its end delimits.
  @Test(
    arguments: try TestData.rows("framings.json", count: 10)
      as [(String, String, Int, [[String]], String, Bool)]
  )
  func `an answer ends where its framing says, whole and in pieces`(
    method: String,
    text: String,
    status: Int,
    headers: [[String]],
    body: String,
    isKept: Bool
  ) async throws {
    let wire = Data(text.utf8)
    let expected = ServerResponse(
      status: status,
      headers: Headers(headers.map { Headers.Field($0[0], $0[1]) }),
      body: Data(body.utf8)
    )
    let delimited = !isKept && expected.headers["Content-Length"] == nil
    try await Self.run({ _ in delimited ? [.send(wire), .close] : [.send(wire)] }) {
      origin,
      transport in
      let request = try Self.request(origin.url + "/a", method)
      var whole = try await transport.send(request)
      let stages = try #require(whole.stages)
      #expect(stages.connect != nil && stages.wait != nil && stages.receive != nil)
      whole.stages = nil
      expectEqual(whole, expected)
      let streamed = try await transport.open(request, Upload())
      let content = try await streamed.content
      #expect((streamed.status, streamed.headers) == (expected.status, expected.headers))
      expectEqual(content, expected.body)
      expectEqual(origin.asked.map(\.connection), (isKept ? [1, 1] : [1, 2]))
    }
  }

  @Test func `a request is the app's, with the connection's own fields`() async throws {
    try await Self.run({ _ in [.send(answer("204 No Content"))] }) { origin, transport in
      var get = try Self.request(origin.url + "/a%20b?c=d%26e#f")
      for (name, value) in [
        ("Accept", "text/html"), ("Accept-Encoding", "identity"), ("X-A", "1, 2"),
        ("Connection", "X-Hop, close"), ("X-Hop", "1"), ("TE", "trailers"),
        ("Transfer-Encoding", "chunked"), ("Content-Length", "5"), ("Upgrade", "h2c"),
      ] { get.setValue(value, forHTTPHeaderField: name) }
      _ = try await transport.send(get)
      var post = try Self.request(origin.url, "POST")
      post.setValue("app.example.test", forHTTPHeaderField: "Host")
      _ = try await transport.send(post)
      post.httpBody = Data("hello".utf8)
      _ = try await transport.send(post)
      let place = origin.url.dropFirst(7)
      expectEqual(
        origin.asked,
        [
          KeptOrigin.Asked(
            connection: 1,
            head: """
              GET /a%20b?c=d%26e HTTP/1.1\r\nHost: \(place)\r\nAccept: text/html\r
              Accept-Encoding: identity\r\nX-A: 1, 2\r\nConnection: close
              """
          ),
          KeptOrigin.Asked(
            connection: 2,
            head: """
              POST / HTTP/1.1\r\nHost: app.example.test\r\nAccept: */*\r
              Accept-Encoding: gzip, deflate\r\nContent-Length: 0
              """
          ),
          KeptOrigin.Asked(
            connection: 2,
            head: """
              POST / HTTP/1.1\r\nHost: app.example.test\r\nAccept: */*\r
              Accept-Encoding: gzip, deflate\r\nContent-Length: 5
              """,
            body: Data("hello".utf8)
          ),
        ]
      )
    }
  }

  @Test func `what cannot be sent is refused in a sentence, and nothing is sent`() async throws {
    try await Self.run({ _ in [.send(answer("204 No Content"))] }) { origin, transport in
      var stream = try Self.request(origin.url, "POST")
      stream.httpBodyStream = InputStream(data: Data("a".utf8))
      var name = try Self.request(origin.url)
      name.setValue("1", forHTTPHeaderField: "X A")
      var value = try Self.request(origin.url)
      value.setValue("1\r\nX-B: 2", forHTTPHeaderField: "X-A")
      let method = try Self.request(origin.url, "GET /x")
      var rows: [(URLRequest, TransportError)] = [
        (
          stream,
          .failed(
            .unknown,
            text: "A stream cannot be sent over sockets; pass the body as data or as a file."
          )
        ),
        (
          try Self.request("ftp://127.0.0.1/"),
          .failed(.unsupportedURL, text: "The URL is neither an http nor an https URL.")
        ),
      ]
      // What Foundation takes out of a request never comes here.
      if name.value(forHTTPHeaderField: "X A") != nil {
        rows.append(
          (name, .failed(.unknown, text: "A header field name is not a token (RFC 9110 §5.1)."))
        )
      }
      if value.value(forHTTPHeaderField: "X-A") != nil {
        rows.append(
          (
            value,
            .failed(
              .unknown,
              text: "The header field X-A contains a control character (RFC 9110 §5.5)."
            )
          )
        )
      }
      if method.httpMethod == "GET /x" {
        rows.append((method, .failed(.unknown, text: "The method is invalid (RFC 9110 §9.1).")))
      }
      #expect(rows.count > 2)
      for (request, expected) in rows {
        await expectEqual(Self.error { try await transport.send(request) }, expected)
      }
      let missing = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
      let post = try Self.request(origin.url, "POST")
      let error = await Self.error { try await transport.open(post, Upload(file: missing)) }
      let words = if case .file(let text) = error { text } else { "" }
      #expect(words.hasPrefix("\(missing.lastPathComponent) cannot be read: "))
      expectEqual(origin.asked, [])
    }
  }

  // MARK: Connections

  @Test func `requests wait for one of so many connections, in their order`() async throws {
    try await Self.run(connections: 2) { origin, transport, go in
      try await withThrowingTaskGroup(of: Int.self) { group in
        for number in 1...8 {
          let request = try Self.request(origin.url + "/\(number)")
          group.addTask { try await transport.send(request).status }
        }
        while origin.asked.count < 2 { await Task.yield() }
        for _ in 1...8 { go.signal() }
        for try await status in group { expectEqual(status, 200) }
      }
      expectEqual(origin.asked.count, 8)
      #expect((origin.connections, origin.mostOpen) == (2, 2))
      try await expectEqual(transport.client?.idleConnections(), 2)
    }
  }

  @Test func `one that is cancelled while it waits for a connection takes nobody's`() async throws {
    try await Self.run(connections: 1) { origin, transport, go in
      let (first, second, third) = (
        try Self.request(origin.url + "/1"), try Self.request(origin.url + "/2"),
        try Self.request(origin.url + "/3")
      )
      let held = Task { try await transport.send(first).status }
      while origin.asked.isEmpty { await Task.yield() }
      let given = Task { try await transport.send(second).status }
      let last = Task { try await transport.send(third).status }
      given.cancel()
      await #expect(throws: TransportError.cancelled) { try await given.value }
      for _ in 1...2 { go.signal() }
      try await expectEqual(held.value, 200)
      try await expectEqual(last.value, 200)
      expectEqual(origin.asked.map(\.line), ["GET /1", "GET /3"])
    }
  }

  /// The end of a kept connection, and the number of times that a request comes then.
  static let deaths: [(method: String, steps: [KeptOrigin.Step], symptom: Symptom?)] = [
    ("GET", [.close], nil), ("GET", [.reset], nil), ("PUT", [.close], nil),
    ("DELETE", [.reset], nil),
    ("POST", [.close], .emptyAnswer), ("POST", [.reset], .connectionLost),
    ("PATCH", [.close], .emptyAnswer),
    // The server has begun to answer.
    ("GET", [.send(Data("H".utf8)), .close], .emptyAnswer),
    ("GET", [.send(Data("HTTP/1.1 200 OK\r\nX".utf8)), .close], .connectionLost),
    ("GET", [.send(answer("100 Continue")), .close], .emptyAnswer),
    ("GET", [.send(answer("200 OK\nContent-Length: 9", Data("a".utf8))), .close], .truncated),
  ]

  @Test(arguments: deaths.indices)
  func `only what may be met twice is sent again, and only where a kept connection was dead`(
    row: Int
  ) async throws {
    let (method, steps, symptom) = Self.deaths[row]
    try await Self.run({ asked in
      asked.connection == 1 && asked.line != "GET /first"
        ? steps : Self.fine
    }) { origin, transport in
      _ = try await transport.send(try Self.request(origin.url + "/first"))
      let request = try Self.request(origin.url + "/second", method)
      let error = await Self.error { try await transport.send(request) }
      expectEqual(Self.symptom(error), symptom)
      let seconds = origin.asked.filter { $0.line == "\(method) /second" }
      expectEqual(
        seconds.map(\.connection),
        (symptom == nil ? [1, 2] : [1]),
        "\(origin.asked.map(\.line)), \(error.map { "\($0)" } ?? "no error")"
      )
    }
  }

  @Test(arguments: ["GET", "POST"])
  func `a new connection that dies is never tried again`(method: String) async throws {
    try await Self.run({ _ in [.close] }) { origin, transport in
      let request = try Self.request(origin.url, method)
      expectEqual(
        Self.symptom(await Self.error { try await transport.send(request) }),
        .emptyAnswer
      )
      expectEqual(origin.asked.count, 1)
    }
  }

  @Test func `a connection that the server has ended meanwhile is not used`() async throws {
    let go = DispatchSemaphore(value: 0)
    try await Self.run(at: "GET /first", Self.fine + [.await(go), .close]) { origin, transport in
      _ = try await transport.send(try Self.request(origin.url + "/first"))
      try await expectEqual(transport.client?.idleConnections(), 1)
      go.signal()
      while try await transport.client?.idleConnections() != 0 { await Task.yield() }
      try await expectEqual(transport.send(try Self.request(origin.url, "POST")).status, 200)
      expectEqual(origin.asked.map(\.connection), [1, 2])
    }
  }

  @Test func `a request that asks for it has a connection of its own`() async throws {
    try await Self.run({ _ in Self.fine }) { origin, transport in
      var request = try Self.request(origin.url)
      request.setValue("Close, X-A", forHTTPHeaderField: "Connection")
      for _ in 1...2 { try await expectEqual(transport.send(request).status, 200) }
      expectEqual(origin.asked.map(\.connection), [1, 2])
      #expect(origin.asked.allSatisfy { $0.head.contains("\r\nConnection: close") })
      try await expectEqual(transport.client?.idleConnections(), 0)
    }
  }

  @Test func `the rest of a redirect that never comes holds no connection up`() async throws {
    let silence = DispatchSemaphore(value: 0)
    let moved = answer("302 Moved\nLocation: /to\nContent-Length: 9", Data("a".utf8))
    try await Self.run(at: "GET /from", [.send(moved), .await(silence)]) { origin, transport in
      let request = try Self.request(origin.url + "/from")
      let status = try await transport.send(request).status
      expectEqual(status, 200)
      // Its server sees it end, however long the request may wait.
      silence.signal()
      while origin.left == 0 { await Task.yield() }
      expectEqual(origin.asked.map(\.line), ["GET /from", "GET /to"])
    }
  }

  @Test func `the thread of a transport ends with it`() async throws {
    weak var client: AnyObject?
    try await Self.run({ _ in Self.fine }) { origin, _ in
      let transport = SocketTransport()
      client = transport.client
      #expect(client != nil)
      _ = try await transport.send(try Self.request(origin.url))
    }
    while client != nil { await Task.yield() }
  }

  // MARK: Redirects

  static let redirects: [(method: String, status: Int, then: String, body: String)] = [
    ("GET", 301, "GET", ""), ("POST", 301, "GET", ""), ("PUT", 301, "PUT", "hello"),
    ("POST", 302, "GET", ""), ("POST", 303, "GET", ""), ("PUT", 303, "GET", ""),
    ("HEAD", 303, "HEAD", ""), ("POST", 307, "POST", "hello"), ("PUT", 308, "PUT", "hello"),
  ]

  @Test(arguments: redirects.indices)
  func `a redirect is followed, with its content where that may be`(row: Int) async throws {
    let (method, status, then, body) = Self.redirects[row]
    let moved = answer("\(status) Moved\nLocation: to?x=1\nContent-Length: 0")
    try await Self.run(at: "\(method) /from", [.send(moved)]) { origin, transport in
      var request = try Self.request(origin.url + "/from", method)
      if !["GET", "HEAD"].contains(method) { request.httpBody = Data("hello".utf8) }
      let answer = try await transport.send(request)
      #expect(answer.status == 200 && answer.isRedirected)
      let asked = origin.asked
      expectEqual(asked.map(\.line), ["\(method) /from", "\(then) /to?x=1"])
      expectEqual(asked.last?.body, Data(body.utf8))
      expectEqual(asked.map(\.connection), [1, 1])
    }
  }

  @Test func `credentials go to no other host, and redirects come to an end`() async throws {
    try await Self.run({ asked in
      let place =
        asked.line == "GET /elsewhere"
        ? "http://localhost:\(asked.head.components(separatedBy: ":")[2].prefix { $0.isNumber })/x"
        : asked.line == "GET /x" ? nil : "/again"
      return place.map { [.send(answer("302 Moved\nLocation: \($0)\nContent-Length: 0"))] }
        ?? Self.fine
    }) { origin, transport in
      var request = try Self.request(origin.url + "/elsewhere")
      for name in ["Authorization", "Cookie", "Proxy-Authorization", "X-A"] {
        request.setValue("secret", forHTTPHeaderField: name)
      }
      try await expectEqual(transport.send(request).status, 200)
      let last = try #require(origin.asked.last)
      expectEqual(last.line, "GET /x")
      #expect(last.head.contains("X-A: secret"))
      expectEqual(last.head.components(separatedBy: "secret").count, 2)
      let loop = try Self.request(origin.url + "/again")
      await expectEqual(
        Self.error { try await transport.send(loop) },
        .failed(.tooManyRedirects, text: "There were more than 20 redirects.")
      )
      expectEqual(origin.asked.count { $0.line == "GET /again" }, 21)
    }
  }

  // MARK: Silence, cancellation and limits

  @Test func `a silent server times out, and one that drips does not`() async throws {
    let half = Data("HTTP/1.1 200 OK\r\n".utf8)
    try await Self.run(at: "GET /silent", [.send(half), .silence]) { origin, transport in
      var request = try Self.request(origin.url + "/silent")
      request.timeoutInterval = 0.2
      let start = ContinuousClock.now
      let error = await Self.error { try await transport.send(request) }
      expectEqual(error, .failed(.timedOut, text: "The server sent nothing for 0.2 s."))
      #expect(.now - start >= .milliseconds(200))
      while origin.left == 0 { await Task.yield() }
    }
  }

  @Test func `a cancelled request returns at once, and its connection ends`() async throws {
    try await Self.run({ _ in [.silence] }) { origin, transport in
      let request = try Self.request(origin.url)
      let task = Task { try await transport.send(request) }
      while origin.asked.isEmpty { await Task.yield() }
      task.cancel()
      await #expect(throws: TransportError.cancelled) { try await task.value }
      while origin.left == 0 { await Task.yield() }
      // One that is cancelled before it begins sends nothing.
      let late = Task {
        withUnsafeCurrentTask { $0?.cancel() }
        return try await transport.send(request)
      }
      await #expect(throws: TransportError.cancelled) { try await late.value }
    }
  }

  @Test func `what a server sends has limits`() async throws {
    var limits = SocketTransport.Limits()
    (limits.headBytesMax, limits.headFieldsMax, limits.contentBytesMax) = (1000, 5, 10)
    let rows: [(String, Data, Symptom)] = [
      ("/long", answer("200 OK\nX: \(String(repeating: "a", count: 2000))"), .malformedResponse),
      (
        "/many", answer("200 OK\n" + (1...6).map { "X-\($0): 1" }.joined(separator: "\n")),
        .malformedResponse
      ),
      ("/large", answer("200 OK\nContent-Length: 12", Data(count: 11)), .undecodableBody),
      (
        "/hints",
        Data(repeatElement(answer("103 Early Hints"), count: 1001).joined()), .malformedResponse
      ),
    ]
    try await Self.run(
      { asked in
        let wire = rows.first { asked.line == "GET \($0.0)" }?.1 ?? Data()
        return [.send(wire), .silence]
      },
      limits: limits
    ) { origin, transport in
      for (path, _, symptom) in rows {
        let request = try Self.request(origin.url + path)
        expectEqual(
          Self.symptom(await Self.error { try await transport.send(request) }),
          symptom,
          "\(path)"
        )
      }
      while origin.left < rows.count { await Task.yield() }
    }
  }

  // MARK: Streams

  @Test func `a reader that does not read holds its server up`() async throws {
    let bytes = 64 << 20
    let content = answer("200 OK\nContent-Length: \(bytes)", Data(count: bytes))
    try await Self.run(at: "GET /large", [.send(content), .close]) { origin, transport in
      let large = try await transport.open(try Self.request(origin.url + "/large"), Upload())
      // The thread goes round and round meanwhile.
      for _ in 1...500 { _ = try await transport.send(try Self.request(origin.url + "/small")) }
      expectEqual(origin.shut, 0)
      var count = 0
      for try await piece in large.pieces { count += piece.count }
      expectEqual(count, bytes)
      while origin.shut == 0 { await Task.yield() }
    }
  }

  @Test func `a reader that stops ends the request`() async throws {
    try await Self.run({ _ in
      [.send(answer("200 OK\nContent-Length: 9", Data("a".utf8))), .silence]
    }) { origin, transport in
      var answer: StreamedResponse? = try await transport.open(
        try Self.request(origin.url),
        Upload()
      )
      for try await piece in try #require(answer).pieces {
        expectEqual(piece, Data("a".utf8))
        break
      }
      answer = nil
      while origin.left == 0 { await Task.yield() }
    }
  }

  @Test func `a file is sent as it is, and how far it is told`() async throws {
    let bytes = Data((0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31) })
    let file = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try bytes.write(to: file)
    // It is the test's own.
    defer { try? FileManager.default.removeItem(at: file) }
    let moved = answer("307 Moved\nLocation: /to\nContent-Length: 0")
    try await Self.run(at: "PUT /from", [.send(moved)]) { origin, transport in
      let told = Locked<[Int64]>([])
      let upload = Upload(file: file) { count, all in
        expectEqual(all, 3_000_000)
        told.withLock { $0.append(count) }
      }
      let answer = try await transport.open(try Self.request(origin.url + "/from", "PUT"), upload)
      expectEqual(answer.status, 200)
      expectEqual(origin.asked.map(\.body), [bytes, bytes])
      let counts = told.withLock { $0 }
      expectEqual(counts.filter { $0 == 3_000_000 }.count, 2)
      #expect(counts.count > 4)
    }
  }

  @Test func `an early answer ends a request that is still on its way`() async throws {
    let origin = try StubbornOrigin(
      answer("413 Too Large\nContent-Length: 2\nConnection: close", Data("no".utf8)),
      .stays
    )
    defer { origin.stop() }
    var request = try Self.request("http://127.0.0.1:\(origin.port)/", "POST")
    request.httpBody = Data(count: 32 << 20)
    let answer = try await SocketTransport().send(request)
    #expect((answer.status, answer.body) == (413, Data("no".utf8)))
  }
}
