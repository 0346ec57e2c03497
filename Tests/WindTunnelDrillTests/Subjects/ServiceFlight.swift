import TestSupport

@testable import WindTunnelDrill

/// Calls of a program in Python that lives, in a process of a subject's own.
struct ServiceFlight {
  static let hasPython = Executable.find("python3") != nil

  let command: [String]
  let calls: Int
  let atOnce: Int
  let deadline: Duration

  /// Takes a script, which has `lines`, the calls one by one, and `say`; its arguments are the words.
  init(
    _ script: String,
    _ words: String...,
    calls: Int,
    atOnce: Int = 1,
    deadline: Duration = .seconds(60)
  ) {
    (command, self.calls) = (Self.command(script) + words, calls)
    (self.atOnce, self.deadline) = (atOnce, deadline)
  }

  /// The command of such a script.
  static func command(_ script: String) -> [String] {
    let head = """
      import json, os, signal, sys, time
      lines = (json.loads(text) for text in sys.stdin)
      def say(call, **more):
          print(json.dumps({"call": call, "ok": True} | more), flush=True)

      """
    return ["python3", "-c", head + script]
  }

  func run(in scenario: Scenario = .calm) async throws -> Report.Row {
    try #require(try await run(in: [scenario]).first)
  }

  func run(
    in scenarios: [Scenario],
    progress: @escaping @Sendable (ProcessDrill.Progress) -> Void = { _ in }
  ) async throws -> [Report.Row] {
    let drill = try TestSubjects.drill(DrillPlan.execSubject) { plan in
      (plan.command, plan.scenarios) = (command, scenarios)
      (plan.calls, plan.stage, plan.deadline) = (calls, nil, deadline)
      plan.load = .closedLoop(concurrency: atOnce)
    }
    let report = try await drill.run(progress: progress)
    let rows = try report.scenarios.map { try #require($0.subjects.first) }
    #expect(rows.allSatisfy { $0.client == .service })
    return rows
  }
}
