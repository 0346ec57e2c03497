import Origins
import Programs
import TestSupport

@testable import WindTunnel
@testable import WindTunnelServer

/// A replay server by https, and clients that were not written here.
@Suite(.timeLimit(.minutes(5)), .stopsLoops, .enabled(if: TLSKit.isThere, TLSKit.isMissing))
struct TLSServerTests {
  static let large = 20_000_000

  static var deck: Deck {
    Deck(
      [
        .get("/n") { .text(Body("\($0.url)")) },
        .get("/large") { _ in .text(Body(String(repeating: "0123456789", count: large / 10))) },
        .post("/up") { .text(Body("\($0.body.data.count)")) },
      ],
      matcher: .pathAndQuery
    )
  }

  static func serving<Result>(
    _ deck: Deck = deck,
    _ body: (ReplayServer, String) async throws -> Result
  ) async throws -> Result {
    var options = ReplayServer.Options.patient
    options.tls = ServerTLS(authority: try TLSKit.authority.get())
    let file = try TLSKit.authorityFile()
    defer { file.remove() }
    return try await ReplayServer.serving(deck, options) { server in
      expectEqual(server.url, "https://127.0.0.1:\(server.port)")
      return try await body(server, file.path)
    }
  }

  static let hasCurl = RealClient.path(of: "curl") != nil
  static let noCurl: Comment = "There is no curl to ask with."

  @Test(.enabled(if: hasCurl, noCurl), arguments: [["--tls-max", "1.2"], ["--tlsv1.3"]])
  func `curl is served on one connection, whatever the version and the size`(version: [String])
    async throws
  {
    try await Self.serving { server, authority async throws in
      let body = TemporaryFile("body")
      defer { body.remove() }
      try Data(count: Self.large).write(to: body.url)
      let show = ["-sS", "--cacert", authority, "--noproxy", "*"] + version
      let told = ["-o", "/dev/null", "-w", "%{http_code} %{num_connects} %{size_download}\\n"]
      var words = ["curl"] + show
      for path in ["/n", "/large", "/n"] { words += told + ["\(server.url)\(path)"] }
      words += ["--next"] + show
      words += ["-w", " %{http_code} %{num_connects}\\n", "-H", "Expect:"]
      words += ["--data-binary", "@\(body.path)", "\(server.url)/up"]
      let run = try await RealClient.run(words)
      expectEqual(run.code, 0, "\(run.err)")
      let small = "\(server.url)/n".utf8.count - server.url.utf8.count
      expectEqual(
        run.out,
        "200 1 \(small)\n200 0 \(Self.large)\n200 0 \(small)\n\(Self.large) 200 0\n"
      )
    }
  }

  @Test(.enabled(if: hasCurl, noCurl)) func `curl refuses who is not vouched for`() async throws {
    try await Self.serving { server, _ async throws in
      let other = try TLSKit.authorityFile(CertificateAuthority())
      defer { other.remove() }
      for authority in [["--cacert", other.path], []] {
        let run = try await RealClient.run(
          ["curl", "-sS", "--noproxy", "*"] + authority + ["\(server.url)/n"]
        )
        #expect(run.code == 60 && run.out.isEmpty, "\(run)")
      }
    }
  }

