import Foundation
import TestSupport
import Testing

/// Pages for `man`, as the programs that show them read them.
@Suite(.timeLimit(.minutes(5))) struct ManPageTests {
  /// Writes all pages to a folder `man`; their names, in order.
  private static func pages(in scratch: Scratch) async throws -> [String] {
    let run = try await scratch.run("help --man --to man")
    try #require(run == Program.Run(code: 0, out: "", err: ""))
    return try scratch.names(in: "man")
  }

  @Test func `the tool and each command have a page with all flags of the help`() async throws {
    let scratch = try Scratch()
    let names = try await Self.pages(in: scratch)
    let list = try await scratch.run("help all").out.components(
      separatedBy: "\n\n"
    )[0]
    let commands = list.components(separatedBy: "\n").map { line in
      line.dropFirst(2).components(separatedBy: "  ")[0]
    }
    expectEqual(
      names,
      (["windtunnel.1"]
        + commands.map { "windtunnel-\($0.replacing(" ", with: "-")).1" }).sorted()
    )
    for command in commands {
      let words = command.components(separatedBy: " ")
      let page = try scratch.text("man/windtunnel-\(words.joined(separator: "-")).1")
      try await scratch.expect(["help", "--man"] + words, out: page)
      let help = try await scratch.run(words + ["--help"]).out
      for flag in help.matches(of: /(?m)^  (--[a-z-]+)/).map(\.1) {
        #expect(page.contains("\n.TP\n\\fB\(flag.replacing("-", with: "\\-"))\\fR"), "\(flag)")
      }
    }
  }

  @Test(.enabled(if: Companion.find("groff") != nil, "There is no groff here."))
  func `groff has no warning about a page`() async throws {
    let scratch = try Scratch()
    for name in try await Self.pages(in: scratch) {
      let words = [
        "/usr/bin/env", "groff", "-ww", "-man", "-Kutf8", "-Tutf8", "-P-cbou", "man/\(name)",
      ]
      let run = try await scratch.run(words, isTool: false)
      #expect(run.code == 0 && run.err == "", "\(name): \(run.err)")
      #expect(run.out.contains("EXIT STATUS"), "\(name)")
    }
  }

  @Test(.enabled(if: Companion.find("mandoc") != nil, "There is no mandoc here."))
  func `mandoc has no warning about a page but that it bears no date`() async throws {
    let scratch = try Scratch()
    for name in try await Self.pages(in: scratch) {
      let words = ["/usr/bin/env", "mandoc", "-Tlint", "-Wwarning", "man/\(name)"]
      let run = try await scratch.run(words, isTool: false)
      let lines = (run.out + run.err).components(separatedBy: "\n").filter { !$0.isEmpty }
      expectEqual(lines.filter { !$0.contains("missing date") }, [], "\(name)")
    }
  }

  @Test(.enabled(if: Companion.find("groff") != nil, "There is no groff here."))
  func `dashes and quotes of what is typed stay what they are`() async throws {
    let scratch = try Scratch()
    _ = try await Self.pages(in: scratch)
    let words = [
      "/usr/bin/env", "groff", "-man", "-Kutf8", "-Tutf8", "-P-cbou", "-rLL=200n",
      "man/windtunnel-report.1",
    ]
    let shown = try await scratch.run(words, isTool: false).out
    #expect(
      shown.contains(#"windtunnel report shard-*.json --gate "successRate >= 0.99""#),
      "\(shown)"
    )
  }

  @Test func `a folder for pages that cannot be made ends with 73`() async throws {
    let scratch = try Scratch()
    try scratch.write("", to: "file")
    let run = try await scratch.run("help --man --to file/man")
    expectEqual(run, Program.Run(code: 73, out: "", err: "windtunnel: file/man cannot be made.\n"))
  }
}
