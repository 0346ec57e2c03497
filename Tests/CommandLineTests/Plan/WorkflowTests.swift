import TestSupport

@testable import windtunnel_cli

/// The files of `init --ci` do what they say, run by a shell in a folder of a team.
@Suite(
  .timeLimit(.minutes(5)),
  .enabled(if: Companion.find("curl") != nil && Companion.find("bash") != nil, "No curl or bash.")
)
struct WorkflowTests {
  /// Returns a folder with a plan of this client and a workflow, both written by `init`.
  private static func team(_ ci: Workflow, client: [String]) async throws -> Scratch {
    let scratch = try Scratch()
    try scratch.write(Texts.cassette, to: "api.json")
    let words = ["init", "--from", "api.json", "--ci", ci.rawValue, "--"] + client
    let run = await Program.runHere(words, in: scratch)
    #expect(run.code == 0 && run.out.contains("\n\(ci.path): "), "\(run)")
    // A short run.
    let plan = try scratch.text("windtunnel.json")
    try scratch.write(
      plan.replacing(#""default-drill""#, with: #""calm", "server-errors""#)
        .replacing(#""seed": 1"#, with: #""seed": 1, "calls": 6"#),
      to: "windtunnel.json"
    )
    return scratch
  }

  /// The commands of a workflow: the block behind `run: |` or `- |`, without its indentation.
  private static func commands(_ ci: Workflow, in scratch: Scratch) throws -> String {
    let lines = try scratch.text(ci.path).split(separator: "\n", omittingEmptySubsequences: false)
    let start = try #require(lines.firstIndex { $0.hasSuffix("run: |") || $0.hasSuffix("- |") })
    func indent(_ line: Substring) -> Int { line.prefix { $0 == " " }.count }
    let block = lines[(start + 1)...].prefix { indent($0) > indent(lines[start]) }
    let width = block.first.map(indent) ?? 0
    return block.map { $0.dropFirst(width) }.joined(separator: "\n") + "\n"
  }

  private static func run(
    _ ci: Workflow,
    in scratch: Scratch,
    with environment: [String: String]
  ) async throws -> Program.Run {
    var environment = environment
    environment["GITHUB_STEP_SUMMARY"] = scratch.file("summary.md").path
    guard ci != .shell else {
      // From another folder, as a CI may.
      let script = scratch.file(ci.path).path
      return try await Scratch().run([script], with: environment, isTool: false)
    }
    let words = ["/usr/bin/env", "bash", "-e", "-c", try commands(ci, in: scratch)]
    return try await scratch.run(words, with: environment, isTool: false)
  }

  private static let files = [".gitignore", "drill.html", "drill.json", "drill.md", "drill.xml"]

  @Test(arguments: Workflow.allCases)
  func `a careful client passes, a careless one fails, and each has its reports`(
    ci: Workflow
  ) async throws {
    let tool = ["WINDTUNNEL": try Program.executable().path]
    let careful = ["curl", "-sf", "--max-time", "5", "{url}"]
    for (code, client) in [(Int32(0), careful), (99, ["curl", "-s", "{url}"])] {
      let scratch = try await Self.team(ci, client: client)
      try await Self.run(ci, in: scratch, with: tool).exits(code)
      try expectEqual(scratch.names(in: "windtunnel-report"), Self.files)
      try expectEqual(scratch.text("summary.md"), scratch.text("windtunnel-report/drill.md"))
    }
  }

  @Test(arguments: Workflow.allCases)
  func `the tool is found on PATH, and its absence is said`(ci: Workflow) async throws {
    let scratch = try await Self.team(ci, client: ["curl", "-sf", "--max-time", "5", "{url}"])
    let folder = try Program.executable().deletingLastPathComponent().path
    let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
    try await Self.run(ci, in: scratch, with: ["PATH": "\(folder):\(path)"]).exits(0)
    let missing = try await Self.run(ci, in: scratch, with: ["WINDTUNNEL": "no-such-tool"])
    let sentence = "no-such-tool is not in PATH. Set WINDTUNNEL to the program.\n"
    expectEqual(missing, Program.Run(code: 69, out: "", err: sentence))
  }

  /// A reader of YAML sees the commands that the test runs.
  @Test(arguments: [Workflow.github, .gitlab])
  func `the file is YAML`(ci: Workflow) async throws {
    let scratch = try await Self.team(ci, client: ["true"])
    let script = """
      import sys, yaml
      job = yaml.safe_load(open(sys.argv[1]))
      steps = job["jobs"]["drill"]["steps"] if "jobs" in job else job["windtunnel"]["script"]
      print("".join(step.get("run", "") if isinstance(step, dict) else step for step in steps), end="")
      """
    let words = ["/usr/bin/env", "python3", "-c", script, ci.path]
    let run = try await scratch.run(words, isTool: false)
    if run.code != 0, run.err.contains("ModuleNotFoundError") || run.err.contains("python3") {
      try Test.cancel("python3 with yaml is not here")
    }
    try expectEqual(run, Program.Run(code: 0, out: Self.commands(ci, in: scratch), err: ""))
  }
}
