internal import Foundation
internal import WindTunnel
@_spi(WindTunnel) internal import WindTunnelCore

/// The port of a console, on a loop of its own, beside whatever else the process does.
package final class ConsoleServer: Sendable {
  /// The port at the loopback interface, and at the other address where there is one.
  package let port: Int
  private let group: EventLoopGroup
  private let listeners: Locked<[BoundListener]>

  /// Opens the port to pages.
  ///
  /// - Parameters:
  ///   - tool: The tool whose console it is.
  ///   - source: What is shown.
  ///   - actions: What a page may do.
  ///   - port: The port; 0 for any that is free.
  ///   - lan: A further address to listen at, for one device that gives the code.
  /// - Throws: ``ServerError`` where the port cannot be had.
  package init(
    _ tool: Console.Tool,
    _ source: any ConsoleSource,
    _ actions: ConsoleActions,
    port: Int,
    lan: (host: String, code: String)? = nil
  ) async throws {
    group = try EventLoopGroup(loops: 1)
    let gate = ConsoleGate(lan)
    let handler: @Sendable (String) -> any RequestHandler = { peer in
      ConsoleHandler(tool: tool, source: source, actions: actions, gate: gate, peer: peer)
    }
    // No request is played at it.
    let deck = Deck(Cassette())
    let group = group
    func open(at host: String, _ port: Int) async throws -> BoundListener {
      try await BoundListener.openOwn(at: host, port, ConsoleHandler.limits, group, deck, handler)
    }
    let own = try await open(at: "127.0.0.1", port)
    self.port = own.port
    var all = [own]
    if let lan { all.append(try await open(at: lan.host, own.port)) }
    listeners = Locked(all)
  }

  /// The URL of the page on this machine.
  package var url: String { "http://127.0.0.1:\(port)/" }

  /// Tells open pages that the tool ends, and closes the port.
  package func stop() async {
    let listeners = listeners.withLock { listeners in
      defer { listeners = [] }
      return listeners
    }
    await group.stop(grace: .milliseconds(500)) { for listener in listeners { listener.close() } }
  }
}

extension ConsoleActions {
  /// Makes what a page may do to a server that plays, records or passes on.
  init(of port: ConsolePort, on deck: Deck, again: (@Sendable (Request) -> Void)?) {
    self.init()
    self.again = again
    guard !port.scenarios.isEmpty else { return }
    scenarios = port.scenarios
    scenario = { deck.scenario }
    fly = { [console = port.console, refusal = port.refusal, swapped = port.swapped] order in
      if let reason = refusal?(order.scenario) { return reason }
      deck.swap(order.scenario, seed: order.seed) { seed in
        swapped?(order.scenario, seed)
        console.begin(order.scenario, seed: seed)
      }
      return nil
    }
  }
}

/// Requests that a console sends to the server beside it, each once more.
final class ConsoleRepeats: Sendable {
  /// The time for which nothing may move.
  private static let silenceSeconds = 60.0

  private let base: RequestURL
  private let client: HTTPClient
  private let exchanges = Locked<[UUID: HTTPExchange]>([:])

  /// Makes a sender to a server at an address.
  init(to url: String) throws(DialFailure) {
    base = RequestURL(url)
    client = try HTTPClient()
  }

  func send(_ request: Request) {
    var request = request
    (request.url.scheme, request.url.host, request.url.port) = (base.scheme, base.host, base.port)
    request.url.userInfo = nil
    for name in ["Host", "Content-Length", "Connection", "Transfer-Encoding"] {
      request.headers[name] = nil
    }
    let key = UUID()
    let question = HTTPClient.Question(request, silenceSeconds: Self.silenceSeconds)
    let exchange = client.send(question) { [exchanges] event in
      switch event {
      case .end, .unreadable, .failed: exchanges.withLock { $0[key] = nil }
      case .sent, .head, .content: break
      }
    }
    exchanges.withLock { $0[key] = exchange }
  }
}
