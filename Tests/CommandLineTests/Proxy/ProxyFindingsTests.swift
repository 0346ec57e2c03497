import TestSupport

/// The findings of `windtunnel proxy`, by clients that people have.
@Suite(.timeLimit(.minutes(5))) struct ProxyFindingsTests {
  private static let scenario = TestData.text("proxied-scenario.json")

  /// The answers for a host that is not this machine.
  private static let tape = TestData.text("proxied-tape.json")

  private static let client = TestData.text("proxied-client.py")

  private static let careless = TestData.text("careless-calls.py")

  private static let careful = TestData.text("careful-calls.py")

  private func drive(
    _ client: String,
    _ words: [String],
    in scratch: Scratch
  ) async throws -> Program.Run {
    try scratch.write(Self.scenario, to: "rough.json")
    try scratch.write(Self.tape, to: "tape.json")
    try scratch.write(Self.client + "\n" + client, to: "client.py")
    let (proxy, place) = try await scratch.start(
      ["proxy", "--scenario", "rough.json", "--cassette", "tape.json"] + words
    )
    let python = try await Companion.run(["python3", "client.py", place], in: scratch)
    expectEqual(python.code, 0, "\(python.text)")
    return try await proxy.interrupt()
  }

  @Test(.enabled(if: Companion.find("python3") != nil, "python3 is not here."))
  func `a careless client is named at the terminal, on the page and in the JSON, and ends with 0`()
    async throws
  {
    let scratch = try Scratch()
    let reports = ["--report", "flight.json", "--report", "flight.html"]
    let run = try await drive(Self.careless, reports, in: scratch).exits(0)
    let (json, html) = (try scratch.text("flight.json"), try scratch.text("flight.html"))
    for rule in ["repeats-post", "ignores-retry-after", "sends-secret-in-clear"] {
      for text in [run.err, json, html] { #expect(text.contains(rule), "\(rule): \(text)") }
    }
    for text in [run.err, json, html] { #expect(!text.contains("invented")) }
    // The one that stood still was sent again, too, when its client had had enough.
    #expect(
      run.err.contains("warning repeats-post") && run.err.contains("2 of 2 calls"),
      "\(run.err)"
    )
    #expect(json.contains(#""client": "127.0.0.1""#) && json.contains(#""standing": "notMet""#))
    let own = html.replacing("href=\"data:,\"", with: "")
    #expect(!own.contains("src=") && !own.contains("href=") && !own.contains("<script"))
  }

  @Test(
    .enabled(if: Companion.find("python3") != nil, "python3 is not here."),
    arguments: [
      (["--findings", "errors"], 99), (["--findings", "off"], 0),
      (
        [
          "--findings", "warnings", "--allow", "repeats-post=it is a demo", "--allow",
          "ignores-retry-after=so is that", "--allow", "sends-secret-in-clear=and that", "--allow",
          "retries-without-bound=and this",
        ], 0
      ),
    ]
  )
  func `flags decide whether a proxy's findings change its exit code`(words: [String], code: Int)
    async throws
  {
    let run = try await drive(Self.careless, words, in: Scratch())
    #expect(run.code == code, "\(run.err)")
    expectEqual(run.err.contains("Allowed in rough: it is a demo"), words.contains("--allow"))
  }

  @Test(.enabled(if: Companion.find("python3") != nil, "python3 is not here."))
  func `a careful client is told of nothing`() async throws {
    let run = try await drive(Self.careful, ["--findings", "warnings"], in: Scratch())
    #expect(run.code == 0 && run.err.contains("findings: none; "), "\(run.err)")
  }
}
