public import Foundation
internal import Symptoms
public import WindTunnel

/// Flies subjects through scenarios and reports how they did.
///
/// Each subject flies in a process of its own, the same executable started once more, so that a
/// crash or a hang of it is a row of the report and not the end of the drill.
public struct Drill: Sendable {
  /// The plan.
  public let plan: DrillPlan
  private let child: ChildProcess

  /// What happens while a drill is flown.
  public enum Progress: Sendable {
    /// A subject has made so many calls of a scenario.
    case calls(scenario: String, subject: String, done: Int, of: Int)
    /// A subject is through with a scenario.
    case finished(scenario: String, subject: String)
  }

  /// Makes a drill whose subjects fly in `executable`, started with `arguments`: there
  /// ``runAsSubject()`` must be called.
  public init(_ plan: DrillPlan, executable: URL, arguments: [String]) throws {
    self.plan = plan
    child = ChildProcess(executable: executable, arguments: arguments)
    let known = Self.subjects.map(\.name)
    for name in plan.subjects where !known.contains(name) {
      throw DrillError.plan(
        "There is no subject \"\(name)\"; there are \(known.joined(separator: ", "))."
      )
    }
    guard !plan.cassette.interactions.isEmpty else {
      throw DrillError.plan("The cassette has no interactions, so there is nothing to call.")
    }
    for scenario in plan.scenarios { _ = try stage(of: scenario) }
  }

  /// The shipped subjects.
  static let subjects: [any Subject] = [NetworkLayerSubject(), URLSessionSubject()]

  /// Makes this process a subject's: it takes its orders from standard input.
  public static func runAsSubject() async -> Never { await SubjectProcess.main(subjects: subjects) }

  /// Where a scenario is flown.
  ///
  /// - Throws: `DrillError.plan` where the asked-for stage cannot carry it.
  func stage(of scenario: Scenario) throws -> Stage {
    let obstacle = Sites.obstacle(to: scenario)
    switch plan.stage {
    case nil: return obstacle == nil ? .onTheWire : .inProcess
    case .inProcess?: return .inProcess
    case .onTheWire?:
      guard let obstacle else { return .onTheWire }
      throw DrillError.plan(
        "Scenario \"\(scenario.name)\" cannot be flown on the wire: \(obstacle). "
          + "Fly it with --stage in-process."
      )
    }
  }

  /// Flies everything and folds what was seen.
  public func fly(progress: @escaping @Sendable (Progress) -> Void = { _ in }) async throws
    -> Report
  {
    let itinerary = Itinerary(plan.cassette, matcher: .pathAndQuery)
    var flown: [Report.Flown] = []
    for scenario in plan.scenarios {
      let stage = try stage(of: scenario)
      var rows: [Report.Row] = []
      for subject in plan.subjects {
        let sortie = Sortie(
          orders: orders(scenario, subject, stage),
          scenario: scenario,
          itinerary: itinerary,
          process: child
        ) { [calls = plan.calls] done in
          progress(.calls(scenario: scenario.name, subject: subject, done: done, of: calls))
        }
        let observations = try await sortie.fly()
        try check(observations, against: scenario)
        rows.append(Report.Row(subject, observations))
        progress(.finished(scenario: scenario.name, subject: subject))
      }
      flown.append(Report.Flown(scenario.name, on: stage, subjects: rows))
    }
    return Report(
      seed: plan.seed,
      decisionHash: storyHash(),
      platformErrors: plan.errors.rawValue,
      environment: Environment.facts(cassette: plan.cassette),
      scenarios: flown
    )
  }

  private func orders(_ scenario: Scenario, _ subject: String, _ stage: Stage) -> Orders {
    Orders(
      subject: subject,
      cassette: plan.cassetteFile?.path,
      scenario: scenario.data(),
      stage: stage.rawValue,
      errors: plan.errors.rawValue,
      seed: plan.seed,
      calls: Array(0..<plan.calls),
      concurrency: plan.concurrency,
      deadlineMilliseconds: Int(plan.deadline.inMilliseconds),
      attemptTimeoutMilliseconds: Int(plan.attemptTimeout.inMilliseconds)
    )
  }

  /// The hash of what every call would meet, computed without traffic.
  public func storyHash() -> String {
    let itinerary = Itinerary(plan.cassette, matcher: .pathAndQuery)
    var story = Story()
    for scenario in plan.scenarios {
      for call in 0..<plan.calls {
        story.tell(
          scenario,
          seed: plan.seed,
          lane: Itinerary.lane(scenario.name, call),
          request: itinerary.request(of: call),
          matcher: .pathAndQuery
        )
      }
    }
    return story.hash
  }

  /// Every decision that was fired must be one that the story tells.
  private func check(_ observations: [Observation], against scenario: Scenario) throws {
    for observation in observations {
      for attempt in observation.attempts where !tells(attempt.decision, scenario) {
        throw DrillError.harness(
          "call \(observation.call) met a decision that is not in the story: \(attempt.decision)"
        )
      }
    }
  }

  private func tells(_ line: String, _ scenario: Scenario) -> Bool {
    let parts = line.split(separator: "\t", omittingEmptySubsequences: false)
    guard parts.count == 4, let ordinal = Int(parts[2]) else { return false }
    let lane = Lane(String(parts[0]))
    if parts[1] == Decision.connectionKey {
      return scenario.decideConnection(seed: plan.seed, lane: lane, ordinal: ordinal).line == line
    }
    let words = parts[1].split(separator: " ", maxSplits: 1).map(String.init)
    guard words.count == 2 else { return false }
    let request = Request(words[0], RequestURL(words[1]))
    let key = Matcher.pathAndQuery.key(request)
    return scenario.decide(request, key: key, seed: plan.seed, lane: lane, ordinal: ordinal).line
      == line
  }
}
