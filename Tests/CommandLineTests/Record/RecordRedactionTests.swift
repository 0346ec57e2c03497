import TestSupport
import WindTunnel

@Suite(.timeLimit(.minutes(5))) struct RecordRedactionTests {
  @Test func `record takes out what it is told beside what it always does`() async throws {
    let scratch = try Scratch()
    let origin = """
      {"windtunnel":1,"interactions":[{"request":{"url":"/me"},"response":{"json":
      {"floorCode":"x9y8z7","deep":{"hint":"blue"},"mail":"ada@example.org","token":"t0ken99"}}}]}
      """
    try scratch.write(origin, to: "origin.json")
    let (flight, url) = try await Server.start("origin.json", in: scratch)
    let words = [
      "record", "--upstream", url, "--cassette", "a.json", "--redact", "floor_code",
      "--redact", "$.deep.hint", "--personal-data", "--",
    ]
    let run = try await scratch.run(words + Server.client(of: "/me"))
    try await flight.interrupt()
    expectEqual(run.code, 0, "\(run.err)")
    let body = try Cassette(contentsOf: scratch.file("a.json")).interactions.first?.response?.body
    expectEqual(
      body?.text,
      #"{"floorCode":"REDACTED-floorcode-1","deep":{"hint":"REDACTED-hint-1"},"#
        + #""mail":"REDACTED-mail-1@example.test","token":"REDACTED-token-1"}"#
    )
  }
}
