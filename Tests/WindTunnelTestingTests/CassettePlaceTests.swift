import Foundation
import Testing
import WindTunnel

@testable import WindTunnelTesting

@Suite struct CassettePlaceTests {
  private func folder() throws -> URL {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    return folder
  }

  @Test func `a cassette lies beside the test or where the environment says`() throws {
    let beside = try CassettePlace("a", besides: "/src/Tests/ATests.swift", environment: [:])
    #expect(beside.file.path == "/src/Tests/Cassettes/a.json")
    let named = try CassettePlace(
      "a.json",
      besides: "/src/Tests/ATests.swift",
      environment: ["WINDTUNNEL_CASSETTES": "/tapes"]
    )
    #expect(named.file.path == "/tapes/a.json")
  }

  @Test(arguments: [
    ([:], RecordMode.once), (["CI": "true"], .none),
    (["CI": "true", "WINDTUNNEL_RECORD": "rewrite"], .rewrite),
    (["WINDTUNNEL_RECORD": "new-episodes"], .newEpisodes),
  ])
  func `at a desk a missing cassette is recorded, in CI nothing is`(
    environment: [String: String],
    mode: RecordMode
  ) throws {
    #expect(try CassettePlace("a", besides: "/a.swift", environment: environment).mode == mode)
  }

  @Test func `a mode that is none is refused with those that are`() {
    let error = #expect(throws: CassetteProblem.self) {
      try CassettePlace("a", besides: "/a.swift", environment: ["WINDTUNNEL_RECORD": "all"])
    }
    #expect(
      error?.description == "WINDTUNNEL_RECORD=all: there are none, once, new-episodes, rewrite."
    )
  }

  @Test func `without a cassette nothing goes live where nothing is recorded`() throws {
    let place = try CassettePlace("gone", besides: "/nowhere/a.swift", environment: ["CI": "1"])
    let error = #expect(throws: CassetteProblem.self) { try place.deck(.url, then: .fail) }
    #expect(
      error?.description.contains("There is no cassette /nowhere/Cassettes/gone.json") == true
    )
  }

  @Test func `tests that record onto one cassette add to it one after the other`() throws {
    let folder = try folder()
    defer { try? FileManager.default.removeItem(at: folder) }
    let place = try CassettePlace(
      "shared",
      besides: "/a.swift",
      environment: ["WINDTUNNEL_CASSETTES": folder.path]
    )
    for path in ["/a", "/b"] {
      let deck = Deck(Cassette(), mode: .rewrite)
      let outcome = deck.decide(Request("GET", RequestURL("https://api.example.test\(path)")))
      deck.keep(Interaction(outcome.request, .json([:])), for: outcome)
      try place.keep(deck)
    }
    #expect(
      try Cassette(contentsOf: place.file).interactions.map(\.request.url.path) == ["/a", "/b"]
    )
  }
}
