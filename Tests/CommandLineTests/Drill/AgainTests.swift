import TestSupport

/// `drill --again`.
@Suite(.timeLimit(.minutes(5))) struct AgainTests {
  private static let flight =
    line("drill --scenario server-errors --subject urlsession --calls 30 --seed 7")
    + line("--stage in-process --report drill.json")

  @Test func `a failing call is told with the words that run it again, and meets the same`()
    async throws
  {
    let scratch = try Scratch()
    let run = try await scratch.run(Self.flight)
    let lines = run.out.split(separator: "\n").filter { $0.contains("--again") }
    #expect(!lines.isEmpty, "\(run)")
    for line in lines.prefix(3) {
      let word = try #require(line.split(separator: " ").last.map(String.init))
      let again = try await scratch.run("drill --again \(word)").exits(1)
      #expect(again.out.contains(", withheld ") || again.out.contains(", recording "), "\(again)")
      #expect(
        again.out.hasSuffix(
          "  The faults are equal to the report's: 1 of 1 attempts.\n"
        ),
        "\(again)"
      )
      #expect(
        again.out.contains(" ms: failed, status 503; before: failed, status 503\n"),
        "\(again)"
      )
    }
  }

  @Test(arguments: [
    ("drill.json#server-errors/99", "The report has no call 99 of urlsession in server-errors;"),
    ("drill.json#calm/1", "--again calm: there are server-errors."),
  ])
  func `a call that is not there is refused`(word: String, sentence: String) async throws {
    let scratch = try Scratch()
    _ = try await scratch.run(Self.flight)
    let run = try await scratch.run("drill --again \(word)")
    #expect(run.code == 64 && run.out == "", "\(run)")
    #expect(run.err.hasPrefix("windtunnel: \(sentence)"), "\(run)")
  }

  @Test func `another cassette or another scenario is refused`() async throws {
    let scratch = try Scratch()
    let tape =
      #"{"windtunnel":1,"interactions":[{"request":{"url":"http://a.test/x"},"response":{"text":"x"}}]}"#
    try scratch.write(tape, to: "other.json")
    _ = try await scratch.run(Self.flight)
    let words = ["drill", "--again", "drill.json#server-errors/1"]
    let other = try await scratch.run(words + ["--cassette", "other.json"]).exits(64)
    #expect(
      other.err.contains("The report is from another cassette; pass it by --cassette FILE.")
    )
    let calm = try await scratch.run(words + ["--scenario", "calm"]).exits(64)
    #expect(
      calm.err.contains("The report's scenario is server-errors; pass its file by --scenario.")
    )
  }
}
