import TestSupport

@Suite(.timeLimit(.minutes(5))) struct HelpTests {
  @Test(
    .referenceClient,
    arguments: [
      "", "drill", "init", "search", "record", "mutate", "serve", "proxy", "dns",
      "scenarios",
      "scenarios list",
      "scenarios show", "faults", "faults list", "faults selftest", "report", "reproduce",
      "cassette", "cassette show", "cassette convert", "cassette explain", "cassette lint",
      "cassette verify", "cassette diff", "cassette merge", "cassette prune",
      "cassette format", "presets", "presets list", "presets show",
      "model", "metrics", "metrics list", "help", "rules", "rules list", "rules show",
      "cassette review",
      "completions", "check-release",
    ]
  )
  func `help says what its golden file says`(command: String) async throws {
    let words = command.split(separator: " ").map(String.init) + ["--help"]
    let name = (words.dropLast().isEmpty ? ["windtunnel"] : words.dropLast()).joined(separator: "-")
    let run = try await Scratch().run(words)
    let golden = Repository.root.appendingPathComponent("Tests/CommandLineTests/Golden/\(name).txt")
    let text = FileManager.default.contents(atPath: golden.path)
      .map { String(decoding: $0, as: UTF8.self) }
    expectEqual(
      run,
      Program.Run(code: 0, out: text ?? "", err: ""),
      "If this is what is meant: windtunnel \(words.joined(separator: " ")) > Golden/\(name).txt"
    )
  }

  @Test func `help of a command can be asked for from the front`() async throws {
    let scratch = try Scratch()
    let asked = try await scratch.run("help cassette show")
    let flagged = try await scratch.run("cassette show -h")
    expectEqual(asked, flagged)
    expectEqual(asked.code, 0)
  }

  @Test func `help of a topic is a line for each of its rows`() async throws {
    let scratch = try Scratch()
    let codes = try await scratch.run("help exit-codes")
    #expect(codes.code == 0 && codes.err == "")
    #expect(codes.out.contains("\n  64   Invalid usage: "), "\(codes)")
    let variables = try await scratch.run("help environment")
    #expect(variables.out.contains("\n  WINDTUNNEL_SHARD "), "\(variables)")
    #expect(variables.code == 0 && variables.err == "")
  }

  @Test func `no line of a help text is wider than a hundred columns`() throws {
    let folder = Repository.root.appendingPathComponent("Tests/CommandLineTests/Golden")
    for file in try FileManager.default.contentsOfDirectory(atPath: folder.path) {
      let text = try String(contentsOf: folder.appendingPathComponent(file), encoding: .utf8)
      for line in text.split(separator: "\n") { #expect(line.count <= 100, "\(file): \(line)") }
    }
  }

  @Test func `the version is one line`() async throws {
    try await Scratch().expect("--version", out: "windtunnel 0.1.0\n")
  }

  @Test func `without words the help goes to standard error`() async throws {
    let scratch = try Scratch()
    let run = try await scratch.run()
    let help = try await scratch.run("--help").out
    expectEqual(run, Program.Run(code: 64, out: "", err: help))
  }
}
