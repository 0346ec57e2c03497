import Origins
import TestSupport
import WindTunnel
import WindTunnelServer
import WindTunnelSymptoms
import WindTunnelURLSession

/// What goes wrong or leads elsewhere while it is recorded, by either recorder, and comes back on
/// either stage.
@Suite(.timeLimit(.minutes(5))) struct RecordedConformanceTests {
  private static let answers: [String: Data] = [
    "/cut": Data("HTTP/1.1 200 OK\r\nContent-Length: 20\r\n\r\n0123".utf8),
    "/cut-chunks": Data("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\n0123\r\n".utf8),
    "/empty": Data(),
    "/a": Data("HTTP/1.1 302 Found\r\nLocation: /b\r\nContent-Length: 5\r\n\r\nmoved".utf8),
    "/b": Data("HTTP/1.1 307 Temporary Redirect\r\nLocation: /c\r\nContent-Length: 0\r\n\r\n".utf8),
    "/c": Data("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nend".utf8),
    "/cookies": Data(
      """
      HTTP/1.1 200 OK\r\nVia: one\r\nSet-Cookie: a=1; Path=/; Expires=Wed, 21 Oct 2026 07:28:00 GMT\r
      Via: two\r\nSet-Cookie: b=2\r\nContent-Length: 0\r\n\r\n
      """.utf8
    ),
    "/fields": Data(
      """
      HTTP/1.1 200 OK\r\nVia: one\r\nSet-Cookie: a=1; Path=/; Expires=Wed, 21 Oct 2026 07:28:00 GMT\r
      Via: two\r\nset-cookie: b=2\r\nContent-Length: 0\r\n\r\n
      """.utf8
    ),
  ]

  private static func ask(_ url: String, _ configuration: URLSessionConfiguration) async throws
    -> Seen
  {
    configuration.urlCache = nil
    let request = URLRequest(url: try #require(URL(string: url)))
    return await Seen.asking(request, configuration, follows: true)
  }

  /// Records one path by a client that a session or a proxy listens to.
  private static func record(_ path: String, by recorder: Stage) async throws
    -> (seen: Seen, cassette: Cassette)
  {
    let origin = try ByteOrigin(answers)
    defer { origin.stop() }
    let deck = Deck(Cassette(), mode: .rewrite)
    let seen: Seen
    switch recorder {
    case .inProcess: seen = try await ask(origin.url + path, .windTunnel(deck))
    case .onTheWire:
      var options = ReplayServer.Options.patient
      options.upstream = try Upstream(RequestURL(origin.url))
      options.recordedOrigin = RequestURL(Theatre.origin)
      let server = try await ReplayServer(deck, options)
      seen = try await ask(server.url + path, .ephemeral)
      await server.stop(grace: .zero)
    }
    return (seen, try Cassette(data: deck.recorded().cassette.data(), source: "tape"))
  }

  private static func play(_ cassette: Cassette, _ path: String, on stage: Stage) async throws
    -> Seen
  {
    let deck = Deck(cassette, matcher: .pathAndQuery)
    return try await Theatre.play(deck, on: stage) { theatre async throws in
      try await theatre.ask(path)
    }
  }

  @Test(
    arguments: [
      ("/cut", Seen(200, "0123", .truncated)), ("/cut-chunks", Seen(200, "0123", .truncated)),
      ("/empty", Seen(nil, "", .emptyAnswer)),
    ],
    Stage.allCases
  )
  func `a failure that was recorded comes back as the same`(
    row: (path: String, seen: Seen),
    recorder: Stage
  ) async throws {
    let (seen, cassette) = try await Self.record(row.path, by: recorder)
    // A proxy that got nothing says so; it cannot pass nothing on.
    let told = recorder == .onTheWire && row.seen.status == nil
    expectEqual(seen.symptom, (told ? nil : row.seen.symptom))
    expectEqual(cassette.interactions.map { $0.failure?.symptom }, [row.seen.symptom])
    for stage in Stage.allCases {
      try await expectEqual(Self.play(cassette, row.path, on: stage), row.seen)
    }
  }

  @Test func `a refused connection and a name without address are failures on the tape`()
    async throws
  {
    let closed = try ClosedPort()
    // Longer than any name may be, so that nobody is asked for it.
    let label = String(repeating: "a", count: 60)
    let nowhere = "http://" + Array(repeating: label, count: 5).joined(separator: ".")
    for (base, symptom) in [
      ("http://127.0.0.1:\(closed.port)", Symptom.connectionRefused), (nowhere, .hostNotFound),
    ] {
      let recorder = Deck(Cassette(), mode: .rewrite)
      let live = try await Self.ask(base + "/n", .windTunnel(recorder))
      expectEqual(live, Seen(nil, "", symptom))
      let cassette = recorder.recorded().cassette
      expectEqual(cassette.interactions.map { $0.failure?.symptom }, [symptom])
      try await expectEqual(Self.ask(base + "/n", .windTunnel(Deck(cassette))), live)
    }
    withExtendedLifetime(closed) {}
  }

  @Test(arguments: Stage.allCases, Stage.allCases)
  func `a way over several hops is on the tape hop by hop`(recorder: Stage, stage: Stage)
    async throws
  {
    let (seen, cassette) = try await Self.record("/a", by: recorder)
    expectEqual(seen, Seen(200, "end"))
    expectEqual(cassette.interactions.map(\.request.url.path), ["/a", "/b", "/c"])
    expectEqual(cassette.interactions.map { $0.response?.status }, [302, 307, 200])
    expectEqual(cassette.interactions.map { $0.response?.body.text }, ["moved", "", "end"])
    let deck = Deck(cassette, matcher: .pathAndQuery)
    try await Theatre.play(deck, on: stage) { theatre async throws in
      let played = try await theatre.ask("/a")
      expectEqual(played, seen)
      expectEqual(played.response?.url?.path, "/c")
      expectEqual(deck.journal.all.map(\.take), [.recording(0), .recording(1), .recording(2)])
    }
  }

  @Test func `on the wire fields keep their order, spelling and repeats`() async throws {
    let (_, cassette) = try await Self.record("/fields", by: .onTheWire)
    let names = ["Via", "Set-Cookie", "Via", "set-cookie", "Content-Length"]
    expectEqual(cassette.interactions.first?.response?.headers.map(\.name), names)
    let server = try await ReplayServer(Deck(cassette, matcher: .pathAndQuery), .patient)
    let lines = try await RawExchange(port: server.port).get("/fields").head
      .components(separatedBy: "\r\n").dropFirst()
    await server.stop(grace: .zero)
    expectEqual(
      lines.compactMap { $0.split(separator: ":").first.map(String.init) }.prefix(5),
      names[...]
    )
    expectEqual(lines.first, "Via: one")
  }

  @Test func `through a session each cookie is on the tape by itself`() async throws {
    let (_, cassette) = try await Self.record("/cookies", by: .inProcess)
    let headers = try #require(cassette.interactions.first?.response?.headers)
    let cookies = headers.values("Set-Cookie")
    expectEqual(cookies.map { $0.prefix { $0 != "=" } }, ["a", "b"])
    expectEqual(cookies.first?.hasSuffix("; Path=/; Expires=Wed, 21 Oct 2026 07:28:00 GMT"), true)
    expectEqual(headers.values("Via").joined(separator: ", "), "one, two")
  }

  @Test func `a field that a platform joined of several is marked, and only such a one`()
    async throws
  {
    let tapes = [
      try await Self.record("/cookies", by: .inProcess).1,
      try await Self.record("/fields", by: .onTheWire).1,
    ]
    expectEqual(tapes.map { $0.interactions.map(\.joined) }, [[["Via"]], [[]]])
    let text = String(decoding: tapes[0].data(), as: UTF8.self)
    #expect(text.contains("        \"joined\": [\"Via\"]\n"), "\(text)")
    try expectEqual(Cassette(data: tapes[0].data(), source: "tape"), tapes[0])
    let other = text.replacingOccurrences(of: "[\"Via\"]", with: "[\"Vary\"]")
    #expect {
      try Cassette(data: Data(other.utf8), source: "tape")
    } throws: {
      "\($0)".contains(
        "interactions[0].response.joined[0]: \"Vary\" is not a field of this response"
      )
    }
  }
}
