import TestSupport
import WindTunnel

/// What commands make of a recording that was killed.
@Suite(.timeLimit(.minutes(5))) struct LeftoversTests {
  private let scratch: Scratch

  init() throws { scratch = try Scratch() }

  /// Leaves `a.json.journal` of two interactions, beside a tape of one if that is wanted.
  private func killed(beside tape: Bool) async throws {
    let (upstream, url) = try await Server.start(in: scratch)
    if tape { try scratch.write(Texts.cassette, to: "a.json") }
    let words = ["record", "--upstream", url, "--cassette", "a.json"]
    let (flight, proxy) = try await scratch.start(
      words + ["--as", "https://api.example.test", "--mode", "new-episodes"]
    )
    for path in ["/home", "/recommendations?user=7"] { _ = await ask(proxy + path) }
    flight.signal(SIGKILL)
    _ = try await flight.end()
    try await upstream.interrupt()
  }

  private static let told =
    "a.json is read with 2 interactions of a.json.journal, whose recording ended before it was "
    + "written; the next recording to it adds them.\n"

  @Test(.bothTiers, arguments: Tier.cases([true, false], few: 1))
  func `a journal is read by serve and by cassette commands, which do not change it`(
    besideTape: Bool
  ) async throws {
    try await killed(beside: besideTape)
    let journal = try scratch.text("a.json.journal")
    let show = try await scratch.run("cassette show a.json").exits(0)
    expectEqual(show.err, Self.told)
    #expect(
      show.out.contains("GET https://api.example.test/recommendations?user=7 →"),
      "\(show.out)"
    )
    try await scratch.expect("cassette lint a.json", err: Self.told)
    let (flight, url) = try await scratch.start("serve --cassette a.json")
    let answer = await ask("\(url)/recommendations?user=7")
    expectEqual(answer.status, 200, "\(answer)")
    try await expectEqual(flight.interrupt().err, Self.told)
    try expectEqual(scratch.text("a.json.journal"), journal)
    expectEqual(scratch.has("a.json"), besideTape)
    if besideTape { try expectEqual(scratch.text("a.json"), Texts.cassette) }
  }

  /// Every command that reads a cassette to its end; `{live}` is a server to ask.
  private static let readers = [
    "cassette show a.json", "cassette explain --cassette a.json --request GET%/home",
    "cassette lint a.json", "cassette verify a.json", "cassette diff a.json a.json",
    "cassette convert a.json a.har", "cassette merge a.json a.json merged.json",
    "cassette format --check a.json",
    "cassette prune a.json --number 1 --check",
    "drill --cassette a.json --scenario calm --calls 1 --subject urlsession",
    "record --mode none --upstream {live} --cassette a.json -- true",
    "record --mode verify --upstream {live} --cassette a.json",
  ]
  /// Those that serve it until they are told to end.
  private static let servers = ["serve --cassette a.json", "proxy --cassette a.json"]

  @Test(.bothTiers, arguments: Tier.cases([true, false], few: 1))
  func `commands that read a cassette report its journal and how to complete it`(
    besideTape: Bool
  ) async throws {
    try await killed(beside: besideTape)
    let (upstream, url) = try await Server.start(in: scratch)
    for line in Self.readers + Self.servers {
      let words = line.split(separator: " ").map {
        $0.replacingOccurrences(of: "{live}", with: url).replacingOccurrences(of: "%", with: " ")
      }
      let flight = try Flight(words, in: scratch)
      if Self.servers.contains(line) {
        _ = try #require(try await flight.line(), "\(line)")
        flight.signal(SIGINT)
      }
      let run = try await flight.end()
      #expect(run.err.contains(Self.told), "\(line): \(run)")
      #expect(![64, 65, 66, 70, 73].contains(run.code), "\(line): \(run)")
      #expect(scratch.has("a.json.journal") && scratch.has("a.json") == besideTape, "\(line)")
    }
    try await upstream.interrupt()
  }

  @Test func `an unfinished recording without a cassette is resumed by record`() async throws {
    try await killed(beside: false)
    let (upstream, url) = try await Server.start(in: scratch)
    let run = try await scratch.run(
      ["record", "--upstream", url, "--cassette", "a.json", "--as", "https://api.example.test"]
        + ["--"] + Server.client(of: "/search?q=a")
    ).exits(0)
    expectEqual(
      run.err,
      """
      a.json includes 2 interactions of a recording that ended before it was written.
      Resuming the recording: only new requests are recorded.
      a.json: 3 interactions

      """
    )
    try expectEqual(
      Cassette(contentsOf: scratch.file("a.json")).interactions.map(\.request.url.target),
      ["/home", "/recommendations?user=7", "/search?q=a"]
    )
    #expect(!scratch.has("a.json.journal"))
    try await upstream.interrupt()
  }

  @Test func `a half tape is no whole one after a second kill either`() async throws {
    try await killed(beside: false)
    let (upstream, url) = try await Server.start(in: scratch)
    let words =
      ["record", "--upstream", url, "--cassette", "a.json", "--as", "https://api.example.test"]
    let flight = try Flight(words, in: scratch)
    _ = try #require(try await flight.line())
    flight.signal(SIGKILL)
    _ = try await flight.end()
    try await scratch.run(words + ["--", "sh", "-c", "exit 3"]).exits(1)
    let run = try await scratch.run(words + ["--"] + Server.client(of: "/search?q=a")).exits(0)
    expectEqual(
      run.err,
      """
      Resuming the recording: only new requests are recorded.
      a.json: 3 interactions

      """
    )
    #expect(!scratch.has("a.json.journal"))
    try await upstream.interrupt()
  }

  @Test func `a command that writes the tape takes it up`() async throws {
    try await killed(beside: false)
    try await scratch.run("cassette prune a.json --number 1").exits(0)
    try expectEqual(
      Cassette(contentsOf: scratch.file("a.json")).interactions.map(\.request.url.target),
      ["/recommendations?user=7"]
    )
    #expect(!scratch.has("a.json.journal"))
  }

  @Test func `the journal of a running recording is not read as unfinished`() async throws {
    let (upstream, url) = try await Server.start(in: scratch)
    let (flight, proxy) = try await scratch.start("record --upstream \(url) --cassette a.json")
    await expectEqual(ask("\(proxy)/home").status, 200)
    let show = try await scratch.run("cassette show a.json")
    expectEqual(show, Program.Run(code: 66, out: "", err: "windtunnel: a.json: no such file.\n"))
    try await expectEqual(flight.interrupt().err, "a.json: 1 interaction\n")
    try await upstream.interrupt()
  }
}