  @Test(.enabled(if: hasCurl, noCurl))
  func `whichever host a client names, it finds a certificate for it`() async throws {
    try await Self.serving { server, authority async throws in
      for host in ["api.example.test", "localhost", "127.0.0.1"] {
        let run = try await RealClient.curl(
          trusting: authority,
          "--resolve",
          "\(host):\(server.port):127.0.0.1",
          "https://\(host):\(server.port)/n"
        )
        expectEqual(run.code, 0, "\(run.err)")
        let isOwn = host != "api.example.test"
        #expect(
          isOwn ? run.out == "/n" : run.out.contains("\(host):\(server.port)/n"),
          "\(run.out)"
        )
      }
    }
  }

  @Test(.enabled(if: hasCurl, noCurl))
  func `a redirect out of TLS leads to a plain port of the lane, which goes with the other`()
    async throws
  {
    let deck = Deck(
      [.get("/n?a=1", json: ["n": 1], then: .repeat)],
      scenario: [.always(.first(1), .answer(.redirectToHTTP))],
      matcher: .pathAndQuery
    )
    var options = ReplayServer.Options.patient
    options.tls = ServerTLS(authority: try TLSKit.authority.get())
    options.opensPlainPorts = true
    let file = try TLSKit.authorityFile()
    defer { file.remove() }
    try await ReplayServer.serving(deck, options) { server in
      func curl(_ url: String, _ words: String...) async throws -> (code: Int32, out: String) {
        let run = try await RealClient.run(
          ["curl", "-sS", "--noproxy", "*", "--cacert", file.path] + words + [url]
        )
        return (run.code, run.out)
      }
      let port = try await server.openPort(lane: Lane("call/1"))
      let told = try await curl("https://127.0.0.1:\(port)/n?a=1", "-w", "%{redirect_url}")
      let plain = try #require(RequestURL(told.out).port)
      #expect(told.out == "http://127.0.0.1:\(plain)/n?a=1" && plain != port)
      try await expectEqual(curl(told.out).out, #"{"n":1}"#)
      // Its other port speaks TLS alone, and this one none.
      for url in ["http://127.0.0.1:\(port)/n?a=1", "https://127.0.0.1:\(plain)/n?a=1"] {
        try await expectEqual(curl(url).out.contains(#""n""#), false)
      }
      let lanes = deck.journal.all.filter { $0.take != .connection }.map(\.decision.lane.name)
      expectEqual(lanes, ["call/1", "call/1"])
      server.closePort(port)
      for port in [port, plain] {
        var code: Int32 = 0
        // It closes on its own loop.
        for _ in 0..<100 where code != 7 {
          code = try await curl("http://127.0.0.1:\(port)/n?a=1").code
        }
        expectEqual(code, 7)
      }
    }
  }

  @Test(.enabled(if: hasCurl, noCurl))
  func `a redirect on the tape leads back by https`() async throws {
    let deck = Deck(NamesTests.moved("https://api.example.test/n"))
    try await Self.serving(deck) { server, authority async throws in
      let run = try await RealClient.curl(
        trusting: authority,
        "-o",
        "/dev/null",
        "-w",
        "%{redirect_url}",
        "\(server.url)/a"
      )
      expectEqual(run.out, "\(server.url)/n", "\(run.err)")
    }
  }

  @Test(.enabled(if: RealClient.path(of: "openssl") != nil, "There is no openssl to ask with."))
  func `of the protocols that a client offers HTTP/2 is preferred, or none is taken`() async throws
  {
    try await Self.serving { server, authority async throws in
      let words = [
        "openssl", "s_client", "-connect", "127.0.0.1:\(server.port)", "-CAfile", authority,
        "-servername", "api.example.test", "-verify_return_error",
      ]
      let both = try await RealClient.run(words + ["-alpn", "http/1.1,h2"])
      expectEqual(both.code, 0, "\(both)")
      #expect(both.out.contains("ALPN protocol: h2"), "\(both.out)")
      #expect(
        both.out.contains("CN = api.example.test") || both.out.contains("CN=api.example.test")
      )
      let none = try await RealClient.run(words)
      #expect(none.code == 0 && none.out.contains("No ALPN negotiated"), "\(none)")
      let old = try await RealClient.run(words + ["-alpn", "http/1.1"])
      #expect(old.code == 0 && old.out.contains("ALPN protocol: http/1.1"), "\(old)")
      let other = try await RealClient.run(words + ["-alpn", "h3"])
      #expect(other.code != 0 && other.err.contains("SSL alert number 120"), "\(other)")
    }
  }

  @Test(.enabled(if: RealClient.path(of: "python3") != nil, "There is no python3 to ask with."))
  func `Python's ssl hears the end that was said`() async throws {
    try await Self.serving { server, authority async throws in
      let program = TestData.text("reads-to-the-end.py")
      let words = ["python3", "-c", program, "\(authority)", "\(server.port)", "\(Self.large)"]
      let run = try await RealClient.run(words)
      expectEqual(run.out, "TLSv1.3 http/1.1 ['a.test'] True\n", "\(run.err)")
    }
  }

  @Test func `a plain request is told to come by https`() async throws {
    try await Self.serving { server, _ async throws in
      let answer = try await server.answer(to: "GET /n HTTP/1.1\r\nHost: x\r\n\r\n")
      expectEqual(answer.statusLine, "HTTP/1.1 400 Bad Request")
      expectEqual(answer.content, "This is plain HTTP, but this port uses TLS; use https://.\n")
    }
  }

  @Test func `a server that stops says so to a client that waits`() async throws {
    let loop = try EventLoop.ofTheTest()
    let met = Events<TLSChannelTests.Met>()
    let answered = Events<Void>()
    try await Self.serving { server, _ async throws in
      let address = SocketAddress.loopback(port: server.port)
      try await TLSChannelTests.connect(to: address, on: loop, met) { channel, script in
        // The client's handshake is over before the server has its last message, and until then there is
        // nothing that could be ended in good form (RFC 8446 §2).
        channel.write(Array("GET /n HTTP/1.1\r\nHost: x\r\n\r\n".utf8))
        script.received = { _, _ in answered(()) }
      }
      _ = try await answered.next()
      await server.stop()
    }
    let seen = try await met.next()
    #expect(seen.isAgreed == true && seen.error == nil)
  }
}
