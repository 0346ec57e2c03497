import Foundation
import Origins
import Testing

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
    await client.send(
      "\(line) HTTP/1.1\r\nHost: localhost:\(port)\r\nConnection: close\r\n\(typed)\(fields)"
        + "Content-Length: \(body.utf8.count)\r\n\r\n\(body)"
    )
    let (bytes, _) = await client.receiveAll()
    client.close()
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
    _ body: (ConsoleStand) async throws -> Void
  ) async throws {
    let console = Console(.serve)
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
      $0.hasConnectionFaults ? "Scenario \"\($0.name)\" cannot be flown here." : nil
    }
    options.console = port
    try await ReplayServer.serving(deck, options) { server in
      let port = try #require(server.consoleURL.flatMap { RequestURL($0).port })
      try await body(ConsoleStand(server: server, console: console, port: port))
    }
  }
}
