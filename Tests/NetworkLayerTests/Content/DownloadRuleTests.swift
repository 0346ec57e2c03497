import TestSupport
import WindTunnelSymptoms

@testable import WindTunnelNetworkLayer

/// What a download asks for after a loss, and what it makes of the answer.
@Suite struct DownloadRuleTests {
  /// An answer whose content may break off.
  struct Step: Sendable {
    var status = 200
    var headers: Headers
    var content: String
    var isLost = false
  }

  /// Answers the n-th request with the n-th step.
  static func pieces(_ steps: [Step]) -> OpenedTransport {
    OpenedTransport { number throws(TransportError) in
      guard number < steps.count else { throw .failed(.unknown, text: "past the script's end") }
      let step = steps[number]
      return StreamedResponse(
        status: step.status,
        headers: step.headers,
        pieces: AsyncThrowingStream { pieces in
          pieces.yield(Data(step.content.utf8))
          guard step.isLost else { return pieces.finish() }
          pieces.finish(throwing: TransportError.failed(.connectionLost, text: "lost"))
        }
      )
    }
  }

  /// The fields by which parts are asked for, of each request.
  static func ranges(of transport: OpenedTransport) -> [[String?]] {
    transport.requests.map { request in
      ["Range", "If-Range"].map { request.value(forHTTPHeaderField: $0) }
    }
  }

  /// What came of a download.
  struct End: Equatable {
    var content: String?
    var attempts: Int?
    var ranges: [[String?]]
  }

  /// Downloads by a script, with waits that take no time.
  func end(
    of transport: OpenedTransport,
    mostRetries: [RetryReason: Int] = RetryPolicy.standardTable,
    expecting check: FileCheck = FileCheck()
  ) async throws -> End {
    let client = NetworkClient(
      builder: RequestBuilder(baseURL: try Fixture.base()),
      policy: RetryPolicy(mostRetries: mostRetries, backoff: Backoff(base: .zero, jitter: .none)),
      transport: transport,
      limits: CallLimits(deadline: nil),
      time: FixedTime()
    )
    return try await DownloadFlightTests.inFolder { folder in
      let file = folder.appending(path: "film")
      var answer: CallResponse?
      do throws(NetworkError) {
        answer = try await client.download(Endpoint(.get, "/film"), to: file, expecting: check)
      } catch {
        #expect(error.symptom != nil || check != FileCheck(), "\(error)")
      }
      let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
      expectEqual(names, (answer == nil ? [] : ["film"]))
      let content = try answer.map { _ in try String(contentsOf: file, encoding: .utf8) }
      return End(content: content, attempts: answer?.attempts, ranges: Self.ranges(of: transport))
    }
  }

  /// Downloads the six bytes by a script, and expects what is asked for.
  func whole(
    by steps: [Step],
    mostRetries: [RetryReason: Int] = RetryPolicy.standardTable,
    asking ranges: [String?]...
  ) async throws {
    try await expectEqual(
      end(of: Self.pieces(steps), mostRetries: mostRetries),
      End(content: "abcdef", attempts: ranges.count, ranges: ranges)
    )
  }

  /// A time that stands still, in which nobody sleeps.
  struct FixedTime: TimeSource {
    var uptime: Duration { .zero }
    var date: Date { ManualTime.epoch }
    func sleep(for duration: Duration) async throws(CancellationError) {}
  }

  /// The whole, of which three bytes come.
  static func cut(_ headers: Headers) -> Step {
    Step(headers: headers, content: "abc", isLost: true)
  }

  /// The rest of six bytes by one validator.
  static func rest(_ range: String, _ content: String = "def", tag: String = "\"1\"") -> Step {
    Step(status: 206, headers: ["Content-Range": range, "ETag": tag], content: content)
  }

  private static func headers(
    _ name: String,
    _ value: String,
    and others: [String: String]
  ) -> Headers {
    Headers([Headers.Field(name, value)] + others.map { Headers.Field($0.key, $0.value) })
  }

  static let tagged: Headers = ["Content-Length": "6", "ETag": "\"1\""]
  static let whole = Step(headers: tagged, content: "abcdef")
  static let none: [String?] = [nil, nil]

  @Test func `the part that is missing is asked for by the version, and without a coding`()
    async throws
  {
    let transport = Self.pieces([Self.cut(Self.tagged), Self.rest("bytes 3-5/6")])
    let end = try await end(of: transport)
    expectEqual(
      end,
      End(content: "abcdef", attempts: 2, ranges: [Self.none, ["bytes=3-", "\"1\""]])
    )
    expectEqual(
      transport.requests.map { $0.value(forHTTPHeaderField: "Accept-Encoding") },
      ["identity", "identity"]
    )
  }

  @Test(
    arguments: [
      // Of the second in which it was changed a date may name two versions.
      (["Last-Modified": "Sun, 06 Nov 1994 08:49:37 GMT"], nil),
      (["Last-Modified": "Sun, 06 Nov 1994 08:49:38 GMT"], nil),
      (["Last-Modified": "Sun, 06 Nov 1994 08:49:36 GMT"], "Sun, 06 Nov 1994 08:49:36 GMT"),
      (["ETag": "W/\"1\""], nil), ([:], nil), (["ETag": "\"1\""], "\"1\""),
      // The bytes that are counted are those of the coded content, which is not there.
      (["ETag": "\"1\"", "Content-Encoding": "gzip"], nil),
      (["ETag": "\"1\"", "Content-Encoding": "Identity"], "\"1\""),
    ] as [([String: String], String?)]
  )
  func `a part is asked for by a strong validator alone`(
    fields: [String: String],
    validator: String?
  ) async throws {
    let headers = Self.headers("Date", "Sun, 06 Nov 1994 08:49:37 GMT", and: fields)
    let range = validator.map { ["bytes=3-", $0] } ?? Self.none
    try await whole(by: [Self.cut(headers), Self.whole], asking: Self.none, range)
  }

