import Origins
import TestSupport

@testable import WindTunnel
@testable import WindTunnelServer

/// A server with its console.
struct ConsoleStand {
  let server: ReplayServer
  let console: Console
  let port: Int

  /// Begins to read the events, until a text has come so often.
  func events(until text: String, times: Int = 1) async throws -> String {
    let client = try RawClient(.loopback(port: port))
    defer { client.close() }
    await client.send("GET /events HTTP/1.1\r\nHost: localhost:\(port)\r\n\r\n")
    return await client.receive(until: text, times: times)
  }

  func ask(
    _ line: String,
    _ body: String = "",
    type: String? = "application/json",
    fields: String = ""
  ) async throws -> String {
    let client = try RawClient(.loopback(port: port))
    let typed = type.map { "Content-Type: \($0)\r\n" } ?? ""
    let (bytes, _) = await client.all(
      after:
        "\(line) HTTP/1.1\r\nHost: localhost:\(port)\r\nConnection: close\r\n\(typed)\(fields)"
        + "Content-Length: \(body.utf8.count)\r\n\r\n\(body)"
    )
    return String(decoding: bytes, as: UTF8.self)
  }

  func get(_ path: String, fields: String = "") async throws -> String {
    try await server.answer(
      to:
        "GET \(path) HTTP/1.1\r\nHost: 127.0.0.1:\(server.port)\r\n\(fields)Connection: close\r\n\r\n"
    )
  }

  static let tape = Cassette([
    Interaction(
      Request("GET", "https://api.example.test/a"),
      Response(headers: ["Content-Type": "text/plain"], body: Body("hello"))
    )
  ])

  static func serving(
    _ tape: Cassette = tape,
    _ scenario: Scenario = .calm,
    redacting rules: RedactionRules = .standard,
    _ body: (ConsoleStand) async throws -> Void
  ) async throws {
    let console = Console(.serve, redacting: rules)
    let deck = Deck(
      tape,
      scenario: scenario,
      options: PlaybackOptions(matcher: .pathAndQuery, then: .repeat),
      observe: { console.observe($0) }
    )
    var options = ReplayServer.Options.patient
    var port = ConsolePort(console)
    port.scenarios = [
      .calm, Scenario("rain", rules: [.on("GET /a", .always, .status(429))]),
      Scenario("hail", rules: [.on("GET /a", .always, .connection(.refused))]),
    ]
    port.refusal = {
      $0.hasConnectionFaults ? "Scenario \"\($0.name)\" cannot run here." : nil
    }
    options.console = port
    try await ReplayServer.serving(deck, options) { server in
      let port = try #require(server.consoleURL.flatMap { RequestURL($0).port })
      try await body(ConsoleStand(server: server, console: console, port: port))
    }
  }
}

/// A reader of a console's stream, event by event.
final class ConsoleReader {
  private let client: RawClient
  private var rest: [UInt8] = []
  /// The fields of the answer.
  private(set) var head = ""

  init(_ port: Int) async throws {
    client = try RawClient(.loopback(port: port))
    await client.send("GET /events HTTP/1.1\r\nHost: localhost:\(port)\r\n\r\n")
  }

  deinit { client.close() }

  /// Returns the next event; `nil` behind the last one.
  func next() async throws -> ConsoleEvent? {
    while true {
      guard let block = try await block() else { return nil }
      if block.hasPrefix(":") { continue }
      if head.isEmpty {
        head = block
        continue
      }
      let lines = block.split(separator: "\n", omittingEmptySubsequences: false)
      try #require(lines.count == 2, "\(block.prefix(200))")
      try #require(lines[0].hasPrefix("event: ") && lines[1].hasPrefix("data: "))
      let data = try JSON(parsing: Data(lines[1].dropFirst(6).utf8), source: "event")
      return ConsoleEvent(String(lines[0].dropFirst(7)), data)
    }
  }

  /// Reads until an event is the one, and returns all up to it.
  func events(until isLast: (ConsoleEvent) -> Bool) async throws -> [ConsoleEvent] {
    var events: [ConsoleEvent] = []
    while let event = try await next() {
      events.append(event)
      if isLast(event) { return events }
    }
    Issue.record("the stream ended before: \(events.map(\.name))")
    return events
  }

  /// Returns what stands before the next empty line.
  private func block() async throws -> String? {
    let isHead = head.isEmpty
    let mark = Array((isHead ? "\r\n\r\n" : "\n\n").utf8)
    var looked = 0
    while true {
      if let place = rest[looked...].firstRange(of: mark) {
        let block = String(decoding: rest[..<place.lowerBound], as: UTF8.self)
        rest.removeSubrange(..<place.upperBound)
        return block
      }
      looked = max(0, rest.count - mark.count)
      let socket = client.socket
      let more = await blocking { () -> [UInt8] in
        var buffer = [UInt8](repeating: 0, count: 1 << 18)
        let transfer = buffer.withUnsafeMutableBytes { socket.read(into: $0) }
        guard case .bytes(let count) = transfer else { return [] }
        return Array(buffer[..<count])
      }
      if more.isEmpty { return nil }
      rest += more
    }
  }
}

extension JSON {
  /// The same without members that differ from run to run.
  func without(_ names: Set<String>) -> JSON {
    guard case .object(let members) = self else { return self }
    return .object(members.filter { !names.contains($0.name.value) })
  }
}
