package import Foundation

/// A request for a scenario that is to be flown from now on: a shipped one by its name, or a whole one.
///
///     { "name": "rate-limited", "seed": 7 }
///     { "windtunnelScenario": 1, "name": "rain", "rules": [ … ] }
package struct ScenarioOrder: Sendable, Hashable {
  package var scenario: Scenario
  /// The seed of draws; `nil`: as before.
  package var seed: UInt64?

  /// Reads an order.
  package init(data: Data, among shipped: [Scenario]) throws(FormatError) {
    let source = "scenario"
    let json = try JSON(parsing: data, source: source)
    if json["windtunnelScenario"] != nil {
      scenario = try Scenario(data: data, source: source)
      return
    }
    var top = try ObjectReader(json, source: source, path: "")
    let name = try top.string("name")
    seed = try top.int("seed", in: 0...Int.max).map { UInt64($0) }
    try top.refuseUnknownKeys()
    guard let name else {
      throw FormatError(
        source: source,
        place: "",
        problem: "neither \"name\" nor \"windtunnelScenario\" stands here"
      )
    }
    let names = shipped.map(\.name)
    guard let found = shipped.first(where: { $0.name == name }) else {
      throw top.error(
        "name",
        "there is no scenario \"\(name)\"",
        remedy: nearest(to: name, in: names).map { "Did you mean \"\($0)\"?" }
          ?? "There are \(names.joined(separator: ", "))."
      )
    }
    scenario = found
  }
}
