internal import Foundation
internal import WindTunnel
internal import WindTunnelDrill

/// A flight through a proxy: which scenario is flown, and what was seen of it.
///
/// Touched by the terminal and, for what is seen, by the server's thread.
final class ProxyFlight: Sendable {
  private let deck: Deck
  private let scenarios: [Scenario]
  private let log = Locked(ProxyLog())

  init(_ deck: Deck, _ scenarios: [Scenario]) {
    (self.deck, self.scenarios) = (deck, scenarios)
    log.withLock { $0.begin(scenarios[0].name) }
  }

  func note(_ sighting: Sighting) { log.withLock { $0.note(sighting) } }

  /// Notes that another scenario is flown.
  func begin(_ scenario: Scenario) { log.withLock { $0.begin(scenario.name) } }

  func turnAway(_ peer: String) {
    let isNew = log.withLock { log in
      defer { log.turnAway(peer) }
      return !log.turnedAway.contains(peer)
    }
    if isNew { Terminal.complain("\(peer) was turned away.\n") }
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
    ProxyReport(
      log.withLock { $0 },
      seed: seed,
      duration: duration,
      environment: [
        Report.Fact("os", ProcessInfo.processInfo.operatingSystemVersionString),
        Report.Fact("build", Build.isDebug ? "debug" : "release"),
      ]
    )
  }
}
