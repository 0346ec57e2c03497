import TestSupport

@testable import WindTunnel
@testable import WindTunnelServer

/// The stream of a console's events over real sockets, by value.
@Suite(.timeLimit(.minutes(5))) struct ConsoleStreamTests {
  /// The members of lines, segments and counters that are times, or are drawn from them.
  private static let times: Set<String> = [
    "at", "attempt", "firstByte", "gap", "latency", "perSecond", "retries",
  ]

  private static func lines(_ events: [ConsoleEvent]) -> [JSON] {
    events.filter { $0.name == "rows" }.flatMap { $0.data["rows"]?.elements ?? [] }
  }

  @Test func `a visit of three requests in two scenarios is told whole`() async throws {
    try await ConsoleStand.serving { stand in
      _ = try await stand.get("/a")
      let reader = try await ConsoleReader(stand.port)
      func isOver(_ id: Int) -> (ConsoleEvent) -> Bool {
        { event in
          Self.lines([event]).contains { $0["id"]?.intValue == id && $0["ending"] != .null }
        }
      }
      var events = try await reader.events(until: isOver(1))
      _ = try await stand.get("/a")
      events += try await reader.events(until: isOver(2))
      _ = try await stand.ask("PUT /scenario", #"{"name":"rain"}"#)
      _ = try await stand.get("/a")
      events += try await reader.events(until: isOver(3))
      events += try await reader.events {
        $0.name == "counters" && $0.data["requests"] == 3 && $0.data["open"] == 0
      }
      #expect(reader.head.hasPrefix("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n"))
      expectEqual(
        events.first?.data,
        [
          "version": 1, "tool": "serve",
          "can": ["scenario": true, "link": true, "rule": true, "again": true, "keep": true],
          "scenarios": [
            ["name": "calm", "summary": nil], ["name": "rain", "summary": nil],
            ["name": "hail", "summary": nil],
          ],
          "kept": 1, "dropped": 0, "unseen": 0, "rowsPerTick": 200,
        ]
      )
      let names = events.map(\.name)
      #expect(names.prefix(2) == ["hello", "segment"] && names.count { $0 == "hello" } == 1)
      expectEqual(Set(names), ["hello", "segment", "rows", "counters"])
      let rain = Scenario("rain", rules: [.on("GET /a", .always, .status(429))])
      expectEqual(
        events.filter { $0.name == "segment" }.map { $0.data.without(Self.times) },
        [
          [
            "number": 1, "scenario": "calm", "summary": nil,
            "hash": .text(Scenario.calm.hash(seed: 1)), "seed": 1, "link": nil, "rules": [],
          ],
          [
            "number": 2, "scenario": "rain", "summary": nil, "hash": .text(rain.hash(seed: 1)),
            "seed": 1, "link": nil, "rules": ["GET /a: status 429"],
          ],
        ]
      )
      var last: [Int: JSON] = [:]
      for line in Self.lines(events) { last[line["id"]?.intValue ?? 0] = line }
      func line(_ id: Int, _ segment: Int, _ take: String, _ faults: JSON, _ status: Int) -> JSON {
        [
          "id": .number(id), "kind": "request", "segment": .number(segment), "call": nil,
          "client": nil, "method": "GET", "url": "https://api.example.test/a",
          "source": .text(take), "interaction": 1, "ordinal": .number(id), "faults": faults,
          "notDone": [], "status": .number(status), "bytes": .number(status == 200 ? 5 : 23),
          "ending": "whole", "conversation": false,
        ]
      }
      expectEqual(
        last.mapValues { $0.without(Self.times) },
        [
          1: line(1, 1, "recording", [], 200), 2: line(2, 1, "recording", [], 200),
          3: line(3, 2, "withheld", ["status 429"], 429),
        ]
      )
      expectEqual(
        events.last?.data.without(Self.times),
        [
          "requests": 3, "unseen": 0, "answered": 2, "failed": 1, "faulted": 1, "open": 0,
          "bytes": 33,
          "statuses": ["200": 2, "429": 1], "sources": ["recording": 2, "withheld": 1],
          "faults": ["status": 1],
        ]
      )
    }
  }

  /// Lines that take so many bytes that sockets are soon full.
  private struct LongLines: ConsoleBook {
    struct Line: ConsoleSubject {
      let id: Int
      var cost: Int { 10_000 }
      var row: ConsoleRow {
        let url = "https://api.example.test/" + String(repeating: "x", count: 10_000)
        return ConsoleRow(id: id, at: .zero, segment: 1, "GET", url)
      }
      func detail(in scenario: Scenario?) -> [JSON.Member] { [] }
      var request: Request? { nil }
      var interaction: Interaction? { nil }
    }

    var feed = ConsoleFeed<Line>()
    let rules = RedactionRules.standard

    mutating func append(_ count: Int) {
      for _ in 0..<count { feed.append(Line(id: feed.nextID)) }
    }
  }

  /// How many lines a reader was sent, and how many it was told of in sums.
  private struct Told {
    var lines = 0
    var summed = 0
    var all: Int { lines + summed }

    mutating func take(_ event: ConsoleEvent) {
      lines += event.data["rows"]?.elements.count ?? 0
      summed += event.name == "summed" ? event.data["requests"]?.intValue ?? 0 : 0
    }
  }

  @Test(.world) func `a page that does not read is told in sums, and holds nobody up`() async throws
  {
    let (ticks, perTick) = (12, ConsolePort.rowsPerTick)
    let board = ConsoleBoard(LongLines())
    let server = try await ConsoleServer(.serve, board, ConsoleActions(), port: 0)
    let (slow, fast) = (try await ConsoleReader(server.port), try await ConsoleReader(server.port))
    for reader in [slow, fast] { _ = try await reader.events { $0.name == "counters" } }
    var told = Told()
    for tick in 1...ticks {
      board.write { book, _ in book.append(perTick) }
      while told.all < tick * perTick, let event = try await fast.next() { told.take(event) }
    }
    #expect(told.lines == ticks * perTick && told.summed == 0)
    // What is made for the slow one is what its sockets hold, and a tick.
    let made = board.rowsMade - told.lines
    #expect(made < ticks * perTick / 2, "\(made)")
    var late = Told()
    while late.all < ticks * perTick, let event = try await slow.next() { late.take(event) }
    #expect(late.all == ticks * perTick && late.summed > 0 && late.lines <= made + perTick)
    await server.stop()
  }

  @Test func `an unfinished request for events does not occupy a reader's slot`() async throws {
    try await ConsoleStand.serving { stand in
      var clients: [RawClient] = []
      for _ in 1...ConsolePort.readersMax {
        let client = try RawClient(.loopback(port: stand.port))
        await client.send(
          "GET /events HTTP/1.1\r\nHost: localhost\r\nExpect: 100-continue\r\nContent-Length: 5\r\n\r\n"
        )
        // It is told to go on when its head has been dealt with.
        #expect(await client.receive(until: "\r\n\r\n").hasPrefix("HTTP/1.1 100 "))
        clients.append(client)
      }
      #expect(!stand.console.isWatched)
      let reader = try await ConsoleReader(stand.port)
      try await expectEqual(reader.next()?.name, "hello")
      for client in clients { client.close() }
    }
  }
}
