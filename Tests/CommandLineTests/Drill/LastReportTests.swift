import TestSupport
import WindTunnelReports

/// The report of the last drill, which a printed command reads.
@Suite struct LastReportTests {
  private static let drill = line(
    "drill --scenario captive-portal --subject urlsession --stage in-process"
  )

  @Test func `every drill keeps its last report, and the printed command repeats a call`()
    async throws
  {
    let scratch = try Scratch()
    let run = try await scratch.run(Self.drill).exits(99)
    try expectEqual(scratch.text(".windtunnel/.gitignore"), "*\n")
    let report = try Report(contentsOf: scratch.file(".windtunnel/last.json"))
    expectEqual(report.verdict.line, "FAILED (99): 1 error")
    let line = try #require(run.out.split(separator: "\n").first { $0.contains("again: ") })
    let words = line.trimmingCharacters(in: .whitespaces).split(separator: " ").map(String.init)
    expectEqual(
      words,
      ["again:", "windtunnel", "drill", "--again", ".windtunnel/last.json#captive-portal/home/0"]
    )
    let again = try await scratch.run(Array(words.dropFirst(2)))
    #expect(again.out.contains(" ms: succeeded; before: succeeded\n"), "\(again)")
    // A further drill takes its place, and a command that repeats a call does not.
    _ = try await scratch.run(Self.drill + ["--seed", "9"])
    try expectEqual(Report(contentsOf: scratch.file(".windtunnel/last.json")).seed, 9)
  }

  @Test(.referenceClient) func `a second judged client is repeated by its name`() async throws {
    let run = try await Scratch().run("drill --scenario recovery")
    let lines = run.out.split(separator: "\n").filter { $0.contains("again: ") }
    #expect(lines.contains { $0.hasSuffix(" --subject network-layer") }, "\(run.out)")
  }

  @Test(arguments: [".windtunnel", ".windtunnel/last.json", ".windtunnel/.gitignore"])
  func `a link is left alone, and the drill says so`(link: String) async throws {
    let (scratch, other) = (try Scratch(), try Scratch())
    let place = scratch.file(link)
    try FileManager.default.createDirectory(
      at: place.deletingLastPathComponent(),
      withIntermediateDirectories: true
    )
    let target = link == ".windtunnel" ? other.folder : other.file("target")
    try FileManager.default.createSymbolicLink(at: place, withDestinationURL: target)
    let run = try await scratch.run(Self.drill).exits(99)
    expectEqual(
      run.err,
      "windtunnel: the last report was not stored: .windtunnel/last.json cannot be written: "
        + "\(place.lastPathComponent) is a link.\n"
    )
    try expectEqual(other.names(), [])
    // The command names no file that is not there.
    let again = "    again: windtunnel drill --again REPORT.json#captive-portal/home/0\n"
    #expect(run.out.contains(again))
  }

  /// Work of the bare session outlives its run in virtual time, and sees the machine's clock.
  @Test func `many slow calls in virtual time end with a verdict`() async throws {
    let run = try await Scratch().run("drill --scenario slow-bytes --calls 60")
    #expect([0, 97].contains(run.code), "\(run)")
    expectEqual(run.out.split(separator: "\n").last?.contains("1 warning"), run.code == 0)
  }
}
