import TestSupport
import WindTunnelReports

/// Careful clients that live from call to call, in four languages. They lie in
/// `Tests/PlantedBugs/services`.
@Suite(.timeLimit(.minutes(5))) struct ServiceCommandTests {
  private let scratch: Scratch

  init() throws { scratch = try Scratch() }

  private static let folder = Repository.root
    .appendingPathComponent("Tests/PlantedBugs/services")

  private static let clients = [
    ["python3", "careful.py"], ["node", "careful.mjs"], ["bash", "careful.sh"], ["go"],
  ]

  /// The command of a client, built where it has to be; `nil` where its language is not here.
  private func command(_ words: [String], in scratch: Scratch) async throws -> [String]? {
    let tools = words[0] == "bash" ? ["bash", "curl", "jq"] : [words[0]]
    guard tools.allSatisfy({ Companion.find($0) != nil }) else { return nil }
    if words.count > 1 { return [words[0], Self.folder.appendingPathComponent(words[1]).path] }
    let built = scratch.file("careful")
    let place = Self.folder.appendingPathComponent("careful-go").path
    let words = ["sh", "-c", #"cd "$1" && go build -o "$2" ."#, "sh", place, built.path]
    return try await Companion.run(words, in: scratch).code == 0 ? [built.path] : nil
  }

  @Test(.world, arguments: clients)
  func `a careful client that lives breaks no rule`(words: [String]) async throws {
    guard let command = try await command(words, in: scratch) else {
      try Test.cancel("this machine cannot run a client for \(words[0])")
    }
    let run = try await scratch.run(
      line("drill --scenario calm --scenario outage --scenario server-errors --calls 16")
        + line("--concurrency 4 --timeout 20s --report drill.json --") + command
    )
    let report = try Report(contentsOf: scratch.file("drill.json"))
    expectEqual(report.findings.filter { $0.finding.severity == .error }.map(\.finding.rule), [])
    expectEqual(
      report.scenarios.map { $0.subjects.map(\.client) },
      [[.service], [.service], [.service]]
    )
    expectEqual(report.scenarios[0].subjects[0].metrics.successRate, 1, "\(run.out)")
    expectEqual(run.code, 0, "\(run)")
  }

  /// Drills a client in Python that lives, and reads the report.
  private func drill(_ client: [String], _ flags: [String]) async throws -> (Program.Run, Report) {
    let scratch = try Scratch()
    guard let command = try await command(["python3", client[0]], in: scratch) else {
      try Test.cancel("this machine has no python3")
    }
    let words = flags + ["--report", "drill.json", "--"] + command + client.dropFirst()
    let run = try await scratch.run(["drill"] + words)
    return (run, try Report(contentsOf: scratch.file("drill.json")))
  }

  /// A client with a bug that only a client has which lives, the scenario that shows it, and its rule.
  struct Planted: Sendable, CustomTestStringConvertible {
    var file: String
    var scenario: String
    var rule: String
    var calls: Int?
    var testDescription: String { "\(file) in \(scenario)" }

    init(_ file: String, _ scenario: String, _ rule: String, calls: Int? = nil) {
      (self.file, self.scenario, self.rule, self.calls) = (file, scenario, rule, calls)
    }
  }

  @Test(arguments: [
    Planted("never_closes.py", "recovery", "does-not-come-back"),
    Planted("lost_for_good.py", "recovery", "does-not-come-back"),
    Planted("goes_on.py", "cancel", "goes-on-after-cancel"),
    Planted("all_at_once.py", "recovery", "comes-back-in-a-herd"),
    Planted("mixed_up.py", "late-answers", "shows-another-answer"),
    Planted("leaves_open.py", "reuse", "leaks-connections"),
    Planted("keeps_page.py", "portal-gone", "keeps-portal-page"),
    Planted("sends_again.py", "dead-connection", "repeats-post"),
    Planted("shows_copies.py", "warm-outage", "shows-stale-as-fresh"),
    Planted("leaks_on_errors.py", "warm-outage", "leaks-connections"),
    // Each call fills the memory up to its limit.
    Planted("reads_all.py", "endless-body", "reads-without-limit", calls: 3),
  ])
  func `what a client keeps from call to call is judged`(client: Planted) async throws {
    let calls = client.calls.map { ["--calls", "\($0)"] } ?? []
    let (run, report) = try await drill([client.file], ["--scenario", client.scenario] + calls)
    let errors = report.findings.map(\.finding).filter { $0.severity == .error }.map(\.rule)
    expectEqual(errors, [client.rule], "\(run.out)")
    expectEqual(run.code, 99, "\(run)")
  }

  @Test(arguments: [
    ("large-answer", ["half_read.py"], ["leaves-answers-unread"]),
    ("large-answer", ["half_read.py", "closes"], []),
    ("large-answer", ["half_read.py", "reads"], []),
    ("stale-answers", ["keeps_stale.py"], ["shows-stale-as-fresh"]),
    ("stale-answers", ["keeps_stale.py", "honest"], []),
  ])
  func `an answer that is left half read or was too old when it came is named, and no other`(
    scenario: String,
    client: [String],
    found: [String]
  ) async throws {
    let (run, report) = try await drill(client, ["--scenario", scenario])
    expectEqual(report.findings.map(\.finding.rule), found, "\(run.out)")
    expectEqual(run.code, 0, "\(run)")
  }

  @Test(arguments: [("asks_on.py", true), ("shares_limits.py", false)])
  func `calls must respect a limit that another call received`(file: String, isNamed: Bool)
    async throws
  {
    let (run, report) = try await drill([file], ["--scenario", "limited"])
    let found = report.findings.map(\.finding).filter { $0.severity != .note }.map(\.rule)
    expectEqual(found, (isNamed ? ["hammers-while-limited"] : []), "\(run.out)")
    // Most clients do not share what they were told, so it ends no drill.
    expectEqual(run.code, 0, "\(run)")
    let standing = report.scenarios[0].rules.first { $0.rule == "hammers-while-limited" }
    guard case .notMet? = standing?.standing else { return }
    Issue.record("the rule was not met: \(run.out)")
  }

  /// The shipped scenario in which the server fails for good once it has answered, with something that is
  /// asked of clients there.
  private static func expecting(_ what: [String], in scratch: Scratch) throws -> String {
    let shipped = Repository.root.appendingPathComponent("Cassettes/scenarios/warm-outage.json")
    var scenario = try Scenario(contentsOf: shipped)
    scenario.expects = what.compactMap(ClientExpectation.init)
    let file = scratch.file("expecting.json")
    try scenario.data().write(to: file)
    return file.path
  }

  private static let keepers: [([String], [String], [String])] = [
    (["keeps_answers.py"], ["stale"], ["error blank-where-stale", "note gives-up-at-once"]),
    (
      ["keeps_answers.py", "shows", "etags"], [],
      ["note blank-where-stale", "note gives-up-at-once", "note asks-again"]
    ),
    (["keeps_answers.py"], [], ["note blank-where-stale", "note gives-up-at-once"]),
    (["keeps_answers.py", "shows"], ["stale"], ["note gives-up-at-once"]),
    (["careful.py"], [], []), (["careful.py"], ["stale"], ["error blank-where-stale"]),
  ]

  @Test(.bothTiers, arguments: Tier.cases(keepers, few: 2))
  func `a client's use of stored copies without a server is judged`(
    words: [String],
    expected: [String],
    found: [String]
  ) async throws {
    let tape = Self.folder.appendingPathComponent("kept.json").path
    let scenario = try Self.expecting(expected, in: scratch)
    let (run, report) = try await drill(words, ["--cassette", tape, "--scenario", scenario])
    let findings = report.findings.map { "\($0.finding.severity) \($0.finding.rule)" }
    expectEqual(findings, found, "\(run.out)")
    expectEqual(run.code, (found.contains { $0.hasPrefix("error") } ? 99 : 0), "\(run)")
  }

  private static let renewers: [([String], Int, [String])] = [
    ([], 8, ["renews-too-often"]), (["shared"], 8, []), (["insists"], 1, ["renews-too-often"]),
    (["shared"], 1, []), (["compares"], 8, []), (["compares"], 1, []),
  ]

  @Test(.bothTiers, arguments: Tier.cases(renewers, few: 2))
  func `one call renews a credential for all of them`(
    words: [String],
    atOnce: Int,
    errors: [String]
  ) async throws {
    let tape = Self.folder.appendingPathComponent("tokens.json").path
    let (run, report) = try await drill(
      ["own_token.py"] + words,
      [
        "--cassette", tape, "--scenario", "auth-expiry", "--scenario", "auth-refused",
        "--concurrency", "\(atOnce)",
      ]
    )
    let found = report.findings.map(\.finding).filter { $0.severity != .note }.map(\.rule)
    // Whoever insists makes many requests for each call, which is a storm.
    let isStorm = words == ["insists"]
    expectEqual(found.filter { !isStorm || $0 != "retry-storm" }, errors, "\(run.out)")
    expectEqual(run.code, (errors.isEmpty ? 0 : 99), "\(run)")
    let standing = report.scenarios[0].rules.first { $0.rule == "renews-too-often" }?.standing
    guard errors.isEmpty, let standing else { return }
    // Whoever makes one call after the other shows nothing of calls beside each other.
    let isMet = if case .passed = standing { true } else { false }
    expectEqual(isMet, (atOnce > 1), "\(standing)")
  }

  @Test(.world, arguments: clients)
  func `a careful client that lives leaves and mixes up nothing`(words: [String]) async throws {
    guard let command = try await command(words, in: scratch) else {
      try Test.cancel("this machine cannot run a client for \(words[0])")
    }
    let scenarios = [
      "reuse", "large-answer", "dead-connection", "portal-gone", "stale-answers", "late-answers",
      "recovery", "cancel", "changed-between", "auth-expiry", "warm-outage",
    ]
    let run = try await scratch.run(
      ["drill", "--report", "drill.json"] + scenarios.flatMap { ["--scenario", $0] } + ["--"]
        + command
    )
    let report = try Report(contentsOf: scratch.file("drill.json"))
    let errors = report.findings.map(\.finding).filter { $0.severity == .error }.map(\.rule)
    expectEqual(errors, [], "\(run.out)")
    expectEqual(run.code, 0, "\(run)")
  }

  /// The sentence about a command that is started once and was meant to be started for each call.
  private static func unfit(_ start: String) -> String {
    "windtunnel: \(start) without a response: a program that starts for each call requires {url} in "
      + "its command; a service answers each line of its input with "
      + #"{"call": N, "ok": true or false}."#
  }

  @Test func `a program that does not live is told to have a placeholder`() async throws {
    let run = try await Scratch().run("drill --scenario calm --calls 3 -- true")
    #expect(run.code == 64 && run.out == "", "\(run)")
    #expect(run.err.split(separator: "\n").contains { $0 == Self.unfit("true ended") }, "\(run)")
  }

  @Test(arguments: [1, 8])
  func `a script that reads a call from its environment is told to have a placeholder`(atOnce: Int)
    async throws
  {
    let script = scratch.file("client.sh")
    let text = #"[ "$WINDTUNNEL_URL" ] || exit 2; exec curl -sf "$WINDTUNNEL_URL""#
    try Data(text.utf8).write(to: script)
    let run = try await scratch.run(
      "drill --scenario calm --scenario server-errors --calls 20 --concurrency \(atOnce) -- sh",
      "\(script.path)"
    )
    #expect(run.code == 64 && run.out == "", "\(run)")
    let sentence = Self.unfit("sh ended with exit code 2")
    #expect(run.err.split(separator: "\n").contains { $0 == sentence }, "\(run)")
  }

  @Test(.enabled(if: Companion.find("python3") != nil, "python3 is not here."))
  func `an invalid attempt count is reported and ignored`() async throws {
    let script = """
      import json, sys
      for text in sys.stdin:
          print(json.dumps({"call": json.loads(text)["call"], "ok": True, "attempts": 2 ** 40 + 1}), flush=True)
      """
    let run = try await Scratch().run(
      "drill --scenario calm --calls 2 --findings off -- python3 -c \(script)"
    )
    // It sends no request.
    expectEqual(run.code, 98, "\(run)")
    #expect(
      run.err.contains(
        "windtunnel: python3 answered call 0 with the \"attempts\" 1099511627777; expected a whole "
          + "number from 0 to 1000000; it is ignored."
      ),
      "\(run)"
    )
  }
}
