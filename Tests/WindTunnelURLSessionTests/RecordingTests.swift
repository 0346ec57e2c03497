import Origins
import TestSupport
import WindTunnel
import WindTunnelSymptoms
import WindTunnelURLSession

/// Records from a live server, writes the cassette, stops the server and plays the file.
@Suite(.timeLimit(.minutes(5))) struct RecordingTests {
  private let recorder = Deck(Cassette(), mode: .rewrite)

  static let gzip = Data(base64Encoded: "H4sIAAAAAAACAzMwNDI2MTUzt7AEAMbHhKYKAAAA") ?? Data()
  static let binary = Data((0..<2000).map { UInt8(truncatingIfNeeded: $0 &* 7) })

  static let answers: [String: Data] = [
    "/json": answer(
      "200 OK\nContent-Type: application/json\nContent-Length: 8",
      Data(#"{"id":7}"#.utf8)
    ),
    "/none": answer("204 No Content\nX-A: 1"),
    "/made": answer("201 Created\nContent-Length: 4", Data("made".utf8)),
    "/gzip": answer(
      "200 OK\nContent-Type: text/plain\nContent-Encoding: gzip\nContent-Length: \(gzip.count)",
      gzip
    ),
    "/binary": answer(
      "200 OK\nContent-Type: application/octet-stream\nContent-Length: \(binary.count)",
      binary
    ),
    "/chunked": answer(
      "200 OK\nTransfer-Encoding: chunked",
      Data("3\r\nhel\r\n2\r\nlo\r\n0\r\n\r\n".utf8)
    ),
    "/cut": answer("200 OK\nContent-Length: 20", Data("0123".utf8)),
    "/empty": Data(),
    "/a": answer(
      "302 Found\nLocation: /b\nSet-Cookie: session=s3cr3t-cookie; Path=/\nContent-Length: 5",
      Data("moved".utf8)
    ),
    "/locked": answer(
      "401 Unauthorized\nWWW-Authenticate: Basic realm=\"shop\"\nContent-Length: 4",
      Data("shut".utf8)
    ),
    "/b": answer("307 Temporary Redirect\nLocation: /json\nContent-Length: 0"),
  ]

  /// What a test asks for, the same way live and from the file.
  struct Asking: Sendable, CustomTestStringConvertible {
    enum Content: Sendable { case none, data, stream, uploadData, uploadFile }
    var method = "GET"
    var path: String
    var content = Content.none
    var testDescription: String { "\(method) \(path) \(content)" }
  }

  static let askings: [Asking] =
    ["/json", "/none", "/gzip", "/binary", "/chunked", "/cut", "/empty", "/a", "/missing"]
    .map { Asking(path: $0) } + [Asking(method: "HEAD", path: "/json")]
    + [Asking.Content.data, .stream, .uploadData, .uploadFile].map {
      Asking(method: "POST", path: "/made", content: $0)
    }

  /// What there is to compare of an answer.
  struct Answered: Hashable {
    var status: Int?
    var body: Data?
    var type: String?
    var path: String?
    var symptom: Symptom?

    init(_ seen: Seen) {
      status = seen.status
      body = seen.body
      type = seen.response?.value(forHTTPHeaderField: "Content-Type")
      path = seen.response?.url?.path
      symptom = seen.error.flatMap { Symptom($0) }
    }
  }

  static func ask(_ asking: Asking, at base: String, _ session: URLSession) async throws -> Seen {
    var request = URLRequest(url: try #require(URL(string: base + asking.path)))
    request.httpMethod = asking.method
    request.setValue("Bearer s3cr3t-token", forHTTPHeaderField: "Authorization")
    let content = Data("content of \(asking.content)".utf8)
    switch asking.content {
    case .none: return await session.seen(request)
    case .data:
      request.httpBody = content
      return await session.seen(request)
    case .stream:
      request.httpBodyStream = InputStream(data: content)
      return await session.seen(request)
    case .uploadData: return await session.uploading(request, content)
    case .uploadFile:
      let file = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
      try content.write(to: file)
      let seen = await session.uploading(request, file)
      try FileManager.default.removeItem(at: file)
      return seen
    }
  }

  @Test(arguments: askings)
  func `what was live is played from the file with the server gone`(asking: Asking) async throws {
    let origin = try ByteOrigin(Self.answers)
    let live = try await Self.ask(asking, at: origin.url, recorder.session())
    origin.stop()
    let file = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID()).json")
    defer { try? FileManager.default.removeItem(at: file) }
    let (cassette, leftOut) = recorder.recorded()
    expectEqual(leftOut, [])
    try cassette.write(to: file)
    try expectEqual(Cassette(contentsOf: file), cassette)
    let text = try String(contentsOf: file, encoding: .utf8)
    #expect(!text.contains("s3cr3t"))
    let player = Deck(try Cassette(contentsOf: file))
    let session = player.session()
    let played = try await Self.ask(asking, at: origin.url, session)
    expectEqual(Answered(played), Answered(live))
    #expect(player.journal.all.allSatisfy { if case .recording = $0.take { true } else { false } })
    let sent = cassette.interactions.first?.request.body.text
    expectEqual(sent, (asking.content == .none ? "" : "content of \(asking.content)"))
  }

  @Test(arguments: ["GET", "POST"], [false, true])
  func `a Basic challenge is recorded as the answer that it is, and nobody answers it`(
    method: String,
    hasDelegate: Bool
  ) async throws {
    let origin = try ByteOrigin(Self.answers)
    let configuration = URLSessionConfiguration.windTunnel(recorder)
    // Long enough for any answer, and the end of one that never comes.
    configuration.timeoutIntervalForRequest = 10
    let session = URLSession(
      configuration: configuration,
      delegate: hasDelegate ? Credentials() : nil,
      delegateQueue: nil
    )
    let body = method == "POST" ? Data("x".utf8) : nil
    let live = await session.seen(origin.url + "/locked", method: method, body: body)
    origin.stop()
    expectEqual(live.status, 401)
    expectEqual(live.text, "shut")
    expectNil(live.error)
    let (cassette, leftOut) = recorder.recorded()
    expectEqual(leftOut, [])
    expectEqual(cassette.interactions.map(\.failure), [nil])
    expectEqual(
      cassette.interactions.map(\.response),
      [
        Response(
          status: 401,
          headers: ["Content-Length": "4", "WWW-Authenticate": "Basic realm=\"shop\""],
          body: Body("shut")
        )
      ]
    )
    let played = await Deck(cassette).session()
      .seen(origin.url + "/locked", method: method, body: body)
    expectEqual(Answered(played), Answered(live))
  }

  @Test func `hops of a redirect stand on the tape one by one`() async throws {
    let origin = try ByteOrigin(Self.answers)
    let seen = await recorder.session().seen(origin.url + "/a")
    origin.stop()
    expectEqual(seen.text, #"{"id":7}"#)
    expectEqual(seen.response?.url?.path, "/json")
    let interactions = recorder.recorded().cassette.interactions
    expectEqual(interactions.map(\.request.url.path), ["/a", "/b", "/json"])
    expectEqual(interactions.map { $0.response?.status }, [302, 307, 200])
    expectEqual(interactions.first?.response?.body, Body("moved"))
  }

  @Test func `an opened body is not said to be compressed`() async throws {
    let origin = try ByteOrigin(Self.answers)
    let seen = await recorder.session().seen(origin.url + "/gzip")
    origin.stop()
    expectEqual(seen.text, "0123456789")
    let response = try #require(recorder.recorded().cassette.interactions.first?.response)
    expectEqual(
      response,
      Response(
        headers: ["Content-Length": "10", "Content-Type": "text/plain"],
        body: Body("0123456789")
      )
    )
  }

  @Test func `a truncation is a failure with what had come`() async throws {
    let origin = try ByteOrigin(Self.answers)
    _ = await recorder.session().seen(origin.url + "/cut")
    origin.stop()
    let recorded = try #require(recorder.recorded().cassette.interactions.first)
    guard case .cut(let response, let failure) = recorded.result else {
      Issue.record("\(recorded.result)")
      return
    }
    expectEqual(response, Response(headers: ["Content-Length": "20"], body: Body("0123")))
    expectEqual(failure.symptom, .truncated)
  }

  @Test func `a refused connection is a failure on the tape and again at replay`() async throws {
    let origin = try ByteOrigin([:])
    origin.stop()
    let live = await recorder.session().seen(origin.url + "/a")
    expectEqual(live.error.flatMap { Symptom($0) }, .connectionRefused)
    let cassette = recorder.recorded().cassette
    let played = await Deck(cassette).session().seen(origin.url + "/a")
    expectEqual(Answered(played), Answered(live))
  }

  @Test func `secrets stay off the tape, wherever they stood`() async throws {
    let origin = try ByteOrigin(Self.answers)
    let session = recorder.session {
      $0.httpAdditionalHeaders = [
        "Proxy-Authorization": "Basic s3cr3t-proxy", "Cookie": "c=s3cr3t-jar", "X-App": "shop",
      ]
    }
    let url = origin.url.replacingOccurrences(of: "://", with: "://ada:s3cr3t-password@")
    var request = URLRequest(url: try #require(URL(string: url + "/a")))
    request.setValue("Basic s3cr3t-basic", forHTTPHeaderField: "Authorization")
    _ = await session.seen(request)
    origin.stop()
    let (cassette, _) = recorder.recorded()
    let text = String(decoding: cassette.data(), as: UTF8.self)
    #expect(!text.contains("s3cr3t"))
    #expect(text.contains("shop"))
    expectEqual(cassette.interactions.count, 3)
  }
}
