import TestSupport

@testable import windtunnel_cli

/// A recording that is saved only if its command does the same against it.
@Suite(.timeLimit(.minutes(5))) struct ProofTests {
  private let scratch: Scratch

  init() throws { scratch = try Scratch() }

  /// An origin that counts its requests.
  private final class Origin: Sendable {
    let server: ReplayServer
    private let asked = AsyncStream<Void>.makeStream()

    init() async throws {
      let json: HeaderFields = ["Content-Type": "application/json"]
      let login = HeaderFields([
        .init("Content-Type", "application/json"), .init("Set-Cookie", "lang=de; Path=/"),
      ])
      let token = #"{"access_token":"f3a91c0de5b7482d96e1a0c4b85d7f20"}"#
      let all = Cassette([
        Interaction(
          Request("POST", "http://up.test/login"),
          Response(headers: login, body: Body(token))
        ),
        Interaction(Request("GET", "/a"), Response(headers: json, body: Body(#"{"a":1}"#))),
        Interaction(Request("GET", "/b"), Response(headers: json, body: Body(#"{"b":1}"#))),
        Interaction(Request("GET", "/r"), .json(["req": "rq_011CSHoEeqs5C35K2UUqR7Fy"])),
        Interaction(Request("GET", "/{language}/home"), Response(body: Body("home"))),
        Interaction(Request("PUT", "/things/{id}"), Response(body: Body("put"))),
        Interaction(Request("POST", "/things"), Response(body: Body("made"))),
      ])
      var matcher = Matcher.pathAndQuery
      matcher.ignoredQuery = ["*"]
      let options = PlaybackOptions(matcher: matcher, then: .repeat)
      server = try await ReplayServer(
        Deck(
          all,
          options: options,
          observe: { [asked] event in
            if case .requestEnd = event { asked.continuation.yield() }
          }
        )
      )
    }

    /// Stops the origin, and returns the number of its requests.
    func stop() async -> Int {
      await server.stop()
      asked.continuation.finish()
      return await asked.stream.reduce(0) { count, _ in count + 1 }
    }
  }

  /// Shell functions: `n` is the number of the run, and `ask METHOD TARGET BODY FIELD` prints a
  /// response.
  private static let shell = #"""
    n=1; [ -f runs ] && n=$(($(cat runs) + 1)); echo $n >runs
    ask() {
      exec 3<>"/dev/tcp/127.0.0.1/${WINDTUNNEL_URL##*:}"
      printf '%s %s HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Type: application/json\r\n' \
        "$1" "$2" >&3
      [ -z "$4" ] || printf '%s\r\n' "$4" >&3
      printf 'Content-Length: %s\r\n\r\n%s' "${#3}" "$3" >&3
      response=$(tr -d '\r' <&3)
      exec 3>&-
    }

    """#

  private func prove(
    _ script: String,
    _ origin: Origin,
    _ more: [String] = []
  ) async throws -> Program.Run {
    let words = ["record", origin.server.url, "--cassette", "a.json", "--prove"] + more
    return try await scratch.run(words + ["--", "bash", "-c", Self.shell + script])
  }

  @Test func `a recording that holds is saved, and its origin is asked once`() async throws {
    let origin = try await Origin()
    let script =
      #"ask GET /a; echo "${response##*$'\n'}"; ask PUT /things/7 '{"a":1}'; echo done >&2"#
    let run = try await prove(script, origin)
    expectEqual(run.out, #"{"a":1}"# + "\n")
    expectEqual(
      run.err,
      """
      done
      held: requests: 2, in the same order, with their fields and 1 body
      held: responses: 2, each for its own request, with status and length
      held: exit code: 0
      held: standard output: 1 line
      held: standard error: 1 line
      held: secrets: none in the cassette
      not compared: request fields that differ each time: dates, request ids, traces
      not compared: times, and effects of the command other than requests and output
      a.json: 2 interactions

      """
    )
    expectEqual(run.code, 0)
    try expectEqual(
      Cassette(contentsOf: scratch.file("a.json")).interactions.map(\.request.url.target),
      ["/a", "/things/7"]
    )
    await expectEqual(origin.stop(), 2)
  }

  /// A difference: the command, the line that names it, the rule, and the rule that was given.
  @Test(arguments: 0..<11)
  func `a difference is named with a rule that, pasted, makes it hold`(index: Int) async throws {
    let rows: [(String, String, String, String?)] = try TestData.rows(
      "proof-differences.json",
      count: 11
    )
    let (script, line, rule, given) = rows[index]
    let origin = try await Origin()
    try given.map { try scratch.write($0, to: "match.json") }
    let file = given == nil ? [] : ["--match", "match.json"]
    let red = try await prove(script, origin, file).exits(1)
    #expect(red.err.contains(line), "\(red.err)")
    let place = given == nil ? "as match.json, and add --match match.json" : "in match.json"
    let advice = "To make both runs equal, save \(place): "
    let pasted = red.err.split(separator: "\n").first { $0.hasPrefix(advice) }?.dropFirst(
      advice.count
    )
    try expectEqual(
      pasted.map { try JSON(parsing: $0.utf8, source: "") },
      JSON(parsing: rule.utf8, source: "")
    )
    #expect(red.err.hasSuffix("The recording was discarded; no a.json was written.\n"))
    #expect(!scratch.has("a.json") && !scratch.has("a.json.journal"))
    try scratch.write(String(pasted ?? ""), to: "match.json")
    let green = try await prove(script, origin, ["--match", "match.json"]).exits(0)
    #expect(scratch.has("a.json") && !green.err.contains("differs:"))
    _ = await origin.stop()
  }

  @Test func `a field that differs is named with the flag that skips it`() async throws {
    let origin = try await Origin()
    let script = #"ask GET /a "" "X-Device: $n""#
    let red = try await prove(script, origin)
    #expect(red.err.contains(#"GET /a: header x-device: recorded "1", asked "2""#), "\(red.err)")
    #expect(red.err.contains("\nTo make both runs equal, add --volatile x-device\n"))
    expectEqual(red.code, 1)
    try await prove(script, origin, ["--volatile", "x-device"]).exits(0)
    _ = await origin.stop()
  }

  @Test func `a random-looking value is named with the flags that decide about it`() async throws {
    let origin = try await Origin()
    let red = try await prove("ask GET /r", origin).exits(1)
    let line =
      "secret: #1 response body JSON req: entropy, 27 bytes [entropy]; replace it with "
      + "--redact req, or add --keep req if it is not a secret\n"
    #expect(red.err.contains("\n\(line)"), "\(red.err)")
    #expect(!red.err.contains("differs:") && !red.err.contains("both runs equal"), "\(red.err)")
    for flag in ["--redact", "--keep"] {
      try await prove("ask GET /r", origin, ["--mode", "rewrite", flag, "req"]).exits(0)
    }
    _ = await origin.stop()
  }

  @Test func `a recording that does not hold leaves the cassette as it was, to the byte`()
    async throws
  {
    let origin = try await Origin()
    try scratch.write(Texts.cassette, to: "a.json")
    let run = try await prove("ask GET /a?at=$n", origin, ["--mode", "rewrite"])
    expectEqual(run.code, 1)
    #expect(run.err.hasSuffix("The recording was discarded; a.json is unchanged.\n"))
    try expectEqual(scratch.text("a.json"), Texts.cassette)
    let once = try await prove("ask GET /a", origin).exits(64)
    #expect(
      once.err.contains("a.json has 1 interaction and would only be played, which proves nothing.")
    )
    await expectEqual(origin.stop(), 1)
  }

  @Test(arguments: [
    ("ask GET /a; kill -9 $$", "Nothing was proved: the command must exit with 0.", 1),
    ("echo hello", "Nothing was recorded; no a.json was written.", 1),
    ("ask GET /a", "not compared: output: the command prints nothing", 0),
    ("ask GET /a; [ $n = 1 ] || ask GET /b", "GET /b: was sent more often than it was recorded", 1),
    ("ask GET /a; [ $n = 2 ] || ask GET /b", "GET /b: was recorded but not sent again", 1),
    ("ask GET /a; [ $n = 1 ] || kill -9 $$", "exit code: the command was ended by signal 9", 1),
  ])
  func `a command that cannot be proved is said so in a sentence`(
    script: String,
    sentence: String,
    code: Int32
  ) async throws {
    let origin = try await Origin()
    let run = try await prove(script, origin)
    #expect(run.err.contains(sentence), "\(run.err)")
    expectEqual(run.code, code)
    expectEqual(scratch.has("a.json"), code == 0)
    _ = await origin.stop()
  }

  @Test func `no more than a maximum of an output is compared`() throws {
    let output = try CommandOutput()
    let most = CommandOutput.comparedMax
    try output.output.write(contentsOf: Data(repeating: 97, count: most + 1))
    try output.errors.write(contentsOf: Data("b".utf8))
    let (texts, isCut) = try output.texts(isShown: false)
    #expect(texts[0].utf8.count == most && texts[1] == "b" && isCut)
  }

  @Test func `no secret that a command prints or sends is repeated`() async throws {
    let origin = try await Origin()
    let script = #"""
      ask POST "/login?n=$n" '{"password":"correct-horse-1"}'
      echo "${response##*$'\n'} correct-horse-1 $n"
      """#
    let run = try await prove(script, origin).exits(1)
    #expect(run.out.contains("f3a91c0de5b7482d96e1a0c4b85d7f20"), "it is the command's own")
    #expect(!run.err.contains("f3a91c0d") && !run.err.contains("correct-horse"), "\(run.err)")
    _ = await origin.stop()
  }

  @Test(arguments: [
    ([], "--prove runs a command twice; add the command as -- CMD."),
    (
      ["--mode", "none", "--", "true"],
      "--prove needs a recording, but --mode none does not record."
    ),
  ])
  func `a proof of no recording is refused`(more: [String], sentence: String) async throws {
    let words = ["record", "http://127.0.0.1:1", "--cassette", "a.json", "--prove"]
    let run = try await Scratch().run(words + more).exits(64)
    #expect(run.err.contains(sentence), "\(run.err)")
  }

  @Test func `the script records and proves from a foreign folder, with the tool that is there`()
    async throws
  {
    let origin = try await Origin()
    let script = Repository.root.appendingPathComponent("Scripts/record-fixtures").path
    try await scratch.run(
      [script, origin.server.url, "fixtures/a.json", "--as", "https://api.example.test", "--"]
        + ["bash", "-c", Self.shell + "ask GET /a; echo $PWD"],
      with: ["WINDTUNNEL": Program.executable().path],
      isTool: false
    ).exits(0)
    try expectEqual(
      Cassette(contentsOf: scratch.file("fixtures/a.json")).interactions.map {
        "\($0.request.url)"
      },
      ["https://api.example.test/a"]
    )
    await expectEqual(origin.stop(), 1)
    let wrong = [script, "--cassette", "a.json", "--", "true"]
    let refused = try await scratch.run(wrong, isTool: false).exits(64)
    #expect(refused.err.hasPrefix("Name a server, a cassette and a command: "), "\(refused)")
  }
}
