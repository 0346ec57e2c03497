import TestSupport

@testable import WindTunnelDrill

/// What a start shows on the wire, and in what is printed, of a server and a configuration that
/// nobody should take.
@Suite(.timeLimit(.minutes(5))) struct JudgedStartTests {
  /// The cassette that ships, with a page that each version of the configuration leads to.
  private static func tape() throws -> Cassette {
    var cassette = try Shipped.startup()
    let home = try #require(cassette.interactions.first { $0.request.url.path == "/home" })
    for version in 5...7 {
      var page = home
      page.request.url.path = "/editions/\(version)/home"
      cassette.interactions.append(page)
    }
    guard case .object(var note)? = cassette.notes.first?.value else { return cassette }
    note.removeAll { $0.name.value == "versionField" }
    let leads = (5...7).map { version in
      JSON.Member(JSON.Text("\(version)"), .text("GET /editions/\(version)/**"))
    }
    note.append(JSON.Member("leadsTo", .object(leads)))
    cassette.notes[0].value = .object(note)
    return cassette
  }

  /// The row of a program's flight, with the findings and the exit code.
  private struct Flown {
    var row: Report.Row
    var findings: [String]
    var code: Int32
    var standings: [String: RuleStanding.Standing]
  }

  private static func run(
    _ scenario: String,
    on cassette: Cassette,
    _ command: [String]
  ) async throws -> Flown {
    let folder = try Folder()
    let page = try folder.file("report.json")
    let tape = try folder.file("tape.json")
    try cassette.data().write(to: URL(filePath: tape))
    let end = try await Tool.run(
      [
        "drill", "--scenario", scenario, "--cassette", tape, "--calls", "2", "--concurrency", "1",
        "--report", page, "--",
      ] + command,
      with: ["TMPDIR": folder.url.path]
    )
    let left = try FileManager.default.contentsOfDirectory(atPath: folder.url.path)
    expectEqual(left.filter { $0.hasPrefix("windtunnel-start-") }, [], "what was kept goes")
    let report = try Report(contentsOf: URL(filePath: page))
    let flown = try #require(report.scenarios.first, "\(end.complaints)")
    return Flown(
      row: try #require(flown.subjects.first),
      findings: report.findings.map { "\($0.finding.severity) \($0.finding.rule)" },
      code: end.code,
      standings: Dictionary(flown.rules.map { ($0.rule, $0.standing) }) { $1 }
    )
  }

  private static let unsigned = "accepts-unsigned-configuration"
  private static let rolledBack = "accepts-rolled-back-configuration"
  private static let rogue = "trusts-rogue-server"

  // MARK: Configurations

  /// A start in Python, by the configuration that it is told to take: `any` whose version it can
  /// read, `whole` one that is text to its end, or `elsewhere`, which asks the second server, too.
  private static let program = TestData.text("takes-configuration.py")

  @Test(
    .python,
    arguments: [("any", [6], true), ("whole", [5], true), ("elsewhere", [6], false)]
  )
  func `garbage is told by the page that only its version leads to`(
    way: String,
    used: [Int],
    isMet: Bool
  ) async throws {
    let flown = try await Self.run(
      "config-garbage",
      on: Self.tape(),
      ["python3", "-c", Self.program, way, "{kept}"]
    )
    expectEqual(flown.findings, (way == "any" ? ["error \(Self.unsigned)"] : []))
    expectEqual(flown.code, (way == "any" ? 99 : 0))
    if case .notMet? = flown.standings[Self.unsigned] {
      #expect(!isMet)
    } else {
      #expect(isMet)
    }
    for call in flown.row.observations {
      #expect(call.ending == .succeeded && call.attemptCount == 1)
      let use = try #require(call.configuration)
      #expect(use.kept == 5 && use.isGiven && use.used == used && use.changed == [6])
      expectEqual(use.signed, (isMet ? [] : [6]))
    }
  }

  @Test(
    .python,
    arguments: [("any", "{kept}"), ("whole", "{kept}"), ("any", "$WINDTUNNEL_URL")]
  )
  func `an old configuration is told where its client was given a newer one`(
    way: String,
    kept: String
  ) async throws {
    let flown = try await Self.run(
      "config-replayed",
      on: Self.tape(),
      ["python3", "-c", Self.program, way, kept]
    )
    let isNamed = way == "any" && kept == "{kept}"
    expectEqual(flown.findings, (isNamed ? ["error \(Self.rolledBack)"] : []))
    expectEqual(flown.code, (isNamed ? 99 : 0))
    for call in flown.row.observations {
      #expect(call.configuration?.kept == 7 && call.configuration?.signed == [6])
      expectEqual(call.configuration?.used, (way == "any" ? [6] : [7]))
      expectEqual(call.configuration?.isGiven, (kept == "{kept}"))
    }
  }

  @Test(.python, arguments: [true, false])
  func `a program that lives is held to it by the version in a field`(takesAny: Bool) async throws {
    let script = TestData.text("follows-versions.py")
    let flown = try await Self.run(
      "config-garbage",
      on: Shipped.startup(),
      ["python3", "-c", script, "\(takesAny)"]
    )
    expectEqual(flown.findings, (takesAny ? ["error \(Self.unsigned)"] : []))
    for call in flown.row.observations {
      #expect(call.bodyMatches == true && call.configuration?.used == [takesAny ? 6 : 5])
    }
  }

  @Test(
    .python,
    arguments: [("nearest-lies", 0), ("config-late", 5), ("config-replayed", 7)]
  )
  func `each launch has a copy of its own of what was kept, and the first has none`(
    scenario: String,
    version: Int
  ) async throws {
    let script = TestData.text("spoils-configuration.py")
    let flown = try await Self.run(
      scenario,
      on: Shipped.startup(),
      ["python3", "-c", script, "{kept}"]
    )
    expectEqual(flown.findings, [])
    for call in flown.row.observations {
      #expect(call.ending == .succeeded && call.configuration?.used == [version])
      expectEqual(call.configuration?.kept, (version == 0 ? nil : version))
    }
  }

  // MARK: A server that lies

  /// A start in Python that asks the nearest, after a probe or without one, and shows the page as
  /// it is told to.
  private static let asksNearest = TestData.text("asks-nearest.py")

  @Test(
    .python,
    arguments: [
      ("unprobed", "warning"), ("spread", "error"), ("within", "error"), ("refuses", ""),
      ("own words", nil),
    ] as [(String, String?)]
  )
  func `the page of a server that lies is known in what is printed`(
    way: String,
    severity: String?
  ) async throws {
    let flown = try await Self.run(
      "nearest-lies",
      on: Shipped.startup(),
      ["python3", "-c", Self.asksNearest, way]
    )
    let isNamed = severity.map { !$0.isEmpty } ?? false
    expectEqual(flown.findings, (isNamed ? ["\(severity ?? "") \(Self.rogue)"] : []))
    // A client none of whose calls succeeds proves nothing.
    expectEqual(flown.code, (severity == "error" ? 99 : severity == "" ? 98 : 0))
    let answer: Observation.RogueResponse? =
      switch severity {
      case "warning"?: .shown
      case "error"?: .shownDespiteProbe
      case .some: .refused
      case nil: nil
      }
    expectEqual(flown.row.observations.map(\.rogueResponse), [answer, answer])
  }

  @Test(arguments: [Stage.inProcess, .onTheWire])
  func `code in a test is held to it, too`(stage: Stage) async throws {
    let drill = Drill(
      try Shipped.startup(),
      in: try Shipped.scenarios(named: ["nearest-lies"]),
      calls: 2,
      load: .closedLoop(concurrency: 1),
      stage: stage
    )
    for (server, found) in [(0, ["trusts-rogue-server"]), (1, [])] {
      let report = try await drill.run { call in
        for origin in call.origins {
          _ = try await call.session.data(from: origin.appending(path: "probe"))
        }
        return try await call.session.data(from: call.origins[server].appending(path: "home")).0
      }
      expectEqual(report.findings.map(\.finding.rule), found)
    }
  }

  @Test func `a page that changes at a server that says what it must is nobody's lie`()
    async throws
  {
    let scenario = try Scenario(
      data: Data(
        """
        { "windtunnelScenario": 1, "name": "newer", "startup": "cold", "rules": [
          { "when": { "request": "GET /home" }, "faults": [ { "version": 2 } ] }
        ] }
        """.utf8
      ),
      source: "newer"
    )
    let drill = Drill(
      try Shipped.startup(),
      in: [scenario],
      calls: 2,
      load: .closedLoop(concurrency: 1)
    )
    let report = try await drill.run { try await $0.session.data(from: $0.url).0 }
    expectEqual(report.findings.map(\.finding.rule), [])
    expectEqual(report.scenarios[0].subjects[0].observations.map(\.rogueResponse), [nil, nil])
  }

  // MARK: What is served

  @Test func `what is served of a configuration is known by its version and its bytes`() throws {
    let tape = try Shipped.startup()
    let recorded = try #require(tape.interactions.first { $0.request.url.path == "/configuration" })
    func served(_ faults: [Fault]) -> String {
      RecordedStartup.served(recorded, with: faults).map {
        "\($0.version)\($0.isChanged ? " changed" : "")"
      } ?? "nothing"
    }
    #expect(served([]) == "6" && served([.delay(.exactly(.seconds(8)))]) == "6")
    expectEqual(served([.alter(.contentType("text/html"))]), "6")
    expectEqual(served([.alter(.body(.invalidUTF8))]), "6 changed")
    expectEqual(served([.alter(.body(.empty))]), "nothing")
    expectEqual(served([.alter(.stale(seconds: 60))]), "nothing")
    expectEqual(served([.status(500)]), "nothing")
    expectEqual(served([.answer(.captivePortalPage)]), "nothing")
    for (text, version) in [
      (#"x\n{"version":6}"#, 6), (#"{"version" : 12,"#, 12), (#"{"version":"6"}"#, nil),
      (#"{"version":99999999999999999999}"#, nil), ("version 6", nil), (#"{"version":"#, nil),
    ] as [(String, Int?)] {
      expectEqual(RecordedStartup.version(of: Data(text.utf8)), version, "\(text)")
    }
  }
}
