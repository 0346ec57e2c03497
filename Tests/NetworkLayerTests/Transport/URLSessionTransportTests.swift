import Origins
import TestSupport
import WindTunnelSymptoms

@testable import WindTunnelNetworkLayer

@Suite struct URLSessionTransportTests {
  func request(_ text: String) throws -> URLRequest {
    URLRequest(url: try #require(URL(string: text)))
  }

  /// Sends a request by a session of one answer.
  private func send(
    within seconds: Double = 60,
    to answer: @escaping @Sendable (URLRequest) -> StubProtocol.Reply
  ) async throws -> ServerResponse {
    let (session, base) = StubProtocol.session(reply: answer)
    defer { session.invalidateAndCancel() }
    var request = try request(base + "/a")
    request.timeoutInterval = seconds
    return try await URLSessionTransport(session: session).send(request)
  }

  @Test func `a response of any status is returned unchanged`() async throws {
    let answer = try await send { _ in .status(503, ["X-B": "2", "X-A": "1"], Data("busy".utf8)) }
    expectEqual(
      answer,
      ServerResponse(status: 503, headers: ["X-A": "1", "X-B": "2"], body: Data("busy".utf8))
    )
  }

  @Test func `an answer that a redirect led to says so, sent and streamed`() async throws {
    let origin = try ByteOrigin([
      "/moved": answer("302 Found\nLocation: /there\nContent-Length: 0\nConnection: close"),
      "/there": answer("200 OK\nContent-Length: 2\nConnection: close", Data("ok".utf8)),
    ])
    defer { origin.stop() }
    let transport = URLSessionTransport(session: URLSession(configuration: .ephemeral))
    for (path, isRedirected) in [("/moved", true), ("/there", false)] {
      let request = try request(origin.url + path)
      let sent = try await transport.send(request)
      expectEqual(sent.body, Data("ok".utf8))
      expectEqual(sent.isRedirected, isRedirected)
      let streamed = try await transport.open(request)
      expectEqual(streamed.isRedirected, isRedirected)
      try await expectEqual(streamed.collected(to: 9).isRedirected, isRedirected)
    }
  }

  @Test(arguments: [
    ("http://a.test", "http://a.test/", false), ("HTTP://A.test/x", "http://a.test/x", false),
    ("http://a.test/%7Ex", "http://a.test/~x", false),
    ("http://a.test/x", "https://a.test/x", true),
    ("http://a.test/x", "http://b.test/x", true), ("http://a.test:1/x", "http://a.test:2/x", true),
    ("http://a.test/x", "http://a.test/y", true), ("http://a.test/x", "http://a.test/x?a", true),
  ])
  func `one URL is one, however it is spelled`(
    asked: String,
    answered: String,
    isElsewhere: Bool
  ) throws {
    let response = HTTPURLResponse(
      url: try #require(URL(string: answered)),
      statusCode: 200,
      httpVersion: nil,
      headerFields: nil
    )
    expectEqual(response?.isElsewhere(than: URL(string: asked)), isElsewhere)
  }

  @Test(arguments: [
    Symptom.timedOut, .connectionLost, .connectionRefused, .hostNotFound, .malformedResponse,
    .serverCertificateUntrusted, .tooManyRedirects, .unknown,
  ])
  func `a failure comes by name and in the platform's words`(symptom: Symptom) async throws {
    let error = symptom.urlError(for: URL(string: "http://a.test"), as: .current)
    await #expect(throws: TransportError.failed(symptom, text: error.localizedDescription)) {
      try await send { _ in .failure(error) }
    }
  }

  @Test func `an error of another kind has no name but keeps its words`() async throws {
    struct Odd: LocalizedError { var errorDescription: String? { "odd" } }
    await #expect(throws: TransportError.failed(.unknown, text: "odd")) {
      try await send { _ in .failure(Odd()) }
    }
  }

  @Test func `a session that cancels is a cancellation, not a failure`() async throws {
    await #expect(throws: TransportError.cancelled) {
      try await send { _ in .failure(URLError(.cancelled)) }
    }
  }

  /// A session's delegate that has refused some hosts.
  private final class Judge: NSObject, TrustJudging, Sendable {
    let refused: Set<String>
    init(_ refused: Set<String>) { self.refused = refused }
    func isCertificateRefused(of host: String) -> Bool { refused.contains(host) }
  }

  @Test(arguments: [true, false])
  func `a certificate that the session's delegate refused is untrusted, and no cancellation`(
    isRefused: Bool
  ) async throws {
    let (stub, base) = StubProtocol.session { _ in .failure(URLError(.cancelled)) }
    let host = try #require(URL(string: base)?.host)
    // Who refused somebody else says nothing of this host.
    let judge = Judge(isRefused ? [host] : ["other.example.test"])
    let session = URLSession(configuration: stub.configuration, delegate: judge, delegateQueue: nil)
    defer { session.invalidateAndCancel() }
    let transport = URLSessionTransport(session: session)
    let expected: TransportError =
      isRefused
      ? .failed(
        .serverCertificateUntrusted,
        text: "The app does not trust the certificate of \(host)."
      ) : .cancelled
    await #expect(throws: expected) { _ = try await transport.send(request(base + "/a")) }
    await #expect(throws: expected) { _ = try await transport.open(request(base + "/a")) }
    let observer = RecordingObserver()
    let client = NetworkClient(
      baseURL: try #require(URL(string: base)),
      session: session,
      observer: observer
    )
    let error = await #expect(throws: NetworkError.self) {
      _ = try await client.call(Endpoint(.get, "/a"))
    }
    expectEqual(error?.symptom, (isRefused ? .serverCertificateUntrusted : .cancelled))
    let attempts = observer.events.count {
      if case .attemptStarted = $0.kind { true } else { false }
    }
    expectEqual(attempts, 1)
  }

  @Test func `a cancelled request is stopped in the session too`() async throws {
    let (started, hasStarted) = AsyncStream<Void>.makeStream()
    let (stopped, hasStopped) = AsyncStream<Void>.makeStream()
    let (session, base) = StubProtocol.session(stopped: { _ in hasStopped.finish() }) { _ in
      hasStarted.finish()
      return .never
    }
    defer { session.invalidateAndCancel() }
    let request = try request(base + "/a")
    let task = Task { try await URLSessionTransport(session: session).send(request) }
    for await _ in started {}
    task.cancel()
    await #expect(throws: TransportError.cancelled) { try await task.value }
    for await _ in stopped {}
  }

  @Test(arguments: [(0.2, 1.0), (1, 1), (1.9, 2), (15, 15)])
  func `a time-out is one that the platform keeps`(asked: Double, onLinux: Double) async throws {
    let answer = try await send(within: asked) { request in
      .status(200, [:], Data("\(request.timeoutInterval)".utf8))
    }
    #if canImport(Darwin)
      expectEqual(answer.body, Data("\(asked)".utf8))
    #else
      expectEqual(answer.body, Data("\(onLinux)".utf8))
    #endif
  }

  @Test func `the usual client works on a session`() async throws {
    let (session, base) = StubProtocol.session { request in
      .status(200, [:], Data((request.url?.path ?? "").utf8))
    }
    defer { session.invalidateAndCancel() }
    let client = NetworkClient(baseURL: try #require(URL(string: base + "/v1")), session: session)
    let answer = try await client.call(Endpoint(.get, "/a"))
    expectEqual(answer.body, Data("/v1/a".utf8))
    expectEqual(answer.attempts, 1)
  }
}
