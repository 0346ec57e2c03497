import TestSupport
import WindTunnel

@Suite(.timeLimit(.minutes(5))) struct ExplainTests {
  private func explain(_ words: [String], in scratch: Scratch) async throws -> Program.Run {
    try await scratch.run(["cassette", "explain", "--cassette", Repository.shop] + words)
  }

  @Test func `explain exits with 0 for a match and with 1 for a mismatch`() async throws {
    let scratch = try Scratch()
    let found = try await explain(["--request", "GET /home"], in: scratch)
    expectEqual(found, Program.Run(code: 0, out: "GET /home matches #1.\n", err: ""))
    let asked = ["--request", "GET /recommendations?user=8"]
    let missed = try await explain(asked, in: scratch).exits(1)
    #expect(missed.out.hasPrefix("GET /recommendations?user=8 is not on the cassette.\n"))
    #expect(missed.out.contains("match by: {\"match\": 1, \"ignoreQuery\": [\"user\"]}\n"))
    #expect(missed.err.isEmpty)
    try scratch.write(#"{"match": 1, "ignoreQuery": ["user"]}"#, to: "match.json")
    let json = try await explain(asked + ["--match", "match.json", "--json"], in: scratch).exits(0)
    try expectEqual(JSON(parsing: json.out.utf8, source: "out")["answeredBy"]?[0]?.intValue, 5)
  }

  @Test func `a body from a file is compared where the rules say so`() async throws {
    let scratch = try Scratch()
    try scratch.write(#"{"milliseconds":412.0, "event":"home-shown"}"#, to: "body.json")
    try scratch.write(#"{"match": 1, "body": "json"}"#, to: "match.json")
    let words = ["--request", "POST /telemetry", "--body", "body.json", "--match", "match.json"]
    let found = try await explain(words, in: scratch)
    expectEqual(found, Program.Run(code: 0, out: "POST /telemetry matches #4.\n", err: ""))
    try scratch.write(#"{"milliseconds":413,"event":"home-shown"}"#, to: "body.json")
    let missed = try await explain(words, in: scratch).exits(1)
    #expect(missed.out.contains("body at $.milliseconds: recorded 412, asked 413."))
  }

  @Test func `serve plays by the rules of a file`() async throws {
    let scratch = try Scratch()
    try scratch.write(#"{"match": 1, "ignoreQuery": ["user"]}"#, to: "match.json")
    let (flight, url) = try await scratch.start(
      "serve --cassette \(Repository.shop) --match match.json"
    )
    await expectEqual(ask("\(url)/recommendations?user=99").status, 200)
    await expectEqual(ask("\(url)/home?x=1").status, 501)
    try await flight.interrupt().exits(0)
  }
}
