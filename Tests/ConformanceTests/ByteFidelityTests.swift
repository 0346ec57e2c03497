import Origins
import TestSupport
import WindTunnel
import WindTunnelServer
import WindTunnelURLSession

/// What an origin sent is what a client gets, through a file, by either recorder and either player.
///
/// What is raw and what is opened: a proxy records a body in its content coding, and so it is played
/// on the wire; a session is handed it opened, records it so and says so in the fields. In process a
/// client is handed every body opened.
@Suite(.timeLimit(.minutes(5))) struct ByteFidelityTests {
  /// The paths of the bodies that are not what they should be. Compared byte by byte, as equal
  /// digests would promise; a difference names its body and not its bytes.
  private static func strange(_ bodies: [Data], _ expected: KeyPath<Sample, Data>) -> [String] {
    zip(Sample.all, bodies).filter { $0[keyPath: expected] != $1 }.map(\.0.path)
      + Sample.all.dropFirst(bodies.count).map(\.path)
  }

  @Test func `the bodies are of every sort and size`() {
    expectEqual(Sample.all.count, 200)
    expectEqual(Sample.all.map(\.plain.count).min(), 0)
    expectEqual(Sample.all.map(\.plain.count).max(), 8 << 20)
    #expect(Set(Sample.all.map(\.sent)).count > 180)
    #expect(Sample.all.count(where: \.isPacked) >= 40)
    #expect(Sample.all.count(where: \.isChunked) >= 40)
  }

  @Test(.world, arguments: Stage.allCases)
  func `two hundred bodies go through a recording and come back the same`(recorder: Stage)
    async throws
  {
    let origin = try ByteOrigin(
      Dictionary(uniqueKeysWithValues: Sample.all.map { ($0.path, $0.answer) })
    )
    let kept = recorder == .inProcess ? \Sample.plain : \Sample.sent
    let deck = Deck(Cassette(), mode: .rewrite)
    let paths = Sample.all.map(\.path)
    let live = try await Recorder.record(deck, from: origin.url, on: recorder, paths)
    origin.stop()
    // On the wire a client sees the chunks, too; of those the players' are looked at.
    if recorder == .inProcess { expectEqual(Self.strange(live, \.plain), []) }

    let folder = try TemporaryFolder()
    let file = folder.file("bodies.json")
    let (cassette, leftOut) = deck.recorded()
    expectEqual(leftOut, [])
    try cassette.write(to: file)
    let read = try Cassette(contentsOf: file)
    let bodies = read.interactions.map { $0.response?.body.data ?? Data() }
    expectEqual(Self.strange(bodies, kept), [])

    let session = URLSession(configuration: .windTunnel(Deck(read)))
    var played: [Data] = []
    for path in paths { played.append(try await session.whole(origin.url + path)) }
    session.finishTasksAndInvalidate()
    expectEqual(Self.strange(played, \.plain), [])

    let server = try await ReplayServer(Deck(read, matcher: .pathAndQuery), .patient)
    var raw: [Data] = []
    for path in paths {
      let answer = try await RawExchange(port: server.port).get(path)
      let isChunked = answer.head.contains("\r\nTransfer-Encoding: chunked\r\n")
      raw.append(isChunked ? try Self.joined(answer.content) : answer.content)
    }
    await server.stop(grace: .zero)
    expectEqual(Self.strange(raw, kept), [])
  }

  /// What stands in chunks (RFC 9112 §7.1).
  private static func joined(_ content: Data) throws -> Data {
    var (body, rest) = (Data(), content[...])
    while true {
      let line = try #require(rest.range(of: Data("\r\n".utf8)))
      let digits = String(decoding: rest[..<line.lowerBound], as: UTF8.self)
      let size = try #require(Int(digits, radix: 16))
      if size == 0 { return body }
      body += rest[line.upperBound...].prefix(size)
      rest = rest[line.upperBound...].dropFirst(size + 2)
    }
  }

  enum Upload: CaseIterable { case data, stream, uploadData, uploadFile }

  @Test(arguments: Upload.allCases, Stage.allCases)
  func `a request body is recorded byte for byte, however it is sent`(upload: Upload, stage: Stage)
    async throws
  {
    let samples = [0, 8, 9, 13, 14, 23].map { Sample.all[$0] }
    let thanks = samples.map { ($0.path, answer("200 OK\nContent-Length: 0")) }
    let origin = try ByteOrigin(Dictionary(thanks) { first, _ in first })
    let deck = Deck(Cassette(), mode: .rewrite)
    var options = ReplayServer.Options.patient
    options.upstream = try Upstream(RequestURL(origin.url))
    let server = stage == .onTheWire ? try await ReplayServer(deck, options) : nil
    let configuration: URLSessionConfiguration =
      stage == .inProcess ? .windTunnel(deck) : .ephemeral
    configuration.urlCache = nil
    let session = URLSession(configuration: configuration)
    for sample in samples {
      let url = try #require(URL(string: (server?.url ?? origin.url) + sample.path))
      var request = URLRequest(url: url)
      request.httpMethod = "POST"
      request.setValue(sample.type, forHTTPHeaderField: "Content-Type")
      if sample.isPacked { request.setValue("gzip", forHTTPHeaderField: "Content-Encoding") }
      try await expectEqual(Self.send(sample.sent, by: upload, request, session), 200)
    }
    session.finishTasksAndInvalidate()
    await server?.stop(grace: .zero)
    origin.stop()
    let (cassette, leftOut) = deck.recorded()
    expectEqual(leftOut, [])
    let read = try Cassette(data: cassette.data(), source: "tape")
    expectEqual(read.interactions.map(\.request.body.data), samples.map(\.sent))
    expectEqual(read.interactions.map { $0.request.url.path }, samples.map(\.path))
  }

  private static func send(
    _ body: Data,
    by upload: Upload,
    _ request: URLRequest,
    _ session: URLSession
  ) async throws -> Int? {
    var request = request
    let file = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID())")
    if upload == .uploadFile { try body.write(to: file) }
    defer { try? FileManager.default.removeItem(at: file) }
    if upload == .data { request.httpBody = body }
    if upload == .stream { request.httpBodyStream = InputStream(data: body) }
    return await withCheckedContinuation { [request] continuation in
      let done: @Sendable (Data?, URLResponse?, (any Error)?) -> Void = { _, response, _ in
        continuation.resume(returning: (response as? HTTPURLResponse)?.statusCode)
      }
      switch upload {
      case .data, .stream: session.dataTask(with: request, completionHandler: done).resume()
      case .uploadData:
        session.uploadTask(with: request, from: body, completionHandler: done).resume()
      case .uploadFile:
        session.uploadTask(with: request, fromFile: file, completionHandler: done).resume()
      }
    }
  }
}
