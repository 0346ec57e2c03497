@_spi(WindTunnel) internal import WindTunnelCore

/// The virtual time of a drill, and the scenarios that ran in real time.
final class WorldLog: Sendable {
  private struct State {
    var virtual = Duration.zero
    var real: [String: String] = [:]
  }

  private let state = Locked(State())

  /// Adds the virtual time of a scenario.
  func note(_ virtual: Duration) { state.withLock { $0.virtual += virtual } }

  /// Adds a scenario that ran in real time, with the reason as a clause.
  func note(_ scenario: Scenario, wasReal reason: String) {
    state.withLock { $0.real[scenario.name] = reason }
  }

  /// The name of the fact with the seconds of virtual time.
  static let seconds = "virtualSeconds"

  /// Returns the facts of a report; empty for a run in real time.
  func facts(in plan: DrillPlan) -> [Report.Fact] {
    guard plan.isInWorlds else { return [] }
    let state = state.withLock { $0 }
    let real = plan.scenarios.compactMap { scenario in
      state.real[scenario.name].map { "\(scenario.name): \($0)" }
    }
    let seconds = JSON.number(state.virtual.inMilliseconds / 1000, places: 3)
    return [Report.Fact(Self.seconds, "\(seconds)")]
      + (real.isEmpty ? [] : [Report.Fact(Report.inRealTime, real.joined(separator: "; "))])
  }
}
