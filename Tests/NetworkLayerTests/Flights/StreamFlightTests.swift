import TestSupport
import WindTunnel
import WindTunnelNetworkLayer
import WindTunnelSymptoms

@Suite struct StreamFlightTests {
  func deck(_ response: Response, _ plan: Scenario = .calm) -> Deck {
    FlightStand.deck("/x", plan, response)
  }

  let feed = Response(
    headers: ["Content-Type": "text/event-stream"],
    body: Body("data: one\n\nevent: bye\ndata: two\n\n")
  )

  @Test(arguments: Stage.allCases)
  func `events are read as they come`(stage: Stage) async throws {
    try await FlightStand.run(deck(feed), on: stage) { stand in
      let answer = try await stand.open()
      expectEqual(answer.status, 200)
      let events = try await answer.events.reduce(into: []) { $0.append($1) }
      expectEqual(
        events,
        [ServerSentEvent(data: "one"), ServerSentEvent(kind: "bye", data: "two")]
      )
    }
  }

  @Test(arguments: Stage.allCases)
  func `a stream that breaks fails by name, after what came`(stage: Stage) async throws {
    let body = Data(count: 20_000)
    let response = Response(headers: ["Content-Length": "20000"], body: Body(body))
    let deck = deck(response, [.always(.always, .truncate(afterBodyBytes: 10_000))])
    try await FlightStand.run(deck, on: stage) { stand in
      let answer = try await stand.open()
      var count = 0
      do {
        for try await piece in answer.pieces { count += piece.count }
        Issue.record("a whole stream")
      } catch {
        if case .failed(.truncated, _)? = error as? TransportError {
        } else {
          Issue.record("\(error)")
        }
      }
      expectEqual(count, 10_000)
    }
  }

  @Test(.timeLimit(.minutes(5)), arguments: Stage.allCases)
  func `a stream of a 401 with a Basic challenge ends behind its content`(stage: Stage) async throws
  {
    let locked = Response(
      status: 401,
      headers: ["WWW-Authenticate": "Basic realm=\"shop\"", "Content-Length": "4"],
      body: Body("shut")
    )
    try await FlightStand.run(deck(locked), on: stage) { stand in
      let answer = try await stand.open()
      expectEqual(answer.status, 401)
      try await expectEqual(answer.content, Data("shut".utf8))
    }
  }

  @Test(arguments: Stage.allCases)
  func `whoever gives up before the head is not kept waiting`(stage: Stage) async throws {
    let stalled: Scenario = [.always(.always, .delay(.exactly(.seconds(3600))))]
    let deck = deck(feed, stalled)
    try await FlightStand.run(deck, on: stage) { stand in
      let task = Task { try await stand.open() }
      while deck.attempts("GET /x") == 0 { await Task.yield() }
      task.cancel()
      await #expect(throws: TransportError.cancelled) { _ = try await task.value }
    }
  }

  @Test(arguments: Stage.allCases)
  func `a stream is given up when its session says so, and by no request that says nothing`(
    stage: Stage
  ) async throws {
    let late: Scenario = [.always(.always, .delay(.exactly(.seconds(20))))]
    try await FlightStand.run(deck(feed, late), on: stage) { stand in
      let configuration = stand.session.configuration
      configuration.timeoutIntervalForRequest = 1
      let session = URLSession(configuration: configuration)
      defer { session.finishTasksAndInvalidate() }
      do {
        _ = try await stand.open(by: session)
        Issue.record("an answer")
      } catch {
        if case .failed(.timedOut, _)? = error as? TransportError {
        } else {
          Issue.record("\(error)")
        }
      }
    }
  }

  /// An app's delegate, which lets itself be led or not.
  private final class App: NSObject, URLSessionTaskDelegate, Sendable {
    let follows: Bool
    init(follows: Bool) { self.follows = follows }

    func urlSession(
      _ session: URLSession,
      task: URLSessionTask,
      willPerformHTTPRedirection response: HTTPURLResponse,
      newRequest request: URLRequest,
      completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) { completionHandler(follows ? request : nil) }
  }

  @Test(arguments: Stage.allCases, [true, false])
  func `a stream is led where the delegate of its session lets it`(stage: Stage, follows: Bool)
    async throws
  {
    let deck = Deck(
      [
        .get("/x") { _ in
          Response(
            status: 302,
            headers: ["Location": "/y", "Content-Length": "5"],
            body: Body("moved")
          )
        }, .get("/y") { _ in Response(headers: ["Content-Length": "3"], body: Body("end")) },
      ],
      matcher: .pathAndQuery,
      then: .repeat
    )
    try await FlightStand.run(deck, on: stage) { stand in
      let session = URLSession(
        configuration: stand.session.configuration,
        delegate: App(follows: follows),
        delegateQueue: nil
      )
      defer { session.finishTasksAndInvalidate() }
      let answer = try await stand.open(by: session)
      expectEqual(answer.status, (follows ? 200 : 302))
      try await expectEqual(answer.content, Data((follows ? "end" : "moved").utf8))
      expectEqual(deck.attempts("GET /y"), (follows ? 1 : 0))
    }
  }
}

extension FlightStand {
  /// Opens a stream of its page by a session.
  fileprivate func open(
    by session: URLSession? = nil
  ) async throws(TransportError) -> StreamedResponse {
    try await URLSessionTransport(session: session ?? self.session).open(
      URLRequest(url: base.appendingPathComponent("x"))
    )
  }
}
