import TestSupport
import WindTunnel

/// `windtunnel proxy --open-tls` with curl.
@Suite(.timeLimit(.minutes(5))) struct OpenTLSTests {
  private let scratch: Scratch

  init() throws { scratch = try Scratch() }

  private static let hasCurl = Companion.find("curl") != nil

  private func curl(
    _ url: String,
    through proxy: String,
    trusting file: String
  ) async throws -> (code: Int32, text: String) {
    try await Companion.run(
      [
        "curl", "-sS", "--noproxy", "", "--proxy", proxy, "--cacert", file, "-H",
        "Authorization: Bearer invented-token-0123456789", url,
      ],
      in: scratch
    )
  }

  @Test(.enabled(if: hasCurl, "curl is not here."))
  func `HTTPS is recorded through a tunnel, and played when its server is gone`() async throws {
    let (origin, place) = try await Server.start(
      Repository.shop,
      "--tls --ca-out origin.pem",
      in: scratch
    )
    let url = place.replacing("127.0.0.1", with: "localhost") + "/home"
    let (recording, proxy) = try await scratch.start(
      "proxy --open-tls --ca-out own.pem --upstream-ca origin.pem --record tape.json",
      "--report flight.json"
    )
    let live = try await curl(url, through: proxy, trusting: "own.pem")
    #expect(live.code == 0 && live.text.contains("Olá, João!"), "\(live)")
    // What vouches for the origin does not vouch for the proxy.
    let wrong = try await curl(url, through: proxy, trusting: "origin.pem")
    #expect(wrong.code == 60 && !wrong.text.contains("Olá, João!"), "\(wrong)")
    let page = try await Companion.run(
      [
        "curl", "-sS", "--noproxy", "", "-x", proxy, "-w", "%{content_type}", "-o", "page.pem",
        "http://wind.tunnel/ca.pem",
      ],
      in: scratch
    )
    expectEqual(page.text, "application/x-x509-ca-cert")
    try expectEqual(scratch.text("page.pem"), scratch.text("own.pem"))
    let run = try await recording.interrupt()
    expectEqual(
      run,
      Program.Run(
        code: 0,
        out: "\(proxy)\n",
        err: "tape.json: 1 interaction\nflight.json: report\n"
      )
    )
    let tape = try Cassette(contentsOf: scratch.file("tape.json")).interactions
    expectEqual(tape.map { "\($0.request.method) \($0.request.url)" }, ["GET \(url)"])
    expectEqual(tape.map { $0.response?.status }, [200])
    #expect(!(try scratch.text("tape.json").contains("invented-token")))
    let report = try scratch.text("flight.json")
    #expect(report.contains("\"request\": \"GET \(url)\""))
    #expect(report.contains("\"ending\": \"the client refused the certificate\""))
    try await origin.interrupt()

    let (playing, player) = try await scratch.start(
      "proxy --open-tls --ca-out again.pem --cassette tape.json"
    )
    let played = try await curl(url, through: player, trusting: "again.pem")
    #expect(played.code == 0 && played.text == live.text)
    try await expectEqual(playing.interrupt(), Program.Run(code: 0, out: "\(player)\n", err: ""))
  }

  @Test(.enabled(if: hasCurl, "curl is not here."))
  func `without being told to, a proxy opens no tunnel`() async throws {
    let (origin, place) = try await Server.start(
      Repository.shop,
      "--tls --ca-out origin.pem",
      in: scratch
    )
    let (flight, proxy) = try await scratch.start("proxy --record tape.json")
    let url = "\(place)/home"
    let live = try await curl(url, through: proxy, trusting: "origin.pem")
    #expect(live.code == 0 && live.text.contains("Olá, João!"), "\(live)")
    let run = try await flight.interrupt()
    expectEqual(run.err, "Nothing was recorded; tape.json is unchanged.\n")
    #expect(!scratch.has("tape.json"))
    try await origin.interrupt()
  }

  @Test(arguments: [
    (["--open-tls", "--scenario", "cut.json"], Int32(64), "closes tunnels after some bytes"),
    (["--scenario", "tls.json"], 64, "which needs open tunnels. Pass --open-tls"),
    (["--open-tls", "--ca-out", "none/ca.pem"], 73, "none/ca.pem"),
  ])
  func `what makes no sense is refused before anything starts`(
    words: [String],
    code: Int32,
    sentence: String
  ) async throws {
    let rule = #"{"when":{"request":"CONNECT *"},"faults":[{"resetAfterBodyBytes":9}]}"#
    try scratch.write(#"{"windtunnelScenario":1,"name":"cut","rules":[\#(rule)]}"#, to: "cut.json")
    let tls = #"{"when":{},"faults":[{"tls":"expired"}]}"#
    try scratch.write(#"{"windtunnelScenario":1,"name":"tls","rules":[\#(tls)]}"#, to: "tls.json")
    let run = try await scratch.run(["proxy"] + words)
    #expect(run.code == code && run.out == "")
    #expect(run.err.contains(sentence), "\(run.err)")
    #expect(!scratch.has("ca.pem"))
  }

  @Test func `without OpenSSL one sentence says what is missing`() async throws {
    let run = try await scratch.run(
      "proxy --open-tls --ca-out ca.pem",
      with: ["WINDTUNNEL_OPENSSL": scratch.folder.path]
    )
    #expect(run.code == 69 && run.out.isEmpty && !scratch.has("ca.pem"))
    #expect(run.err.hasPrefix("windtunnel: TLS is not available: OpenSSL 3 was not found: "))
    expectEqual(run.err.split(separator: "\n").count, 1)
  }
}
