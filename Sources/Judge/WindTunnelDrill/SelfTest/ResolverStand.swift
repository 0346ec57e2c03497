internal import Foundation
internal import WindTunnel
internal import WindTunnelServer

/// Look-ups by clients in a network of their own, where each comes to a scripted name server.
enum ResolverStand {
  /// A name server that says nothing is given up after three seconds, twice: resolv.conf(5). The
  /// default of five makes the same story longer.
  static let resolverOptions = "timeout:3 attempts:2"
  private static let path = "/n"
  /// The longest that any look-up takes by itself is three times that.
  private static let patience = 20

  /// Looks at the examples by `executable`, started with a word, and by curl, all at once.
  static func rows(
    of examples: [DNSExample],
    by executable: URL,
    _ arguments: [String]
  ) async throws -> [SelfTestRow] {
    if let obstacle = PrivateNetwork.obstacle {
      throw DrillError.plan(
        "a network of one's own, with a resolv.conf in it, is not to be had here: \(obstacle)"
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
    var rows: [String: SelfTestRow] = [:]
    await withTaskGroup(of: SelfTestRow.self) { group in
      for example in examples {
        let port = server.port
        group.addTask { await row(of: example, port, network, executable, arguments) }
      }
      for await row in group { rows[row.kind.name] = row }
    }
    await server.stop(grace: .zero)
    await names.stop()
    return examples.compactMap { rows[$0.faultName] }
  }

  private static func host(of example: DNSExample) -> String { "\(example.faultName).test" }

  /// Each client looks for a name of its own, so that each is the first to ask.
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
