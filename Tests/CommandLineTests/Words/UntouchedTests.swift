import TestSupport

/// A cassette that exists is not harmed by a command that fails.
@Suite(.timeLimit(.minutes(5))) struct UntouchedTests {
  @Test(arguments: try TestData.rows("failing-commands.json", count: 9) as [(Int32, String)])
  func `a failing command leaves every byte of the cassette`(code: Int32, line: String) async throws
  {
    let scratch = try Scratch()
    try scratch.write(Texts.cassette, to: "users.json")
    try scratch.write(Texts.cassette, to: "cassette.har")
    try scratch.write(Texts.har, to: "a.har")
    try scratch.write("{", to: "broken.har")
    let run = try await scratch.run(line.split(separator: " ").map(String.init)).exits(code)
    #expect(run.out.isEmpty)
    #expect(!run.err.isEmpty)
    try expectEqual(scratch.text("users.json"), Texts.cassette)
    let files = try scratch.names().filter { !$0.hasPrefix(".") }
    expectEqual(files, ["a.har", "broken.har", "cassette.har", "users.json"])
  }

  @Test func `a dead upstream does not replace a recording`() async throws {
    let scratch = try Scratch()
    try scratch.write(Texts.cassette, to: "users.json")
    let (port, dead) = try Server.closedPort()
    defer { withExtendedLifetime(port) {} }
    let client = Server.client(of: "/home")
    let run = try await scratch.run(
      ["record", "--upstream", dead, "--cassette", "users.json", "--mode", "rewrite", "--"]
        + client
    ).exits(69)
    expectEqual(
      run.err,
      "windtunnel: The upstream \(dead) refused every connection. users.json is unchanged.\n"
    )
    try expectEqual(scratch.text("users.json"), Texts.cassette)
  }

  @Test(.enabled(if: Companion.find("curl") != nil, "curl is not here."))
  func `an unreachable host alone is not recorded by a proxy`() async throws {
    let scratch = try Scratch()
    try scratch.write(Texts.cassette, to: "users.json")
    let (port, dead) = try Server.closedPort()
    defer { withExtendedLifetime(port) {} }
    let (flight, proxy) = try await scratch.start("proxy --record users.json")
    let words = ["curl", "-s", "-o", "-", "-w", "%{http_code}", "--noproxy", "", "-x", proxy]
    let curl = try await Companion.run(words + ["\(dead)/a"], in: scratch)
    #expect(curl.text.hasSuffix("502"), "\(curl.text)")
    let run = try await flight.interrupt()
    expectEqual(
      run.err,
      """
      skipped: GET \(dead): the connection was refused; nothing else arrived
      Nothing was recorded; users.json is unchanged.

      """
    )
    try expectEqual(scratch.text("users.json"), Texts.cassette)
    #expect(!scratch.has("users.json.journal"))
  }
}
