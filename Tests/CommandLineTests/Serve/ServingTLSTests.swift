import TestSupport
import WindTunnel

@Suite(.timeLimit(.minutes(5))) struct ServingTLSTests {
  private let scratch: Scratch

  init() throws { scratch = try Scratch() }

  private static let curl = Companion.find("curl")

  @Test(.enabled(if: curl != nil, "There is no curl to ask with."))
  func `a server by https vouches for itself, and is recorded by https`() async throws {
    let (origin, url) = try await Server.start(
      Repository.shop,
      "--tls --ca-out origin.pem",
      in: scratch
    )
    #expect(url.hasPrefix("https://127.0.0.1:"))
    // The recording server is asked by https, too.
    let run = try await scratch.run(
      "record --upstream \(url) --upstream-ca origin.pem --cassette new.json",
      "--as https://api.example.test --tls --ca-out own.pem -- curl -sS --noproxy *",
      "--cacert own.pem {url}/home"
    ).exits(0)
    #expect(run.out.contains("Olá, João!"))
    expectEqual(run.err, "new.json: 1 interaction\n")
    let recorded = try Cassette(contentsOf: scratch.file("new.json")).interactions
    expectEqual(recorded.map(\.request.url), ["https://api.example.test/home"])
    // Whom the machine does not trust is not believed, and the tape says why.
    let refused = try await scratch.run(
      "record --upstream \(url) --cassette refused.json -- curl -sS --noproxy * {url}/home"
    )
    #expect(refused.out.contains("its certificate is invalid"), "\(refused)")
    #expect(try scratch.text("refused.json").contains("\"serverCertificateHasUnknownRoot\""))
    try await expectEqual(origin.interrupt(), Program.Run(code: 0, out: "\(url)\n", err: ""))
  }

  @Test(arguments: [
    ["serve", "--cassette", Repository.shop, "--tls", "--ca-out", "ca.pem"],
    ["record", "--upstream", "https://127.0.0.1:1", "--cassette", "new.json"],
  ])
  func `without OpenSSL one sentence says what is missing`(words: [String]) async throws {
    let nowhere = scratch.folder.path
    let run = try await scratch.run(words, with: ["WINDTUNNEL_OPENSSL": nowhere])
    #expect(run.code == 69 && run.out.isEmpty)
    #expect(run.err.hasPrefix("windtunnel: TLS is not available: OpenSSL 3 was not found: "))
    #expect(run.err.contains(" in \(nowhere). To use it, install it ("))
    expectEqual(run.err.split(separator: "\n").count, 1)
    #expect(!scratch.has("ca.pem") && !scratch.has("new.json"))
  }

  @Test func `without OpenSSL all else works`() async throws {
    let (flight, url) = try await scratch.start(
      ["serve", "--cassette", Repository.shop],
      with: ["WINDTUNNEL_OPENSSL": scratch.folder.path]
    )
    await expectEqual(ask("\(url)/home").status, 200)
    try await expectEqual(flight.interrupt(), Program.Run(code: 0, out: "\(url)\n", err: ""))
  }

  private static func scenario(_ fault: String, when: String = "{}") -> String {
    #"{"windtunnelScenario":1,"name":"bad","rules":[{"when":\#(when),"faults":[\#(fault)]}]}"#
  }

  @Test(.enabled(if: curl != nil, "There is no curl to ask with."))
  func `a certificate fails the first connection and no other`() async throws {
    let text = Self.scenario(#"{"tls":"expired"}"#, when: #"{"first":1}"#)
    try Data(text.utf8).write(to: scratch.file("bad.json"))
    let (server, url) = try await Server.start(
      Repository.shop,
      "--tls --ca-out ca.pem --scenario bad.json",
      in: scratch
    )
    func ask() async throws -> (code: Int32, text: String) {
      let run = try await Companion.run(
        line("curl -sS --noproxy * --cacert ca.pem \(url)/home"),
        in: scratch
      )
      return (run.code, run.text)
    }
    try await expectEqual(ask().code, 60)
    let second = try await ask()
    #expect(second.code == 0 && second.text.contains("Olá, João!"), "\(second)")
    try await server.interrupt().exits(0)
  }

  @Test(arguments: [
    (
      scenario(#"{"tls":"expired"}"#), ["--port", "0"],
      "Scenario \"bad\" fails TLS handshakes, but this port uses plain HTTP. Add --tls, or "
        + "run it with windtunnel drill --scenario bad."
    ),
    (
      scenario(#"{"connect":"refused"}"#), ["--tls"],
      "Scenario \"bad\" fails connections, but serve has one port for all connections; "
        + "run it with windtunnel drill --scenario bad."
    ),
    (
      scenario(#"{"connect":"timeout"}"#, when: #"{"first":1}"#), [],
      "Scenario \"bad\" ignores some connection attempts, but a port cannot detect when a client "
        + "gives up. Ignore all attempts, or lose some with \"lostSYNs\"."
    ),
  ])
  func `a scenario that a port cannot make is refused`(
    text: String,
    flags: [String],
    sentence: String
  ) async throws {
    try Data(text.utf8).write(to: scratch.file("bad.json"))
    let run = try await scratch.run(
      ["serve", "--cassette", Repository.shop, "--scenario", "bad.json"] + flags
    )
    #expect(run.code == 64 && run.out.isEmpty)
    expectEqual(
      run.err.split(separator: "\n").map(String.init),
      ["windtunnel: \(sentence)", "For help: windtunnel serve --help"]
    )
  }
}
