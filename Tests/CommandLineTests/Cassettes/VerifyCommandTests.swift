import TestSupport
import WindTunnel

/// `cassette verify`, and where `serve` listens.
@Suite struct VerifyCommandTests {
  private let scratch: Scratch

  init() throws { scratch = try Scratch() }

  @Test func `shipped cassettes are whole`() async throws {
    let run = try await scratch.run("cassette verify \(Repository.shop)")
    #expect(run.code == 0 && run.err.isEmpty)
    #expect(run.out.hasSuffix("shop.json: 6 interactions, valid\n"), "\(run.out)")
  }

  @Test func `verify reports contradictory interactions with their numbers`() async throws {
    try scratch.write(
      """
      {"windtunnel":1,"interactions":[
        {"request":{"url":"/a"},"response":{"text":"good"}},
        {"request":{"url":"/b"},
         "response":{"headers":{"Content-Length":"9"},"text":"four"}},
        {"request":{"url":"/c"},
         "response":{"headers":{"Content-Encoding":"gzip"},"text":"plain"}},
        {"request":{"url":"/d"},"response":{"status":204,"text":"much"}},
        {"request":{"url":"/e"},"response":{"headers":{"Content-Length":"04"},"text":"four"}},
        {"request":{"url":"/f"},"response":{"headers":{"Content-Length":"4, 4"},"text":"four"}}]}
      """,
      to: "odd.json"
    )
    let run = try await scratch.run("cassette verify odd.json").exits(1)
    expectEqual(
      run.out,
      """
      odd.json: #2: the response's Content-Length is 9, but its body has 4 bytes; remove the field to have it computed
      odd.json: #3: the response's body is not gzip, as its Content-Encoding claims
      odd.json: #4: the response has 4 bytes, but GET with status 204 has none (RFC 9110, section 6.4.1)

      """
    )
    let asJSON = try await scratch.run("cassette verify --json odd.json")
    let report = try JSON(parsing: asJSON.out.utf8, source: "report")
    #expect(asJSON.code == 1 && report["found"] == 3)
  }

  @Test func `bodies beside a cassette are held against it`() async throws {
    let body = String(repeating: "a long body ", count: 30_000)
    let cassette = Cassette([
      Interaction(Request("GET", "/a"), Response(status: 200, body: Body(body)))
    ])
    try cassette.write(to: scratch.file("large.json"))
    try await scratch.run("cassette verify large.json").exits(0)
    let stray = String(repeating: "0", count: 64)
    try scratch.write("stray", to: "large.bodies/\(stray)")
    let found = try await scratch.run("cassette verify large.json").exits(1)
    expectEqual(found.out, "large.json: no interaction uses large.bodies/\(stray)\n")
    for name in try scratch.names(in: "large.bodies") {
      try scratch.write("changed", to: "large.bodies/\(name)")
    }
    let changed = try await scratch.run("cassette verify large.json")
    #expect(changed.code == 65 && changed.out.isEmpty)
    #expect(changed.err.contains("the bytes do not match the name"))
  }

  @Test func `serve listens on the given address, and reports if other machines can reach it`()
    async throws
  {
    let words = ["serve", "--cassette", Repository.shop, "--bind"]
    for (address, url) in [("0.0.0.0", "http://127.0.0.1:"), ("127.0.0.2", "http://127.0.0.2:")] {
      let (flight, line) = try await scratch.start(words + [address])
      #expect(line.hasPrefix(url), "\(line)")
      await expectEqual(ask("\(line)/home").status, 200)
      let end = try await flight.interrupt().exits(0)
      let isTold = end.err.contains("Listening at every address of this machine")
      expectEqual(isTold, (address == "0.0.0.0"), "\(end.err)")
    }
  }

  @Test func `a device or a pipe is no file to read from`() async throws {
    let run = try await scratch.run("cassette show /dev/null")
    #expect(run.code == 66 && run.err.contains("it is not a regular file"), "\(run.err)")
    try FileManager.default.createSymbolicLink(
      at: scratch.file("link.json"),
      withDestinationURL: URL(filePath: Repository.shop)
    )
    try await scratch.run("cassette show link.json").exits(0)
  }
}
