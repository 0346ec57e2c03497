internal import WindTunnel
@_spi(WindTunnel) internal import WindTunnelCore

/// The port of a console, on a loop of its own, independent of the rest of the process.
package final class ConsoleServer: Sendable {
  /// The port on the loopback interface, and on the other address if there is one.
  package let port: Int
  /// Creates the handler of a connection from an address.
  let handler: @Sendable (_ peer: String) -> any RequestHandler
  private let group: EventLoopGroup
  private let listeners: Locked<[BoundListener]>

  /// Opens the port of the console.
  ///
  /// - Parameters:
  ///   - tool: The tool whose console it is.
  ///   - source: The data that the console displays.
  ///   - actions: The actions that a page may perform.
  ///   - port: The port; 0 for any free port.
  ///   - lan: An additional address to listen on, for one device that sends the code.
  /// - Throws: ``ServerError`` if the port cannot be opened.
  package init<Book: ConsoleBook>(
    _ tool: Console.Tool,
    _ source: ConsoleBoard<Book>,
    _ actions: ConsoleActions,
    port: Int,
    lan: (host: String, code: String)? = nil
  ) async throws {
    group = try EventLoopGroup(loops: 1)
    let gate = ConsoleGate(lan)
    let handler: @Sendable (_ peer: String) -> any RequestHandler = { peer in
      ConsoleHandler(tool: tool, source: source, actions: actions, gate: gate, peer: peer)
    }
    // The deck is not used: the console's handler responds to all requests.
    let deck = Deck(Cassette())
    let group = group
    func open(at host: String, _ port: Int) async throws -> BoundListener {
      let most = ConsoleGate.bodyBytesMax
      return try await BoundListener.openOwn(at: host, port, most, group, deck, handler)
    }
    let own = try await open(at: "127.0.0.1", port)
    (self.port, self.handler) = (own.port, handler)
    var all = [own]
    if let lan { all.append(try await open(at: lan.host, own.port)) }
    listeners = Locked(all)
  }

  /// The URL of the page on this machine.
  package var url: String { "http://127.0.0.1:\(port)/" }

  /// Informs open pages of the end, and closes the port.
  package func stop() async {
    let listeners = listeners.exchange([])
    await group.stop(grace: .milliseconds(500)) { for listener in listeners { listener.close() } }
  }
}

extension ConsoleActions {
  /// Creates the actions for a server that plays, records or forwards.
  init(of port: ConsolePort, on deck: Deck, again: (@Sendable (Request) -> Bool)?) {
    self.init()
    self.again = again
    guard !port.scenarios.isEmpty else { return }
    scenarios = port.scenarios
    scenario = { deck.scenario }
    play = { [console = port.console, refusal = port.refusal, swapped = port.swapped] order in
      if let reason = refusal?(order.scenario) { return reason }
      deck.swap(order.scenario, seed: order.seed) { seed in
        swapped?(order.scenario, seed)
        console.begin(order.scenario, seed: seed)
      }
      return nil
    }
  }
}
