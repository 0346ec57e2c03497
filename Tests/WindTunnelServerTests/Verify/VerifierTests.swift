import TestSupport
@_spi(WindTunnel) import WindTunnelCore
import WindTunnelReports
import WindTunnelSymptoms

@testable import WindTunnelServer

/// Holds cassettes against an origin that is written out in the test.
@Suite(.timeLimit(.minutes(5)), .stopsLoops) struct VerifierTests {
  private static let tape: RequestURL = "https://api.example.test"

  private func verify(
    _ interactions: [Interaction],
    _ answer: @escaping @Sendable (String) -> (pieces: [String], end: Origin.End)?,
    adjust: (inout Verifier) -> Void = { _ in }
  ) async throws -> [Drift.Status] {
    let origin = try await Origin(answer)
    var verifier = Verifier(try Upstream(origin.url))
    verifier.recordedOrigin = Self.tape
    adjust(&verifier)
    let drift = try await verifier.verify(Cassette(interactions))
    expectEqual(drift.entries.map(\.number), Array(1...interactions.count))
    return drift.entries.map(\.verdict)
  }

  private func get(_ path: String, _ response: Response) -> Interaction {
    Interaction(Request("GET", RequestURL("https://api.example.test\(path)")), response)
  }

  @Test func `what the origin answers otherwise has drifted, field by field`() async throws {
    let answer =
      "HTTP/1.1 200 OK\r\nX-A: 1\r\nTransfer-Encoding: chunked\r\n\r\n7\r\n{\"a\":2}\r\n0\r\n"
      + "X-Sum: 7\r\n\r\n"
    var same = Response(headers: ["X-A": "1"], body: Body(#"{"a":2}"#))
    same.head.trailers = ["X-Sum": "7"]
    let verdicts = try await verify(
      [get("/a", same), get("/b", Response(headers: ["X-A": "2"], body: Body(#"{"a":1}"#)))],
      { _ in ([answer], .close) }
    )
    expectEqual(
      verdicts,
      [
        .same,
        .drifted([
          Drift.Difference("header x-a", recorded: "2", live: "1"),
          Drift.Difference("trailer x-sum", recorded: nil, live: "7"),
          Drift.Difference("body $.a", recorded: "1", live: "2"),
        ]),
      ]
    )
  }

  @Test func `the origin is asked by its recorded name and with its secrets`() async throws {
    let asked = Events<String>()
    var interaction = get("/a?token=REDACTED-token-1", Response(status: 204))
    interaction.request.headers = [
      "Authorization": "Bearer REDACTED-authorization-1", "Accept-Encoding": "br",
    ]
    let verdicts = try await verify(
      [interaction],
      { text in
        asked(text)
        return (["HTTP/1.1 204 No Content\r\n\r\n"], .close)
      },
      adjust: { $0.secrets = ["authorization": "s3cr3t", "token": "a/b"] }
    )
    expectEqual(verdicts, [.same])
    try await expectEqual(
      asked.next(),
      """
      GET /a?token=a%2Fb HTTP/1.1\r
      Host: api.example.test\r
      Authorization: Bearer s3cr3t\r
      Accept-Encoding: identity\r
      Connection: close\r
      \r

      """
    )
  }

  @Test(arguments: [
    ["gzip", "gzip"], ["deflate, gzip;q=0.5, br", "deflate, gzip;q=0.5"], ["identity", "identity"],
  ])
  func `verification offers the recorded content codings and no others`(row: [String]) async throws
  {
    let asked = Events<String>()
    var interaction = get("/a", Response(status: 204))
    interaction.request.headers = ["Accept-Encoding": row[0]]
    _ = try await verify([interaction]) { text in
      asked(text)
      return (["HTTP/1.1 204 No Content\r\n\r\n"], .close)
    }
    try await #expect(asked.next().contains("\r\nAccept-Encoding: \(row[1])\r\n"))
  }

  @Test(arguments: [true, false])
  func `a recorded login gives what later requests send`(logsIn: Bool) async throws {
    let asked = Events<String>()
    let given = Response(
      headers: ["Set-Cookie": "sid=REDACTED-sid-1; Path=/"],
      body: Body(#"{"data":[{"token":"REDACTED-token-1"}]}"#)
    )
    let login = Interaction(Request("POST", "https://api.example.test/login"), given)
    var page = get("/me", Response(status: 204))
    page.request.headers = [
      "Authorization": "Bearer REDACTED-token-1", "Cookie": "sid=REDACTED-sid-1",
    ]
    let order = Interaction(Request("POST", "https://api.example.test/orders"), Response())
    let live =
      "HTTP/1.1 200 OK\r\nSet-Cookie: sid=live-7f3a99; Path=/; Max-Age=9\r\n"
      + "Content-Length: 45\r\n\r\n{\"data\":[{\"token\":\"live-token-of-today-42\"}]}"
    let verdicts = try await verify(
      [login, page, order],
      { text in
        asked(text)
        return ([text.hasPrefix("POST") ? live : "HTTP/1.1 204 No Content\r\n\r\n"], .close)
      },
      adjust: { $0.logsIn = logsIn }
    )
    let unsafe = Drift.Status.skipped("POST is not safe to send again")
    let missing = Drift.Status.skipped("there is no secret for REDACTED-token-1")
    expectEqual(verdicts, logsIn ? [.same, .same, unsafe] : [unsafe, missing, unsafe])
    guard logsIn else { return }
    _ = try await asked.next()
    let text = try await asked.next()
    #expect(text.contains("Authorization: Bearer live-token-of-today-42\r\n"), "\(text)")
    #expect(text.contains("Cookie: sid=live-7f3a99\r\n") && text.hasPrefix("GET /me "), "\(text)")
  }

  @Test func `a redirect of the origin to itself is one to its recorded name`() async throws {
    let location = "https://api.example.test/next?a=1"
    let verdicts = try await verify(
      [get("/a", Response(status: 302, headers: ["Location": location]))],
      { _ in
        (["HTTP/1.1 302 Found\r\nLocation: http://api.example.test/next?a=1\r\n\r\n"], .close)
      }
    )
    expectEqual(verdicts, [.same])
  }

  @Test
  func `interactions that cannot be verified are skipped with a reason, and no request is sent`()
    async throws
  {
    var secret = get("/a", Response())
    secret.request.headers = ["Cookie": "sid=REDACTED-sid-1"]
    let failed = Interaction(
      Request("GET", "https://api.example.test/b"),
      .failure(Failure(.timedOut))
    )
    let post = Interaction(Request("POST", "https://api.example.test/c"), Response())
    let other = Interaction(Request("GET", "https://cdn.example.test/d"), Response())
    let pattern = Interaction(Request("GET", "/users/{id}"), Response())
    let asked = Locked(0)
    let verdicts = try await verify(
      [secret, failed, post, other, pattern],
      { _ in
        asked.withLock { $0 += 1 }
        return ([], .close)
      }
    )
    expectEqual(
      verdicts,
      [
        .skipped("there is no secret for REDACTED-sid-1"),
        .skipped("its recording is a failure, timedOut"),
        .skipped("POST is not safe to send again"),
        .skipped("it is not from https://api.example.test"), .skipped("its URL is a pattern"),
      ]
    )
    expectEqual(asked.withLock { $0 }, 0)
  }

  @Test func `unsafe requests are verified if that is enabled`() async throws {
    let asked = Events<String>()
    let post = Interaction(
      Request("POST", "https://api.example.test/c", body: Body("hello")),
      Response(status: 201)
    )
    let verdicts = try await verify(
      [post],
      { text in
        guard text.hasSuffix("hello") else { return nil }
        asked(text)
        return (["HTTP/1.1 201 Created\r\nContent-Length: 0\r\n\r\n"], .close)
      },
      adjust: { $0.asksUnsafe = true }
    )
    expectEqual(verdicts, [.same])
    #expect(try await asked.next().contains("Content-Length: 5\r\n"))
  }

  @Test func `a server that is not there is no drift but an error`() async throws {
    let port = try ClosedPort()
    let verifier = Verifier(try Upstream(RequestURL("http://127.0.0.1:\(port.port)")))
    await #expect(throws: ServerError.self) {
      try await verifier.verify(Cassette([Interaction(Request("GET", "/a"), Response())]))
    }
    withExtendedLifetime(port) {}
  }
}
