import TestSupport
import WindTunnel

/// The modes of `windtunnel record`, and what is left of a recording that is killed.
@Suite(.timeLimit(.minutes(5))) struct RecordModesTests {
  private let scratch: Scratch

  init() throws { scratch = try Scratch() }

  private static let scenario = ["--as", "https://api.example.test"]

  @Test(arguments: [nil, "rewrite", "new-episodes"] as [String?])
  func `what was complete before a kill is taken up by the next recording`(mode: String?)
    async throws
  {
    let (upstream, url) = try await Server.start(in: scratch)
    if mode != nil { try scratch.write(Texts.cassette, to: "a.json") }
    let words = ["record", "--upstream", url, "--cassette", "a.json"] + Self.scenario
    let (flight, proxy) = try await scratch.start(words + (mode.map { ["--mode", $0] } ?? []))
    for path in ["/home", "/home", "/feed"] { _ = await ask(proxy + path) }
    flight.signal(SIGKILL)
    try await flight.end().exits(-SIGKILL)
    // The fixture is as it was, to the byte, or not there as before.
    expectEqual(scratch.has("a.json"), (mode != nil))
    if mode != nil { try expectEqual(scratch.text("a.json"), Texts.cassette) }
    #expect(scratch.has("a.json.journal"))
    let run = try await scratch.run(
      words + ["--mode", "new-episodes", "--"] + Server.client(of: "/search?q=a")
    ).exits(0)
    let count = mode == nil ? 4 : 5
    expectEqual(
      run.err,
      """
      a.json includes 3 interactions of a recording that ended before it was written.
      a.json: \(count) interactions

      """
    )
    let old = mode == nil ? [] : ["/a"]
    try expectEqual(
      Cassette(contentsOf: scratch.file("a.json")).interactions.map(\.request.url.target),
      old + ["/home", "/home", "/feed", "/search?q=a"]
    )
    #expect(!scratch.has("a.json.journal"))
    try await upstream.interrupt()
  }

  /// The client asks for texts and conversations by turns beside a stream that stays open, and
  /// prints the path of each that it has to its end.
  @Test(.world, arguments: 0..<24)
  func `a kill loses nothing that clients have whole, and leaves the rest in parts`(draw: Int)
    async throws
  {
    let data = Repository.root.appendingPathComponent("Tests/CommandLineTests/Data").path
    let (upstream, url) = try await Server.start(
      "\(data)/killed-recording.json",
      "--scenario \(data)/killed-recording-scenario.json",
      in: scratch
    )
    let words = ["record", "--upstream", url, "--cassette", "a.json"]
    let (flight, recorder) = try await scratch.start(words)
    let port = recorder.split(separator: ":").last.map(String.init) ?? ""
    let bash = try #require(Companion.find("bash"))
    let client = try Flight(
      [bash, "\(data)/killed-recording.sh", port],
      in: scratch,
      isTool: false
    )
    // The instant is drawn: behind so many of those, and a little more.
    for _ in 0..<draw / 2 { _ = try await client.line() }
    for _ in 0..<draw * 37 % 101 { await Task.yield() }
    let isAtEnd = draw > 22
    while try isAtEnd && !scratch.text("a.json.journal").contains(#"{"part":"#) {
      await Task.yield()
    }
    flight.signal(SIGKILL)
    _ = try await flight.end()
    let whole = try await client.end().out.split(separator: "\n").map(String.init)
    let run = try await scratch.run(words + ["--mode", "new-episodes", "--", "true"])
    let taken =
      scratch.has("a.json") ? try Cassette(contentsOf: scratch.file("a.json")) : Cassette()
    let left = taken.interactions.filter { $0.failure != nil || !$0.notes.isEmpty }
    let kept = taken.interactions.filter { !left.contains($0) }.map(\.request.url.target)
    #expect(Set(kept).isSuperset(of: whole) && kept.count == Set(kept).count, "\(run) \(kept)")
    if isAtEnd { expectEqual(left.map(\.request.url.target), ["/stream"]) }
    try await upstream.interrupt()
  }

  @Test func `a recording that ends well leaves no journal`() async throws {
    let (upstream, url) = try await Server.start(in: scratch)
    let words = ["record", "--upstream", url, "--cassette", "a.json", "--mode", "all", "--"]
    try await scratch.run(words + Server.client(of: "/home")).exits(0)
    #expect(scratch.has("a.json") && !scratch.has("a.json.journal"))
    try await upstream.interrupt()
  }

  @Test func `what is recorded anew with dates is of today, and without keeps its text`()
    async throws
  {
    let (upstream, url) = try await Server.start(in: scratch)
    let words = ["record", "--upstream", url, "--cassette", "a.json", "--mode", "rewrite"]
    let client = ["--"] + Server.client(of: "/home")
    try await scratch.run(words + ["--dates"] + client).exits(0)
    var old = try Cassette(contentsOf: scratch.file("a.json"))
    #expect(old.interactions.count == 1 && old.interactions[0].recordedAt != nil)
    old.interactions[0].recordedAt = "2001-02-03T04:05:06Z"
    try old.write(to: scratch.file("a.json"))
    let text = try scratch.text("a.json")
    let lint = ["cassette", "lint", "a.json", "--max-age", "90"]
    try await scratch.run(lint).exits(1)
    try await scratch.run(words + client).exits(0)
    try expectEqual(scratch.text("a.json"), text)
    try await scratch.run(words + ["--dates"] + client).exits(0)
    try await scratch.expect(lint)
    try await upstream.interrupt()
  }

  @Test func `none plays and never asks the upstream`() async throws {
    let (upstream, url) = try await Server.start(in: scratch)
    try scratch.write(Texts.cassette, to: "a.json")
    let words = ["record", "--upstream", url, "--cassette", "a.json", "--mode", "none", "--"]
    let run = try await scratch.run(words + Server.client(of: "/home"))
    #expect(run.out.contains("501"), "\(run.out)")
    try expectEqual(scratch.text("a.json"), Texts.cassette)
    try await upstream.interrupt()
  }

  @Test func `verify says nothing new of an unchanged server and ends with 3 for another`()
    async throws
  {
    try scratch.write(Texts.cassette, to: "a.json")
    let (upstream, url) = try await Server.start("a.json", in: scratch)
    let words = ["record", "--mode", "verify", "--upstream", url, "--cassette"]
    try await scratch.expect(words + ["a.json"], out: "1 same, 0 drifted, 0 skipped\n")
    try scratch.write(Texts.cassette.replacingOccurrences(of: ":1}", with: ":2}"), to: "b.json")
    try await scratch.expect(
      words + ["b.json"],
      code: 3,
      out: """
        drifted #1 GET https://api.example.test/a
          body $.a: recorded 2, live 1
        0 same, 1 drifted, 0 skipped

        """
    )
    let json = try await scratch.run(words + ["b.json", "--json"]).exits(3)
    try expectEqual(JSON(parsing: Data(json.out.utf8), source: "drift")["drifted"], 1)
    try await scratch.expect(
      words + ["a.json", "--body-bytes-max", "6"],
      code: 98,
      out: """
        skipped #1 GET https://api.example.test/a: The content is larger than 6 bytes.
        0 same, 0 drifted, 1 skipped

        """,
      err: "Nothing was compared: the one interaction was skipped.\n"
    )
    try await upstream.interrupt()
  }
}
