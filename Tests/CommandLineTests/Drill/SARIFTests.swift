import TestSupport
import WindTunnel

/// The findings of a drill and the secrets of a cassette, as code hosts read them.
@Suite(.timeLimit(.minutes(5))) struct SARIFTests {
  private static let drill =
    line("drill --cassette \("./my api.json") --subject urlsession --scenario captive-portal")
    + line("--clock virtual --calls 2")

  private let scratch: Scratch

  init() throws {
    scratch = try Scratch()
    try scratch.write(
      #"{"windtunnel":1,"interactions":[{"request":{"url":"/feed?api_key=abcdefgh"},"response":{"json":[1]}}]}"#,
      to: "my api.json"
    )
  }

  @Test func `a finding has its rule, level, message, help and file, and equal runs equal bytes`()
    async throws
  {
    for name in ["a.sarif", "b.sarif"] {
      try await scratch.run(Self.drill + ["--report", name]).exits(99)
    }
    let text = try scratch.text("a.sarif")
    try expectEqual(text, scratch.text("b.sarif"))
    let log = """
      {"$schema": "https://json.schemastore.org/sarif-2.1.0.json", "version": "2.1.0",
       "runs": [{"tool": {"driver": {"name": "windtunnel", "rules": [
          {"id": "takes-portal-for-answer",
           "shortDescription": {"text": "Accepts the log-in page of a captive portal as the response."},
           "help": {"text": "Reject an unrequested media type, and a redirect to another host. \
      Source: RFC 8952 §1; RFC 9110 §8.3"},
           "helpUri": "https://www.rfc-editor.org/rfc/rfc8952#section-1"}]}},
        "results": [{"ruleId": "takes-portal-for-answer", "level": "error",
          "message": {"text": "It returned the portal's page without an error. In captive-portal, 2 of 2 \
      calls, as call 0 (GET /feed)."},
          "locations": [{
            "physicalLocation":
              {"artifactLocation": {"uri": "my%20api.json"}, "region": {"startLine": 1}},
            "logicalLocations": [{"fullyQualifiedName": "captive-portal/feed"}]}],
          "partialFingerprints": {"place/v1": "takes-portal-for-answer captive-portal/feed"}}]}]}
      """
    try expectEqual(
      JSON(parsing: text.utf8, source: "sarif"),
      JSON(parsing: log.utf8, source: "expected")
    )
  }

  @Test func `an allowed finding is suppressed with its reason, and no secret is written`()
    async throws
  {
    let words = Self.drill + ["--allow", "takes-portal-for-answer=We show the page."]
    try await scratch.run(words + ["--report", "a.sarif"]).exits(0)
    let text = try scratch.text("a.sarif")
    let log = try JSON(parsing: text.utf8, source: "sarif")
    expectEqual(
      log["runs"]?[0]?["results"]?[0]?["suppressions"],
      [["kind": "external", "justification": "We show the page."]]
    )
    #expect(!text.contains("abcdefgh"))
  }

  @Test func `a shipped cassette has no file, so a finding has no place in one`() async throws {
    let words = ["drill", "--subject", "urlsession", "--scenario", "captive-portal"]
    try await scratch.run(
      words + ["--clock", "virtual", "--calls", "2", "--report", "a.sarif"]
    ).exits(99)
    let log = try JSON(parsing: scratch.text("a.sarif").utf8, source: "sarif")
    let location = log["runs"]?[0]?["results"]?[0]?["locations"]?[0]
    expectEqual(location?["logicalLocations"], [["fullyQualifiedName": "captive-portal/home"]])
    expectNil(location?["physicalLocation"])
  }

  @Test func `a CI is told of a finding in the cassette's file`() async throws {
    let run = try await scratch.run(Self.drill, with: ["GITHUB_ACTIONS": "true"])
    #expect(run.err.contains("::error file=my api.json::captive-portal: error takes-portal-for-"))
  }

  @Test(.enabled(if: Companion.find("python3") != nil, "there is no python3"))
  func `findings and secrets are what the standard's schema says`() async throws {
    let secrets = try await scratch.run("cassette lint --sarif \("my api.json")").exits(1)
    try scratch.write(secrets.out, to: "secrets.sarif")
    let words = Self.drill + ["--allow", "takes-portal-for-answer=We show the page."]
    _ = try await scratch.run(words + ["--report", "findings.sarif"])
    let schema = "Tests/CommandLineTests/Data/sarif-2.1.0-subset.schema.json"
    let check = """
      import json, sys
      try:
          import jsonschema
      except ImportError:
          sys.exit("skip")
      schema = json.load(open(sys.argv[1]))
      for name in sys.argv[2:]:
          jsonschema.validate(json.load(open(name)), schema)
      """
    let run = try await Companion.run(
      ["python3", "-c", check, Repository.root.appendingPathComponent(schema).path]
        + ["secrets.sarif", "findings.sarif"],
      in: scratch
    )
    if run.text == "skip\n" { try Test.cancel("this python3 has no jsonschema") }
    expectEqual(run.code, 0, "\(run.text)")
  }
}
