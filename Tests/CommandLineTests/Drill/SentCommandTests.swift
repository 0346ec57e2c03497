import TestSupport
import WindTunnelReports

/// Programs on real sockets that send what they should not.
@Suite(.timeLimit(.minutes(5))) struct SentCommandTests {
  private static let isHere = Companion.find("python3") != nil

  /// A client that follows one redirect by hand, with its credential, without it, or where there is none.
  private static let follower = TestData.text("follower.py")

  /// A client that follows a redirect to whatever scheme, with a field of its own, without it, or not at all.
  private static let descender = TestData.text("descender.py")

  /// A client that sends its POST up to three times, under a key of each attempt or of the call.
  private static let payer = TestData.text("payer.py")

  private func findings(
    _ rule: String,
    of script: String,
    _ words: [String],
    in scenario: String,
    _ flags: [String]
  ) async throws -> [String] {
    let scratch = try Scratch()
    try scratch.write(script, to: "client.py")
    let run = try await scratch.run(
      ["drill", "--scenario", scenario, "--calls", "6", "--report", "drill.json"] + flags
        + ["--", "python3", "client.py", "{method}", "{url}"] + words
    )
    try #require([0, 98, 99].contains(run.code), "\(run)")
    let report = try Report(contentsOf: scratch.file("drill.json"))
    return report.findings.map(\.finding).filter { $0.rule == rule }
      .map { "\($0.severity.rawValue): \($0.seen)" }
  }

  @Test(.enabled(if: isHere, "there is no python3"))
  func `a client that sends a credential to another host breaks a rule, and others do not`()
    async throws
  {
    for (first, second, found) in [
      ("Bearer a", "Bearer a", 1), ("Bearer a", "-", 0), ("-", "-", 0),
    ] {
      let seen = try await findings(
        "sends-credential-elsewhere",
        of: Self.follower,
        [first, second],
        in: "redirect-elsewhere",
        []
      )
      expectEqual(seen.count, found, "\(seen)")
      #expect(
        seen.allSatisfy {
          $0 == "error: It was redirected to another host, and sent its credential there."
        }
      )
    }
  }

  @Test(.enabled(if: isHere, "there is no python3"))
  func `whoever leaves TLS with a credential is named, and one that stays is not`() async throws {
    let key = "Authorization: Bearer a"
    let heard = "error: It was redirected from https to http, and sent its credential."
    let follows = "note: It was redirected from https to http, and followed."
    for (first, second, found) in [
      (key, key, [heard]), (key, "-", [follows]), ("-", "-", [follows]), (key, "stay", []),
      ("X-Api-Key: abcdef", "X-Api-Key: abcdef", [heard]),
      // The tape's log-in sets this one without Secure.
      ("Cookie: shop=1", "Cookie: shop=1", [follows]),
      ("Cookie: shop=1; own=2", "Cookie: shop=1; own=2", [heard]),
    ] {
      let seen = try await findings(
        "follows-to-plain-http",
        of: Self.descender,
        [first, second],
        in: "redirect-downgrade",
        ["--findings", "off"]
      )
      expectEqual(seen, found, "\(first), \(second)")
    }
  }

  @Test(
    .enabled(if: isHere, "there is no python3"),
    .bothTiers,
    arguments: Tier.cases(["16", "1"], few: 1)
  )
  func `a new key for each attempt is named, and one that stays is not`(concurrency: String)
    async throws
  {
    let scratch = try Scratch()
    try scratch.write(
      #"{"windtunnelScenario":1,"name":"s","rules":[{"when":{"first":1},"faults":[{"status":500}]}]}"#,
      to: "s.json"
    )
    for (word, count) in [("changes", 1), ("stays", 0)] {
      let seen = try await findings(
        "repeats-post",
        of: Self.payer,
        [word],
        in: scratch.file("s.json").path,
        ["--concurrency", concurrency]
      )
      expectEqual(seen.count, count, "\(seen)")
      #expect(
        seen.allSatisfy {
          $0.hasPrefix("error: After a 500 it sent POST /")
            && $0.hasSuffix(", and the Idempotency-Key had changed.")
        }
      )
    }
  }
}
