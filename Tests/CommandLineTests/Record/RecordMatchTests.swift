import TestSupport
import WindTunnel

/// What is recorded where one address answers by the body.
@Suite(.timeLimit(.minutes(5))) struct RecordMatchTests {
  private let scratch: Scratch

  init() throws { scratch = try Scratch() }

  private static let upstream = """
    {"windtunnel":1,"interactions":[
      {"request":{"method":"POST","url":"/graphql","headers":{"Content-Type":"application/json"},
        "json":{"query":"A"}},"response":{"text":"answer of A"}},
      {"request":{"method":"POST","url":"/graphql","headers":{"Content-Type":"application/json"},
        "json":{"query":"B"}},"response":{"text":"answer of B"}}]}
    """
  private static let rules = #"{"match":1,"body":"byType"}"#

  /// A server that tells bodies apart.
  private func start() async throws -> (flight: Flight, url: String) {
    try scratch.write(Self.upstream, to: "up.json")
    try scratch.write(Self.rules, to: "match.json")
    return try await Server.start("up.json", "--match match.json", in: scratch)
  }

  /// A shell that asks one of the two at a URL, by way of a proxy if there is one.
  private static func client(_ query: String, at url: String, target: String = "/graphql")
    -> [String]
  {
    let body = #"{"query":"\#(query)"}"#
    return [
      "bash", "-c",
      "url=\(url); exec 3<>/dev/tcp/127.0.0.1/${url##*:}; "
        + "printf 'POST \(target) HTTP/1.1\\r\\nHost: 127.0.0.1\\r\\nConnection: close\\r\\n"
        + "Content-Type: application/json\\r\\nContent-Length: \(body.utf8.count)\\r\\n\\r\\n\(body)' "
        + ">&3; cat <&3",
    ]
  }

  private static func client(_ query: String) -> [String] { client(query, at: "$WINDTUNNEL_URL") }

  private func bodies(of name: String) throws -> [String?] {
    try Cassette(contentsOf: scratch.file(name)).interactions.map { $0.response?.body.text }
  }

  @Test func `new episodes are told apart by their bodies where the rules say so`() async throws {
    let (upstream, url) = try await start()
    let words = ["record", "--upstream", url, "--cassette", "a.json", "--as", "https://a.test"]
    let first = try await scratch.run(words + ["--"] + Self.client("A"))
    #expect(first.code == 0 && first.out.hasSuffix("answer of A"), "\(first)")
    let more = words + ["--mode", "new-episodes", "--match", "match.json", "--"]
    let second = try await scratch.run(more + Self.client("B"))
    #expect(second.code == 0 && second.out.hasSuffix("answer of B"), "\(second)")
    expectEqual(second.err, "a.json: 2 interactions\n")
    try expectEqual(bodies(of: "a.json"), ["answer of A", "answer of B"])
    for mode in ["none", "once"] {
      for query in ["B", "A"] {
        let play = words + ["--mode", mode, "--match", "match.json", "--"]
        let run = try await scratch.run(play + Self.client(query))
        #expect(run.out.hasSuffix("answer of \(query)"), "\(run)")
      }
    }
    try expectEqual(bodies(of: "a.json"), ["answer of A", "answer of B"])
    try await upstream.interrupt()
  }

  @Test func `without rules what another body was recorded for is played, and that is said`()
    async throws
  {
    let (upstream, url) = try await start()
    let words = ["record", "--upstream", url, "--cassette", "a.json", "--as", "https://a.test"]
    try await scratch.run(words + ["--"] + Self.client("A")).exits(0)
    let more = words + ["--mode", "new-episodes", "--"]
    let run = try await scratch.run(more + Self.client("B"))
    #expect(run.out.hasSuffix("answer of A"), "\(run)")
    expectEqual(
      run.err,
      """
      POST https://a.test/graphql: played once for a request whose body differs from the recorded one
      To compare bodies: --match FILE with {"match":1,"body":"byType"}.

      """
    )
    // The same body says nothing.
    let same = try await scratch.run(more + Self.client("A"))
    #expect(same.err.isEmpty, "\(same)")
    try await upstream.interrupt()
  }

  @Test func `serve says once which response it plays for another body`() async throws {
    try scratch.write(Self.upstream, to: "up.json")
    try scratch.write(Self.rules, to: "match.json")
    let line = """
      POST /graphql: played a response that was recorded for another body; to compare bodies: \
      --match FILE with {"match":1,"body":"byType"}.

      """
    for (query, flags, err) in [("C", [], line), ("B", ["--match", "match.json"], "")] {
      let (flight, url) = try await scratch.start(["serve", "up.json"] + flags)
      for query in ["A", query, query] {
        let asked = try await Companion.run(Self.client(query, at: url), in: scratch)
        #expect(asked.text.contains("answer of "), "\(asked)")
      }
      try await expectEqual(flight.interrupt(), Program.Run(code: 0, out: "\(url)\n", err: err))
    }
  }

  @Test func `a proxy records by the same rules`() async throws {
    let (upstream, url) = try await start()
    let (none, some): ([String], [String]) = ([], ["--match", "match.json"])
    for (query, rules, answer, count) in [
      ("A", none, "A", 1), ("B", none, "A", 1), ("B", some, "B", 2),
    ] {
      let words = ["proxy", "--record", "tape.json", "--dates"] + rules
      let (flight, proxy) = try await scratch.start(words)
      let client = Self.client(query, at: proxy, target: "\(url)/graphql")
      let asked = try await Companion.run(client, in: scratch)
      #expect(asked.text.hasSuffix("answer of \(answer)"), "\(asked)")
      let run = try await flight.interrupt().exits(0)
      expectEqual(run.err.contains("--match FILE"), (query != answer), "\(run.err)")
      let tape = try Cassette(contentsOf: scratch.file("tape.json"))
      expectEqual(tape.interactions.count, count)
      #expect(tape.interactions.allSatisfy { $0.recordedAt != nil })
    }
    try await upstream.interrupt()
  }

  @Test func `a proxy passes hosts on to that are left alone, and records the others`()
    async throws
  {
    let (upstream, url) = try await start()
    let (other, left) = try await start()
    let host = String(left.dropFirst("http://".count))
    let (flight, proxy) = try await scratch.start("proxy --record tape.json --ignore \(left)")
    for origin in [url, left] {
      let words = Self.client("A", at: proxy, target: "\(origin)/graphql")
      let run = try await Companion.run(words, in: scratch)
      #expect(run.text.hasSuffix("answer of A"), "\(run)")
    }
    try await expectEqual(flight.interrupt().err, "tape.json: 1 interaction\n")
    let text = try scratch.text("tape.json")
    #expect(text.contains(url) && !text.contains(host))
    for flight in [upstream, other] {
      try await flight.interrupt()
    }
  }

  @Test func `rules that do not read are refused before anything is asked`() async throws {
    try scratch.write(#"{"match":1,"bodi":"json"}"#, to: "odd.json")
    let words = ["--upstream", "http://127.0.0.1:1", "--cassette", "a.json"]
    let record = try await scratch.run(["record"] + words + ["--match", "odd.json", "--", "true"])
    let proxy = try await scratch.run("proxy --match odd.json")
    let asked = ["--cassette", Repository.shop, "--request", "GET /home", "--match", "odd.json"]
    let explain = try await scratch.run(["cassette", "explain"] + asked)
    let sentence = "windtunnel: odd.json, bodi: unknown key. Did you mean \"body\"?\nFor help: "
    for run in [record, proxy, explain] {
      #expect(run.code == 64 && run.out.isEmpty && run.err.hasPrefix(sentence), "\(run)")
    }
    #expect(!scratch.has("a.json"))
  }
}
