internal import Foundation
internal import WindTunnel
internal import WindTunnelServer

/// Two origins that are well only half of the time, and never quick.
enum BrownOut {
  private static let scenario: Scenario = [
    .always(.always, .delay(Fault.Spread(.milliseconds(1), through: .milliseconds(5)))),
    .always(.probability(0.5), .status(503)),
  ]

  /// Serves both until the end of the input, and says where they are in one line.
  static func hold() async throws {
    OpenFiles.raise()
    var servers: [ReplayServer] = []
    for seed: UInt64 in 1...2 {
      let body: JSON = ["body": .string(JSON.Text(String(repeating: "x", count: 2_000)))]
      let stub = Stub.get("/wave/{wave}/call/{call}", json: body, then: .repeat)
      let deck = Deck([stub], scenario: scenario, seed: seed, matcher: .pathAndQuery)
      servers.append(try await ReplayServer(deck))
    }
    print(servers.map(\.url).joined(separator: " "))
    fflush(nil)
    while readLine() != nil {}
    for server in servers { await server.stop() }
  }
}
