import Origins
import TestSupport
import WindTunnelSymptoms

@testable import WindTunnel
@testable import WindTunnelHTTP
@testable import WindTunnelServer
@testable import WindTunnelWire

/// A recording server in front of one that is spoken to by https.
@Suite(.timeLimit(.minutes(5)), .stopsLoops, .enabled(if: TLSKit.isThere, TLSKit.isMissing))
struct TLSUpstreamTests {
  static let request = closing("GET /a")

  /// Stands in front of a port and hands over the first answer, and what is then on the tape.
  static func recording(
    _ port: Int,
    as host: String = "127.0.0.1",
    trusting authority: CertificateAuthority? = nil
  ) async throws -> (answer: String, end: RawClient.End, tape: [Interaction]) {
    let file = try TLSKit.authorityFile(authority)
    defer { file.remove() }
    let deck = Deck(Cassette(), mode: .rewrite)
    var options = ReplayServer.Options.patient
    options.upstream = try Upstream(
      RequestURL("https://\(host):\(port)"),
      trusting: .certificates(file.url)
    )
    return try await ReplayServer.serving(deck, options) { server async throws in
      let (bytes, end) = try await server.client().all(after: request)
      return (String(decoding: bytes, as: UTF8.self), end, deck.recordedWithoutTimes)
    }
  }

  @Test func `what an upstream answers by https is passed on and kept`() async throws {
    let deck = Deck([
      .post("/up") { .text(Body("\($0.headers["Host"] ?? "-") \($0.body.data.count)")) },
      .get("/moved") { _ in
        Response(
          status: 302,
          headers: ["Location": "https://api.example.test/b", "Content-Length": "0"]
        )
      },
    ])
    try await TLSServerTests.serving(deck) { origin, authority async throws in
      let tape = Deck(Cassette(), mode: .rewrite)
      var options = ReplayServer.Options.patient
      options.upstream = try Upstream(
        RequestURL("https://localhost:\(origin.port)"),
        trusting: .certificates(URL(filePath: authority))
      )
      options.recordedOrigin = "https://api.example.test"
      try await ReplayServer.serving(tape, options) { server async throws in
        let body = String(repeating: "x", count: 200_000)
        let answer = try await server.answer(
          to: "POST /up HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: 200000\r\n\r\n"
            + body
        )
        expectEqual(answer.content, "- 200000")
        let own = "127.0.0.1:\(server.port)"
        let moved = try await server.answer(to: closing("GET /moved", host: own))
        #expect(moved.contains("\r\nLocation: http://\(own)/b\r\n"), "\(moved)")
      }
      let recorded = tape.recorded().cassette.interactions
      expectEqual(
        recorded.map(\.request.url),
        ["https://api.example.test/up", "https://api.example.test/moved"]
      )
      expectEqual(recorded.map { $0.response?.status }, [200, 302])
      expectEqual(recorded.first?.response?.body, Body("- 200000"))
      expectEqual(recorded.last?.response?.headers["Location"], "https://api.example.test/b")
    }
  }

