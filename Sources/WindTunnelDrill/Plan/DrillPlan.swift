public import Foundation
public import WindTunnel
public import WindTunnelSymptoms

/// Everything that a drill is made of: scenarios × subjects × calls.
public struct DrillPlan: Sendable {
  /// What answers.
  public var cassette: Cassette
  /// The cassette's file, which may have others beside it; `nil`: it was never in one.
  public var cassetteFile: URL?
  /// The weather, one after the other.
  public var scenarios: [Scenario]
  /// The subjects' names; the first is judged, the others are yardsticks.
  public var subjects: [String]
  /// How many calls a subject makes in each scenario.
  public var calls = 60
  /// Which of those are flown here; `nil`: all.
  public var shard: Shard?
  /// When they begin.
  public var load = Load.standard
  /// What is called how often.
  public var mix = Mix()
  /// The program that the subject `exec` starts for each call, and its arguments; in them `{url}`,
  /// `{base}`, `{method}`, `{body}` and `{call}` stand for the call's own, and `{ca}` for the file of the
  /// authority that issues the run's certificates.
  public var command: [String] = []
  /// How long a call may take.
  public var deadline = Duration.seconds(10)
  /// How long one attempt may stay silent.
  public var attemptTimeout = Duration.seconds(5)
  /// What all draws start from.
  public var seed: UInt64 = 1
  /// Where to fly; `nil`: on the wire where the faults can be made for real, else in process.
  public var stage: Stage?
  /// Whose errors faults surface as in process.
  public var errors = Symptom.Platform.current
  /// Gates for every scenario, beside those of its own.
  public var gates: [Gate] = []

  /// The default drill: the shipped cassette and scenarios, the reference client and a bare
  /// `URLSession` beside it.
  public init() throws {
    cassette = try Shipped.cassette()
    scenarios = try Shipped.scenarios(named: Shipped.drill)
    subjects = [NetworkLayerSubject().name, URLSessionSubject().name]
  }

  /// Which request each call makes.
  var itinerary: Itinerary {
    Itinerary(cassette, mix: asked, seed: seed, matcher: .pathAndQuery)
  }

  /// The mix, without what a program cannot be told to do.
  var asked: Mix {
    let isToldMethod = command.contains { $0.contains("{method}") }
    return Mix(mix.shares, isReadOnly: mix.isReadOnly || !command.isEmpty && !isToldMethod)
  }

  /// The one call that is flown, by itself; `nil`: all. It meets what it met among the others.
  public var onlyCall: Int?

  /// The numbers of the calls that are flown here.
  var numbers: [Int] {
    if let onlyCall { return [onlyCall] }
    return shard?.calls(of: calls) ?? Array(0..<calls)
  }

  /// Tells whether programs begin as often as `calm` shows that this machine can start them, at
  /// most as often as the load says; else the load is fixed.
  var followsCalm = false
  /// The number of programs that this machine starts per second, where `calm` has shown it.
  var shownStarts: Double?
  /// What was asked for among others and cannot be flown.
  var leftOut: [LeftOut] = []
  /// How old the weather is when the first attempt comes; `nil`: it begins with that.
  var elapsed: Duration?

  /// A plan without subjects.
  init(_ cassette: Cassette, in scenarios: [Scenario]) {
    self.cassette = cassette
    self.scenarios = scenarios
    subjects = []
  }

  /// How many calls one subject can make in one scenario.
  public static let callsMax = 1_000_000
  /// The name of the subject that is any program.
  public static let execSubject = "exec"

  /// Refuses what cannot be flown, whoever made it.
  func validate(known: [String]) throws(DrillError) {
    for name in subjects where !known.contains(name) {
      throw .plan("There is no subject \"\(name)\"; there are \(known.joined(separator: ", ")).")
    }
    guard !subjects.isEmpty else { throw .plan("There is no subject to judge.") }
    guard !scenarios.isEmpty else { throw .plan("There is no scenario to fly in.") }
    guard !cassette.interactions.isEmpty else {
      throw .plan("The cassette has no interactions, so there is nothing to call.")
    }
    guard 1...Self.callsMax ~= calls else {
      throw .plan("\(calls) calls: a subject makes 1 to \(Self.callsMax) in a scenario.")
    }
    if let flaw = load.flaw { throw .plan(flaw) }
    if let onlyCall, !(0..<calls).contains(onlyCall) {
      throw .plan("There is no call \(onlyCall) among \(calls), which are counted from 0.")
    }
    guard !itinerary.isEmpty else {
      throw .plan("Nothing on the cassette is left to call: every request has the weight 0.")
    }
    var names: Set<String> = []
    for scenario in scenarios where !names.insert(scenario.name).inserted {
      throw .plan(
        "Two scenarios are called \"\(scenario.name)\", and a report tells them apart by their names."
      )
    }
    try refuseWhatNothingIs()
    guard subjects.contains(Self.execSubject) == !command.isEmpty else {
      throw .plan("The subject exec and the command that it starts belong together.")
    }
    try refuseBodiesOfNoText()
    let longest = Duration.seconds(86_400)
    guard .milliseconds(1)...longest ~= deadline, .milliseconds(1)...longest ~= attemptTimeout
    else {
      throw .plan("A call and an attempt take at least a millisecond and at most a day.")
    }
  }
}

/// Why a drill cannot be flown.
public enum DrillError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The plan asks for something that is not there or cannot be.
  case plan(String)
  /// The harness itself failed.
  case harness(String)

  /// The sentence.
  public var description: String {
    switch self {
    case .plan(let problem): problem
    case .harness(let problem): "The drill failed: \(problem)."
    }
  }
}
