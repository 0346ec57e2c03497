public import Foundation
public import Symptoms
public import WindTunnel

/// Everything that a drill is made of: scenarios × subjects × calls.
public struct DrillPlan: Sendable {
  /// What answers.
  public var cassette: Cassette
  /// The cassette's file; `nil`: the shipped one.
  public var cassetteFile: URL?
  /// The weather, one after the other.
  public var scenarios: [Scenario]
  /// The subjects' names; the first is judged, the others are yardsticks.
  public var subjects: [String]
  /// How many calls a subject makes in each scenario.
  public var calls = 60
  /// How many of them at once.
  public var concurrency = 16
  /// How long a call may take.
  public var deadline = Duration.seconds(10)
  /// How long one attempt may stay silent.
  public var attemptTimeout = Duration.seconds(2)
  /// What all draws start from.
  public var seed: UInt64 = 1
  /// Where to fly; `nil`: on the wire where the faults can be made for real, else in process.
  public var stage: Stage?
  /// Whose errors faults surface as in process.
  public var errors = Symptom.Platform.current

  /// The default drill: the shipped cassette and scenarios, the reference client and a bare
  /// `URLSession` beside it.
  public init() throws {
    cassette = try Shipped.cassette()
    scenarios = try Shipped.scenarios()
    subjects = [NetworkLayerSubject().name, URLSessionSubject().name]
  }

  /// How many calls one subject can make in one scenario.
  public static let callsMax = 1_000_000
}

/// Why a drill cannot be flown.
public enum DrillError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The plan asks for something that is not there or cannot be.
  case plan(String)
  /// The harness itself failed.
  case harness(String)

  /// The sentence for a person.
  public var description: String {
    switch self {
    case .plan(let problem): problem
    case .harness(let problem): "The drill failed: \(problem)."
    }
  }
}
