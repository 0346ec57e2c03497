import Programs
import TestSupport
import WindTunnelDrill

/// A host's own program: the flags, reports and exit codes of the tool's drill.
@Suite(.timeLimit(.minutes(5))) struct DrillMainTests {
  private static let words = ["--scenario", "server-errors", "--calls", "20", "--rate", "200"]

  private static func run(
    _ words: [String],
    with environment: [String: String] = [:]
  ) async throws -> Tool.End {
    try await Tool.run(words, of: "host-drill", with: environment)
  }

  @Test func `its client is judged beside a yardstick, and a report is written`() async throws {
    let folder = try Folder()
    let (json, page) = (try folder.file("drill.json"), try folder.file("drill.html"))
    let end = try await Self.run(
      Self.words + ["--seed", "7", "--stage", "in-process", "--report", json, "--report", page]
    )
    expectEqual(end.code, 0, "\(end)")
    let report = try Report(contentsOf: URL(filePath: json))
    expectEqual(report.seed, 7)
    expectEqual(report.scenarios.map(\.name), ["server-errors"])
    let rows = try #require(report.scenarios.first).subjects
    expectEqual(rows.map(\.name), ["host", "urlsession"])
    // Neither asks twice, so they meet and make the same.
    expectEqual(rows[0].metrics.successRate, rows[1].metrics.successRate)
    expectEqual(rows[0].metrics.averageRetries, 0)
    #expect(FileManager.default.fileExists(atPath: page))
    // The tool flies the same drill of its own subject.
    let tool = try await Tool.run(
      ["drill", "--subject", "urlsession"] + Self.words
        + ["--seed", "7", "--stage", "in-process", "--json"]
    )
    let twin = try Report(data: Data(tool.answer.utf8), source: "tool")
    expectEqual(twin.decisionHash, report.decisionHash)
    expectEqual(
      twin.scenarios[0].subjects[0].observations.map(\.attempts).map { $0.map(\.decision) },
      rows[1].observations.map(\.attempts).map { $0.map(\.decision) }
    )
  }

  @Test func `a gate that fails is 99 and one that cannot be told is 98`() async throws {
    let failed = try await Self.run(Self.words + ["--gate", "successRate == 1", "--json"])
    expectEqual(failed.code, 99, "\(failed)")
    #expect(failed.complaints.contains("host-drill: server-errors: successRate == 1: failed, got "))
    let open = Self.words + ["--gate", "p99 <= 3600s"]
    try await expectEqual(Self.run(open).code, 98)
    try await expectEqual(Self.run(open + ["--allow-inconclusive"]).code, 0)
  }

  @Test(
    .enabled(
      if: FileManager.default.fileExists(atPath: "/dev/full"),
      "This system has no /dev/full."
    )
  )
  func `what it cannot print is 73 in its own name, and its report is written`() async throws {
    let json = try Folder()
    let file = try json.file("drill.json")
    let program = try #require(Bundle.main.executableURL).deletingLastPathComponent()
      .appending(path: "host-drill").path
    let words = Self.words + ["--stage", "in-process", "--report", file]
    let run = try await StartedProgram.run(
      ["/bin/sh", "-c", "exec \"$0\" \"$@\" > /dev/full", program] + words
    )
    expectEqual(run.code, 73)
    #expect(
      run.err.hasSuffix("host-drill: standard output cannot be written: No space left on device.\n")
    )
    try expectEqual(
      Report(contentsOf: URL(filePath: file)).scenarios.map(\.name),
      ["server-errors"]
    )
  }

  @Test func `a client that crashes is a row and 97, and the other calls are made`() async throws {
    let words = ["--scenario", "calm", "--calls", "8", "--concurrency", "1", "--json"]
    let end = try await Self.run(words, with: ["HOST_FALLS_ON": "3"])
    expectEqual(end.code, 97, "\(end)")
    let report = try Report(data: Data(end.answer.utf8), source: "host")
    let calls = try #require(report.scenarios.first?.subjects.first).observations
    expectEqual(
      calls.map(\.ending),
      (0..<8).map { $0 == 3 ? Observation.CallResult.crashed : .succeeded }
    )
  }

  @Test func `a failing call is told with the host's own words, which run it again`() async throws {
    let folder = try Folder()
    let file = try folder.file("drill.json")
    let words = Self.words + ["--seed", "7", "--stage", "in-process", "--report", file]
    let end = try await Self.run(words)
    let line = try #require(
      end.answer.split(separator: "\n").first { $0.contains(": host-drill --again ") }
    )
    let call = try #require(line.split(separator: " ").last.map(String.init))
    let again = try await Self.run(["--again", call])
    expectEqual(again.code, 1, "\(again)")
    #expect(
      again.answer.hasSuffix(
        "  The faults are equal to the report's: 1 of 1 attempts.\n"
      ),
      "\(again)"
    )
  }

  @Test func `unknown flags and clients are refused in the program's own name, before the run`()
    async throws
  {
    let flag = try await Self.run(["--cals", "3"])
    #expect(flag.code == 64 && flag.answer.isEmpty)
    expectEqual(
      flag.complaints,
      "host-drill: Unknown flag --cals. Did you mean --calls?\nFor help: host-drill --help\n"
    )
    let subject = try await Self.run(["--subject", "network-layer"])
    expectEqual(subject.code, 64)
    #expect(
      subject.complaints.hasPrefix(
        "host-drill: --subject network-layer: there are host, urlsession, exec."
      )
    )
    let help = try await Self.run(["--help"])
    expectEqual(help.code, 0)
    #expect(help.answer.contains("\n  host-drill [--cassette FILE] "))
    #expect(
      help.answer.contains("  Client to judge: host, urlsession or exec; repeat it to compare.")
    )
  }

  @Test func `a report that could not be written is refused before anything flies`() async throws {
    let end = try await Self.run(Self.words + ["--report", "/nowhere/drill.json"])
    expectEqual(end.code, 73)
    #expect(end.answer.isEmpty && !end.complaints.contains("flown"))
  }
}
