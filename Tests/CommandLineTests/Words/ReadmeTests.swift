import TestSupport
import WindTunnelVirtualTime

/// The commands and outputs of README are real ones.
@Suite struct ReadmeTests {
  private static func page() throws -> String { try Repository.text("README.md") }

  /// Virtual time has the same figures on every machine.
  @Test(.referenceClient, .enabled(if: VirtualTime.isSupported, "There is no virtual time."))
  func `the first command prints what README shows, and ends red`() async throws {
    let page = try Self.page()
    let shown = try #require(
      page.firstMatch(of: /<!-- output: drill -->\n```\n([^`]*)```/)?.1.split(separator: "\n…\n")
    )
    #expect(shown.count > 1)
    let run = try await Scratch().run("drill").exits(99)
    // Excerpts in their order.
    var rest = run.out[...]
    for part in shown {
      let lines = part.drop { $0 == "…" || $0 == "\n" }
        .replacing(/\n…?\n?$/, with: "")
      let place = try #require(rest.range(of: lines), "\(lines)\nis not in\n\(run.out)")
      rest = rest[place.upperBound...]
    }
    expectEqual(run.out.split(separator: "\n").last?.hasPrefix("FAILED (99): "), true)
  }

  /// The rows of the table of defects: the program, its command and the rule that it breaks.
  private static let defects = [
    ("wget", "success-without-answer"), ("wget2", "success-on-cut-body"),
    ("php", "success-on-cut-body"), ("ruby", "success-on-cut-body"),
    ("perl", "success-on-cut-body"),
  ]

  @Test(arguments: defects) func `a program of the table has its defect`(
    program: String,
    rule: String
  ) async throws {
    guard Companion.find(program) != nil else { try Test.cancel("\(program) is not here") }
    let row = try #require(
      Self.page().split(separator: "\n").first { $0.contains("| `\(program) ") }
    )
    let command = try #require(row.split(separator: "|").last { $0.contains("{url}") })
      .trimmingCharacters(in: .whitespaces).trimmingCharacters(in: ["`"])
    let scratch = try Scratch()
    let tool = try Program.executable().path
    let line = "'\(tool)' drill --scenario broken-answers --calls 8 --json -- \(command)"
    let run = try await scratch.run(["/bin/sh", "-c", line], isTool: false)
    // Perl's library, for example, is a package of its own: then no call sends a request.
    if run.code == 98, run.out.contains(#""exit 2""#) {
      try Test.cancel("\(program) lacks a library: \(run.err)")
    }
    expectEqual(run.code, 99, "\(run.err)")
    #expect(run.err.contains(" error \(rule): "), "\(run.err)")
  }
}
