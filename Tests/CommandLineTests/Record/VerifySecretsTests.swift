import TestSupport
import WindTunnel

/// `record --mode verify` where the tape's secrets are wanted back, and where nothing is compared.
@Suite(.timeLimit(.minutes(5))) struct VerifySecretsTests {
  private let scratch: Scratch

  init() throws { scratch = try Scratch() }

  private static let tape = """
    {"windtunnel":1,"interactions":[
      {"request":{"url":"/a","headers":{"Authorization":"Bearer REDACTED-authorization-1",
        "X-Login":"REDACTED-logintoken-1"}},"response":{"text":"a"}}]}
    """
  private static let environment = ["API": "invented-1", "LOGIN": "invented-2"]

  private func verify(
    _ words: [String],
    against cassette: String = "a.json"
  ) async throws -> Program.Run {
    let (upstream, url) = try await Server.start(cassette, in: scratch)
    let run = try await scratch.run(
      ["record", "--mode", "verify", "--upstream", url, "--cassette", "a.json"] + words,
      with: Self.environment
    )
    try await upstream.interrupt()
    return run
  }

  @Test func `a secret may be named as it was called before`() async throws {
    try scratch.write(Self.tape, to: "a.json")
    let words = ["--secret", "Authorization=API", "--secret", "loginToken=LOGIN"]
    try await expectEqual(
      verify(words),
      Program.Run(code: 0, out: "1 same, 0 drifted, 0 skipped\n", err: "")
    )
    let one = ["--secret", "authorization-1=API", "--secret", "LoginToken-1=LOGIN"]
    try await expectEqual(verify(one).code, 0)
  }

  @Test
  func `verify names the flag of a missing secret, and exits with 98 if nothing was compared`()
    async throws
  {
    try scratch.write(Self.tape, to: "a.json")
    try await expectEqual(
      verify(["--secret", "authorization=API"]),
      Program.Run(
        code: 98,
        out: """
          skipped #1 GET /a: there is no secret for REDACTED-logintoken-1 \
          (pass --secret logintoken=ENV)
          0 same, 0 drifted, 1 skipped

          """,
        err: "Nothing was compared: the one interaction was skipped.\n"
      )
    )
  }

  @Test(arguments: [
    ("authorisation=API", "authorization, logintoken. Did you mean authorization?"),
    ("logintoken-2=LOGIN", "authorization, logintoken. Did you mean logintoken?"),
  ])
  func `a secret that fits nothing on the tape is refused`(word: String, rest: String) async throws
  {
    try scratch.write(Self.tape, to: "a.json")
    let name = String(word.prefix { $0 != "=" })
    let run = try await verify(["--secret", "authorization=API", "--secret", word])
    #expect(run.code == 64 && run.out.isEmpty)
    expectEqual(
      run.err,
      """
      windtunnel: --secret \(name): no request in a.json has a REDACTED-\(name)-N; it has \(rest)
      For help: windtunnel record --help

      """
    )
  }

  @Test func `on a tape without secrets there is nothing to give one for`() async throws {
    try scratch.write(Texts.cassette, to: "a.json")
    let run = try await verify(["--secret", "authorization=API"])
    #expect(run.code == 64 && run.err.contains("it has nothing redacted."), "\(run)")
  }

  @Test func `an empty tape and requests that change something are no proof of anything`()
    async throws
  {
    try scratch.write(#"{"windtunnel":1,"interactions":[]}"#, to: "a.json")
    try await expectEqual(
      verify([], against: Repository.shop),
      Program.Run(
        code: 98,
        out: "0 same, 0 drifted, 0 skipped\n",
        err: "Nothing was compared: a.json is empty.\n"
      )
    )
    let tape =
      #"{"windtunnel":1,"interactions":[{"request":{"method":"POST","url":"/a"},"response":{"status":204}}]}"#
    try scratch.write(tape, to: "a.json")
    let skipped = "Nothing was compared: the one interaction was skipped.\n"
    let idle = try await verify([])
    #expect(idle.code == 98 && idle.err == skipped)
    let asking = try await verify(["--unsafe"])
    #expect(asking.code == 0 && asking.err == "")
  }

  @Test func `a live answer loses what a flag names before it is told`() async throws {
    try scratch.write(
      #"{"windtunnel":1,"interactions":[{"request":{"url":"/a"},"response":{"json":{"a":1}}}]}"#,
      to: "a.json"
    )
    try scratch.write(
      #"{"windtunnel":1,"interactions":[{"request":{"url":"/a"},"response":{"json":{"a":1,"floor":"x-71-b"}}}]}"#,
      to: "live.json"
    )
    let (upstream, url) = try await Server.start("live.json", in: scratch)
    let words = ["record", "--mode", "verify", "--upstream", url, "--cassette", "a.json"]
    let plain = try await scratch.run(words)
    #expect(plain.code == 3 && plain.out.contains("x-71-b"))
    let run = try await scratch.run(words + ["--redact", "floor"])
    #expect(run.code == 3 && run.out.contains("REDACTED-floor-1") && !run.out.contains("x-71-b"))
    try await upstream.interrupt()
  }
}
