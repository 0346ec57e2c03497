import TestSupport
import WindTunnel
import WindTunnelNetworkLayer
import WindTunnelSymptoms

/// Downloads that lose their connection, in process and on the wire.
@Suite struct DownloadFlightTests {
  /// Some bytes, of which no two parts are alike.
  static let content = Data((0..<60_000).map { UInt8(truncatingIfNeeded: $0 &* 31 ^ $0 >> 8) })

  static func response(_ body: Data = content, tag: String? = "\"v1\"") -> Response {
    var headers: [(String, String)] = [
      ("Content-Length", "\(body.count)"), ("Accept-Ranges", "bytes"),
    ]
    if let tag { headers.append(("ETag", tag)) }
    return Response(
      status: 200,
      headers: HeaderFields(headers.map { HeaderField($0.0, $0.1) }),
      body: Body(body)
    )
  }

  static func deck(_ scenario: Scenario, _ response: Response = response()) -> Deck {
    FlightStand.deck("/film", scenario, response)
  }

  /// A folder for one test.
  static func inFolder<Result>(_ work: (URL) async throws -> Result) async throws -> Result {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    return try await work(folder)
  }

  /// Downloads by a deck into a folder, letting each wait pass.
  private static func download(
    _ deck: Deck,
    on stage: Stage,
    to file: URL
  ) async throws -> WindTunnelNetworkLayer.CallResponse {
    try await FlightStand.run(deck, on: stage) { stand in
      try await stand.time.passing {
        try await stand.client.download(Endpoint(.get, "/film"), to: file)
      }
    }
  }

  /// Downloads by a deck, and expects the whole after so many attempts.
  private static func brings(_ deck: Deck, on stage: Stage, attempts: Int) async throws {
    try await inFolder { folder in
      let file = folder.appending(path: "film")
      let answer = try await download(deck, on: stage, to: file)
      expectEqual(answer.status, 200)
      expectEqual(answer.attempts, attempts)
      try expectEqual(Data(contentsOf: file), content)
    }
  }

  /// A film of which a part is asked for when the first answer is cut by a fault.
  private static func deck(cutBy fault: Fault, _ whole: HeaderFields, part: Response) -> Deck {
    Deck(
      [
        .get("/film") { request in
          request.headers["Range"] == nil
            ? Response(status: 200, headers: whole, body: Body(content)) : part
        }
      ],
      scenario: [.always(.first(1), fault)],
      matcher: .pathAndQuery,
      then: .repeat
    )
  }

  /// The faults that cut a body, at a number of its bytes.
  static let cuts: [(name: String, fault: @Sendable (Int) -> Fault)] = [
    ("truncate", { .truncate(afterBodyBytes: $0) }),
    ("reset", { .reset(afterBodyBytes: $0) }),
  ]

  struct Cut: Sendable, CustomTestStringConvertible {
    var name: String
    var stage: Stage
    var bytes: [Int]
    var testDescription: String { "\(name) at \(bytes), \(stage)" }
  }

  static let rows = cuts.flatMap { cut in
    Stage.allCases.flatMap { stage in
      [[1], [29_999], [59_999], [17, 20_011, 40_000]].map {
        Cut(name: cut.name, stage: stage, bytes: $0)
      }
    }
  }

  @Test(arguments: rows)
  func `a download resumes at the cut`(row: Cut) async throws {
    let cut = try #require(Self.cuts.first { $0.name == row.name })
    // The n-th part begins where the one before it ended, and is cut so many bytes later.
    let ends = zip(row.bytes, [0] + row.bytes).map { $0 - $1 }
    var scenario = Scenario("cut")
    scenario.rules = ends.enumerated().map { place, bytes in
      FaultRule(when: Trigger(attempt: place + 1), [cut.fault(bytes)])
    }
    let deck = Self.deck(scenario)
    try await Self.inFolder { folder in
      let file = folder.appending(path: "film")
      // What is there is replaced.
      try Data("before".utf8).write(to: file)
      try await FlightStand.run(deck, on: row.stage) { stand in
        let progress = TransferProgress()
        async let steps = progress.reduce(into: []) { $0.append($1) }
        let answer = try await stand.time.passing {
          try await stand.client.download(Endpoint(.get, "/film"), to: file, progress: progress)
        }
        expectEqual(answer.status, 206)
        expectEqual(answer.attempts, row.bytes.count + 1)
        #expect(answer.body.isEmpty)
        expectEqual(stand.sent.count, row.bytes.count + 1)
        let last = try #require(await steps.last)
        expectEqual(last.received, 60_000)
        expectEqual(last.toReceive, 60_000)
      }
      try expectEqual(Data(contentsOf: file), Self.content)
      try expectEqual(FileManager.default.contentsOfDirectory(atPath: folder.path), ["film"])
    }
  }

  @Test(arguments: Stage.allCases)
  func `a download begins anew where no version can be named`(stage: Stage) async throws {
    let deck = Self.deck(
      [.always(.first(1), .truncate(afterBodyBytes: 100))],
      Self.response(tag: "W/\"v1\"")
    )
    try await Self.brings(deck, on: stage, attempts: 2)
  }

