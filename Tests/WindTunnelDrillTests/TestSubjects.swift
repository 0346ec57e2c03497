import TestSupport
import WindTunnelServer

@testable import WindTunnelDrill

/// Subjects that fall in their own ways. `host-drill` has them: a process of this test program takes
/// a quarter of a second to find that it has but one test to run.
enum TestSubjects {
  private static let names = [
    "fine", "traps-on-3", "leaves-on-3", "stops-on-3", "prints", "never-returns-on-5",
    "traps-on-2-in-company",
  ]

  /// Whether this machine can issue certificates. The reason for which it cannot does not matter.
  static let hasAuthority = (try? CertificateAuthority()) != nil

  /// Where a drill's first process leaves its mark.
  static func mark() -> URL {
    FileManager.default.temporaryDirectory.appending(path: "wind-tunnel-\(UUID().uuidString)")
  }

  static func drill(
    _ judged: String...,
    mark: URL? = nil,
    edit: (inout DrillPlan) -> Void = { _ in }
  ) throws -> ProcessDrill {
    var plan = try DrillPlan()
    plan.scenarios = [.calm]
    plan.subjects = judged
    plan.calls = 8
    plan.load = .closedLoop(concurrency: 1)
    plan.stage = .inProcess
    edit(&plan)
    return try ProcessDrill(
      plan,
      of: [.program] + names.map { DrillSubject(Named(name: $0)) },
      executable: try #require(Bundle.main.executableURL).deletingLastPathComponent()
        .appending(path: "host-drill"),
      arguments: ["fly-as-test-subject"] + (mark.map { [$0.path] } ?? [])
    )
  }

  /// Runs a program on the wire, and returns its calls.
  static func row(
    of command: [String],
    in scenario: Scenario = .calm,
    calls: Int,
    atOnce: Int = 1,
    seconds: Int? = nil,
    edit: (inout DrillPlan) -> Void = { _ in }
  ) async throws -> Report.Row {
    let drill = try drill(DrillPlan.execSubject) { plan in
      (plan.command, plan.scenarios, plan.calls, plan.stage) = (command, [scenario], calls, nil)
      plan.load = .closedLoop(concurrency: atOnce)
      plan.deadline = seconds.map { .seconds($0) }
      edit(&plan)
    }
    return try #require(try await drill.run().scenarios.first?.subjects.first)
  }

  /// A subject of the other program.
  private struct Named: Subject {
    let name: String
    func run(_ call: DrillCall) async -> CallResult { .bad("runs in host-drill") }
  }
}

extension Drill {
  /// Creates a drill in a closed loop, by default with time for a busy machine.
  init(
    _ tape: Cassette,
    _ scenarios: [Scenario],
    calls: Int,
    atOnce: Int = 1,
    seconds: Int = 600,
    on stage: Stage? = nil
  ) {
    self.init(tape, in: scenarios, calls: calls, load: .closedLoop(concurrency: atOnce))
    (plan.deadline, plan.stage) = (.seconds(seconds), stage)
  }
}

extension Observation.Attempt {
  /// Creates an attempt from the line of its decision and the words of its source.
  init(_ line: String, _ source: String = "recording 1") {
    self.init(decision: .init(line: line), source: .init(words: source))
  }
}

extension Observation {
  /// Creates a call that most tests have, which differs from it in what is given.
  init(
    _ call: Int = 0,
    _ endpoint: String = "GET /home",
    _ ending: CallResult = .succeeded,
    isCritical: Bool = false,
    showed: Bool = true,
    latency: Duration = .zero,
    attempts: Int? = 1
  ) {
    self.init(
      call: call,
      endpoint: endpoint,
      isCritical: isCritical,
      ending: ending,
      showed: showed,
      latency: latency,
      attemptCount: attempts
    )
  }
}

extension Trait where Self == ConditionTrait {
  /// Skips a test on a machine without Python.
  static var python: Self { .enabled(if: ServiceFlight.hasPython, "python3 is not here.") }

  /// Skips a test on a machine without curl.
  static var curl: Self {
    .enabled(if: Executable.find("curl") != nil, "curl is not installed.")
  }
}
