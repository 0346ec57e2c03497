internal import Foundation
package import WindTunnel

/// The look-up of scenarios by name or file.
package enum Scenarios {
  /// Returns the scenarios of a group, or the scenario with a name or in a file.
  package static func findAll(_ text: String, in shipped: [Scenario]) throws -> [Scenario] {
    try group(text) ?? [find(text, in: shipped, groups: groups)]
  }

  private static let table: KeyValuePairs<String, @Sendable () -> [Scenario]> = [
    "every-push": { .everyPush }, "weak-network": { .weakNetwork },
    "default-drill": { .defaultDrill }, "pre-release": { .preRelease },
  ]

  /// The names of the groups, the smallest first.
  package static let groups = table.map(\.key)

  /// Returns the scenarios of a group; `nil` if no group has this name.
  package static func group(_ name: String) -> [Scenario]? {
    table.first { $0.key == name }?.value()
  }

  /// Returns the scenario with a name or in a file. If groups are not accepted, the name of a group
  /// is an error of its own.
  package static func find(
    _ text: String,
    in shipped: [Scenario],
    groups: [String] = []
  ) throws -> Scenario {
    if let scenario = shipped.first(where: { $0.name == text }) { return scenario }
    let isFile = text.hasSuffix(".json") || text.contains("/")
    guard isFile else {
      if groups.isEmpty, Self.groups.contains(text) {
        throw CommandError.usage(
          "\(text) is a group of scenarios, but one scenario is required; windtunnel scenarios "
            + "show \(text) lists them."
        )
      }
      let names = shipped.map(\.name)
      let isAll = ["all", "every", "*"].contains(text) && groups.contains("pre-release")
      let advice =
        isAll
        ? " Did you mean pre-release, which has all of them?"
        : CommandError.didYouMean(text, among: names + groups)
      throw CommandError.usage(
        "There is no scenario \"\(text)\".\(advice) "
          + "There are \(names.joined(separator: ", ")); a file's name ends in .json."
      )
    }
    do {
      return try Scenario(contentsOf: URL(typed: text))
    } catch let error as FormatError {
      throw CommandError.usage("\(error)")
    }
  }
}
