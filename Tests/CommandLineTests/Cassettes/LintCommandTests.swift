import TestSupport
import WindTunnel

@Suite(.timeLimit(.minutes(5))) struct LintCommandTests {
  private let scratch: Scratch

  init() throws { scratch = try Scratch() }

  private static let leaky = """
    {"windtunnel":1,"interactions":[{"request":{"url":"/a?api_key=abcdefgh"},
    "response":{"json":{"password":"ijklmnop"}}}]}
    """

  @Test func `lint names the places of secrets, never the secrets, and ends with 1`() async throws {
    try scratch.write(Self.leaky, to: "a.json")
    try await scratch.expect(
      "cassette lint a.json \(Repository.shop)",
      code: 1,
      out: """
        a.json: #1 request URL query api-key: api-key, 8 bytes [field-name]
        a.json: #1 response body JSON password: password, 8 bytes [field-name]

        """,
      err: "2 secrets. Record again before you commit: Git keeps every commit.\n"
    )
  }

  @Test func `lint says the same as JSON`() async throws {
    try scratch.write(Self.leaky, to: "a.json")
    let run = try await scratch.run("cassette lint --json a.json").exits(1)
    let report = try JSON(parsing: run.out.utf8, source: "lint")
    expectEqual(report["leaks"]?.intValue, 2)
    let leaks = try #require(report["files"]?[0]?["leaks"])
    expectEqual(leaks[1]?["kind"], "password")
    expectEqual(leaks[1]?["rule"], "field-name")
    expectEqual(leaks[1]?["interaction"], 1)
    #expect(!run.out.contains("ijklmnop") && !run.out.contains("abcdefgh"))
  }

  @Test func `lint says the same as SARIF, with the rows that it found them by`() async throws {
    try scratch.write(Self.leaky, to: "a.json")
    let run = try await scratch.run("cassette lint --sarif a.json").exits(1)
    let log = try JSON(parsing: run.out.utf8, source: "lint")
    expectEqual(log["version"], "2.1.0")
    let results = try #require(log["runs"]?[0]?["results"])
    expectEqual(results[1]?["ruleId"], "field-name")
    let location = results[1]?["locations"]?[0]
    expectEqual(location?["physicalLocation"]?["artifactLocation"]?["uri"], "a.json")
    expectEqual(
      location?["logicalLocations"]?[0]?["fullyQualifiedName"],
      "#1 response body JSON password"
    )
    expectEqual(log["runs"]?[0]?["tool"]?["driver"]?["rules"]?[0]?["id"], "field-name")
    #expect(!run.out.contains("ijklmnop") && !run.out.contains("abcdefgh"))
  }

  @Test func `lint reports kept values as kept, and not as leaks`() async throws {
    try scratch.write(Self.leaky, to: "a.json")
    let words = ["cassette", "lint", "a.json", "--keep", "password", "--keep", "api_key"]
    try await scratch.expect(
      words,
      err: """
        a.json: #1 request URL query api-key: api-key, 8 bytes: kept by --keep
        a.json: #1 response body JSON password: password, 8 bytes: kept by --keep

        """
    )
  }

  @Test func `a review shows the reason for a placeholder and the flag that keeps the value`()
    async throws
  {
    try scratch.write(
      #"{"windtunnel":1,"interactions":[{"request":{"url":"/a?token=REDACTED-token-1"},"response":{"status":204}}]}"#,
      to: "a.json"
    )
    try await scratch.expect(
      "cassette review a.json",
      out:
        "REDACTED-token-1 [likely-name]: token may be a secret's name, and the value looked like one; "
        + "#1 request URL; not a secret? Record again with --keep 'token'\n"
    )
    let json = try await scratch.run("cassette review a.json --json")
    let report = try JSON(parsing: json.out.utf8, source: "review")
    expectEqual(report["placeholders"]?[0]?["keep"], "token")
  }

  @Test func `a clean cassette ends with 0 and says nothing`() async throws {
    try await Scratch().expect("cassette lint \(Repository.shop)")
  }

  @Test func `lint --git looks at what is new since a commit and at nothing else`() async throws {
    func tape(_ interactions: String...) -> String {
      #"{"windtunnel":1,"interactions":[\#(interactions.joined(separator: ","))]}"#
    }
    func leak(_ path: String, _ value: String) -> String {
      #"{"request":{"url":"\#(path)"},"response":{"json":{"password":"\#(value)"}}}"#
    }
    try scratch.write(tape(leak("/old", "abcdefgh")), to: "a.json")
    try scratch.write(tape(leak("/same", "hgfedcba")), to: "same.json")
    try scratch.write(tape(leak("/gone", "hgfedcba")), to: "gone.json")
    try scratch.write("[]", to: "broken.json")
    try scratch.git("init", "--quiet")
    try scratch.git("add", ".")
    try scratch.git("commit", "--quiet", "--message", "one")
    let words = ["cassette", "lint", "--git", "HEAD"]
    try await scratch.expect(words)
    try FileManager.default.removeItem(at: scratch.file("gone.json"))
    let echo = #"{"request":{"url":"/echo"},"response":{"text":"Hello, abcdefgh!"}}"#
    try scratch.write(tape(leak("/new", "ijklmnop"), leak("/old", "abcdefgh"), echo), to: "a.json")
    try scratch.write(tape(leak("/b", "qrstuvwx")), to: "b.json")
    try scratch.write(tape(leak("/c", "qrstuvwx")), to: "broken.json")
    let run = try await scratch.run(words)
    expectEqual(
      run,
      Program.Run(
        code: 1,
        out: """
          a.json: #1 response body JSON password: password, 8 bytes [field-name]
          a.json: #3 response body: echo, 16 bytes [echo]
          b.json: #1 response body JSON password: password, 8 bytes [field-name]
          broken.json: #1 response body JSON password: password, 8 bytes [field-name]

          """,
        err: "4 secrets. Record again before you commit: Git keeps every commit.\n"
      )
    )
    let json = try await scratch.run(words + ["--json", "b.json"]).exits(1)
    try expectEqual(JSON(parsing: json.out.utf8, source: "lint")["leaks"], 1)
    for secret in ["abcdefgh", "ijklmnop", "qrstuvwx"] {
      #expect(!(run.out + run.err + json.out + json.err).contains(secret))
    }
    let lost = try await scratch.run(words + ["no.json"])
    #expect(lost.code == 66 && lost.out.isEmpty)
  }

  @Test func `lint --max-age finds what is too old and names what bears no date`() async throws {
    let text = """
      {"windtunnel":1,"interactions":[
      {"request":{"url":"/a"},"response":{"status":204},"recordedAt":"2001-02-03T04:05:06Z"},
      {"request":{"url":"/b"},"response":{"status":204},"recordedAt":"9001-02-03T04:05:06Z"},
      {"request":{"url":"/c"},"response":{"status":204}}]}
      """
    try scratch.write(text, to: "a.json")
    try await scratch.expect(
      "cassette lint a.json --max-age 90d",
      code: 1,
      out: "a.json: #1 recorded 2001-02-03T04:05:06Z\n",
      err: """
        a.json: 1 interaction has no date; record --dates stores one
        1 interaction is older than 90 days. \
        To record again: windtunnel record --mode rewrite --dates

        """
    )
    let json = try await scratch.run("cassette lint a.json --max-age=90 --json")
    let report = try JSON(parsing: json.out.utf8, source: "lint")
    #expect(report["old"] == 1 && report["leaks"] == 0)
    expectEqual(
      report["files"]?[0]?["old"],
      [["interaction": 1, "recordedAt": "2001-02-03T04:05:06Z"]]
    )
    try await scratch.expect(
      "cassette lint a.json --undated",
      code: 1,
      out: "a.json: #3 has no date\n",
      err: """
        1 interaction has no date. To record again: windtunnel record --mode rewrite --dates

        """
    )
    let both = ["cassette", "lint", "a.json", "--undated", "--max-age", "90", "--json"]
    let all = try JSON(parsing: try await scratch.run(both).out.utf8, source: "lint")
    #expect(all["old"] == 1 && all["undated"] == 1 && all["files"]?[0]?["undated"] == [3])
  }
}
