import Foundation
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5))) struct HelpTests {
  @Test(arguments: [
    ["--help"], ["drill", "--help"], ["search", "--help"], ["record", "--help"],
    ["serve", "--help"],
    ["proxy", "--help"], ["dns", "--help"],
    ["scenarios", "--help"], ["scenarios", "list", "--help"], ["scenarios", "show", "--help"],
    ["faults", "--help"], ["faults", "list", "--help"], ["faults", "selftest", "--help"],
    ["report", "--help"], ["reproduce", "--help"], ["cassette", "--help"],
    ["cassette", "show", "--help"],
    ["cassette", "convert", "--help"], ["cassette", "explain", "--help"],
    ["cassette", "lint", "--help"], ["cassette", "verify", "--help"],
    ["cassette", "diff", "--help"],
    ["cassette", "merge", "--help"], ["cassette", "split", "--help"],
    ["cassette", "prune", "--help"], ["cassette", "migrate", "--help"],
    ["cassette", "format", "--help"],
    ["presets", "--help"], ["presets", "list", "--help"], ["presets", "show", "--help"],
    ["presets", "import", "--help"], ["model", "--help"],
    ["metrics", "--help"], ["metrics", "list", "--help"], ["help", "--help"],
    ["rules", "--help"], ["rules", "list", "--help"], ["rules", "show", "--help"],
    ["cassette", "review", "--help"],
    ["completions", "--help"], ["check-release", "--help"],
  ])
  func `help says what its golden file says`(words: [String]) async throws {
    let name = (words.dropLast().isEmpty ? ["windtunnel"] : words.dropLast()).joined(separator: "-")
    let run = try await Program.run(words, in: Scratch())
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
    let asked = try await Program.run("help", "cassette", "show", in: scratch)
    let flagged = try await Program.run("cassette", "show", "-h", in: scratch)
    expectEqual(asked, flagged)
    expectEqual(asked.code, 0)
  }

  @Test func `help of a topic is a line for each of its rows`() async throws {
    let scratch = try Scratch()
    let codes = try await Program.run("help", "exit-codes", in: scratch)
    #expect(codes.code == 0 && codes.err == "")
    #expect(codes.out.contains("\n  64   Asked wrongly: "), "\(codes)")
    let variables = try await Program.run("help", "environment", in: scratch)
    #expect(variables.out.contains("\n  WINDTUNNEL_SHARD "), "\(variables)")
    #expect(variables.code == 0 && variables.err == "")
  }

  @Test func `help of what is no command names the nearest`() async throws {
    let scratch = try Scratch()
    let run = try await Program.run("help", "dril", in: scratch)
    #expect(run.code == 64 && run.out == "")
    #expect(run.err.hasPrefix("windtunnel: There is no command \"dril\". Did you mean drill?\n"))
    let page = try await Program.run("help", "--man", "cassette", "shov", in: scratch)
    #expect(page.code == 64 && page.out == "")
    #expect(page.err.contains("Did you mean cassette show?"), "\(page)")
    let group = try await Program.run("help", "--man", "rules", in: scratch)
    expectEqual(
      group,
      Program.Run(
        code: 64,
        out: "",
        err: "windtunnel: rules is no command by itself: write windtunnel help --man rules list "
          + "or windtunnel help --man rules show.\n"
          + "For help: windtunnel help --help\n"
      )
    )
  }

  @Test func `no line of a help text is wider than a hundred columns`() throws {
    let folder = Repository.root.appendingPathComponent("Tests/CommandLineTests/Golden")
    for file in try FileManager.default.contentsOfDirectory(atPath: folder.path) {
      let text = try String(contentsOf: folder.appendingPathComponent(file), encoding: .utf8)
      for line in text.split(separator: "\n") { #expect(line.count <= 100, "\(file): \(line)") }
    }
  }

  @Test func `the version is one line`() async throws {
    let run = try await Program.run("--version", in: Scratch())
    expectEqual(run, Program.Run(code: 0, out: "windtunnel 0.1.0\n", err: ""))
  }

  @Test func `without words the help goes to standard error`() async throws {
    let scratch = try Scratch()
    let run = try await Program.run(in: scratch)
    let help = try await Program.run("--help", in: scratch).out
    expectEqual(run, Program.Run(code: 64, out: "", err: help))
  }
}
