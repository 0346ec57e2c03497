internal import Foundation
internal import WindTunnel
internal import WindTunnelDrill

/// The files that `serve` plays from.
struct ServeOrder {
  let cassette: URL
  let rules: URL?
  /// The scenario's file; `nil` where there is none or a shipped one is meant.
  let weather: URL?
  private let scenarioName: String?

  init(_ arguments: Arguments) throws {
    cassette = URL(filePath: try arguments.required("--cassette", "what should be played"))
    rules = try arguments.value("--match").map { URL(filePath: $0) }
    scenarioName = try arguments.value("--scenario")
    let shipped = try DrillPlan().scenarios
    weather = scenarioName.flatMap { name in
      shipped.contains { $0.name == name } ? nil : URL(filePath: name)
    }
  }

  func tape() throws -> Cassette { try Cassette(contentsOf: cassette) }

  func matcher() throws -> Matcher {
    guard let rules else { return .pathAndQuery }
    do {
      return try Matcher(contentsOf: rules, over: .pathAndQuery)
    } catch let error as FormatError {
      throw Refusal.usage("\(error)")
    }
  }

  func scenario() throws -> Scenario {
    guard let scenarioName else { return .calm }
    let scenario = try Scenarios.find(scenarioName, in: try DrillPlan().scenarios)
    if let refusal = Self.refusal(of: scenario) { throw refusal }
    return scenario
  }

  /// Why a scenario cannot be flown at one port.
  static func refusal(of scenario: Scenario) -> Refusal? {
    scenario.hasConnectionFaults ? .connectionFaults(of: scenario.name) : nil
  }
}
