import TestSupport

@testable import WindTunnelReports

/// A drill of a real program, with nothing configured but its command.
@Suite(.timeLimit(.minutes(5))) struct FindingCommandTests {
  private let scratch: Scratch

  init() throws { scratch = try Scratch() }

  private static let hasCurl = Companion.find("curl") != nil

  /// Flies curl with words of its own.
  private func drill(_ words: [String] = [], curl: String = "-s") async throws -> Program.Run {
    try await scratch.run(
      ["drill", "--scenario", "outage", "--calls", "10", "--report", "drill.json"] + words
        + ["--", "curl", curl, "{url}"]
    )
  }

  @Test(.enabled(if: hasCurl, "there is no curl"))
  func `a command that takes a 503 for an answer is named, and a good one is not`() async throws {
    let run = try await drill().exits(99)
    #expect(
      run.out.contains(
        """
          error success-on-error-status
            This command ended with 0, but received only 503. In outage, 10 of 10 calls,
            as call 0 (GET /home).
        """
      ),
      "\(run.out)"
    )
    #expect(run.out.contains("\n    again: windtunnel drill --again drill.json#outage/home/0\n"))
    let good = try await drill(curl: "-sf").exits(0)
    #expect(good.out.contains("findings: 1 note;") && good.out.contains("note gives-up-at-once"))
  }

  @Test(.enabled(if: hasCurl, "there is no curl"))
  func `a finding is allowed with a reason, or the bar lies elsewhere`() async throws {
    let reason = "the status is looked at elsewhere"
    let allowed = try await drill(["--allow", "success-on-error-status=\(reason)"]).exits(0)
    #expect(allowed.out.contains("Allowed in outage: \(reason)"))
    // The reason goes with the report.
    let shown = try await scratch.run("report drill.json --findings errors")
    #expect(shown.code == 0 && shown.out.contains("Allowed in outage: \(reason)"))
    try await expectEqual(drill(["--findings", "off"]).code, 0)
    try await drill(["--findings", "warnings"], curl: "-sf").exits(0)
    let text = #"{"windtunnelScenario":1,"name":"s","allow":{"success-on-error-status":"so"},"#
    try scratch.write(text + #""rules":[{"faults":[{"status":503}]}]}"#, to: "s.json")
    let own = try await scratch.run("drill --scenario s.json --calls 2 -- curl -s {url}")
    #expect(own.code == 0 && own.out.contains("Allowed in s: so"))
  }

  @Test(.enabled(if: hasCurl, "there is no curl"))
  func `with a baseline only what is new fails`() async throws {
    _ = try await drill()
    try FileManager.default.moveItem(
      at: scratch.folder.appending(path: "drill.json"),
      to: scratch.folder.appending(path: "before.json")
    )
    let known = try await drill(["--baseline", "before.json"]).exits(0)
    #expect(known.out.contains("Known in outage: it is in the baseline."))
    // A report is judged against another in the same way.
    try await scratch.run("report drill.json --baseline before.json").exits(0)
    try await drill(curl: "-sf").exits(0)
    try FileManager.default.moveItem(
      at: scratch.folder.appending(path: "drill.json"),
      to: scratch.folder.appending(path: "good.json")
    )
    try await expectEqual(drill(["--baseline", "good.json"]).code, 99)
  }

  @Test func `a scenario that allows what is no rule is refused`() async throws {
    try scratch.write(#"{"windtunnelScenario":1,"name":"s","allow":{"hang":"so"}}"#, to: "s.json")
    let run = try await scratch.run("drill --scenario s.json").exits(64)
    #expect(
      run.err.hasPrefix(
        "windtunnel: There is no rule \"hang\" to allow; windtunnel rules list has all of them."
      ),
      "\(run.err)"
    )
  }

  @Test func `rules are listed and shown, and the table is of them`() async throws {
    let list = try await scratch.run("rules list").exits(0)
    for rule in FindingRule.all { #expect(list.out.contains("  \(rule.id) ")) }
    let json = try await scratch.run("rules list --json")
    let rows = try json.rows()
    expectEqual(rows.compactMap { $0["rule"]?.stringValue }, FindingRule.all.map(\.id))
    let shown = try await scratch.run("rules show hangs")
    #expect(shown.out.hasPrefix("hangs: A call has not ended when the drill stops waiting.\n"))
  }
}
