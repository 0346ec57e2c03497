import TestSupport
@_spi(WindTunnel) import WindTunnelCore

@testable import WindTunnel

/// Large interactions, whose secrets are looked for while others are written down.
@Suite struct LargeJournalTests {
  private let folder: TemporaryFolder
  private let file: URL

  init() throws {
    folder = try TemporaryFolder()
    file = folder.file("a.json")
  }

  private static func interaction(_ path: String, _ text: String, padding: Int = 0) -> Interaction {
    let body = text + String(repeating: " word", count: padding / 5)
    return Interaction(
      Request("GET", RequestURL("https://api.example.test\(path)")),
      .text(Body(body))
    )
  }

  private static func text(_ kept: [Interaction]) -> String? { kept.first?.response?.body.text }

  @Test func `what was found out beside counts on where others have come to`() {
    var all = Redaction(continuing: [])
    _ = all.redact([Self.interaction("/1", "access_token=first-one-1")])
    let start = all
    var beside = start
    let large = beside.redact([
      Self.interaction("/large", "access_token=large-one-1 access_token=first-one-1")
    ])
    expectEqual(
      Self.text(large),
      "access_token=REDACTED-access-token-2 access_token=REDACTED-access-token-1"
    )
    _ = all.redact([Self.interaction("/2", "access_token=second-one-2")])
    let ordinals = all.adopt(beside, since: start)
    expectEqual(ordinals, [Pseudonym(name: "access-token", ordinal: 2): 3])
    #expect(Set(all.takeLearned()).isSuperset(of: ["second-one-2", "large-one-1"]))
    // From then on it is known as that.
    let later = all.redact([Self.interaction("/3", "a large-one-1 b access_token=third-one-3")])
    expectEqual(
      Self.text(later),
      "a REDACTED-access-token-3 b access_token=REDACTED-access-token-4"
    )
  }

  @Test func `what others have found out meanwhile keeps its name`() {
    var all = Redaction(continuing: [])
    let start = all
    var beside = start
    _ = beside.redact([
      Self.interaction("/large", "access_token=large-one-1 access_token=other-one-2")
    ])
    _ = all.redact([Self.interaction("/1", "access_token=other-one-2")])
    expectEqual(
      all.adopt(beside, since: start),
      [
        Pseudonym(name: "access-token", ordinal: 1): 2,
        Pseudonym(name: "access-token", ordinal: 2): 1,
      ]
    )
  }

  @Test func `a large interaction shares no pseudonym with what is written beside it`() async throws
  {
    let journal = try RecordingJournal(besides: file)
    let deck = Deck(Cassette(), mode: .rewrite, recordingJournal: journal)
    let large = Self.interaction(
      "/large",
      "access_token=large-secret-1 and hidden-secret-2",
      padding: 150_000
    )
    let outcome = deck.decide(large.request)
    let isDone = Locked(false)
    async let written: Void = withCheckedContinuation { continuation in
      Thread.detachNewThread {
        deck.keep(large, for: outcome)
        isDone.withLock { $0 = true }
        continuation.resume()
      }
    }
    var count = 0
    while count < 3 || !isDone.withLock({ $0 }) {
      count += 1
      // One of them teaches what the large one repeats.
      let secret = count == 2 ? "hidden-secret-2" : "small-secret-\(count)"
      let small = Self.interaction("/\(count)", "access_token=\(secret)")
      deck.record(small)
    }
    await written
    expectNil(journal.problem)
    let text = try String(contentsOf: journal.file, encoding: .utf8)
    #expect(!text.contains("secret-"))
    journal.close()
    let (taken, taking) = try RecordingJournal(besides: file).takeUp(onto: Cassette())
    expectEqual(taking, count + 1)
    expectEqual(taken.interactions.first?.request.url.path, "/large")
    let bodies = taken.interactions.compactMap { $0.response?.body.text }
    let stands = bodies.flatMap { body in
      body.matches(of: /access_token=(REDACTED-access-token-[0-9]+)/).map { String($0.output.1) }
    }
    #expect(stands.count == count + 1 && Set(stands).count == stands.count)
    let hidden = bodies[0].firstMatch(of: /and (REDACTED-access-token-[0-9]+)/).map {
      String($0.output.1)
    }
    expectEqual(hidden, bodies[2].firstMatch(of: /access_token=(.*)/).map { String($0.output.1) })
  }

  private func sideFiles() throws -> [String] {
    let folder = file.deletingPathExtension().appendingPathExtension("bodies")
    guard FileManager.default.fileExists(atPath: folder.path) else { return [] }
    return try FileManager.default.contentsOfDirectory(atPath: folder.path)
      .filter { $0 != ".gitattributes" }
  }

  @Test func `a body that two lines name stays when one of them is written anew`() throws {
    let journal = try RecordingJournal(besides: file)
    for (order, path) in ["/a?x=plain-word-9", "/b"].enumerated() {
      journal.append(Self.interaction(path, "picture", padding: 300_000), order: order)
    }
    try expectEqual(sideFiles().count, 1)
    journal.append(Self.interaction("/c", "access_token=plain-word-9"), order: 2)
    expectNil(journal.problem)
    try expectEqual(sideFiles().count, 1)
    journal.close()
    let next = try RecordingJournal(besides: file)
    let (cassette, count) = try next.takeUp(onto: Cassette())
    expectEqual(count, 3)
    #expect(!cassette.interactions.contains { $0.request.url.description.contains("plain-word") })
    expectEqual(cassette.interactions.count { $0.response?.body.count ?? 0 > 300_000 }, 2)
  }

  @Test
  func `an abandoned journal removes its bodies, and later interactions write none`()
    throws
  {
    let journal = try RecordingJournal(besides: file)
    journal.append(Self.interaction("/a", "picture", padding: 300_000), order: 0)
    try expectEqual(sideFiles().count, 1)
    journal.giveUp()
    try expectEqual(sideFiles(), [])
    journal.append(Self.interaction("/late", "picture", padding: 300_000), order: 1)
    try expectEqual(sideFiles(), [])
    #expect(!FileManager.default.fileExists(atPath: journal.file.path))
  }
}
