import Foundation
import Testing
import WindTunnel
import WindTunnelNetworkLayer
import WindTunnelSymptoms

@testable import WindTunnelDrill

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// The outcome of the reference client's start in the weather of each shipped scenario.
@Suite(.timeLimit(.minutes(5))) struct ReferenceStartTests {
  /// The result of a start.
  struct End: Hashable {
    var source: ConfigurationSource
    var refusal: String?
    /// The host that is asked first.
    var server: String?
    var deadline: Duration?
  }

  /// Launches an app in a scenario, on the wire.
  private static func launch(_ name: String) async throws -> End {
    let scenario = try #require(try Shipped.scenarios(named: [name]).first)
    let cassette = try Shipped.startup()
    let recorded = try #require(try RecordedStartup(cassette))
    var matcher = Matcher.pathAndQuery
    matcher.ignoredQuery = RecordedStartup.facts.map { NamePattern($0) }
    let deck = Deck(
      cassette,
      scenario: scenario,
      options: PlaybackOptions(matcher: matcher, then: .repeat)
    )
    let target = try await Targets.target(
      .onTheWire,
      deck,
      scenario,
      .current,
      servers: recorded.servers
    )
    let route = try await target.open(Workload.lane(name, 0))
    let time = SystemTime()
    let start = ReferenceStart(recorded, time)
    let kept = try await start.folder(of: scenario.startup ?? .warm)
    let startup = try await start.launch(
      in: ReferenceStart.Folder(copying: kept),
      by: ReaddressingTransport(
        route.servers,
        by: URLSessionTransport(session: route.session.session)
      ),
      feeding: AdmissionController(time: time)
    )
    target.close(route, isHung: false)
    await target.close()
    return End(
      source: startup.record.source,
      refusal: startup.record.refusal,
      server: startup.configuration.baseURL.host,
      deadline: startup.configuration.limits.deadline
    )
  }

  private static let near = "near.example.test"
  private static let second = "second.example.test"

  /// The ends of starts by scenario. What is built in has a deadline of a minute.
  static let ends: [(scenario: String, end: End)] = [
    ("nearest-dead", End(.builtIn, "late", second, .seconds(60))),
    ("nearest-slow", End(.fetched(version: 6), nil, second, .seconds(9))),
    ("nearest-lies", End(.builtIn, "unsigned", second, .seconds(60))),
    ("captive-portal", End(.lastGood(version: 5), "unsigned", near, .milliseconds(8500))),
    ("config-garbage", End(.lastGood(version: 5), "unsigned", near, .milliseconds(8500))),
    ("config-late", End(.lastGood(version: 5), "late", near, .milliseconds(8500))),
    ("config-replayed", End(.lastGood(version: 7), "replayed", near, .seconds(8))),
    ("offline-start", End(.lastGood(version: 5), "unreachable", near, .milliseconds(8500))),
  ]

  @Test(arguments: ends)
  func `what is good is taken, and nothing else`(scenario: String, end: End) async throws {
    var found: End?
    // A busy machine makes a server slow in some starts, and lets none take what is not good.
    for _ in 0..<5 where found != end {
      found = try await Self.launch(scenario)
      if end.refusal != nil { #expect(found?.source == end.source) }
    }
    #expect(found == end)
  }

  /// The notes of cassettes whose start cannot be flown, with what is said of them.
  static let notes: [(note: String, problem: String)] = [
    ("[]", "an object should stand here"),
    (#"{ "probe": "/probe" }"#, "needs the paths"),
    (#"{ "probe": "/probe", "configuration": "/configuration", "publicKey": "A6EH" }"#, "32 bytes"),
    (
      #"{ "probe": "/ping", "configuration": "/configuration", "publicKey": "KEY" }"#,
      "names /ping, and no GET of it with an answer was recorded at any host"
    ),
    (
      #"{ "probe": "/probe", "configuration": "/settings", "publicKey": "KEY" }"#,
      "names /settings, and no GET of it with an answer was recorded at https://near.example.test"
    ),
    (#"{ "probes": "/probe" }"#, "probe"),
    (
      #"{ "probe": "/probe", "configuration": "/configuration", "publicKey": "KEY", "kept": "5" }"#,
      "is no configuration"
    ),
    (#"{ "probe": "/probe", "leadsTo": [] }"#, "an object with at most 64 versions"),
    (#"{ "probe": "/probe", "leadsTo": { "six": "GET /6" } }"#, "\"six\" should be a version"),
    (#"{ "probe": "/probe", "leadsTo": { "6": 6 } }"#, "what it leads to a request"),
  ]

  @Test(arguments: notes)
  func `a start that is not on the cassette is refused`(note: String, problem: String) throws {
    var cassette = try Shipped.startup()
    let key = Data(repeating: 1, count: 32).base64EncodedString()
    let json = try JSON(parsing: note.replacing("KEY", with: key).utf8, source: "")
    cassette.notes = [JSON.Member("_startup", json)]
    let error = #expect(throws: DrillError.self) { try RecordedStartup(cassette) }
    #expect(error?.description.contains(problem) == true, "\(error?.description ?? "")")
    #expect(throws: DrillError.self) {
      var plan = DrillPlan(cassette, in: [.calm])
      plan.subjects = ["client"]
      try plan.validate(known: ["client"])
    }
  }

  @Test func `a cassette without a note has no start`() throws {
    #expect(try RecordedStartup(Shipped.cassette()) == nil)
  }

  @Test func `what belongs to a start is no call`() throws {
    let plan = DrillPlan(try Shipped.startup(), in: [])
    #expect(plan.workload.all.map(\.url.target) == ["/home"])
    #expect(plan.workload.all.map(\.url.host) == [Self.near])
  }
}

extension ReferenceStartTests.End {
  fileprivate init(
    _ source: ConfigurationSource,
    _ refusal: String?,
    _ server: String,
    _ deadline: Duration
  ) {
    (self.source, self.refusal) = (source, refusal)
    (self.server, self.deadline) = (server, deadline)
  }
}
