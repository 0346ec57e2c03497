import Foundation
import TestSupport
import Testing
import WindTunnelReports

/// The report of the last drill, which a printed command reads.
@Suite struct LastReportTests {
  private static let drill = [
    "drill", "--scenario", "captive-portal", "--subject", "urlsession", "--stage", "in-process",
  ]

  @Test func `every drill keeps its last report, and the printed command repeats a call`()
    async throws
  {
    let scratch = try Scratch()
    let run = try await Program.run(Self.drill, in: scratch)
    expectEqual(run.code, 99)
    try expectEqual(scratch.text(".windtunnel/.gitignore"), "*\n")
    let report = try Report(contentsOf: scratch.file(".windtunnel/last.json"))
    expectEqual(report.verdict.line, "FAILED (99): 1 error")
    let line = try #require(run.out.split(separator: "\n").first { $0.contains("again: ") })
    let words = line.trimmingCharacters(in: .whitespaces).split(separator: " ").map(String.init)
    expectEqual(
      words,
      [
        "again:", "windtunnel", "drill", "--again", ".windtunnel/last.json#captive-portal/home/0",
      ]
    )
    let again = try await Program.run(Array(words.dropFirst(2)), in: scratch)
    #expect(again.out.contains(" ms: succeeded; before: succeeded\n"), "\(again)")
    // A further drill takes its place, and a command that repeats a call does not.
    _ = try await Program.run(Self.drill + ["--seed", "9"], in: scratch)
    try expectEqual(Report(contentsOf: scratch.file(".windtunnel/last.json")).seed, 9)
  }

  @Test func `a second judged client is repeated by its name`() async throws {
    let run = try await Program.run("drill", "--scenario", "recovery", in: Scratch())
    let lines = run.out.split(separator: "\n").filter { $0.contains("again: ") }
    #expect(lines.contains { $0.hasSuffix(" --subject network-layer") }, "\(run.out)")
  }

  @Test func `a folder that leads elsewhere is left alone, and the drill says so`() async throws {
    let (scratch, other) = (try Scratch(), try Scratch())
    try FileManager.default.createSymbolicLink(
      at: scratch.file(".windtunnel"),
      withDestinationURL: other.folder
    )
    let run = try await Program.run(Self.drill, in: scratch)
    expectEqual(run.code, 99)
    expectEqual(
      run.err,
      "windtunnel: the last report was not kept: .windtunnel/last.json cannot be written: "
        + ".windtunnel is a link.\n"
    )
    try expectEqual(FileManager.default.contentsOfDirectory(atPath: other.folder.path), [])
    // The command names no file that is not there.
    #expect(run.out.contains("    again: --again REPORT.json#captive-portal/home/0\n"))
  }
}
