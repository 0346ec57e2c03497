import Foundation
import Testing
import WindTunnel

@Suite(.timeLimit(.minutes(1))) struct LintCommandTests {
  private static let leaky = """
    {"windtunnel":1,"interactions":[{"request":{"url":"/a?api_key=abcdefgh"},
    "response":{"json":{"password":"ijklmnop"}}}]}
    """

  @Test func `lint names the places of secrets, never the secrets, and ends with 1`() async throws {
    let scratch = try Scratch()
    try scratch.write(Self.leaky, to: "a.json")
    let run = try await Program.run("cassette", "lint", "a.json", Repository.shop, in: scratch)
    #expect(
      run
        == Program.Run(
          code: 1,
          out: """
            a.json: #1 request URL query api-key: api-key, 8 bytes
            a.json: #1 response body JSON password: password, 8 bytes

            """,
          err: "2 secrets. A commit is for ever: record it anew.\n"
        )
    )
  }

  @Test func `lint says the same as JSON`() async throws {
    let scratch = try Scratch()
    try scratch.write(Self.leaky, to: "a.json")
    let run = try await Program.run("cassette", "lint", "--json", "a.json", in: scratch)
    #expect(run.code == 1)
    let report = try JSON(parsing: run.out.utf8, source: "lint")
    #expect(report["leaks"]?.intValue == 2)
    let leaks = try #require(report["files"]?[0]?["leaks"])
    #expect(leaks[1]?["kind"] == "password")
    #expect(leaks[1]?["interaction"] == 1)
    #expect(!run.out.contains("ijklmnop") && !run.out.contains("abcdefgh"))
  }

  @Test func `a clean cassette ends with 0 and says nothing`() async throws {
    let run = try await Program.run("cassette", "lint", Repository.shop, in: Scratch())
    #expect(run == Program.Run(code: 0, out: "", err: ""))
  }

  @Test func `a rule that is no place is refused`() async throws {
    let run = try await Program.run(
      "cassette",
      "lint",
      Repository.shop,
      "--redact",
      "$a[",
      in: Scratch()
    )
    #expect(run.code == 64)
    #expect(run.err.contains("--redact $a[: a name, or a place such as $.user.code should stand"))
  }
}
