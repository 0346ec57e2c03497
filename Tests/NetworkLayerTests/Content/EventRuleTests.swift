import TestSupport
import WindTunnelSymptoms

@testable import WindTunnelNetworkLayer

/// How a feed is read, and how long it is waited for.
@Suite struct EventRuleTests {
  /// A connection that brings a text, lasts for a time and is lost.
  struct Connection: Sendable {
    var text: String
    var lasts = Duration.zero
  }

  /// Makes the connections of a list one by one, and then tells that there are no more events.
  static func feed(_ connections: [Connection], _ time: ManualTime) -> OpenedTransport {
    OpenedTransport { number in
      guard number < connections.count else { return StreamedResponse(ServerResponse(status: 204)) }
      let connection = connections[number]
      let isRead = Locked(false)
      return StreamedResponse(
        status: 200,
        headers: ["Content-Type": "text/event-stream"],
        pieces: AsyncThrowingStream {
          let isFirst = isRead.withLock { isRead in
            defer { isRead = true }
            return !isRead
          }
          if isFirst { return Data(connection.text.utf8) }
          time.advance(by: connection.lasts)
          throw TransportError.failed(.connectionLost, text: "lost")
        }
      )
    }
  }

  /// What came of a feed: its events, the waits between connections, and its error.
  struct End: Equatable {
    var events: [String]
    var waits: [Duration]
    var symptom: Symptom?
    var connections: Int
  }

  private static func milliseconds(_ counts: Int...) -> [Duration] {
    counts.map { .milliseconds($0) }
  }

  func end(
    of connections: [Connection],
    _ rules: AdmissionController.Rules = AdmissionController.Rules()
  ) async throws -> End {
    let time = ManualTime()
    let feed = Self.feed(connections, time)
    let client = NetworkClient(
      builder: RequestBuilder(baseURL: try Fixture.base()),
      policy: RetryPolicy(backoff: Backoff(jitter: .none)),
      transport: feed,
      limits: CallLimits(deadline: nil),
      admission: AdmissionController(rules, time: time),
      time: time
    )
    let over = Duration.seconds(3600)
    async let waits = time.passSleeps(until: over)
    var events: [String] = []
    var symptom: Symptom?
    do {
      for try await event in client.events(of: Endpoint(.get, "/feed")) {
        events.append(event.data)
      }
    } catch {
      symptom = (error as? NetworkError)?.symptom
    }
    // The last of the sleeps is nobody's but this test's.
    try await time.sleep(for: over)
    return End(
      events: events,
      waits: await waits,
      symptom: symptom,
      connections: feed.requests.count
    )
  }

  @Test(arguments: [
    ("", Duration.milliseconds(200)), ("retry: 2000\n", .seconds(2)),
    // Nobody is asked without a pause, whatever he says.
    ("retry: 49\n", .milliseconds(50)), ("retry: 51\n", .milliseconds(51)),
    ("retry: 0\n", .milliseconds(50)),
    // What is not digits alone says nothing.
    ("retry: +2000\n", .milliseconds(200)), ("retry: 2 s\n", .milliseconds(200)),
    ("retry\n", .milliseconds(200)),
  ])
  func `the next connection comes when the server wants it, or the policy`(
    line: String,
    wait: Duration
  ) async throws {
    let end = try await end(of: [Connection(text: "\(line)data: a\n\n")])
    expectEqual(end, End(events: ["a"], waits: [wait], connections: 2))
  }

  @Test(arguments: [(10, true), (9, false)])
  func `a connection that is kept for a while belongs to a feed in which nothing happens`(
    seconds: Int,
    isKept: Bool
  ) async throws {
    let event = Connection(text: "id: 1\ndata: a\n\n")
    let silence = Connection(text: ": hello\n", lasts: .seconds(seconds))
    let end = try await end(of: [event] + Array(repeating: silence, count: 6))
    let waits = Self.milliseconds(200, 200, 200, 200, 200, 200, 200)
    // The first wait is that of the connection with the event, after which the count begins.
    let fewer = Self.milliseconds(200, 400, 800)
    let kept = End(events: ["a"], waits: waits, connections: 8)
    let lost = End(events: ["a"], waits: fewer, symptom: .connectionLost, connections: 4)
    expectEqual(end, isKept ? kept : lost)
  }

  @Test func `a reconnection delay from the server applies until the server sends another`()
    async throws
  {
    let texts = ["retry: 2000\ndata: a\n\n", "data: b\n\n", "retry: 3000\ndata: c\n\n"]
    let end = try await end(of: texts.map { Connection(text: $0) })
    let waits = Self.milliseconds(2000, 2000, 3000)
    expectEqual(end, End(events: ["a", "b", "c"], waits: waits, connections: 4))
  }

  @Test func `a feed's Accept is text/event-stream unless the endpoint sets one`() async throws {
    let fixture = try Fixture([.status(204), .status(204)])
    let feeds = [Endpoint(.get, "/feed"), Endpoint(.get, "/feed", headers: ["accept": "*/*"])]
    for feed in feeds { for try await event in fixture.client.events(of: feed) { _ = event } }
    let asked = fixture.sent("Accept")
    expectEqual(asked, ["text/event-stream", "*/*"])
  }

  @Test func `of all events together there may be any number of bytes`() throws {
    let text = "data: \(String(repeating: "a", count: 600_000))\n\n"
    var parser = ServerSentEventParser()
    let events = try (0..<2).flatMap { _ in try parser.take(Data(text.utf8)) }
    expectEqual(events.map(\.data.utf8.count), [600_000, 600_000])
  }

  @Test func `connections that bring nothing are paid for, but for the first`() async throws {
    let nothing = Array(repeating: Connection(text: ""), count: 9)
    let end = try await end(of: nothing, .init(budget: RetryBudget(share: 0, reserve: 1)))
    let waits = Self.milliseconds(200, 400)
    expectEqual(end, End(events: [], waits: waits, symptom: .connectionLost, connections: 3))
  }

  @Test(arguments: [
    ("data: a\r\ndata: b\r\n\r\ndata: c\r\r", ["a\nb", "c"]),
    ("\u{FEFF}data: a\n\n\u{FEFF}data: b\n\n", ["a"]),
    ("data:a\n\ndata:  b\n\ndata\n\n", ["a", " b", ""]),
    (": a\nid: 1\n\nfield: b\ndata: c:d\n\n", ["c:d"]), ("data: a", []),
  ])
  func `a feed is read line by line, in any pieces`(text: String, events: [String]) throws {
    let bytes = Array(text.utf8)
    for size in 1...bytes.count {
      var parser = ServerSentEventParser()
      var read: [String] = []
      for start in stride(from: 0, to: bytes.count, by: size) {
        let piece = Data(bytes[start..<min(start + size, bytes.count)])
        read += try parser.take(piece).map(\.data)
      }
      expectEqual(read, events)
    }
  }

  @Test func `an identifier with a zero byte is none`() throws {
    var parser = ServerSentEventParser()
    let events = try parser.take(Data("id: 1\ndata: a\n\nid: 2\0\ndata: b\n\nid\ndata: c\n\n".utf8))
    expectEqual(events.map(\.lastID), ["1", "1", ""])
  }
}

extension ManualTime {
  /// Lets each sleep pass up to one of a length, and says how long those before it were.
  fileprivate func passSleeps(until last: Duration) async -> [Duration] {
    var passed: [Duration] = []
    while let duration = await nextSleep() {
      advance(by: duration)
      if duration == last { break }
      passed.append(duration)
    }
    return passed
  }
}
