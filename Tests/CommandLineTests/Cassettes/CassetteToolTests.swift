import TestSupport
import WindTunnel

/// The commands that compare cassettes and make others of them, as processes.
@Suite(.timeLimit(.minutes(5))) struct CassetteToolTests {
  private let scratch: Scratch

  init() throws { scratch = try Scratch() }

  /// A cassette of GETs, each answered with a number.
  private func tape(_ answers: KeyValuePairs<String, Int>, date: String = "today") -> String {
    let interactions = answers.map { path, number in
      """
      {"request": {"url": "https://a.test\(path)"},
       "response": {"headers": [["Date", "\(date)"]], "json": {"n": \(number)}}}
      """
    }
    return #"{"windtunnel": 1, "interactions": [\#(interactions.joined(separator: ","))]}"#
  }

  @Test func `convert says of a zip archive what to do, and lint counts absolute URLs`()
    async throws
  {
    try scratch.write("PK\u{3}\u{4}", to: "a.har.zip")
    let zip = try await scratch.run("cassette convert a.har.zip b.json")
    #expect(zip.code == 65 && zip.err.contains(" Record with content: 'embed', or unpack it, "))
    try scratch.write(tape(["/a": 1]), to: "a.json")
    let links =
      #"{"windtunnel":1,"interactions":[{"request":{"url":"http://a.test/a"},"response":{"#
    let text = #""headers":[["Content-Type","application/json"]],"json":["http://a.test/b"]}}]}"#
    try scratch.write(links + text, to: "b.json")
    let lint = try await scratch.run("cassette lint a.json b.json")
    #expect(lint.code == 0 && lint.err.hasPrefix("b.json: 1 absolute URL of http://a.test in "))
  }

  @Test func `diff is quiet about dates and ends with 1 where a value changed`() async throws {
    try scratch.write(tape(["/a": 1, "/b": 2]), to: "a.json")
    try scratch.write(tape(["/a": 1, "/b": 2], date: "tomorrow"), to: "same.json")
    try scratch.write(tape(["/a": 1, "/b": 3, "/c": 4]), to: "b.json")
    try await scratch.expect("cassette diff a.json same.json")
    let text = """
      a.json → b.json: 1 changed, 1 added, 1 the same
      ~ #2 GET https://a.test/b
          response.json.n: 2 → 3
      + #3 GET https://a.test/c → 200

      """
    try await scratch.expect("cassette diff a.json b.json", code: 1, out: text)
  }

  @Test func `diff --git compares with a commit, and only cassettes`() async throws {
    try scratch.write(tape(["/a": 1]), to: "a.json")
    try scratch.write(tape(["/gone": 1]), to: "gone.json")
    try scratch.write("{}", to: "other.json")
    try scratch.git("init", "--quiet")
    try scratch.git("add", "a.json", "gone.json", "other.json")
    try scratch.git("commit", "--quiet", "--message", "one")
    let words = ["cassette", "diff", "--git", "HEAD", "--format", "markdown"]
    try await scratch.expect(words)
    try scratch.write(tape(["/a": 2], date: "tomorrow"), to: "a.json")
    try scratch.write("[]", to: "other.json")
    try scratch.write(tape(["/new": 1]), to: "new.json")
    try FileManager.default.removeItem(at: scratch.folder.appendingPathComponent("gone.json"))
    let text = """
      ### `a.json`: 1 changed, 0 the same

      - **changed** `#1 GET https://a.test/a`
        - `response.json.n: 1 → 2`

      ### `gone.json`: 1 removed, 0 the same

      - **removed** `#1 GET https://a.test/gone → 200`

      ### `new.json`: 1 added, 0 the same

      - **added** `#1 GET https://a.test/new → 200`

      """
    try await scratch.expect(words, code: 1, out: text)
    try await scratch.run("cassette diff --git HEAD no.json").exits(66)
    try await scratch.run("cassette diff --git -x").exits(64)
  }

  @Test(arguments: [false, true])
  func `a cassette under another name is compared with what it was`(isAdded: Bool) async throws {
    try scratch.write(tape(["/a": 1, "/b": 1, "/c": 1]), to: "old.json")
    try scratch.git("init", "--quiet")
    try scratch.git("add", "old.json")
    try scratch.git("commit", "--quiet", "--message", "one")
    try FileManager.default.removeItem(at: scratch.file("old.json"))
    try scratch.write(tape(["/a": 1, "/b": 1, "/c": 2]), to: "new.json")
    if isAdded { try scratch.git("add", "--all") }
    let run = try await scratch.run("cassette diff --git HEAD").exits(1)
    #expect(run.out.hasPrefix("old.json → new.json: 1 changed, 2 the same\n"), "\(run)")
    #expect(!run.out.contains("removed") && !run.out.contains("added"), "\(run)")
    try scratch.write(tape(["/a": 1, "/b": 1, "/c": 1]), to: "new.json")
    try await scratch.expect("cassette diff --git HEAD")
  }

  @Test func `merge does not write over a cassette that it does not read`() async throws {
    for name in ["a.json", "b.json", "c.json"] {
      try scratch.write(tape(["/\(name)": 1]), to: name)
    }
    let words = ["cassette", "merge", "a.json", "b.json"]
    let sentence =
      "windtunnel: c.json already exists. To add to it, pass it as one of the cassettes, too.\n"
    try await scratch.expect(words + ["c.json"], code: 73, err: sentence)
    try await scratch.expect(words + ["a.json"], err: "a.json: 2 interactions\n")
  }

  @Test func `prune --check tells what would go and changes nothing`() async throws {
    let text = tape(["/a": 1, "/b": 2])
    try scratch.write(text, to: "a.json")
    let words = ["cassette", "prune", "a.json", "--number", "2"]
    let left = "a.json: 1 interaction remains\n"
    try await scratch.expect(words + ["--check"], code: 1, out: "#2 GET https://a.test/b\n")
    try expectEqual(scratch.text("a.json"), text)
    try await scratch.expect(words, out: "#2 GET https://a.test/b\n", err: left)
    try await scratch.run(words).exits(64)
    let old = ["cassette", "prune", "a.json", "--older-than", "1"]
    try await scratch.expect(old, err: "1 interaction has no date\n")
  }

  @Test func `prune takes the large bodies that nothing names any more`() async throws {
    let bodies = [1, 2].map { Body(Data(repeating: $0, count: 300_000)) }
    let cassette = Cassette(
      bodies.map { Interaction(Request("GET", "https://a.test/"), Response(body: $0)) }
    )
    try cassette.write(to: scratch.file("a.json"))
    try scratch.write("mine", to: "a.bodies/README")
    func names() throws -> [String] { try scratch.names(in: "a.bodies") }
    try expectEqual(names().count, 4)
    let words = ["cassette", "prune", "a.json", "--number"]
    try await scratch.run(words + ["1", "--check"]).exits(1)
    try expectEqual(names().count, 4)
    try await scratch.run(words + ["1"]).exits(0)
    try expectEqual(names().count, 3)
    try expectEqual(
      Cassette(contentsOf: scratch.file("a.json")),
      Cassette([cassette.interactions[1]])
    )
    try await scratch.run(words + ["1"]).exits(0)
    try expectEqual(names(), ["README"])
  }

  @Test func `convert works in both directions, and reports kept secrets`() async throws {
    let text = """
      {"windtunnel": 1, "interactions": [{"request": {"url": "https://a.test/",
        "headers": {"Cookie": "a=secret-of-ada"}}, "response": {"status": 204}}]}
      """
    try scratch.write(text, to: "a.json")
    try await scratch.expect("cassette convert a.json a.har", err: "a.har: 1 interaction\n")
    #expect(try !scratch.text("a.har").contains("secret-of-ada"))
    let words = ["cassette", "convert", "--keep-secrets"]
    let kept = try await scratch.run(words + ["a.json", "b.har"])
    expectEqual(kept.err, "b.har: secrets were kept; do not commit it.\nb.har: 1 interaction\n")
    try await scratch.run(words + ["b.har", "b.json"]).exits(0)
    try await scratch.expect("cassette diff a.json b.json")
  }
}
