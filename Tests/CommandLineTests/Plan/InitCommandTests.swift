import TestSupport

@testable import windtunnel_cli

/// `windtunnel init` writes a plan file that a drill reads, and replaces nothing by itself.
@Suite(.timeLimit(.minutes(5))) struct InitCommandTests {
  private static let cassette = """
    {"windtunnel":1,"interactions":[
      {"request":{"url":"https://a.test/feed?page=1"},"response":{"json":1}},
      {"request":{"url":"https://a.test/feed?page=2"},"response":{"json":2}},
      {"request":{"method":"POST","url":"https://a.test/login"},"response":{"json":3}},
      {"request":{"url":"https://a.test/gone"},"response":{"status":404,"json":4}},
      {"request":{"method":"HEAD","url":"https://a.test/users/7"},"response":{}},
      {"request":{"url":"https://a.test/down"},"failure":{"symptom":"timedOut"}}]}
    """
  private static let next = """

      windtunnel drill                      judges the client with windtunnel.json
      windtunnel drill --bars mobile        judges blank screens and a lost cache as well
      windtunnel drill --report drill.html  writes a page as well
      windtunnel init --ci github           writes a workflow; also gitlab and shell

    """
  /// The flags of a drill that has those of all keys.
  static let flags =
    DrillCommand.flags
    + [Flag("--critical", "PATTERN"), Flag("--bars", "NAME|FILE")].filter { flag in
      !DrillCommand.flags.contains { $0.name == flag.name }
    }

  private static func plan(_ text: String) throws -> String {
    let scratch = try Scratch()
    try scratch.write(text, to: "api.json")
    let environment = ToolEnvironment(variables: ["PATH": "/bin"], folder: scratch.folder)
    return try ToolEnvironment.$current.withValue(environment) {
      let plan = try NewPlan(cassette: "api.json", client: ["sh", "{url}"], flags: flags)
      return String(decoding: plan.json.fileBytes(), as: UTF8.self)
    }
  }

  @Test func `successful reads of the cassette are critical`() throws {
    try expectEqual(
      Self.plan(Self.cassette),
      """
      {
        "windtunnelPlan": 1,
        "cassette": "api.json",
        "critical": ["GET /feed", "HEAD /users/7"],
        "scenarios": ["default-drill"],
        "seed": 1,
        "client": ["sh", "{url}"]
      }

      """
    )
  }

  @Test func `a cassette that marks its critical requests has no others`() throws {
    let marked = Self.cassette.replacing(#""json":3}}"#, with: #""json":3},"critical":true}"#)
    #expect(try Self.plan(marked).contains(#""critical": ["POST /login"]"#))
  }

  @Test(arguments: [
    (
      ["a%20b", "a b", "x/*", "items/{id}"], "GET /a%20b,GET /items/{id}",
      "2 of them critical; not critical, as no pattern can match the path: 2"
    ),
    ((0...50).map { "\($0)" }, "", "recordings; not critical, as 50 is the maximum: 51"),
    (["a"], "GET /a", "1 recording, 1 of them critical"),
  ])
  func `a path that no pattern can have, and one too many, are counted`(
    paths: [String],
    critical: String,
    words: String
  ) throws {
    let scratch = try Scratch()
    let all = paths.map { Interaction(Request("GET", RequestURL("/\($0)")), Response()) }
    try Cassette(all).write(to: scratch.file("api.json"))
    let environment = ToolEnvironment(variables: [:], folder: scratch.folder)
    let plan = try ToolEnvironment.$current.withValue(environment) {
      try NewPlan(cassette: "api.json", client: [], flags: Self.flags)
    }
    let named = (0..<4).compactMap { plan.json["critical"]?[$0]?.stringValue }
    expectEqual(named.joined(separator: ","), critical)
    #expect(plan.words.hasSuffix(words), "\(plan.words)")
  }

  @Test func `the file is what a drill reads, and is not replaced without force`() async throws {
    let scratch = try Scratch()
    try scratch.write(Self.cassette, to: "api.json")
    let words = ["init", "--from", "api.json", "--", "sh", "client.sh", "{url}"]
    let run = await Program.runHere(words, in: scratch)
    let client = "windtunnel.json: client sh client.sh {url}, api.json with 6 recordings"
    #expect(run.code == 0 && run.err == "" && run.out.hasPrefix(client), "\(run)")
    #expect(run.out.hasSuffix(Self.next), "\(run)")
    let text = try scratch.text("windtunnel.json")
    _ = try PlanFile(contentsOf: scratch.file("windtunnel.json"), flags: DrillCommand.flags)
    let again = await Program.runHere(line("init -- true"), in: scratch)
    let sentence =
      "windtunnel: windtunnel.json already exists; nothing was written. Pass --force to replace it.\n"
    expectEqual(again, Program.Run(code: 73, out: "", err: sentence))
    try expectEqual(scratch.text("windtunnel.json"), text)
  }

  @Test func `without a client and a cassette the commands that name them are shown`() async throws
  {
    let scratch = try Scratch()
    try scratch.write("{", to: "windtunnel.json")
    let run = await Program.runHere(line("init --force"), in: scratch).exits(0)
    #expect(run.out.hasPrefix("windtunnel.json: no client, the example API of windtunnel\n"))
    for command in ["init --force -- ./my-client {url}", "record URL --cassette api.json -- CMD"] {
      #expect(run.out.contains("\n  windtunnel \(command) "), "\(run)")
    }
    let text = try scratch.text("windtunnel.json").filter { !$0.isWhitespace }
    expectEqual(text, #"{"windtunnelPlan":1,"scenarios":["default-drill"],"seed":1}"#)
  }

  @Test(arguments: try TestData.rows("init-refusals.json", count: 13) as [(Int32, String, String)])
  func `nothing is written when a part is refused, or a named plan cannot be read`(
    code: Int32,
    line: String,
    sentence: String
  ) async throws {
    let scratch = try Scratch()
    try scratch.write("{", to: "broken.json")
    for name in [".github", "windtunnel-ci.sh"] { try scratch.write("mine", to: name) }
    let secret = String(repeating: "aB3x", count: 9)
    let words = line.replacing("⟨36⟩", with: secret).split(separator: " ").map(String.init)
    let run = await Program.runHere(words, in: scratch)
    #expect(run.code == code && run.out == "" && run.err.contains(sentence), "\(run)")
    #expect(!run.err.contains(secret))
    try expectEqual(scratch.names(), [".github", "broken.json", "windtunnel-ci.sh"])
    try expectEqual(scratch.text("windtunnel-ci.sh"), "mine")
  }
}
