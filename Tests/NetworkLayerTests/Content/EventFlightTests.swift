import TestSupport
import WindTunnel
import WindTunnelSymptoms

@testable import WindTunnelNetworkLayer

/// Streams through the whole client, in process and on the wire.
@Suite struct EventFlightTests {
  /// A feed of a thousand events by their ids, which goes on behind the last one that is named.
  static func feed(_ scenario: Scenario) -> Deck {
    Deck(
      [
        .get("/feed") { request in
          let last = request.headers["Last-Event-ID"].flatMap { Int($0) } ?? 0
          guard last < 1000 else { return Response(status: 204) }
          var text = last == 0 ? "retry: 50\n\n" : ""
          for number in (last + 1)...1000 { text += "id: \(number)\ndata: event \(number)\n\n" }
          return response(text)
        }
      ],
      scenario: scenario,
      matcher: .pathAndQuery,
      then: .repeat
    )
  }

  private static func response(_ text: String) -> Response {
    Response(
      headers: ["Content-Type": "text/event-stream", "Content-Length": "\(text.utf8.count)"],
      body: Body(text)
    )
  }

  /// A feed that was recorded of a client that came back: a server that sends everything again all
  /// the same.
  private static func recorded(_ text: String, after id: String, _ scenario: Scenario = []) -> Deck
  {
    FlightStand.deck("/feed", scenario, response(text), headers: ["Last-Event-ID": id])
  }

  /// Reads a feed while each wait passes, to its end or up to a number of events, and expects them
  /// after so many requests.
  private static func read(
    _ deck: Deck,
    on stage: Stage,
    most: Int = .max,
    brings expected: [String],
    failure symptom: Symptom? = nil,
    requests: Int
  ) async throws {
    try await FlightStand.run(deck, on: stage) { stand in
      await stand.time.passing {
        var (events, failure): ([String], NetworkError?) = ([], nil)
        do {
          for try await event in stand.client.events(of: Endpoint(.get, "/feed")) {
            events.append(event.data)
            if events.count == most { break }
          }
        } catch {
          failure = error as? NetworkError
          if failure == nil { Issue.record(error) }
        }
        expectEqual(events, expected)
        #expect(failure?.symptom == symptom && (failure == nil) == (symptom == nil))
      }
      expectEqual(stand.sent.count, requests)
    }
  }

  @Test(arguments: Stage.allCases)
  func `of a thousand events over ten cuts none is lost and none comes twice`(
    stage: Stage
  ) async throws {
    var scenario = Scenario("cuts")
    scenario.rules = (1...10).map { number in
      FaultRule(when: Trigger(attempt: number), [.truncate(afterBodyBytes: 1500 + 37 * number)])
    }
    let events = (1...1000).map { "event \($0)" }
    // Ten that were cut, the one that was not, and the one that was told that there is no more.
    try await Self.read(Self.feed(scenario), on: stage, brings: events, requests: 12)
  }

  @Test(arguments: Stage.allCases)
  func `a stream without events is retried as the policy allows`(stage: Stage) async throws {
    let scenario: Scenario = [.always(.always, .truncate(afterBodyBytes: 3))]
    let feed = Self.feed(scenario)
    try await Self.read(feed, on: stage, brings: [], failure: .truncated, requests: 4)
  }

  @Test(arguments: Stage.allCases)
  func `a stream that never gets beyond the same event is given up as the policy says`(
    stage: Stage
  ) async throws {
    let text = (1...5).map { "id: \($0)\ndata: event \($0)\n\n" }.joined()
    let scenario: Scenario = [.always(.always, .truncate(afterBodyBytes: 50))]
    let feed = Self.recorded(text, after: "2", scenario)
    // A server that sends an event again has it handed on again.
    let events = Array(repeating: ["event 1", "event 2"], count: 4).flatMap { $0 }
    try await Self.read(feed, on: stage, brings: events, failure: .truncated, requests: 4)
  }

