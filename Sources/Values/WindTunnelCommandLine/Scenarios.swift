internal import Foundation
package import WindTunnel

/// The look-up of scenarios by name or by file.
package enum Scenarios {
  /// Returns the same, and groups by their name.
  package static func findAll(_ text: String, in shipped: [Scenario]) throws -> [Scenario] {
    try group(text) ?? [find(text, in: shipped, groups: groups)]
  }

  /// The names of the groups, the smallest first.
  package static let groups = ["every-push", "weak-network", "default-drill", "pre-release"]

  /// Returns the scenarios of a group; `nil` where there is none of that name.
  package static func group(_ name: String) -> [Scenario]? {
    switch name {
    case "every-push": .everyPush
    case "weak-network": .weakNetwork
    case "default-drill": .defaultDrill
    case "pre-release": .preRelease
    default: nil
    }
  }

  /// Returns the scenario of a name or in a file. Where one of them is wanted, a group is named as
  /// what it is.
  package static func find(
    _ text: String,
    in shipped: [Scenario],
    groups: [String] = []
  ) throws -> Scenario {
    if let scenario = shipped.first(where: { $0.name == text }) { return scenario }
    let isFile = text.hasSuffix(".json") || text.contains("/")
    guard isFile else {
      if groups.isEmpty, Self.groups.contains(text) { throw Refusal.groupOfScenarios(text) }
      throw Refusal.unknownScenario(text, among: shipped.map(\.name), groups: groups)
    }
    do {
      let scenario = try Scenario(contentsOf: URL(typed: text))
      complain(of: scenario, as: text)
      return scenario
    } catch let error as FormatError {
      throw Refusal.usage("\(error)")
    }
  }

  /// Reports the keys of a scenario that are kept and have no effect yet.
  package static func complain(of scenario: Scenario, as name: String) {
    if let sentence = scenario.notPlayed { Terminal.complain("\(name): \(sentence).\n") }
  }
}
