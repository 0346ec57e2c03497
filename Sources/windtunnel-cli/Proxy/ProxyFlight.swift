internal import Foundation
internal import WindTunnel
internal import WindTunnelCommandLine
internal import WindTunnelDrill
internal import WindTunnelServer

/// A flight through a proxy: which scenario is flown, and what was seen of it.
///
/// Touched by the terminal and, for what is seen, by the server's thread.
final class ProxyFlight: Sendable {
  private let deck: Deck
  private let scenarios: [Scenario]
  private let log = Locked(ProxyLog())
  private let peers = Locked(PeersSeen())

  init(_ deck: Deck, _ scenarios: [Scenario]) {
    (self.deck, self.scenarios) = (deck, scenarios)
    log.withLock { $0.begin(scenarios[0].name) }
  }

  func note(_ sighting: Sighting) { log.withLock { $0.note(sighting) } }

  /// Notes that another scenario is flown.
  func begin(_ scenario: Scenario) { log.withLock { $0.begin(scenario.name) } }

  /// Notes what became of a peer, and says what is new of it.
  func note(_ event: PeerEvent) {
    guard let line = peers.withLock({ $0.note(event) }) else { return }
    Terminal.complain("\(line)\n")
  }

  /// Does what was asked for; false where that is to end.
  func take(_ event: ProxyEnds.Event) -> Bool {
    let name = deck.scenario.name
    switch event {
    case .key("n"):
      let place = scenarios.firstIndex { $0.name == name } ?? 0
      let next = scenarios[(place + 1) % scenarios.count]
      deck.swap(next)
      log.withLock { $0.begin(next.name) }
      Terminal.complain("\(next.name)\(next.summary.map { ": \($0)" } ?? "")\n")
    case .key("o"): mark(.shown, in: name)
    case .key("b"): mark(.blank, in: name)
    case .key("q"), .interrupted: return false
    case .timeUp:
      Terminal.complain("The time is up.\n")
      return false
    case .key: break
    }
    return true
  }

  private func mark(_ mark: ProxyLog.Mark, in scenario: String) {
    let count = log.withLock { log in
      log.note(mark, in: scenario)
      return log.marks.count { $0.scenario == scenario && $0.mark == mark }
    }
    Terminal.complain("\(scenario): \(mark == .shown ? "shown" : "blank page") × \(count)\n")
  }

  func report(seed: UInt64, duration: Duration) -> ProxyReport {
    var log = log.withLock { $0 }
    for peer in peers.withLock({ $0.turnedAway }) { log.turnAway(peer) }
    return ProxyReport(
      log,
      seed: seed,
      duration: duration,
      environment: [
        Report.Fact("os", ProcessInfo.processInfo.operatingSystemVersionString),
        Report.Fact("build", Build.isDebug ? "debug" : "release"),
      ]
    )
  }
}

/// A record of what has become of the peers of a proxy.
private struct PeersSeen {
  /// The addresses of those that were turned away and have not given the code since.
  private(set) var turnedAway: Set<String> = []
  private var told: Set<String> = []

  /// So many are kept, and so many lines are said: a crowd of them fills no terminal.
  private static let (peersMax, linesMax) = (1000, 200)

  /// Returns what is to be said, where it has not been said before.
  mutating func note(_ event: PeerEvent) -> String? {
    let line: String
    switch event {
    case .turnedAway(let peer):
      if turnedAway.count < Self.peersMax { turnedAway.insert(peer) }
      line = "\(peer) was turned away."
    case .admitted(let peer):
      turnedAway.remove(peer)
      line = "\(peer) gave the code and is served."
    case .codeUsedUp(let count):
      line =
        "\(count) wrong codes were given, and no code is taken any more. To serve another device, "
        + "start again, or with --client and its address."
    case .notConnected(let peer, let refusal):
      line = "\(peer) was not connected: \(refusal)"
    }
    guard told.count < Self.linesMax, told.insert(line).inserted else { return nil }
    return line
  }
}
