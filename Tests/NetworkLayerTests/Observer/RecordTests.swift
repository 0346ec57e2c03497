import TestSupport
import WindTunnelNetworkLayerDebug
import WindTunnelTesting

@testable import WindTunnelNetworkLayer

/// What records tell beside how a call went: what the decoder said, where it went, how long the
/// stages took.
@Suite struct RecordTests {
  struct Item: Decodable, Equatable { var id: Int }

  @Test(.cassette("observed"))
  func `a refusal in the envelope is a failed call with its code`() async throws {
    let fixture = try Fixture(at: "/users/7")
    let client: any Calling = fixture.client
    let endpoint = Endpoint(.get, "/users/7", template: "/users/{id}")
    let refused = NetworkError.business(code: "1001", message: "no such user")
    await #expect(throws: refused) {
      try await client.value(of: endpoint, by: ResponseDecoder<Item>.envelope())
    }
    try await expectEqual(client.value(of: endpoint, by: .envelope()), Item(id: 7))
    await #expect(throws: NetworkError.decode(.missing("data.id"))) {
      try await client.value(of: endpoint, by: ResponseDecoder<Item>.envelope())
    }
    let ends = fixture.observer.events.compactMap { event -> String? in
      guard case .callEnded(let result, 1) = event.kind else { return nil }
      return switch result {
      case .success(let answer): "\(answer.status)"
      case .failure(let error): "\(error)"
      }
    }
    expectEqual(ends, ["\(refused)", "200", "\(NetworkError.decode(.missing("data.id")))"])
    let calls = fixture.observer.events.lines.filter { $0.contains(#""event":"call""#) }
    expectEqual(calls.map { $0.contains(#""businessCode":"1001""#) }, [true, false, false])
    expectEqual(calls.map { $0.contains(#""result":"business""#) }, [true, false, false])
    // What it decided about the transfer stands: nothing is asked twice.
    expectEqual(fixture.transport.instants.count, 3)
  }

  @Test(.cassette("observed"))
  func `a record names the environment that requests went to`() async throws {
    let base = try Fixture.base()
    let flip = EnvironmentSwitch(from: base, to: ["test": base.appendingPathComponent("t")])
    let fixture = try Fixture(at: "/kept", middleware: [flip])
    await expectEqual(fixture.pages(), ["kept network"])
    #expect(flip.change(to: "test"))
    await expectEqual(fixture.pages(), ["tested network"])
    let ended = fixture.observer.events.filter {
      if case .callEnded = $0.kind { true } else { false }
    }
    expectEqual(ended.map(\.environment), ["production", "test"])
    let records = (1...2).map { fixture.observer.events.record(of: $0) }
    expectEqual(records.map(\.?.system.environment), ["production", "test"])
  }

  @Test func `stages are told where whoever carried it knows them`() throws {
    let stages = StageTimings(connect: .microseconds(1500), wait: .milliseconds(20))
    let request = URLRequest(url: try Fixture.base())
    func event(_ kind: CallEvent.Kind) -> CallEvent {
      CallEvent(call: 1, elapsed: .zero, kind: kind)
    }
    let known = AttemptOutcome.success(ServerResponse(status: 200, stages: stages))
    let events = [
      event(.callStarted(Endpoint(.get, "/a"))),
      event(.attemptStarted(1, request, engine: "e")), event(.attemptEnded(1, known)),
      event(.attemptStarted(2, request, engine: "e")),
      event(.attemptEnded(2, .failure(.failed(.timedOut, text: "")))),
    ]
    var record = try #require(CallRecord(events[0]))
    for event in events[1...2] { record.hear(event) }
    expectEqual(record.response.stages, stages)
    for event in events[3...] { record.hear(event) }
    expectNil(record.response.stages)
    let told = events.lines.map { $0.contains(#""stageMilliseconds":{"connect":1.5,"wait":20}"#) }
    expectEqual(told, [true, false])
  }

  /// A transport that takes two seconds to the head, and three for the content.
  private struct SlowAnswers: Transport {
    let time: ManualTime

    func send(_ request: URLRequest) async throws(TransportError) -> ServerResponse {
      ServerResponse(status: 200)
    }

    func open(
      _ request: URLRequest,
      _ upload: Upload
    ) async throws(TransportError) -> StreamedResponse {
      time.advance(by: .seconds(2))
      let pieces = Locked([Data("a".utf8), Data("b".utf8)])
      return StreamedResponse(
        status: 200,
        pieces: AsyncThrowingStream { [time] in
          let piece = pieces.withLock { $0.isEmpty ? nil : $0.removeFirst() }
          if piece != nil { time.advance(by: .milliseconds(1500)) }
          return piece
        }
      )
    }
  }

  @Test func `the client measures the stages of streamed responses`() async throws {
    let time = ManualTime()
    let observer = RecordingObserver()
    let client = NetworkClient(
      builder: RequestBuilder(baseURL: try Fixture.base()),
      transport: SlowAnswers(time: time),
      observer: observer,
      time: time
    )
    func told() -> StageTimings? {
      observer.events.lazy.reversed().compactMap { event -> StageTimings?? in
        guard case .attemptEnded(_, .success(let answer)) = event.kind else { return nil }
        return .some(answer.stages)
      }.first ?? nil
    }
    let whole = StageTimings(receive: .seconds(3), head: .seconds(2))
    try await DownloadFlightTests.inFolder { folder in
      let file = folder.appending(path: "film")
      let answer = try await client.download(Endpoint(.get, "/a"), to: file)
      expectEqual(answer.record?.response.stages, whole)
      _ = try await client.call(Endpoint(.put, "/a", body: .file(file)))
      expectEqual(told(), whole)
    }
    _ = try await client.stream(Endpoint(.get, "/a"))
    expectEqual(told(), StageTimings(head: .seconds(2)))
    // What comes as a whole has those that its transport knows, which are none.
    _ = try await client.call(Endpoint(.get, "/a"))
    expectNil(told())
    #expect(observer.events.lines.contains { $0.contains(#"{"head":2000,"receive":3000}"#) })
  }

  #if !canImport(Darwin)
    @Test func `on Linux no session tells stages`() async throws {
      let (session, base) = StubProtocol.session { _ in .status(200, [:], Data()) }
      defer { session.invalidateAndCancel() }
      let url = try #require(URL(string: base))
      let answer = try await URLSessionTransport(session: session).send(URLRequest(url: url))
      expectEqual(answer, ServerResponse(status: 200, headers: answer.headers, stages: nil))
    }
  #endif
}
