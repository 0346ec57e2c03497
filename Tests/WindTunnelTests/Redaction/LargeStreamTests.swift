import TestSupport

@testable import WindTunnel
@testable import WindTunnelHTTP
@testable import WindTunnelRedaction

/// Streams of events that are looked through part by part.
@Suite struct LargeStreamTests {
  private static let key = "Zk7QpX2mLw9RtY4vBn8s"
  private static let type = "text/event-stream"

  /// A stream of small parts, the pieces of it, and why it is left out.
  private static func redacted(
    _ text: String,
    pieces: [Int] = [],
    type: String = type,
    format: EventStream.Format = .serverSent,
    atMost most: Int = 1000
  ) -> (text: String?, pieces: [Int], obstacle: String?) {
    var redaction = Redaction(continuing: [])
    var body = Body(text)
    var timing: Timing? = Timing(firstByte: .zero, lastByte: .zero)
    timing?.chunks = pieces.enumerated().map {
      Timing.Chunk(bytes: $0.element, offset: .milliseconds($0.offset))
    }
    let batches = EventBatches(body, format, bytes: 16, atMost: most)
    let growth = redaction.stream(&body, batches, type: type, &timing)
    expectEqual(growth.map { $0 + text.utf8.count } ?? text.utf8.count, body.count)
    expectEqual(timing?.chunks.map(\.offset), pieces.indices.map { .milliseconds($0) })
    return (body.text, timing?.chunks.map(\.bytes) ?? [], redaction.obstacle)
  }

  @Test func `a secret goes from its event, and all others stay to the byte`() {
    let text =
      "id: 1\ndata: {\"a\": 1}\n\nid: 2\ndata: {\"api_key\":\"*\"}\n\n: \r\ndata: z\r\n\r\ncut"
    // The second piece ends within the secret, the third with its event.
    let pieces = [24, 30, 16, 6, 12]
    let full = text.replacing("*", with: Self.key)
    expectEqual(full.utf8.count, pieces.reduce(0, +))
    let stream = Self.redacted(full, pieces: pieces)
    expectEqual(stream.text, text.replacing("*", with: "REDACTED-api-key-1"))
    expectEqual(stream.pieces, [24, 30, 14, 6, 12])
    expectNil(stream.obstacle)
  }

  @Test func `a key whose lines are events is found as a whole`() {
    let lines = (0..<20).map { line in
      String(repeating: String(UnicodeScalar(UInt8(65 + line))), count: 64)
    }
    let key = ["-----BEGIN PRIVATE KEY-----"] + lines + ["-----END PRIVATE KEY-----"]
    let text = (["before"] + key + ["behind"]).map { "data: \($0)\n\n" }.joined()
    let stream = Self.redacted(text, atMost: 100_000)
    expectEqual(stream.text?.hasPrefix("data: before\n\n"), true)
    expectEqual(stream.text?.hasSuffix("data: behind\n\n"), true)
    for line in lines { expectEqual(stream.text?.contains(line), false, "\(line.prefix(1))") }
  }

  @Test func `base64 in an event is not taken for a coding of mail`() {
    let line = "data: \(String(repeating: "QUJD", count: 14))QUI=\n\n"
    let text = "\(line)data: {\"api_key\":\"*\",\"next\":\"/a?limit=20\"}\n\n"
    let stream = Self.redacted(text.replacing("*", with: Self.key))
    expectEqual(stream.text, text.replacing("*", with: "REDACTED-api-key-1"))
  }

  @Test func `lines of JSON and sequences are parts, too`() {
    for (type, format, mark) in [
      ("application/x-ndjson", EventStream.Format.lines, ""),
      ("application/json-seq", .sequence, "\u{1E}"),
    ] {
      let text = "\(mark){\"n\":1}\n\(mark){\"password\":\"*\"}\n\(mark){\"n\":3}\n"
      let stream = Self.redacted(
        text.replacing("*", with: "hunter2-and-more"),
        type: type,
        format: format
      )
      expectEqual(stream.text, text.replacing("*", with: "REDACTED-password-1"))
    }
  }

