import Origins
import TestSupport
import WindTunnel

/// What `record` says of exchanges that a tape cannot hold, or holds only in part.
@Suite(.timeLimit(.minutes(5))) struct RecordedOddlyTests {
  @Test func `a WebSocket whose handshake proves nothing is called that`() async throws {
    let scratch = try Scratch()
    let origin = try ByteOrigin([
      "/chat": Data(
        "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n".utf8
      ),
      "/home": Data("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi".utf8),
    ])
    defer { origin.stop() }
    let asking =
      "exec 3<>/dev/tcp/127.0.0.1/${WINDTUNNEL_URL##*:}; printf 'GET /chat HTTP/1.1\\r\\nHost: a\\r\\n"
      + "Upgrade: WebSocket\\r\\nConnection: Upgrade\\r\\nSec-WebSocket-Version: 13\\r\\n"
      + "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\\r\\n\\r\\n' >&3; head -n 1 <&3; exec 3>&-; "
    let client = ["bash", "-c", asking + Server.client(of: "/home")[2]]
    let run = try await scratch.run(["record", origin.url, "--cassette", "a.json", "--"] + client)
    #expect(run.code == 0 && run.out.hasPrefix("HTTP/1.1 101 "), "\(run)")
    expectEqual(
      run.err,
      """
      skipped: GET \(origin.url)/chat: its WebSocket was not parsed: Sec-WebSocket-Accept \
      does not match the key (RFC 6455 §4.1).
      a.json: 1 interaction

      """
    )
  }

  @Test(arguments: [
    "X-Odd: a\u{1}b", "Pragma: no-cache\r", "X-XSS-Protection=1;", "Transfer-Encoding: identity",
    "Transfer-Encoding: chunked",
  ])
  func `an invalid response is reported and is no success, and a flag passes it on`(field: String)
    async throws
  {
    let scratch = try Scratch()
    let answer = "HTTP/1.1 200 OK\r\n\(field)\r\nContent-Length: 2\r\n\r\nok"
    let origin = try ByteOrigin(["/home": Data(answer.utf8)])
    defer { origin.stop() }
    let words = ["record", origin.url, "--cassette", "a.json"]
    let client = ["--"] + Server.client(of: "/home")
    let passed = try await scratch.run(words + ["--pass-malformed"] + client)
    let line = "invalid response: GET \(origin.url)/home: "
    #expect(passed.out == answer && passed.err.hasPrefix(line), "\(passed)")
    let run = try await scratch.run(words + client)
    #expect(
      run.code == 1 && run.out.hasPrefix("HTTP/1.1 502 ") && !run.out.contains(".."),
      "\(run)"
    )
    let end = """
      unrecorded.
      a.json: 1 interaction
      1 invalid response was refused; the client received 502.

      """
    #expect(run.err.hasPrefix(line) && run.err.hasSuffix(end), "\(run)")
    let verified = try await scratch.run("cassette verify a.json")
    #expect(verified.code == 1 && !verified.out.contains("whole"), "\(verified)")
    try scratch.write(Texts.cassette, to: "a.json")
    let again = try await scratch.run(words + ["--mode", "rewrite"] + client).exits(1)
    #expect(again.err.contains("The recording was discarded; a.json is unchanged.\n"), "\(again)")
    try expectEqual(scratch.text("a.json"), Texts.cassette)
  }

  /// In a row: what an origin sends, what a client receives, the recorded text, and standard error.
  @Test func `no response that breaks its framing is recorded in silence`() async throws {
    typealias Row = (String, String, String, String)
    for (sent, out, text, err) in try TestData.rows("odd-bodies.json", count: 15) as [Row] {
      let (scratch, origin) = (try Scratch(), try ByteOrigin(["/home": Data(sent.utf8)]))
      defer { origin.stop() }
      let words = ["record", origin.url, "--cassette", "a.json", "--"]
      let run = try await scratch.run(words + Server.client(of: "/home"))
      let texts = [out, err].map {
        $0.replacing("LENGTH", with: "\(origin.url.utf8.count + 71)")
          .replacing("URL", with: origin.url)
      }
      let code: Int32 = texts[1].contains("refused;") ? 1 : 0
      expectEqual(run, Program.Run(code: code, out: texts[0], err: texts[1]))
      let kept = try Cassette(contentsOf: scratch.file("a.json")).interactions.first?.response
      expectEqual(kept?.body.text ?? "", text)
      // Whether they are valid or not, passed chunks keep their bytes.
      let isRaw = sent.contains("chunked\r\n\r\n")
      let halves = [texts[0], isRaw ? sent : texts[0]].map { $0.split(after: "\r\n\r\n") }
      let other = ["record", origin.url, "--cassette", "b.json", "--pass-malformed", "--"]
      let passed = try await scratch.run(other + Server.client(of: "/home"))
      expectEqual(passed.out, halves[0].0 + halves[1].1)
      let line = "invalid response: GET \(origin.url)/home: "
      expectEqual(passed.err.hasPrefix(line), texts[1].contains("invalid"))
      expectEqual(passed.err.contains("unchanged and not recorded.\n"), code == 1)
    }
  }

  private static let server = TestData.text("closing-server.py")

  @Test(
    .enabled(
      if: Companion.find("python3") != nil && Companion.find("openssl") != nil,
      "python3 or openssl is not here."
    ),
    arguments: [true, false]
  )
  func `a TLS end without close_notify is said where it may have cut the content`(agreed: Bool)
    async throws
  {
    let scratch = try Scratch()
    let made = try await Companion.run(
      line(
        "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 30",
        "-subj /CN=localhost -addext subjectAltName=IP:127.0.0.1,DNS:localhost -keyout",
        "origin.key -out origin.pem"
      ),
      in: scratch
    )
    try #require(made.code == 0, "\(made.text)")
    try scratch.write(Self.server, to: "server.py")
    let python = try #require(Companion.find("python3"))
    let (origin, port) = try await scratch.start(
      [python, "server.py", agreed ? "agreed" : "cut"],
      isTool: false
    )
    let run = try await scratch.run(
      line("record https://127.0.0.1:\(port) --upstream-ca origin.pem --cassette a.json")
        + line("--as https://api.example.test --") + Server.client(of: "/home")
    )
    origin.signal(SIGKILL)
    _ = try await origin.end()
    expectEqual(run.code, 0, "\(run)")
    let said =
      "GET https://api.example.test/home: recorded as truncated: the server closed the connection "
      + "without ending TLS (close_notify), so a part may be missing\n"
    expectEqual(run.err, (agreed ? "" : said) + "a.json: 1 interaction\n", "\(run)")
  }
}

extension String {
  /// The text up to the end of a mark, and the rest.
  fileprivate func split(after mark: String) -> (String, String) {
    let end = firstRange(of: mark)?.upperBound ?? endIndex
    return (String(self[..<end]), String(self[end...]))
  }
}
