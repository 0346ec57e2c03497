import TestSupport
import WindTunnelNetworkLayer
import WindTunnelReferenceSubject
import WindTunnelSearch

/// Downloads in virtual time, cut in every way in which one can be cut behind its head.
@Suite(.onThisSystem, .timeLimit(.minutes(1))) struct DownloadCutTests {
  private static let film = Data((0..<60_000).map { UInt8(truncatingIfNeeded: $0 &* 31 ^ $0 >> 8) })

  private static let cassette = Cassette([
    Interaction(
      Request("GET", RequestURL("https://films.example/film")),
      .response(
        Response(
          status: 200,
          headers: ["Content-Length": "60000", "ETag": "\"v1\"", "Accept-Ranges": "bytes"],
          body: Body(film)
        )
      )
    )
  ])

  struct Way: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var cut: @Sendable (Int) -> Fault
  }

  private static let ways = [
    Way(testDescription: "reset") { .reset(afterBodyBytes: $0) },
    Way(testDescription: "close") { .truncate(afterBodyBytes: $0) },
    Way(testDescription: "half-close") { .halfClose(afterBodyBytes: $0) },
    Way(testDescription: "stall") { .stall(afterBodyBytes: $0) },
    Way(testDescription: "stall of a minute") { .stall(afterBodyBytes: $0, for: .seconds(60)) },
  ]

  /// Returns the file, and the number of requests that it took.
  private static func download(_ faults: [Fault]) async throws -> (film: Data?, requests: Int?) {
    let folder = try TemporaryFolder()
    let file = folder.file("film")
    var scenario = Scenario("cuts")
    scenario.rules = faults.enumerated().map { place, fault in
      FaultRule(when: Trigger(attempt: place + 1), [fault])
    }
    let drill = Drill(cassette, in: [scenario], calls: 1, deadline: .seconds(120))
    let report = try await drill.run(in: .virtualTime) { call in
      let client = NetworkClient(
        builder: RequestBuilder(baseURL: call.baseURL),
        transport: call.transport,
        limits: CallLimits(attemptTimeout: .seconds(5), deadline: .seconds(100))
      )
      _ = try await client.download(Endpoint(.get, "/film"), to: file)
      return "there"
    }
    let metrics = report.scenarios.first?.subjects.first?.metrics
    // One that is not there was not fetched, and no part of it is there either.
    let film = try folder.names == ["film"] ? Data(contentsOf: file) : nil
    return (film, metrics?.amplification.map { Int($0) })
  }

  @Test(arguments: ways, [[1], [29_999], [59_999], [17, 20_011, 30_000]])
  func `a film goes on where it was cut`(way: Way, bytes: [Int]) async throws {
    let end = try await Self.download(bytes.map(way.cut))
    expectEqual(end.film, Self.film)
    expectEqual(end.requests, bytes.count + 1)
  }

  /// Where more was announced than there is, the next attempt asks for what nobody has, and the one
  /// after that for the whole. What is no HTTP comes from no server that would say it otherwise.
  @Test(arguments: [
    (Malformation.resetWithoutLength, 2, true), (.lengthTooLong, 3, true), (.twoLengths, 3, true),
    (.missingLastChunk, 3, true), (.badChunkSize, 1, false),
  ])
  func `a film whose end is not what was announced comes again`(
    form: Malformation,
    requests: Int,
    isThere: Bool
  ) async throws {
    let end = try await Self.download([.malformed(form)])
    expectEqual(end.film, (isThere ? Self.film : nil))
    expectEqual(end.requests, requests)
  }

  @Test(arguments: ways)
  func `a film that is cut each time is no file at all`(way: Way) async throws {
    let end = try await Self.download((1...4).map { _ in way.cut(10_000) })
    expectNil(end.film)
    expectEqual(end.requests, 4)
  }
}
