import Origins
import TestSupport
import WindTunnel
import WindTunnelServer

@testable import WindTunnelTesting

@Suite struct InTestRecordingTests {
  /// A server to record, a folder to record into, and what stands in it.
  private final class Desk: Sendable {
    let server: ReplayServer
    let folder: URL

    init() async throws {
      let deck = Deck(
        ["/a", "/b", "/c"].map { path in
          .get(RequestURL(path)) { _ in .text(Body("live \(path)")) }
        }
      )
      server = try await ReplayServer(deck, .patient)
      folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    var files: [String] {
      get throws { try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() }
    }

    func place(mode: String = "once") throws -> CassettePlace { try Self.place(folder.path, mode) }

    static func place(_ folder: String, _ mode: String = "once") throws -> CassettePlace {
      try CassettePlace(
        "a",
        besides: "/a.swift",
        environment: ["WINDTUNNEL_CASSETTES": folder, "WINDTUNNEL_RECORD": mode]
      )
    }

    func close() async throws {
      await server.stop()
      try FileManager.default.removeItem(at: folder)
    }
  }

  private static func ask(_ url: String, of deck: Deck) async throws -> String {
    let session = URLSession(configuration: .windTunnel(deck))
    defer { session.finishTasksAndInvalidate() }
    return try await session.text(url)
  }

  private func paths(of interactions: [Interaction]) -> [String] {
    interactions.map(\.request.url.path)
  }

  @Test func `what tests had recorded before a kill is there at the next run, and goes on`()
    async throws
  {
    let desk = try await Desk()
    let url = desk.server.url
    await #expect(processExitsWith: .signal(SIGKILL)) {
      [folder = desk.folder.path as String, url = url as String] in
      let place = try Desk.place(folder)
      // Two tests that share a cassette, and record at once.
      let decks = try (0..<2).map { _ in try place.deck() }
      try await expectEqual(Self.ask("\(url)/a", of: decks[0]), "live /a")
      try await expectEqual(Self.ask("\(url)/b", of: decks[1]), "live /b")
      kill(getpid(), SIGKILL)
    }
    try expectEqual(desk.files, ["a.json.2.journal", "a.json.journal"])

    let place = try desk.place()
    let deck = try place.deck()
    expectEqual(paths(of: deck.interactions), ["/a", "/b"])
    for path in ["/a", "/c"] { _ = try await Self.ask("\(url)\(path)", of: deck) }
    expectEqual(deck.journal.all.map(\.take), [.recording(0), .forwarded])
    try place.keep(deck)
    expectEqual(paths(of: try Cassette(contentsOf: place.file).interactions), ["/a", "/b", "/c"])
    try expectEqual(desk.files, ["a.json"])
    try await desk.close()
  }

  @Test func `a recording that is killed again before it got further still goes on`() async throws {
    let desk = try await Desk()
    let url = desk.server.url
    await #expect(processExitsWith: .signal(SIGKILL)) {
      [folder = desk.folder.path as String, url = url as String] in
      _ = try await Self.ask("\(url)/a", of: try Desk.place(folder).deck())
      kill(getpid(), SIGKILL)
    }
    await #expect(processExitsWith: .signal(SIGKILL)) {
      [folder = desk.folder.path as String] in
      let deck = try Desk.place(folder).deck()
      try #require(deck.interactions.count == 1)
      kill(getpid(), SIGKILL)
    }
    try expectEqual(desk.files, ["a.json", "a.json.2.journal", "a.json.journal"])

    let place = try desk.place()
    let deck = try place.deck()
    for path in ["/a", "/c"] { _ = try await Self.ask("\(url)\(path)", of: deck) }
    expectEqual(deck.journal.all.map(\.take), [.recording(0), .forwarded])
    try place.keep(deck)
    expectEqual(paths(of: try Cassette(contentsOf: place.file).interactions), ["/a", "/c"])
    try expectEqual(desk.files, ["a.json"])
    try await desk.close()
  }

  @Test func `tests that come one after the other record a missing cassette together`() async throws
  {
    let desk = try await Desk()
    let place = try desk.place()
    for path in ["/a", "/b", "/a"] {
      let deck = try place.deck()
      try await expectEqual(Self.ask("\(desk.server.url)\(path)", of: deck), "live \(path)")
      try place.keep(deck)
    }
    expectEqual(paths(of: try Cassette(contentsOf: place.file).interactions), ["/a", "/b"])
    try expectEqual(desk.files, ["a.json"])
    try await desk.close()
  }

  @Test func `nothing is left of a test that has failed`() async throws {
    let desk = try await Desk()
    let place = try desk.place()
    let deck = try place.deck()
    _ = try await Self.ask("\(desk.server.url)/a", of: deck)
    try expectEqual(desk.files, ["a.json.journal"])
    place.discard(deck)
    try expectEqual(desk.files, [])
    try await desk.close()
  }

  @Test(arguments: ["none", "verify"])
  func `where nothing is recorded a journal stays as it is`(mode: String) async throws {
    let desk = try await Desk()
    let place = try desk.place(mode: mode)
    try Cassette([Interaction(Request("GET", "/a"), .json([:]))]).write(to: place.file)
    let journal = place.file.appendingPathExtension("journal")
    try Data("left".utf8).write(to: journal)
    try place.keep(try place.deck())
    try expectEqual(Data(contentsOf: journal), Data("left".utf8))
    try await desk.close()
  }

  @Test func `a cassette that is played has no journal`() async throws {
    let desk = try await Desk()
    let place = try desk.place()
    try Cassette([Interaction(Request("GET", "/a"), .json([:]))]).write(to: place.file)
    let deck = try place.deck()
    try expectEqual(desk.files, ["a.json"])
    try place.keep(deck)
    try await desk.close()
  }
}
