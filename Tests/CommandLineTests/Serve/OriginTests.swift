import TestSupport

/// Whom `serve` and `record` answer, by the name that they are asked by and the page that asks.
@Suite(.timeLimit(.minutes(5))) struct OriginTests {
  private func status(_ url: String, _ fields: [String], in scratch: Scratch) async throws -> Int? {
    let text =
      "GET /home HTTP/1.1\r\n" + fields.map { "\($0)\r\n" }.joined() + "Connection: close\r\n\r\n"
    let answer = try await Server.raw(url, text, in: scratch)
    return answer.split(separator: " ").dropFirst().first.flatMap { Int($0) }
  }

  private func check(_ url: String, _ own: String, _ allows: Bool, in scratch: Scratch)
    async throws
  {
    for host in [String(url.dropFirst(7)), "localhost", own] {
      try await expectEqual(status(url, ["Host: \(host)"], in: scratch), 200, "\(host)")
    }
    let foreign = [
      ["Host: evil.example.test"], ["Host: localhost", "Origin: null"],
      ["Host: localhost", "Origin: https://evil.example.test"],
      ["Host: localhost", "Sec-Fetch-Site: cross-site"],
    ]
    for fields in foreign {
      try await expectEqual(status(url, fields, in: scratch), 403, "\(fields)")
    }
    for fields in [
      ["Host: app.example.test"], ["Host: localhost", "Origin: https://app.example.test"],
    ] {
      try await expectEqual(status(url, fields, in: scratch), (allows ? 200 : 403), "\(fields)")
    }
  }

  @Test(arguments: [false, true])
  func `serve answers its own names and pages, and those that are let in`(allows: Bool) async throws
  {
    let scratch = try Scratch()
    let flags = allows ? ["--allow-origin", "https://app.example.test"] : []
    let tape =
      #"{"windtunnel":1,"interactions":[{"request":{"url":"https://api.example.test/home"},"#
    try scratch.write(tape + #""response":{"text":"a"}}]}"#, to: "tape.json")
    let flight = try Flight(["serve", "--cassette", "tape.json"] + flags, in: scratch)
    try await check(try #require(try await flight.line()), "api.example.test", allows, in: scratch)
    try await flight.interrupt().exits(0)
  }

  @Test(arguments: [false, true])
  func `record accepts requests from its own origin, its pages and allowed origins`(
    allows: Bool
  ) async throws {
    let scratch = try Scratch()
    let flags = allows ? ["--allow-origin", "https://app.example.test"] : []
    let (upstream, url) = try await Server.start(in: scratch)
    let flight = try Flight(
      ["record", "--upstream", url, "--cassette", "new.json", "--mode", "rewrite"]
        + ["--as", "https://api.example.test"] + flags,
      in: scratch
    )
    try await check(try #require(try await flight.line()), "api.example.test", allows, in: scratch)
    let run = try await flight.interrupt()
    #expect(run.err.hasSuffix("new.json: \(allows ? 5 : 3) interactions\n"), "\(run.err)")
    try await upstream.interrupt()
  }
}