  @Test(arguments: [
    (Leaf(validity: .expired), Symptom.serverCertificateHasBadDate, "certificate has expired"),
    (Leaf(validity: .notYet), .serverCertificateNotYetValid, "certificate is not yet valid"),
    (Leaf(names: [HostName("b.test")].compactMap { $0 }), .serverCertificateUntrusted, "mismatch"),
    (Leaf(issuer: .itself), .serverCertificateUntrusted, "self"),
    (Leaf(issuer: .stranger), .serverCertificateHasUnknownRoot, "self"),
    (Leaf(issuer: .intermediate, sendsChain: false), .serverCertificateHasUnknownRoot, "issuer"),
  ])
  func `an upstream that is not who it says is a 502 and a failure by name`(
    leaf: Leaf,
    symptom: Symptom,
    reason: String
  ) async throws {
    let loop = try EventLoop.ofTheTest()
    let address = try await TLSChannelTests.serve(on: loop, leaf: leaf) { script in
      script.received = { _, _ in Issue.record("the upstream was told something") }
    }
    let (answer, _, tape) = try await Self.recording(address.port)
    expectEqual(answer.statusLine, "HTTP/1.1 502 Bad Gateway")
    #expect(
      answer.content.hasPrefix(
        "The upstream https://127.0.0.1:\(address.port)/ failed: its certificate is invalid: "
      )
        && answer.content.contains(reason),
      "\(answer)"
    )
    expectEqual(Self.symptoms(tape), [symptom])
  }

  @Test(arguments: [
    ("HTTP/1.1 400 Bad Request\r\n\r\n", Origin.End.close, Symptom.secureConnectionFailed),
    ("", .close, .secureConnectionFailed), ("", .reset, .connectionLost),
  ])
  func `an upstream that speaks no TLS is a 502 and a failure by name`(
    text: String,
    end: Origin.End,
    symptom: Symptom
  ) async throws {
    let origin = try await Origin { _ in ([text], end) }
    let (answer, _, tape) = try await Self.recording(origin.address.port)
    expectEqual(answer.statusLine, "HTTP/1.1 502 Bad Gateway")
    expectEqual(Self.symptoms(tape), [symptom])
  }

  @Test func `a host that is left alone is asked by its own scheme`() async throws {
    let name = "localhost"
    try await TLSServerTests.serving(.echo("/a")) { telemetry, authority async throws in
      let (host, port) = ("\(name):\(telemetry.port)", telemetry.port)
      let origin = try await Origin { _ in ([], .close) }
      let deck = Deck(
        Cassette(),
        options: PlaybackOptions(matcher: .pathAndQuery, mode: .rewrite, ignoring: [host])
      )
      var options = try ReplayServer.Options.before(origin.url)
      options.ignoredHosts = [
        try Upstream(
          RequestURL("https://\(name):\(port)"),
          trusting: .certificates(URL(filePath: authority))
        )
      ]
      try await ReplayServer.serving(deck, options) { server async throws in
        for line in [
          "GET /a HTTP/1.1\r\nHost: \(host)", "GET https://\(host)/a HTTP/1.1\r\nHost: \(host)",
        ] {
          let answer = try await server.answer(to: "\(line)\r\nConnection: close\r\n\r\n")
          expectEqual(answer.content, "GET /a", "\(answer)")
        }
        #expect(deck.recorded().cassette.interactions.isEmpty)
      }
    }
  }

  @Test func `a cassette is held against a server by https`() async throws {
    let recorded = Cassette([
      Interaction(
        Request("GET", "https://api.example.test/n"),
        Response(headers: ["Content-Type": "text/plain; charset=utf-8"], body: Body("same"))
      )
    ])
    try await TLSServerTests.serving(Deck([.get("/n") { _ in .text(Body("same")) }])) {
      origin,
      path async throws in
      let url = RequestURL("https://127.0.0.1:\(origin.port)")
      let known = Verifier(try Upstream(url, trusting: .certificates(URL(filePath: path))))
      let drift = try await known.verify(recorded)
      #expect(drift.isEmpty, "\(drift)")
      let other = try TLSKit.authorityFile(CertificateAuthority())
      defer { other.remove() }
      let unknown = Verifier(try Upstream(url, trusting: .certificates(other.url)))
      await #expect {
        try await unknown.verify(recorded)
      } throws: { error in
        "\(error)".contains("does not respond: its certificate is invalid: ")
      }
    }
  }

  @Test func `a file without certificates is refused before anybody is asked`() throws {
    let file = TemporaryFile("no.pem")
    defer { file.remove() }
    try Data("nothing".utf8).write(to: file.url)
    #expect {
      try Upstream("https://127.0.0.1:1", trusting: .certificates(file.url))
    } throws: { error in
      "\(error)".contains("no.pem holds no certificate to trust")
    }
  }

  private static func symptoms(_ tape: [Interaction]) -> [Symptom?] {
    tape.map { interaction in
      guard case .failure(let failure) = interaction.result else { return nil }
      return failure.symptom
    }
  }
}
