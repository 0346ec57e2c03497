import TestSupport
import WindTunnelServer

@testable import WindTunnelDrill

/// Subjects that fall in their own ways. They fly in a process of this test program, started again
/// for nothing but the test `a subject's process` below; so no user ever gets them.
enum TestSubjects {
  static let word = "fly-as-test-subject"

  static let all: [any Subject] = [
    Fine(name: "fine"), ExecSubject(),
    Acting(name: "traps-on-3") { if $0.index == 3 { raise(SIGILL) } },
    Acting(name: "leaves-on-3") { if $0.index == 3 { _exit(0) } },
    Acting(name: "stops-on-3") { if $0.index == 3 { raise(SIGSTOP) } },
    Acting(name: "prints") { call in
      // Without a line's end, and with what looks like a message.
      for _ in 0..<50 { print("call \(call.index) \u{1}{\"ended\":", terminator: "") }
      fflush(nil)
    },
    Hanging(),
    Gathering(),
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
      of: all.map { DrillSubject($0) },
      executable: try #require(Bundle.main.executableURL),
      arguments: [
        "--testing-library", "swift-testing", "--filter", "SubjectHost", Self.word,
      ] + (mark.map { [$0.path] } ?? [])
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

  private struct Fine: Subject {
    let name: String
    func run(_ call: DrillCall) async -> CallResult { await URLSessionSubject().run(call) }
  }

  private struct Acting: Subject {
    let name: String
    let act: @Sendable (DrillCall) -> Void

    func run(_ call: DrillCall) async -> CallResult {
      act(call)
      return await URLSessionSubject().run(call)
    }
  }

  private struct Hanging: Subject {
    let name = "never-returns-on-5"
    func run(_ call: DrillCall) async -> CallResult {
      while call.index == 5 {
        // Whoever is never cancelled never comes out of this.
        try? await Task.sleep(for: .seconds(3600))
      }
      return await URLSessionSubject().run(call)
    }
  }

  /// Falls on call 2, in a drill's first process not before three others are in the air with it.
  private struct Gathering: Subject {
    let name = "traps-on-2-in-company"
    private static let crew = Crew()

    func run(_ call: DrillCall) async -> CallResult {
      if Crew.isFirstProcess { await Self.crew.gather(4) }
      if call.index == 2 { raise(SIGILL) }
      return await URLSessionSubject().run(call)
    }
  }

  private actor Crew {
    private var count = 0
    private var waiting: [CheckedContinuation<Void, Never>] = []

    /// Only one process can make the drill's mark.
    static let isFirstProcess = open(CommandLine.arguments.last ?? "", O_CREAT | O_EXCL, 0o600) >= 0

    func gather(_ most: Int) async {
      count += 1
      if count < most { return await withCheckedContinuation { waiting.append($0) } }
      for one in waiting { one.resume() }
      waiting = []
    }
  }
}

@Suite struct SubjectHost {
  @Test(.enabled(if: CommandLine.arguments.contains(TestSubjects.word)))
  func `a subject's process`() async {
    await ProcessDrill.runAsSubject(of: TestSubjects.all.map { DrillSubject($0) })
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