  @Test(arguments: Stage.allCases)
  func `an answer that brings no file puts no part in its place`(stage: Stage) async throws {
    let deck = Self.deck(
      cutBy: .reset(afterBodyBytes: 30_000),
      ["Transfer-Encoding": "chunked", "ETag": "\"v1\""],
      part: Response(status: 304, headers: ["ETag": "\"v1\""])
    )
    try await Self.inFolder { folder in
      let file = folder.appending(path: "film")
      try Data("before".utf8).write(to: file)
      await #expect(throws: NetworkError.server(status: 304, body: Data())) {
        _ = try await Self.download(deck, on: stage, to: file)
      }
      try expectEqual(Data(contentsOf: file), Data("before".utf8))
    }
  }

  @Test(arguments: Stage.allCases)
  func `parts of two versions are never joined`(stage: Stage) async throws {
    // A server that does not know If-Range, and has another version since.
    let other = Response(
      status: 206,
      headers: [
        "Content-Length": "59900", "ETag": "\"v2\"", "Content-Range": "bytes 100-59999/60000",
      ],
      body: Body(Data(Self.content.reversed()).dropFirst(100))
    )
    let deck = Self.deck(
      cutBy: .truncate(afterBodyBytes: 100),
      ["Content-Length": "60000", "ETag": "\"v1\""],
      part: other
    )
    try await Self.brings(deck, on: stage, attempts: 3)
  }

  @Test(arguments: Stage.allCases)
  func `what is not whole or not the right file replaces nothing`(stage: Stage) async throws {
    try await Self.inFolder { folder in
      let file = folder.appending(path: "film")
      try Data("before".utf8).write(to: file)
      func download(
        _ scenario: Scenario,
        _ check: FileCheck = FileCheck()
      ) async throws -> NetworkError? {
        try await FlightStand.run(Self.deck(scenario), on: stage) { stand in
          let end = await stand.time.passing {
            await ended { () throws(NetworkError) in
              try await stand.client.download(Endpoint(.get, "/film"), to: file, expecting: check)
            }
          }
          return if case .failure(let error) = end { error } else { nil }
        }
      }
      let cut = try await download([.always(.always, .truncate(afterBodyBytes: 10))])
      expectEqual(cut?.symptom, .truncated)
      let missing = try await download([.always(.always, .status(404))])
      if case .server(404, _)? = missing {} else { Issue.record("\(String(describing: missing))") }
      let short = try await download(.calm, FileCheck(bytes: 60_001))
      expectEqual(short, .decode(.content("The file has 60000 bytes instead of 60001.")))
      let other = try await download(.calm, FileCheck(sha256: "AAAA"))
      expectEqual(other, .decode(.content("The file does not have the expected SHA-256.")))
      try expectEqual(Data(contentsOf: file), Data("before".utf8))
      try expectEqual(FileManager.default.contentsOfDirectory(atPath: folder.path), ["film"])
    }
  }

  @Test func `a digest that the server names is checked`() async throws {
    var response = Self.response()
    response.head.headers["Repr-Digest"] = "sha-512=:AAAA:, sha-256=:AAAA:"
    let named = response
    try await Self.inFolder { folder in
      try await FlightStand.run(Self.deck(.calm, named), on: .inProcess) { stand in
        let error = await #expect(throws: NetworkError.self) {
          _ = try await stand.client.download(
            Endpoint(.get, "/film"),
            to: folder.appending(path: "film")
          )
        }
        expectEqual(error, .decode(.content("The file does not have the expected SHA-256.")))
      }
    }
  }

  @Test func `a folder that is not there is no fault of the network`() async throws {
    try await FlightStand.run(Self.deck(.calm), on: .inProcess) { stand in
      let nowhere = URL(filePath: "/nowhere/at/all/film")
      let end = await ended { () throws(NetworkError) in
        try await stand.client.download(Endpoint(.get, "/film"), to: nowhere)
      }
      if case .failure(.file(let text)) = end {
        #expect(text.hasPrefix("film cannot be written: "))
      } else {
        Issue.record("\(end)")
      }
      // It is asked for once: nothing would be different the next time.
      expectEqual(stand.sent.count, 1)
    }
  }

  @Test(arguments: Stage.allCases)
  func `a download that is cancelled leaves nothing`(stage: Stage) async throws {
    let deck = Self.deck([.always(.always, .stall(afterBodyBytes: 30_000))])
    try await Self.inFolder { folder in
      try await FlightStand.run(deck, on: stage) { stand in
        let progress = TransferProgress()
        let file = folder.appending(path: "film")
        let task = Task {
          try await stand.client.download(Endpoint(.get, "/film"), to: file, progress: progress)
        }
        for await step in progress where step.received >= 30_000 { break }
        task.cancel()
        await #expect(throws: NetworkError.cancelled) { _ = try await task.value }
      }
      try expectEqual(FileManager.default.contentsOfDirectory(atPath: folder.path), [])
    }
  }
}
