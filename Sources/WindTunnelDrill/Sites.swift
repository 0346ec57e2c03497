internal import Foundation
internal import Symptoms
internal import WindTunnel

/// Finds the place where a scenario can be flown.
enum Sites {
  /// Why a scenario cannot be flown on the wire, in words; `nil` where it can.
  static func obstacle(to scenario: Scenario) -> String? {
    for rule in scenario.rules {
      for case .connection(let fault) in rule.faults {
        if !rule.isForConnections {
          return "it fails connections by their request, and a connection comes before any request"
        }
        if rule.trigger != .always || rule.faults.count > 1 {
          return "it fails some connections and lets others through, and an address does one or the other"
        }
        if case .tls(let kind) = fault, kind.needsCertificate {
          return "\(kind.rawValue) needs a certificate of the harness's own"
        }
      }
    }
    return nil
  }

  static func site(
    _ stage: Stage,
    _ deck: Deck,
    _ scenario: Scenario,
    _ errors: Symptom.Platform
  ) throws -> any Site {
    switch stage {
    case .inProcess: InProcessSite(deck, errors: errors)
    case .onTheWire: InProcessSite(deck, errors: errors)
    }
  }
}
