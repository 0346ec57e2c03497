import TestSupport
import WindTunnel

@testable import WindTunnelNetworkLayer

/// Uploads of all kinds, in process and on the wire.
@Suite struct UploadFlightTests {
  /// Sends back what was sent.
  static func deck(_ scenario: Scenario = .calm) -> Deck {
    Deck(
      [
        .post("/up") { request in
          let headers: [(String, String)] = [
            ("Content-Length", "\(request.body.count)"),
            ("X-Type", request.headers["Content-Type"] ?? ""),
            ("X-Digest", request.headers["Content-Digest"] ?? ""),
          ]
          return Response(
            status: 200,
            headers: HeaderFields(headers.map { HeaderField($0.0, $0.1) }),
            body: request.body
          )
        }
      ],
      scenario: scenario,
      matcher: .pathAndQuery,
      then: .repeat
    )
  }

  static func up(_ body: RequestBody) -> Endpoint {
    Endpoint(.post, "/up", headers: ["Idempotency-Key": "k1"], body: body)
  }

  @Test(arguments: Stage.allCases)
  func `a file is sent whole at each attempt, with its progress`(stage: Stage) async throws {
    try await DownloadFlightTests.inFolder { folder in
      let file = folder.appending(path: "film")
      try DownloadFlightTests.content.write(to: file)
      let deck = Self.deck([.always(.first(2), .status(503))])
      try await FlightStand.run(deck, on: stage) { stand in
        let progress = TransferProgress()
        async let last = progress.reduce(TransferProgress.Step()) { $1 }
        let up = Self.up(.file(file, contentType: "video/mp4"))
        let answer = try await stand.time.passing {
          try await stand.client.call(up, progress: progress)
        }
        expectEqual(answer.body, DownloadFlightTests.content)
        expectEqual(answer.headers["X-Type"], "video/mp4")
        let digest = try FileDigest.sha256(of: file)
        expectEqual(answer.headers["X-Digest"], "sha-256=:\(digest):")
        expectEqual(answer.attempts, 3)
        expectEqual(stand.gaps, [.milliseconds(200), .milliseconds(400)])
        await expectEqual(last.received, 60_000)
        if stage == .onTheWire {
          await expectEqual(last.sent, 60_000)
          await expectEqual(last.sentFraction, 1)
        }
      }
    }
  }

  @Test(arguments: Stage.allCases)
  func `a form with a file is sent from the file`(stage: Stage) async throws {
    try await DownloadFlightTests.inFolder { folder in
      let file = folder.appending(path: "a \"b\".png")
      // It holds the first line that would be tried.
      let content = Data("--part-boundary-0".utf8)
      try content.write(to: file)
      let body = try RequestBody.multipart([
        .init("title", "Ada"), .init("image", file: file, contentType: "image/png"),
      ])
      try await FlightStand.run(Self.deck(), on: stage) { stand in
        let answer = try await stand.client.call(Self.up(body))
        expectEqual(
          String(decoding: answer.body, as: UTF8.self),
          """
          --part-boundary-1\r
          Content-Disposition: form-data; name="title"\r
          \r
          Ada\r
          --part-boundary-1\r
          Content-Disposition: form-data; name="image"; filename="a %22b%22.png"\r
          Content-Type: image/png\r
          \r
          --part-boundary-0\r
          --part-boundary-1--\r

          """
        )
        expectEqual(answer.headers["X-Type"], "multipart/form-data; boundary=part-boundary-1")
      }
    }
  }

  private struct Order: Codable, Equatable {
    var item: String
    var count: Int
  }

  @Test func `a value is sent as JSON or as a form`() async throws {
    try await FlightStand.run(Self.deck(), on: .inProcess) { stand in
      let order = Order(item: "a/b", count: 2)
      let json = try await stand.client.call(Self.up(try .json(order)))
      expectEqual(json.body, Data(#"{"count":2,"item":"a/b"}"#.utf8))
      expectEqual(json.headers["X-Type"], "application/json")
      let form = try await stand.client.call(
        Self.up(.form([.init("item", "a b&c"), .init("count", "2")]))
      )
      expectEqual(form.headers["X-Type"], "application/x-www-form-urlencoded")
      expectEqual(form.body, Data("item=a%20b%26c&count=2".utf8))
    }
  }

  @Test(.timeLimit(.minutes(1)))
  func `progress ends with a call that was never made`() async throws {
    try await FlightStand.run(Self.deck(), on: .inProcess) { stand in
      let progress = TransferProgress()
      let up = Self.up(.file(URL(filePath: "/nowhere")))
      let call = Task { try await stand.client.call(up, progress: progress) }
      for await step in progress { Issue.record("\(step)") }
      await #expect(throws: NetworkError.self) { _ = try await call.value }
    }
  }

  @Test func `a file that is not there is no request`() async throws {
    try await FlightStand.run(Self.deck(), on: .inProcess) { stand in
      let end = await stand.client.outcome(of: Self.up(.file(URL(filePath: "/nowhere"))))
      if case .failure(.invalidRequest(.body)) = end {} else { Issue.record("\(end)") }
      #expect(stand.sent.isEmpty)
    }
  }
}
