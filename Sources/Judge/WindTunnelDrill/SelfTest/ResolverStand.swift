internal import Foundation
internal import WindTunnelServer

/// Probes name resolution by clients in a network of their own, where a scripted name server
/// responds to each query.
enum ResolverStand {
  /// A resolver waits three seconds for a silent name server, twice (resolv.conf(5)). The default
  /// of five seconds would only take longer.
  static let resolverOptions = "timeout:3 attempts:2"
  private static let path = "/n"
  /// The timeout in seconds. It is three times the longest that any resolution takes by itself.
  private static let patience = 20

  /// Probes the examples by `executable`, started with an argument, and by curl, all at once.
  static func rows(
    of examples: [DNSExample],
    by executable: URL,
    _ arguments: [String]
  ) async throws -> [SelfTestRow] {
    if let obstacle = PrivateNetwork.obstacle {
      throw DrillError.plan(
        "this system does not allow a separate network with its own resolv.conf: \(obstacle)"
      )
    }
    let network = try PrivateNetwork()
    let script = DNSScript(examples.flatMap { $0.entries(below: host(of: $0)) })
    let names = try await DNSServer(script, in: network)
    var options = ReplayServer.Options()
    options.network = network
    let deck = Deck([.get(RequestURL(path)) { _ in .text(Body("here")) }])
    let server: ReplayServer
    do { server = try await ReplayServer(deck, options) } catch {
      await names.stop()
      throw error
    }
    let port = server.port
    // A probe does not throw: its errors are in its row.
    let rows = try? await examples.flown(by: examples.count) {
      await row(of: $0, port, network, executable, arguments)
    }
    await server.stop(grace: .zero)
    await names.stop()
    return rows ?? []
  }

  private static func host(of example: DNSExample) -> String { "\(example.faultName).test" }

  /// Each client resolves a name of its own, so that each sends the first query for its name.
  private static func row(
    of example: DNSExample,
    _ port: Int,
    _ network: PrivateNetwork,
    _ executable: URL,
    _ arguments: [String]
  ) async -> SelfTestRow {
    func address(_ client: String) -> String {
      "http://\(client).\(host(of: example)):\(port)\(path)"
    }
    var row = SelfTestRow(.lookUp(example))
    row.asked = example.expectedLookUp.joined(separator: " ")
    async let curl = CurlProbe.look(
      at: address("curl"),
      trusting: nil,
      within: patience,
      in: network
    )
    async let session = SessionProbe.look(
      at: address("session"),
      by: executable,
      arguments,
      within: patience,
      in: network
    )
    let words = arguments + [SessionProbe.lookUpWord, "raw.\(host(of: example))"]
    if let (code, text) = await ProbeProcess.run(executable, words, in: network), code == 0 {
      let raw = text.split(separator: "\n").joined(separator: " ")
      (row.raw, row.looks, row.equalLooks) = (raw, 1, raw == row.asked ? 1 : 0)
    } else {
      row.unseenBy.append("getaddrinfo's process returned no result")
    }
    row.take(curl: await curl)
    row.take(await session)
    return row
  }
}
