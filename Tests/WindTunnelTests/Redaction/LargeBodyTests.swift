import TestSupport

@testable import WindTunnel
@testable import WindTunnelRedaction

/// Bodies that are never opened as a whole; here small ones, looked at in the same way.
@Suite struct LargeBodyTests {
  private static func obstacle(
    _ body: String,
    type: String = "application/octet-stream",
    coding: String = "",
    secrets: [String: String] = [:]
  ) -> String? {
    var redaction = Redaction(continuing: [])
    var echoes = KnownValueSearch()
    echoes.listen(for: secrets.map { (secret: $0, sought: .init(stand: $1, reach: .anywhere)) })
    redaction.echoes = echoes
    redaction.look(intoLarge: Data(body.utf8), type: type, coding: coding)
    return redaction.obstacle
  }

  @Test(arguments: [
    ("text", "application/octet-stream", ""), ("text", "application/json", ""), ("text", "", ""),
    ("text", "image/png", ""), ("\0text", "application/json", ""),
    ("\0text", "", "gzip"), ("--b\r\n\0", "multipart/form-data; boundary=b", ""),
  ])
  func `a body that is too large to search for secrets is omitted`(
    body: String,
    type: String,
    coding: String
  ) {
    expectEqual(
      Self.obstacle(body, type: type, coding: coding),
      "a body of \(body.utf8.count) bytes is too large to be searched for credentials"
    )
  }

  @Test func `binary content and pictures are kept unless they repeat a credential`() {
    let secrets = ["a-long-secret-token": "REDACTED-token-1"]
    expectNil(Self.obstacle("\0\u{1}", secrets: secrets))
    expectNil(Self.obstacle("\0JFIF", type: "image/jpeg", secrets: secrets))
    // Also where it lies over the edge of two pieces.
    for count in [0, (1 << 20) - 10, (1 << 20) + (64 << 10) - 10] {
      let body = "\0" + String(repeating: "x", count: count) + "a-long-secret-token"
      expectEqual(
        Self.obstacle(body, secrets: secrets),
        "a body of \(body.utf8.count) bytes repeats a credential"
      )
    }
  }

  @Test func `a journal keeps them beside the cassette, and takes them up from there`() throws {
    let folder = try TemporaryFolder()
    let file = folder.file("users.json")
    let body = Data((0..<300_000).map { UInt8(truncatingIfNeeded: $0 * $0 >> 7) })
    let big = Interaction(
      Request("PUT", "https://api.example.test/big", body: Body(body)),
      Response(status: 201)
    )
    let journal = try RecordingJournal(
      folder.file("users.json.journal"),
      besides: file,
      bodiesInLines: 1000
    )
    let deck = Deck(Cassette(), mode: .newEpisodes, recordingJournal: journal)
    deck.keep(big, for: deck.decide(big.request))
    expectNil(journal.problem)
    journal.close()
    try expectEqual(folder.names, ["users.bodies", "users.json.journal"])
    let line = try Data(contentsOf: folder.file("users.json.journal"))
    #expect(line.count < 1000)
    let next = try RecordingJournal(besides: file)
    try expectEqual(next.takeUp(onto: Cassette()).cassette, Cassette([big]))
    try expectEqual(Cassette(contentsOf: file), Cassette([big]))
    next.close()
  }

  @Test func `one that turns out to repeat a secret stays nowhere, but where it was before`() throws
  {
    let secret = "Zk7QpX2mLw9RtY4vBn8s"
    let body = Data([0]) + Data(secret.utf8) + Data(count: 300_000)
    let big = Interaction(
      Request("PUT", "https://api.example.test/big", body: Body(body)),
      Response(status: 201)
    )
    let login = Interaction(
      Request(
        "GET",
        "https://api.example.test/login",
        headers: ["Authorization": "Bearer \(secret)"]
      ),
      Response(status: 204)
    )
    for wasThere in [false, true] {
      let folder = try TemporaryFolder()
      let file = folder.file("users.json")
      let before = wasThere ? Cassette([big]) : Cassette()
      try before.write(to: file)
      let journal = try RecordingJournal(
        folder.file("users.json.journal"),
        besides: file,
        bodiesInLines: 1000
      )
      let deck = Deck(before, mode: .rewrite, recordingJournal: journal)
      deck.keep(big, for: deck.decide(big.request))
      deck.keep(login, for: deck.decide(login.request))
      expectNil(journal.problem)
      journal.close()
      let bodies = folder.file("users.bodies")
      // Where there is no folder, there is nothing in it.
      let all = (try? FileManager.default.contentsOfDirectory(atPath: bodies.path)) ?? []
      let names = all.filter { $0 != ".gitattributes" }
      expectEqual(names, (wasThere ? [SHA256.hexadecimal(body)] : []))
      try expectEqual(Cassette(contentsOf: file), before)
    }
  }
}
