import TestSupport
import WindTunnel
import WindTunnelSymptoms

@testable import WindTunnelTesting

@Suite struct CassettePlaceTests {

  @Test func `the cassette is beside the test, or in the environment's folder`() throws {
    let beside = try CassettePlace("a", besides: "/src/Tests/ATests.swift", environment: [:])
    expectEqual(beside.file.path, "/src/Tests/Cassettes/a.json")
    let named = try CassettePlace(
      "a.json",
      besides: "/src/Tests/ATests.swift",
      environment: ["WINDTUNNEL_CASSETTES": "/tapes"]
    )
    expectEqual(named.file.path, "/tapes/a.json")
  }

  @Test(arguments: [
    ([:], RecordMode.once), (["CI": "true"], .none),
    (["CI": "true", "WINDTUNNEL_RECORD": "rewrite"], .rewrite),
    (["WINDTUNNEL_RECORD": "new-episodes"], .newEpisodes), (["WINDTUNNEL_RECORD": "all"], .rewrite),
    (["WINDTUNNEL_RECORD": "verify"], .verify), (["WINDTUNNEL_RECORD": "none"], .none),
  ])
  func `at a desk a missing cassette is recorded, in CI nothing is`(
    environment: [String: String],
    mode: RecordMode
  ) throws {
    try expectEqual(CassettePlace("a", besides: "/a.swift", environment: environment).mode, mode)
  }

  @Test func `a mode that is none is refused with those that are`() {
    let error = #expect(throws: CassetteProblem.self) {
      try CassettePlace("a", besides: "/a.swift", environment: ["WINDTUNNEL_RECORD": "some"])
    }
    expectEqual(
      error?.description,
      "WINDTUNNEL_RECORD=some: the values are none, once, new-episodes, rewrite, verify."
    )
  }

  @Test func `a missing cassette is an error if recording is off`() throws {
    let place = try CassettePlace("gone", besides: "/nowhere/a.swift", environment: ["CI": "1"])
    let error = #expect(throws: CassetteProblem.self) { try place.deck() }
    expectEqual(
      error?.description,
      "The cassette /nowhere/Cassettes/gone.json does not exist, and recording is off. "
        + "Record it on your machine: WINDTUNNEL_RECORD=once swift test"
    )
  }

  @Test(arguments: [
    ("users", " The same folder has user.json: did you mean \"user\"?"),
    ("users.json", " The same folder has user.json: did you mean \"user\"?"), ("orders", ""),
    ("team/usrs", " The same folder has users.json: did you mean \"team/users\"?"),
    ("team/orders", ""), ("nowhere/users", ""),
  ])
  func `a possibly misspelt cassette name is reported with the existing one`(
    name: String,
    suggestion: String
  ) throws {
    let folder = try TemporaryFolder()
    let team = folder.file("team")
    try FileManager.default.createDirectory(at: team, withIntermediateDirectories: true)
    for file in ["user.json", "users.txt", "team/users.json"] {
      try Data().write(to: folder.file(file))
    }
    var environment = ["WINDTUNNEL_CASSETTES": folder.url.path, "CI": "1"]
    let place = try CassettePlace(name, besides: "/a.swift", environment: environment)
    let error = #expect(throws: CassetteProblem.self) { try place.deck() }
    expectEqual(
      error?.description,
      "The cassette \(place.file.path) does not exist, and recording is off.\(suggestion) "
        + "Record it on your machine: WINDTUNNEL_RECORD=once swift test"
    )
    environment["CI"] = nil
    let desk = try CassettePlace(name, besides: "/a.swift", environment: environment)
    let request = Request("GET", "https://api.example.test/a")
    let deck = Deck(Cassette(), mode: .rewrite)
    expectEqual(
      desk.thrownAway(deck),
      "The cassette \(desk.file.path) does not exist, and none is recorded "
        + "because this test failed.\(suggestion)"
    )
    deck.keep(Interaction(request, .json([:])), for: deck.decide(request))
    expectEqual(
      desk.thrownAway(deck),
      "The cassette \(desk.file.path) does not exist, so this test recorded from the network. "
        + "It failed, so nothing is written.\(suggestion)"
    )
  }

  @Test func `of a cassette that is there a test that failed is told that it stays`() throws {
    let folder = try TemporaryFolder()
    let place = try CassettePlace(
      "users",
      besides: "/a.swift",
      environment: ["WINDTUNNEL_CASSETTES": folder.url.path]
    )
    for name in ["user.json", "users.json"] { try Data().write(to: folder.file(name)) }
    expectEqual(
      place.thrownAway(Deck(Cassette(), mode: .rewrite)),
      "This test failed, so its recordings are not written to \(place.file.path)."
    )
  }

  @Test(arguments: [true, false])
  func `an unreachable origin does not overwrite a cassette`(isThere: Bool) throws {
    let folder = try TemporaryFolder()
    let place = try CassettePlace(
      "gone",
      besides: "/a.swift",
      environment: ["WINDTUNNEL_CASSETTES": folder.url.path, "WINDTUNNEL_RECORD": "rewrite"]
    )
    let request = Request("GET", "https://api.example.test/a")
    let good = Cassette([Interaction(request, .json([:]))])
    if isThere { try good.write(to: place.file) }
    let deck = try place.deck()
    let outcome = deck.decide(request)
    deck.keep(Interaction(request, .failure(Failure(.connectionRefused))), for: outcome)
    let error = #expect(throws: CassetteProblem.self) { try place.keep(deck) }
    expectEqual(error?.description.hasPrefix("Every connection was refused while "), true)
    try expectEqual(folder.names, isThere ? ["gone.json"] : [])
    if isThere { try expectEqual(Cassette(contentsOf: place.file), good) }
  }

  @Test func `tests that record onto one cassette add to it one after the other`() throws {
    let folder = try TemporaryFolder()
    let place = try CassettePlace(
      "shared",
      besides: "/a.swift",
      environment: ["WINDTUNNEL_CASSETTES": folder.url.path]
    )
    for path in ["/a", "/b"] {
      let deck = Deck(Cassette(), mode: .rewrite)
      let outcome = deck.decide(Request("GET", RequestURL("https://api.example.test\(path)")))
      deck.keep(Interaction(outcome.request, .json([:])), for: outcome)
      try place.keep(deck)
    }
    try expectEqual(
      Cassette(contentsOf: place.file).interactions.map(\.request.url.path),
      ["/a", "/b"]
    )
  }
}