  @Test func `one event that is too large leaves the stream out, and is named`() {
    let text = "data: 1\n\ndata: \(String(repeating: "x", count: 90))\n\n"
    expectNil(Self.redacted(text, atMost: 120).obstacle)
    let stream = Self.redacted(text, atMost: 60)
    expectEqual(stream.text, text)
    expectEqual(
      stream.obstacle,
      "an event of more than 60 bytes is too large to be searched for credentials"
    )
  }

  /// A stream of more than a mebibyte, in which a secret is told late and repeated early.
  private static func long(_ secret: String) -> [String] {
    let comment = ": \(String(repeating: " ", count: 210_000))\n\n"
    return ["data: \(secret)\n\n"] + Array(repeating: comment, count: 5)
      + ["data: {\"api_key\":\"\(secret)\"}\n\n", "data: end\n\n"]
  }

  @Test func `of a large stream the tape has all but its secrets, in the pieces that came`() throws
  {
    let (long, short) = (Self.long(Self.key), Self.long("REDACTED-api-key-1"))
    func interaction(_ events: [String]) -> Interaction {
      Interaction(
        Request("GET", "https://api.example.test/events"),
        .response(
          Response(
            headers: ["Content-Type": Self.type, "Digest": "sha-256=abc"],
            body: Body(events.joined())
          )
        ),
        timing: Timing(
          firstByte: .zero,
          lastByte: .seconds(9),
          chunks: events.enumerated().map {
            Timing.Chunk(bytes: $0.element.utf8.count, offset: .seconds($0.offset))
          }
        )
      )
    }
    var redaction = Redaction(continuing: [])
    let kept = redaction.redact([interaction(long)])
    var expected = interaction(short)
    if case .response(var response) = expected.result {
      response.head.headers.remove("Digest")
      expected.result = .response(response)
    }
    expectEqual(kept, [expected])
    expectEqual(redaction.leftOut, [])
    // Who goes on counting knows what stands there, and a later secret that may be in it is sought.
    var next = Redaction(continuing: kept)
    let other = Interaction(
      Request(
        "POST",
        "/",
        headers: ["Content-Type": "application/json"],
        body: Body(#"{"api_key":"Xq3ZpV8nKw2LtR6yCm5d"}"#)
      ),
      Response(status: 204)
    )
    expectEqual(
      next.redact([other]).first?.request.body.text,
      #"{"api_key":"REDACTED-api-key-2"}"#
    )
    let filter = NGramFilter(interaction(long))
    #expect(filter.mayContain(Self.key) && !filter.mayContain("never-said-anywhere"))
    expectEqual(
      kept[0].renumbered { _ in 7 }.response?.body.text,
      Self.long("REDACTED-api-key-7").joined()
    )
  }

  @Test func `a body in a file is written, read and compared by pieces`() throws {
    let folder = try TemporaryFolder()
    let file = folder.file("big.json")
    var spool = Spool()
    let piece = Data((0..<1 << 20).map { UInt8(truncatingIfNeeded: $0 * $0 >> 7) })
    for _ in 0..<65 { spool.append(piece) }
    let body = spool.body()
    expectEqual(body.count, 65 << 20)
    expectEqual(body.bytes((1 << 20) - 2..<(1 << 20) + 2), piece.suffix(2) + piece.prefix(2))
    let cassette = Cassette([Interaction(Request("GET", "/big"), Response(body: body))])
    try cassette.write(to: file)
    let read = try Cassette(contentsOf: file)
    expectEqual(read, cassette)
    expectEqual(read.hashValue, cassette.hashValue)
    let name = try #require(try folder.names.first { $0.hasSuffix(".bodies") })
    let side = folder.file("\(name)/\(body.digest)")
    let handle = try FileHandle(forWritingTo: side)
    try handle.seek(toOffset: 40 << 20)
    try handle.write(contentsOf: Data("other".utf8))
    try handle.close()
    #expect(throws: FormatError.self) { try Cassette(contentsOf: file) }
    // What was opened plays to its end, whatever happens to the file.
    expectEqual(read, cassette)
  }
}
