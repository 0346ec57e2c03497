import TestSupport

/// The line that a failing call is told with flies it again, typed as it stands.
@Suite(.timeLimit(.minutes(5))) struct ReplayedLineTests {
  private static let same = "  The faults are equal to the report's: "

  /// Runs a printed line by a shell, with the built tool in place of its name.
  private func type(_ line: Substring, in scratch: Scratch) async throws -> Program.Run {
    let command = try #require(line.split(separator: ": windtunnel ", maxSplits: 1).last)
    let tool = try Program.executable().path
    return try await scratch.run(["/bin/sh", "-c", "'\(tool)' \(command)"], isTool: false)
  }

  private func lines(_ words: [String], in scratch: Scratch) async throws -> [Substring] {
    let run = try await scratch.run(["drill"] + words)
    let lines = run.out.split(separator: "\n").filter { $0.contains(" --again ") }
    #expect(!lines.isEmpty, "\(run)")
    return lines
  }

  @Test func `a program's call, by a scenario and a cassette of one's own`() async throws {
    let scratch = try Scratch()
    try scratch.write(Texts.cassette, to: "my tape.json")
    try scratch.write(
      #"{"windtunnelScenario":1,"name":"all | 'quoted' / 503","rules":[{"faults":[{"status":503}]}]}"#,
      to: "weather.json"
    )
    let script = "echo once more >>\"$1\"; exit 7"
    let told = try await lines(
      [
        "--cassette", "my tape.json", "--scenario", "weather.json", "--subject", "exec", "--calls",
        "2", "--timeout", "20s", "--report", "my drill.json", "--", "sh", "-c", script, "sh",
        "my calls.txt", "{url}",
      ],
      in: scratch
    )
    expectEqual(told.count, 1)
    // Neither file is read again.
    try FileManager.default.removeItem(at: scratch.file("weather.json"))
    let again = try await type(told[0], in: scratch).exits(1)
    #expect(again.out.contains(" ms: failed, exit 7; before: failed, exit 7\n"), "\(again)")
    try expectEqual(scratch.text("my calls.txt"), String(repeating: "once more\n", count: 3))
    // Another machine has the report and the tape in one folder.
    let other = try Scratch()
    for name in ["my tape.json", "my drill.json"] {
      try FileManager.default.copyItem(at: scratch.file(name), to: other.file(name))
    }
    try await expectEqual(type(told[0], in: other).code, 1)
    try FileManager.default.removeItem(at: other.file("my tape.json"))
    let gone = try await type(told[0], in: other)
    #expect(gone.code == 66 && gone.out == "", "\(gone)")
    #expect(
      gone.err.hasPrefix(
        "windtunnel: The report is from my tape.json, which does not exist; pass it by "
      ),
      "\(gone)"
    )
  }

  @Test func `a call that came in a time window meets it again`() async throws {
    let scratch = try Scratch()
    try scratch.write(
      #"{"windtunnelScenario":1,"name":"late","rules":[{"when":{"fromMilliseconds":700},"faults":[{"status":503}]}]}"#,
      to: "late.json"
    )
    let told = try await lines(
      line("--scenario late.json --subject urlsession --calls 40 --rate 20")
        + line("--stage in-process --report drill.json"),
      in: scratch
    )
    let again = try await type(try #require(told.last), in: scratch).exits(1)
    #expect(again.out.hasSuffix(Self.same + "1 of 1 attempts.\n"), "\(again)")
  }

  @Test func `a program's secrets are in no report, and it is flown again with them given`()
    async throws
  {
    let scratch = try Scratch()
    let secret = "hunter-2-invented"
    let command = [
      "--", "false", "--token", secret, "-H", "Authorization: Bearer \(secret)x", "{url}",
    ]
    let words = line("--scenario calm --subject exec --calls 1 --report drill.json")
    let told = try await lines(words + command, in: scratch)
    #expect(!(try scratch.text("drill.json")).contains(secret))
    let bare = try await type(told[0], in: scratch)
    #expect(bare.code == 64 && bare.out == "", "\(bare)")
    #expect(
      bare.err.hasPrefix("windtunnel: The report omits the secrets of the command: false ")
    )
    try await type(told[0] + " -- false {url}", in: scratch).exits(1)
  }

  @Test(arguments: [
    ("--seed 4", "--seed cannot be combined with --again, which repeats the call of its report."),
    ("--calls 4", "--calls cannot be combined with --again, which repeats the call of its report."),
    ("--json", "--json cannot be combined with --again, which repeats the call of its report."),
    ("-- true", "A command after -- requires --subject exec."),
  ])
  func `flags that the report already determines are refused`(words: String, sentence: String)
    async throws
  {
    let scratch = try Scratch()
    let flight = ["--scenario", "server-errors", "--subject", "urlsession", "--calls", "30"]
    let told = try await lines(
      flight + ["--seed", "7", "--stage", "in-process", "--report", "drill.json"],
      in: scratch
    )
    let run = try await type(told[0] + " \(words)", in: scratch)
    #expect(run.code == 64 && run.out == "", "\(run)")
    #expect(run.err.hasPrefix("windtunnel: \(sentence)"), "\(run)")
    let number = try #require(told[0].split(separator: "/").last)
    let nope = "drill.json#server-errors/nope/\(number)"
    let wrong = try await scratch.run("drill --again \(nope)")
    #expect(wrong.code == 64 && wrong.out == "", "\(wrong)")
    #expect(wrong.err.hasPrefix("windtunnel: --again: call \(number) is "), "\(wrong)")
    #expect(wrong.err.contains(", not nope."), "\(wrong)")
  }
}
