import TestSupport

@testable import windtunnel_cli

/// `windtunnel.json` stands for flags of `windtunnel drill`, and the command line prevails.
@Suite(.timeLimit(.minutes(5))) struct PlanFileTests {
  private let scratch: Scratch

  init() throws { scratch = try Scratch() }

  private static let flags = InitCommandTests.flags
  private static let plan = ["--plan", "windtunnel.json"]

  private static func arguments(_ words: [String]) throws -> Arguments {
    try Arguments(words, flags: flags, operandsMax: 0, takesCommand: true)
  }

  private func completed(_ words: [String]) throws -> Arguments {
    let environment = ToolEnvironment(variables: [:], folder: scratch.folder) { _, _ in }
    return try ToolEnvironment.$current.withValue(environment) {
      try PlanFile.completing(Self.arguments(words), flags: Self.flags)
    }
  }

  private static let everything = """
    { "windtunnelPlan": 1, "_why": "kept", "name": "Shop 2", "cassette": "api.json",
      "client": ["./client", "--verbose", "{url}"], "critical": ["GET /feed", "GET /users/*"],
      "bars": "mobile", "scenarios": ["calm", "rate-limited"], "seed": 18446744073709551615,
      "gates": ["p95 <= 3s", "all: successRate == 1"], "findings": "warnings",
      "allow": ["gives-up-at-once=the app asks"], "allowInconclusive": true,
      "baseline": "main.json", "calls": 30, "rate": 1.50, "mix": ["GET /home=5"],
      "ignoreQuery": ["_", "utm_*"], "timeout": "10s", "stage": "wire", "http": 2,
      "clock": "real", "workers": 2, "errors": "apple", "reports": ["drill.html", "drill.xml"] }
    """

  @Test func `each key is the flag that it stands for`() throws {
    try scratch.write(Self.everything, to: "windtunnel.json")
    let words = [
      "--name=Shop 2", "--cassette=api.json", "--critical=GET /feed", "--critical=GET /users/*",
      "--bars=mobile", "--scenario=calm", "--scenario=rate-limited",
      "--seed=18446744073709551615", "--gate=p95 <= 3s", "--gate=all: successRate == 1",
      "--findings=warnings", "--allow=gives-up-at-once=the app asks", "--allow-inconclusive",
      "--baseline=main.json", "--calls=30", "--rate=1.50", "--mix=GET /home=5",
      "--ignore-query=_", "--ignore-query=utm_*", "--timeout=10s", "--stage=wire",
      "--http=2", "--clock=real", "--workers=2", "--errors=apple", "--report=drill.html",
      "--report=drill.xml", "--", "./client", "--verbose", "{url}",
    ]
    try expectEqual(completed([]), Self.arguments(Self.plan + words))
  }

  @Test func `the schema and the page have each key, and no other`() throws {
    let keys = Set(PlanKey.known(to: Self.flags).map(\.name) + ["windtunnelPlan", "client"])
    let text = try Repository.text("Cassettes/format/plan-1.schema.json")
    let schema = try JSON(parsing: text.utf8, source: "schema")
    expectEqual(Set(schema["properties"]?.keys ?? []), keys)
    let rows = try Repository.page("PlanFile").split(separator: "\n").filter {
      $0.hasPrefix("| `") && !$0.contains("init --ci")
    }
    let named = rows.flatMap { row in
      row.split(separator: "|")[0].matches(of: /`(\w+)`/).map { String($0.1) }
    }
    expectEqual(Set(named), keys)
  }

  @Test func `a flag takes the place of its key, and of a key that excludes it`() async throws {
    try scratch.write(
      """
      {"windtunnelPlan":1,"client":["a"],"scenarios":["calm","metro"],"seed":3,"calls":4,"rate":2,
       "gates":["p95 <= 1s"],"baseline":"b.json"}
      """,
      to: "windtunnel.json"
    )
    let words = line(
      "--scenario outage --duration 5s --concurrency 2 --subject b --write-baseline b.json"
    )
    try expectEqual(
      completed(words),
      Self.arguments(Self.plan + words + ["--seed", "3", "--gate", "p95 <= 1s"])
    )
    // Gates alone are added.
    let own = ["--seed", "4", "--gate", "p50 <= 1s", "--gate", "p95 <= 1s", "--", "b", "{url}"]
    let command = try completed(own)
    let rest = [
      "--scenario=calm", "--scenario=metro", "--calls=4", "--rate=2", "--seed=4",
      "--gate=p95 <= 1s", "--gate=p50 <= 1s", "--baseline=b.json",
    ]
    try expectEqual(command, Self.arguments(Self.plan + rest + ["--", "b", "{url}"]))
    let run = await Program.runHere(["drill"] + words, in: scratch)
    let told =
      "windtunnel.json sets seed, gates; the command line overrides scenarios, baseline, calls, rate, "
      + "client\n"
    #expect(run.err.hasPrefix("windtunnel: \(told)"), "\(run)")
  }

  @Test func `without a plan file, and for one call again, nothing is added`() throws {
    for words in [[], ["--again", "last.json#calm/1"]] {
      try expectEqual(completed(words), Self.arguments(words))
      try scratch.write(Self.everything, to: "windtunnel.json")
    }
  }

  @Test(arguments: try TestData.rows("plan-refusals.json", count: 13) as [(Int32, String, String)])
  func `a plan file that cannot be used ends with a sentence and no drill`(
    code: Int32,
    text: String,
    sentence: String
  ) async throws {
    try scratch.write(text, to: "windtunnel.json")
    let run = await Program.runHere(line("drill"), in: scratch)
    #expect(run.code == code && run.out == "" && run.err.contains(sentence), "\(run)")
    try expectEqual(scratch.names(), ["windtunnel.json"])
  }

  @Test func `a drill by a file is the drill by its flags, to the byte`() async throws {
    let (byFile, byFlags) = (try Scratch(), try Scratch())
    for scratch in [byFile, byFlags] {
      let shop = URL(filePath: Repository.shop)
      try FileManager.default.copyItem(at: shop, to: scratch.file("api.json"))
    }
    try byFile.write(
      """
      {"windtunnelPlan":1,"cassette":"api.json","scenarios":["rate-limited","server-errors"],
       "seed":7,"calls":20,"gates":["p95 <= 30s"],"mix":["GET /home=3"],"reports":["drill.json"]}
      """,
      to: "windtunnel.json"
    )
    let words =
      line("--cassette api.json --scenario rate-limited --scenario server-errors --seed 7")
      + line("--calls 20 --gate \("p95 <= 30s") --mix \("GET /home=3") --report drill.json")
    let date = ["SOURCE_DATE_EPOCH": "0"]
    let run = try await byFile.run("drill", with: date)
    let other = try await byFlags.run(["drill"] + words, with: date)
    expectEqual(run.out, other.out)
    expectEqual(run.code, other.code)
    #expect(run.err.hasPrefix("windtunnel: windtunnel.json sets cassette, scenarios, "), "\(run)")
    try expectEqual(byFile.text("drill.json"), byFlags.text("drill.json"))
  }

  @Test(.enabled(if: Companion.find("curl") != nil, "curl is not here."))
  func `a plan in another folder has its paths there, and the command line has its own`()
    async throws
  {
    try scratch.makeFolder("team/api")
    try scratch.write(Texts.cassette, to: "team/api/tape.json")
    try scratch.write("curl -sf --max-time 9 \"$1\"", to: "team/api/client.sh")
    try scratch.write(
      """
      {"windtunnelPlan":1,"cassette":"tape.json","client":["sh","client.sh","{url}"],
       "scenarios":["calm"],"calls":3,"reports":["lost.json"]}
      """,
      to: "team/api/windtunnel.json"
    )
    let words = line(
      "drill --plan team/api/windtunnel.json --report out.json --write-baseline known.json"
    )
    try await scratch.run(words).exits(0)
    let report = try Report(contentsOf: scratch.file("out.json"))
    expectEqual(report.environment.first { $0.name == "cassetteFile" }?.value, "team/api/tape.json")
    #expect(!scratch.has("team/api/lost.json") && !scratch.has("lost.json"))
    #expect(scratch.has("known.json") && !scratch.has("team/api/known.json"))
  }
}
