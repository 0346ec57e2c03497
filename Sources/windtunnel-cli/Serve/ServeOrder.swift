internal import Foundation
internal import WindTunnel
internal import WindTunnelCommandLine

/// The files that `serve` plays from.
struct ServeOrder {
  let cassette: URL
  let rules: URL?
  /// The scenario's file; `nil` where there is none or a shipped one is meant.
  let weather: URL?
  private let scenarioName: String?
  private let speaksTLS: Bool

  init(_ arguments: Arguments) throws {
    cassette = URL(
      filePath: try arguments.required("--cassette", orOperand: "what should be played")
    )
    speaksTLS = arguments.has("--tls")
    rules = try arguments.value(MatchFlag.name).map { URL(filePath: $0) }
    scenarioName = try arguments.value("--scenario")
    let shipped = try Shipped.scenarios()
    weather = scenarioName.flatMap { name in
      shipped.contains { $0.name == name } ? nil : URL(filePath: name)
    }
  }

  func loadCassette() throws -> Cassette { try CassetteFile.read(cassette) }

  func matcher() throws -> Matcher {
    guard let rules else { return .pathAndQuery }
    return try MatchFlag.matcher(rules, over: .pathAndQuery)
  }

  func scenario() throws -> Scenario {
    guard let scenarioName else { return .calm }
    let scenario = try Scenarios.find(scenarioName, in: try Shipped.scenarios())
    if let refusal = refusal(of: scenario) { throw refusal }
    return scenario
  }

  /// Why a scenario cannot be flown at one port.
  func refusal(of scenario: Scenario) -> Refusal? { Self.refusal(of: scenario, byTLS: speaksTLS) }

  /// Why a scenario cannot be taken by a port that is open.
  func refusal(ofNext scenario: Scenario) -> Refusal? {
    scenario.losesSYNs ? .lostSYNsLater(scenario.name) : refusal(of: scenario)
  }

  private static func refusal(of scenario: Scenario, byTLS speaksTLS: Bool) -> Refusal? {
    for rule in scenario.rules {
      for case .connection(let fault) in rule.faults {
        guard rule.isForConnections else { return .connectionFaults(of: scenario.name) }
        switch fault {
        case .offline, .refused, .hostNotFound: return .connectionFaults(of: scenario.name)
        case .connectTimeout where rule.trigger != .always || rule.faults.count > 1:
          return .someTimeouts(of: scenario.name)
        case .tls where !speaksTLS: return .handshakes(of: scenario.name)
        case .tls, .connectTimeout, .lostSYNs: break
        }
      }
    }
    return nil
  }
}
