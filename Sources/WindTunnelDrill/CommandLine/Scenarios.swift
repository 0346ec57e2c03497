internal import Foundation
package import WindTunnel

/// Finds scenarios by name or by file.
package enum Scenarios {
  /// The same, and groups by their name.
  package static func findAll(_ text: String, in shipped: [Scenario]) throws -> [Scenario] {
    switch text {
    case "every-push": .everyPush
    case "pre-release": .preRelease
    case "weak-network": .weakNetwork
    default: [try find(text, in: shipped)]
    }
  }

  package static func find(_ text: String, in shipped: [Scenario]) throws -> Scenario {
    if let scenario = shipped.first(where: { $0.name == text }) { return scenario }
    let isFile = text.hasSuffix(".json") || text.contains("/")
    guard isFile else {
      throw Refusal.unknownScenario(text, among: shipped.map(\.name))
    }
    do {
      return try Scenario(contentsOf: URL(filePath: text))
    } catch let error as FormatError {
      throw Refusal.usage("\(error)")
    }
  }
}
