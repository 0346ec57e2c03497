import Origins
import TestSupport
import WindTunnel
import WindTunnelSymptoms

/// What is left when `windtunnel record` has come to its end.
@Suite(.timeLimit(.minutes(5))) struct RecordingEndTests {
  private let scratch: Scratch

  init() throws { scratch = try Scratch() }

  private func targets(_ name: String) throws -> [String] {
    try Cassette(contentsOf: scratch.file(name)).interactions.map(\.request.url.target)
  }

  /// A command that asks for paths, one after the other.
  private func client(of paths: String..., then end: String = "") -> [String] {
    let asking = paths.map { Server.client(of: $0)[2].replacing("; ", with: " && ") }
    return ["bash", "-c", asking.joined(separator: "; ") + end]
  }

  @Test(arguments: ["rewrite", "new-episodes"])
  func `a command that fails leaves the tape as it was, to the byte`(mode: String) async throws {
    let (upstream, url) = try await Server.start(in: scratch)
    try scratch.write(Texts.cassette, to: "a.json")
    let words = ["record", "--upstream", url, "--cassette", "a.json", "--mode", mode, "--"]
    let run = try await scratch.run(words + client(of: "/home", then: "; exit 3")).exits(1)
    expectEqual(
      run.err,
      """
      bash exited with status 3.
      The recording was discarded; a.json is unchanged.

      """
    )
    try expectEqual(scratch.text("a.json"), Texts.cassette)
    #expect(!scratch.has("a.json.journal"))
    try await upstream.interrupt()
  }

  @Test func `a failing command leaves no incomplete cassette`() async throws {
    let (upstream, url) = try await Server.start(in: scratch)
    let words = ["record", "--upstream", url, "--cassette", "a.json", "--"]
    let run = try await scratch.run(words + client(of: "/home", then: "; exit 3")).exits(1)
    #expect(run.err.hasSuffix("The recording was discarded; no a.json was written.\n"))
    #expect(!scratch.has("a.json") && !scratch.has("a.json.journal"))
    try await upstream.interrupt()
  }

  @Test(arguments: ["rm -r a", "mv a b"])
  func `recordings whose folder is gone are in the folder above`(end: String) async throws {
    let (upstream, url) = try await Server.start(in: scratch)
    let words = ["record", "--upstream", url, "--cassette", "a/a.json", "--"]
    for rest in ["a.rescued.json has the 1 recorded", "; 1 recorded interaction is lost: "] {
      _ = try await Companion.run(["mkdir", "a"], in: scratch)
      let run = try await scratch.run(words + client(of: "/home", then: "; \(end)")).exits(73)
      #expect(
        ["moved; ", rest].allSatisfy(run.err.contains) && !run.err.contains("keeps"),
        "\(run)"
      )
      try expectEqual(targets("a.rescued.json"), ["/home"])
    }
    try await upstream.interrupt()
  }

  @Test func `a response cut by its client is recorded as truncated`()
    async throws
  {
    let stall =
      #"{"windtunnelScenario":1,"name":"s","rules":[{"faults":[{"stallAfterBodyBytes":2}]}]}"#
    try scratch.write(stall, to: "stall.json")
    let tape =
      #"{"windtunnel":1,"interactions":[{"request":{"url":"/home?token=REDACTED-token-1"},"#
    try scratch.write(tape + #""response":{"json":{"a":"long enough"}}}]}"#, to: "up.json")
    let (upstream, url) = try await Server.start("up.json", "--scenario stall.json", in: scratch)
    let client = Server.client(of: "/home?token=abcd1234")[2]
      .replacing("cat <&3", with: "head -c 20 <&3 >got; exec 3>&-")
    let run = try await scratch.run(
      [
        "record", "--upstream", url, "--cassette", "a.json", "--as", "https://api.example.test",
        "--",
      ]
        + ["bash", "-c", client]
    )
    expectEqual(
      run.err,
      """
      GET https://api.example.test/home?token=REDACTED-token-1: recorded as truncated: the client left
      a.json: 1 interaction

      """
    )
    expectEqual(run.code, 0)
    let left = try #require(try Cassette(contentsOf: scratch.file("a.json")).interactions.first)
    expectEqual(left.failure, Failure(.cancelled, text: "the client left"))
    #expect(left.response?.status == 200 && left.response?.body.text == #"{""#)
    try await upstream.interrupt()
  }

  @Test(arguments: ["record --cassette a.json --upstream", "proxy --record a.json"])
  func `what is under way at an interruption is kept as incomplete`(words: String) async throws {
    let begun = answer("200 OK\nContent-Type: text/a\nContent-Length: 20", Data("one\ntwo".utf8))
    let origin = try KeptOrigin { _ in [.send(begun), .silence] }
    defer { origin.stop() }
    let end = words.hasSuffix("upstream") ? [origin.url] : []
    let (flight, url) = try await scratch.start(words.split(separator: " ").map(String.init) + end)
    let slow = Server.client(of: end.isEmpty ? "\(origin.url)/slow" : "/slow")[2]
      .replacing("${WINDTUNNEL_URL##*:}", with: url.split(separator: ":").last ?? "")
      .replacing("cat <&3", with: "head -c 20 <&3 >/dev/null; touch came; cat <&3")
    async let left = Companion.run(["bash", "-c", slow], in: scratch)
    while !scratch.has("came") { await Task.yield() }
    let run = try await flight.interrupt().exits(0)
    _ = try await left
    let told = "GET \(origin.url)/slow: recorded as truncated: the recording ended before it\n"
    #expect(run.err.hasPrefix("\(told)a.json: 1 interaction\n"), "\(run)")
    let kept = try Cassette(contentsOf: scratch.file("a.json")).interactions
    expectEqual(kept.map(\.failure), [Interaction.cut])
    #expect(kept[0].response?.body.text == "one\n" && !scratch.has("a.json.journal"))
  }

  @Test func `a second signal ends a recording at once, and leaves what it had got`() async throws {
    let rule = #"{"when":{"request":"GET /slow"},"faults":[{"stallAfterBodyBytes":2}]}"#
    try scratch.write(#"{"windtunnelScenario":1,"name":"s","rules":[\#(rule)]}"#, to: "stall.json")
    let tape = ["/a", "/slow"].map { #"{"request":{"url":"\#($0)"},"response":{"json":{"a":1}}}"# }
    try scratch.write(
      #"{"windtunnel":1,"interactions":[\#(tape.joined(separator: ","))]}"#,
      to: "up.json"
    )
    let (upstream, url) = try await Server.start("up.json", "--scenario stall.json", in: scratch)
    let (flight, recorder) = try await scratch.start("record --upstream \(url) --cassette a.json")
    await expectEqual(ask("\(recorder)/a").status, 200)
    // In good order it would be waited for.
    let slow = Server.client(of: "/slow")[2]
      .replacing("${WINDTUNNEL_URL##*:}", with: recorder.split(separator: ":").last ?? "")
      .replacing("cat <&3", with: "head -c 20 <&3 >/dev/null; touch came; cat <&3")
    async let left = Companion.run(["bash", "-c", slow], in: scratch)
    while !scratch.has("came") { await Task.yield() }
    flight.signal(SIGINT)
    flight.signal(SIGTERM)
    let run = try await flight.end()
    #expect([-SIGINT, -SIGTERM].contains(run.code), "\(run)")
    _ = try await left
    #expect(!scratch.has("a.json"))
    #expect(try scratch.text("a.json.journal").contains("/a\""))
    try await upstream.interrupt()
  }

  @Test func `a rewrite leaves only the new recordings on the cassette`()
    async throws
  {
    let (upstream, url) = try await Server.start(in: scratch)
    let words = ["record", "--upstream", url, "--cassette", "a.json", "--mode"]
    try await scratch.run(
      words + ["once", "--"] + client(of: "/home", "/feed", "/search?q=a")
    ).exits(0)
    try expectEqual(targets("a.json"), ["/home", "/feed", "/search?q=a"])
    let second = try await scratch.run(words + ["rewrite", "--"] + client(of: "/feed"))
    #expect(second.code == 0 && second.err == "a.json: 1 interaction\n", "\(second.err)")
    try expectEqual(targets("a.json"), ["/feed"])
    try await upstream.interrupt()
  }

  private static let base =
    "A drill needs {base} instead, as in windtunnel drill -- env MY_API={base} ./my-app."

  @Test func `a command that asks for nothing has recorded nothing, which is told`() async throws {
    let base = ["record", "--upstream", "http://127.0.0.1:1", "--cassette"]
    let none = try await scratch.run(base + ["a.json", "--", "true"])
    let advice =
      "The command has no {url}: write it in place of the server's address, as in "
      + "-- curl -s {url}/users, or let the command read $WINDTUNNEL_URL. \(RecordingEndTests.base)"
    expectEqual(
      none,
      Program.Run(code: 1, out: "", err: "Nothing was recorded; no a.json was written. \(advice)\n")
    )
    #expect(!scratch.has("a.json"))
    try scratch.write(Texts.cassette, to: "b.json")
    let anew = try await scratch.run(base + ["b.json", "--mode", "rewrite", "--", "true"])
    expectEqual(
      anew,
      Program.Run(code: 1, out: "", err: "Nothing was recorded; b.json is unchanged. \(advice)\n")
    )
    // One that is played need not record anything.
    try await scratch.expect(
      base + ["b.json", "--", "true"],
      err: "b.json has 1 interaction and is played. To record again: --mode rewrite\n"
    )
    try expectEqual(scratch.text("b.json"), Texts.cassette)
  }

  @Test(arguments: [
    (
      ["echo", "http://127.0.0.1:1/users"],
      " The command sends its requests to http://127.0.0.1:1 directly: write {url} instead, as in "
        + "-- curl -s {url}/users."
    ),
    // Another port that begins so is another server.
    (
      ["echo", "http://127.0.0.1:12/users"],
      " The command has no {url}: write it in place of the server's address, as in "
        + "-- curl -s {url}/users, or let the command read $WINDTUNNEL_URL. \(RecordingEndTests.base)"
    ),
    (["echo", "{url}/users"], ""),
    (["sh", "-c", "echo $WINDTUNNEL_URL"], ""),
  ])
  func `a command that asks the server itself is told how to ask through the recorder`(
    command: [String],
    advice: String
  ) async throws {
    let run = try await Scratch().run(
      ["record", "http://127.0.0.1:1", "--cassette", "a.json", "--"] + command
    ).exits(1)
    expectEqual(run.err, "Nothing was recorded; no a.json was written.\(advice)\n")
  }
}