  @Test(arguments: [
    // Another place, another length, another version, more than there is, and no such part at all.
    rest("bytes 2-5/6", "cdef"), rest("bytes 3-6/7", "defg"),
    rest("bytes 3-5/6", "DEF", tag: "\"2\""), rest("bytes 3-9/6"), rest("3-5/6"),
    Step(status: 206, headers: ["ETag": "\"1\""], content: "def"),
    Step(status: 416, headers: ["Content-Range": "bytes */2"], content: ""),
  ])
  func `a part of another version restarts the download`(step: Step) async throws {
    let asked = ["bytes=3-", "\"1\""]
    try await whole(
      by: [Self.cut(Self.tagged), step, Self.whole],
      asking: Self.none,
      asked,
      Self.none
    )
  }

  @Test func `a connection that is lost behind the last byte has lost nothing`() async throws {
    let step = Step(headers: Self.tagged, content: "abcdef", isLost: true)
    try await whole(by: [step], asking: Self.none)
  }

  @Test func `of a coded content neither the length nor the digest is checked`() async throws {
    let coded: Headers = [
      "Content-Length": "3", "Content-Encoding": "gzip", "Repr-Digest": "sha-256=:AAAA:",
    ]
    try await whole(by: [Step(headers: coded, content: "abcdef")], asking: Self.none)
  }

  @Test(
    arguments: [
      ("AAAA", digest, false), (digest, "AAAA", false), (digest, digest, true),
      (nil, digest, true), (digest, nil, true),
    ] as [(String?, String?, Bool)]
  )
  func `the digest that is told and the server's have to be the file's`(
    told: String?,
    named: String?,
    isRight: Bool
  ) async throws {
    var headers = Self.tagged
    headers["Repr-Digest"] = named.map { "sha-256=:\($0):" }
    let transport = Self.pieces([Step(headers: headers, content: "abcdef")])
    let end = try await end(of: transport, expecting: FileCheck(sha256: told))
    expectEqual(end.content, (isRight ? "abcdef" : nil))
  }

  /// The SHA-256 of the six bytes.
  static let digest = "vvV+x/U6bUC+tkCngKY5yDvCmsipgW8fxsXG3Nk8RyE="

  @Test(
    arguments: [
      // It names no version, and the condition was met.
      (["ETag": "\"1\""], [:], true),
      (["Last-Modified": "Sun, 06 Nov 1994 08:49:36 GMT"], [:], true),
      (
        ["Last-Modified": "Sun, 06 Nov 1994 08:49:36 GMT"],
        ["Last-Modified": "Sun, 06 Nov 1994 08:49:36 GMT"], true
      ),
      (
        ["Last-Modified": "Sun, 06 Nov 1994 08:49:36 GMT"],
        ["Last-Modified": "Sun, 06 Nov 1994 08:49:37 GMT"], false
      ),
    ] as [([String: String], [String: String], Bool)]
  )
  func `a part is of the version that its own fields say`(
    whole: [String: String],
    part: [String: String],
    isJoined: Bool
  ) async throws {
    let first = Self.headers("Date", "Sun, 06 Nov 1994 08:49:37 GMT", and: whole)
    let second = Self.headers("Content-Range", "bytes 3-5/6", and: part)
    let rest = Step(status: 206, headers: second, content: "def")
    let end = try await end(of: Self.pieces([Self.cut(first), rest, Self.whole]))
    expectEqual(end.content, "abcdef")
    expectEqual(end.attempts, (isJoined ? 2 : 3))
  }

  @Test func `a repeated download of a complete file requests no range`() async throws {
    let steps = [Self.whole, Self.whole]
    try await whole(by: steps, mostRetries: [.status(200): 1], asking: Self.none, Self.none)
  }

  @Test func `of a whole without a length a part's own end is the end`() async throws {
    let parts = [Self.rest("bytes 3-5/*", "de"), Self.rest("bytes 5-5/*", "f")]
    let (three, five) = (["bytes=3-", "\"1\""], ["bytes=5-", "\"1\""])
    try await whole(
      by: [Self.cut(["ETag": "\"1\""])] + parts,
      asking: Self.none,
      three,
      five
    )
  }

  @Test(arguments: [
    "bytes 0-0/1", "Bytes 3-5/6", "bytes 3-5/*",
  ])
  func `a range is understood`(text: String) { #expect(ContentRange(text) != nil) }

  @Test(arguments: [
    "", "bytes", "items 0-0/1", "bytes */6", "bytes 0-0", "bytes 5-3/6", "bytes -1-3/6",
    "bytes 3-6/6", "bytes 3-5/", "bytes 3-5/six", "bytes 3-4-5/6",
  ])
  func `garbage is no range`(text: String) { expectNil(ContentRange(text)) }
}