  @Test(arguments: Stage.allCases)
  func `a stream is opened with the attempts of any call`(stage: Stage) async throws {
    let scenario: Scenario = [.always(.first(2), .status(503))]
    try await FlightStand.run(Self.feed(scenario), on: stage) { stand in
      let answer = try await stand.time.passing {
        try await stand.client.stream(Endpoint(.get, "/feed"))
      }
      expectEqual(answer.status, 200)
      expectEqual(stand.gaps, [.milliseconds(200), .milliseconds(400)])
      var lines: [String] = []
      for try await line in answer.lines where lines.count < 4 { lines.append(line) }
      expectEqual(lines, ["retry: 50", "", "id: 1", "data: event 1"])
      #expect(stand.client.admission.load == (0, 0))
    }
  }

  @Test(.timeLimit(.minutes(1)), arguments: Stage.allCases)
  func `whoever stops reading ends the request`(stage: Stage) async throws {
    let (ends, ended) = AsyncStream.makeStream(of: Void.self)
    let text = String(repeating: "data: event\n\n", count: 100)
    let url = RequestURL(FlightStand.origin + "/feed")
    let deck = Deck(
      Cassette([Interaction(Request("GET", url), Self.response(text))]),
      scenario: [.always(.always, .stall(afterBodyBytes: 100))],
      options: PlaybackOptions(matcher: .pathAndQuery, then: .repeat),
      observe: { if case .ended = $0 { ended.yield() } }
    )
    try await FlightStand.run(deck, on: stage) { stand in
      for try await event in stand.client.events(of: Endpoint(.get, "/feed")) {
        expectEqual(event.data, "event")
        break
      }
      for await _ in ends { break }
    }
  }

  @Test(arguments: Stage.allCases)
  func `events without ids of their own go on for as long as they come`(stage: Stage) async throws {
    // An id stays in force until the next one (WHATWG HTML §9.2.6).
    let text = "id: 1\ndata: first\n\ndata: next\n\n"
    let events = Array(repeating: ["first", "next"], count: 10).flatMap { $0 }
    let feed = Self.recorded(text, after: "1")
    try await Self.read(feed, on: stage, most: 20, brings: events, requests: 10)
  }

  @Test func `an identifier counts without data, and outlives a connection`() throws {
    var parser = ServerSentEventParser(lastID: "5")
    try expectEqual(parser.take(Data("data: a\n\n".utf8)).map(\.lastID), ["5"])
    try expectEqual(parser.take(Data("id: 7\n\n".utf8)), [])
    expectEqual(parser.lastID, "7")
    // Of an event that is not whole it says nothing.
    try expectEqual(parser.take(Data("id: 8\ndata: b\n".utf8)), [])
    expectEqual(parser.lastID, "7")
  }

  @Test func `an error keeps its content, and what is no feed is refused`() async throws {
    let deck = Deck(
      [
        .get("/no") { _ in
          Response(status: 400, headers: ["Content-Length": "4"], body: Body("none"))
        },
        .get("/page") { _ in
          Response(
            status: 200,
            headers: ["Content-Type": "text/html", "Content-Length": "4"],
            body: Body("page")
          )
        },
      ],
      matcher: .pathAndQuery,
      then: .repeat
    )
    try await FlightStand.run(deck, on: .inProcess) { stand in
      await #expect(throws: NetworkError.server(status: 400, body: Data("none".utf8))) {
        _ = try await stand.client.stream(Endpoint(.get, "/no"))
      }
      await #expect(
        throws: NetworkError.decode(.contentType("text/html", expected: ["text/event-stream"]))
      ) {
        for try await event in stand.client.events(of: Endpoint(.get, "/page")) {
          Issue.record("\(event)")
        }
      }
    }
  }

  @Test func `lines are those of any pieces`() async throws {
    for size in 1...12 {
      let bytes = Array("one\r\n\ntwo\nthree".utf8)
      let pieces = stride(from: 0, to: bytes.count, by: size).map {
        Data(bytes[$0..<min($0 + size, bytes.count)])
      }
      let answer = StreamedResponse(
        status: 200,
        pieces: AsyncThrowingStream { stream in
          for piece in pieces { stream.yield(piece) }
          stream.finish()
        }
      )
      let lines = try await answer.lines.reduce(into: []) { $0.append($1) }
      expectEqual(lines, ["one", "", "two", "three"])
    }
  }
}
