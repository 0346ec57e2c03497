import TestSupport
import WindTunnelReports

/// Bad input is told in one sentence on standard error, and nothing on standard output.
@Suite(.timeLimit(.minutes(5))) struct RefusalTests {
  private let scratch: Scratch

  init() throws { scratch = try Scratch() }

  /// Wrong words, the command in the reference to help, and the sentence. In a word, ␣ is a space.
  private static func usages() throws -> [(words: String, command: String, sentence: String)] {
    let file = Repository.root.appendingPathComponent("Tests/CommandLineTests/Data/refusals.json")
    let rows = try JSONDecoder().decode([[String]].self, from: Data(contentsOf: file))
    // Without this, the test would pass with fewer rows.
    try #require(rows.count == 173)
    let names = Shipped.preRelease.joined(separator: ", ")
    let rules = FindingRule.all.map(\.id).joined(separator: ", ")
    return rows.map { row in
      let sentence = row[2].replacing("⟨names⟩", with: names).replacing("⟨rules⟩", with: rules)
      return (row[0], row[1], sentence.replacing("⟨shop⟩", with: Repository.shop))
    }
  }

  private static func words(_ line: String) -> [String] {
    line.split(separator: " ").map {
      String($0).replacing("␣", with: " ").replacing("⟨shop⟩", with: Repository.shop)
    }
  }

  @Test(.referenceClient, arguments: try usages())
  func `invalid usage exits with 64 and names the help`(
    words: String,
    command: String,
    sentence: String
  ) async throws {
    let help = (["windtunnel"] + command.split(separator: " ") + ["--help"]).joined(separator: " ")
    let err = "windtunnel: \(sentence)\nFor help: \(help)\n"
    try await scratch.expect(Self.words(words), code: 64, err: err)
    try expectEqual(scratch.names(), [])
  }

  @Test(arguments: try TestData.rows("unreadable-cassettes.json", count: 5) as [(String, String)])
  func `a cassette that does not read ends with 65 and says where`(
    text: String,
    sentence: String
  ) async throws {
    try scratch.write(text, to: "users.json")
    for words in [
      ["cassette", "show", "users.json"], ["serve", "--cassette", "users.json"],
      ["drill", "--cassette", "users.json"],
      ["record", "--upstream", "http://127.0.0.1:1", "--cassette", "users.json"],
    ] {
      let run = try await scratch.run(words).exits(65)
      #expect(run.out.isEmpty)
      #expect(run.err.hasPrefix("windtunnel: users.json\(sentence)"), "\(run.err)")
      expectEqual(run.err.count { $0 == "\n" }, 1)
    }
    try expectEqual(scratch.text("users.json"), text)
  }

  @Test(.referenceClient) func `a file that is not there or is a folder ends with 66`() async throws
  {
    let explain = "cassette explain --cassette ⟨shop⟩ --request GET␣/home --match"
    let record = "record --upstream https://127.0.0.1:1 --cassette a.json --upstream-ca"
    for line in [
      "cassette show", "report", "serve --cassette", "drill --cassette", "proxy --cassette",
      "proxy --open-tls --upstream-ca", "cassette lint", "dns --script", "search --baseline",
      "search --cassette", record, explain,
    ] {
      let words = Self.words(line)
      let missing = try await scratch.run(words + ["nowhere.json"])
      expectEqual(
        missing,
        Program.Run(code: 66, out: "", err: "windtunnel: nowhere.json: no such file.\n")
      )
      let folder = try await scratch.run(words + ["."])
      expectEqual(
        folder,
        Program.Run(code: 66, out: "", err: "windtunnel: . cannot be read: it is a directory.\n")
      )
    }
  }

  @Test(arguments: try TestData.rows("bad-scenarios.json", count: 2) as [(String, String)])
  func `a bad scenario file is a usage error`(text: String, sentence: String) async throws {
    try scratch.write(text, to: "rain.json")
    for words in [["drill"], ["serve", "--cassette", Repository.shop]] {
      let err = "windtunnel: \(sentence)\nFor help: windtunnel \(words[0]) --help\n"
      try await scratch.expect(words + ["--scenario", "rain.json"], code: 64, err: err)
    }
  }

  @Test func `serve refuses a scenario that one port cannot make`() async throws {
    let words = ["serve", "--cassette", Repository.shop, "--scenario", "dns-failure"]
    let run = try await Scratch().run(words).exits(64)
    #expect(run.err.contains("run it with windtunnel drill --scenario dns-failure.\n"))
  }

  @Test func `a report that cannot be written is told before the drill starts`() async throws {
    try scratch.makeFolder("folder.json")
    // A drill would say "flown" of each row.
    let nowhere = try await scratch.run("drill --report nowhere/a.json").exits(73)
    #expect(nowhere.out.isEmpty)
    #expect(
      nowhere.err.hasPrefix("windtunnel: nowhere/a.json cannot be written: there is no folder ")
    )
    expectEqual(nowhere.err.count { $0 == "\n" }, 1)
    let err = "windtunnel: folder.json cannot be written: it is a directory.\n"
    try await scratch.expect("drill --report folder.json", code: 73, err: err)
  }

  @Test func `a cassette that cannot be written is told before anything is recorded`()
    async throws
  {
    try scratch.write(Texts.har, to: "a.har")
    let words = ["record", "--upstream", "http://127.0.0.1:1", "--cassette", "nowhere/a.json"]
    let record = try await scratch.run(words + ["--", "touch", "was-run"])
    #expect(!scratch.has("was-run"))
    let convert = try await scratch.run("cassette convert a.har nowhere/a.json")
    for run in [record, convert] {
      expectEqual(run.code, 73)
      #expect(run.out.isEmpty)
      #expect(run.err.hasPrefix("windtunnel: nowhere/a.json cannot be written: "))
      expectEqual(run.err.count { $0 == "\n" }, 1)
    }
  }

  @Test func `a command that is not there is told before the server starts`() async throws {
    let run = try await Scratch().run(
      "record --upstream http://127.0.0.1:1 --cassette a.json -- no-such-word"
    )
    let err = "windtunnel: no-such-word: no such command.\n"
    expectEqual(run, Program.Run(code: 66, out: "", err: err))
  }

  @Test func `a command that is there and cannot be executed is told what it lacks`() async throws {
    try scratch.write("print(1)\n", to: "client.py")
    try scratch.makeFolder("folder")
    let record = ["record", "http://127.0.0.1:1", "--cassette", "a.json", "--"]
    for words in [record, ["drill", "--scenario", "calm", "--"]] {
      let err =
        "windtunnel: ./client.py exists but cannot be executed: chmod +x ./client.py, or name its "
        + "interpreter before it.\n"
      try await scratch.expect(words + ["./client.py", "{url}"], code: 66, err: err)
      // A name without a slash is looked for on PATH alone, and a folder is no command.
      for name in ["client.py", "./gone.py", "./folder"] {
        let err = "windtunnel: \(name): no such command.\n"
        try await scratch.expect(words + [name, "{url}"], code: 66, err: err)
      }
    }
  }
}
