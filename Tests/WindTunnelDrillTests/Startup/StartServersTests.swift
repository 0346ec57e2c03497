import TestSupport
import WindTunnelNetworkLayer
import WindTunnelSymptoms

@testable import WindTunnelDrill

/// The addresses of a start's servers, on each target that there is on the wire.
@Suite(.timeLimit(.minutes(5))) struct StartServersTests {
  /// A server for all calls, ports that are lent, and ports of a call's own.
  static let scenarios: [Scenario] = [
    .calm,
    {
      var stale = Scenario("stale", rules: [.always(.always, .alter(.stale(seconds: 60)))])
      stale.wantsKeptConnections = true
      return stale
    }(),
    Scenario("lost", rules: [.always(.first(1), .connection(.lostSYNs(1)))]),
  ]

  @Test(arguments: TargetsTests.losesSYNs ? scenarios : Array(scenarios.prefix(2)))
  func `each server has an address of its own, where what was recorded at it is played`(
    scenario: Scenario
  ) async throws {
    var cassette = try Shipped.startup()
    let servers = try #require(try RecordedStartup(cassette)).servers
    // The nearest is the call's own, and not the one that most was recorded at.
    for page in 0..<20 {
      let url = RequestURL("https://second.example.test/\(page)")
      cassette.interactions.append(Interaction(Request("GET", url), .text(Body("page"))))
    }
    var options = PlaybackOptions(matcher: .pathAndQuery, then: .repeat)
    options.origin = servers.first
    let deck = Deck(cassette, scenario: scenario, options: options)
    let target = try await Targets.target(.onTheWire, deck, scenario, .current, servers: servers)
    // A port that was given back is lent again.
    for call in 0..<2 {
      let route = try await target.open(Workload.lane(scenario.name, call))
      expectEqual(Set(route.servers.map(\.base)).count, 3)
      expectEqual(route.servers.map(\.origin.absoluteString), servers.map(\.origin))
      expectEqual(route.servers.first?.base, route.baseURL, "the nearest is at the call's own")
      for server in route.servers {
        let url = try #require(URL(string: server.base.absoluteString + "/home"))
        let transport = URLSessionTransport(session: route.session.session)
        try await expectEqual(transport.send(URLRequest(url: url)).status, 200)
      }
      route.close(isHung: false)
    }
    await target.close()
    let played = deck.journal.all.compactMap { entry in
      switch entry.take {
      case .recording(let place), .withheld(let place):
        "\(entry.decision.lane) \(cassette.interactions[place].request.url.host ?? "")"
      default: nil
      }
    }
    let hosts = ["near", "second", "third"].map { "\($0).example.test" }
    expectEqual(played, (0..<2).flatMap { call in hosts.map { "\(scenario.name)/\(call) \($0)" } })
  }
}
