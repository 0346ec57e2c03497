import TestSupport
import WindTunnel
@_spi(WindTunnel) import WindTunnelCore
import WindTunnelDrillTesting

@testable import WindTunnelTesting

/// What a test is told of its own slips.
@Suite struct GuardRailTests {
  private struct Said: Equatable {
    var words: String
    var isError: Bool
  }

  /// Runs a test with a trait, and answers what it had to say at the test's line.
  private func said(
    by trait: CassetteTrait,
    in body: @Sendable @concurrent @escaping () async throws -> Void
  ) async throws -> [Said] {
    let test = try #require(Test.current)
    return try await heard {
      try await trait.provideScope(for: test, testCase: Test.Case.current, performing: body)
    }
  }

  /// What is told at the line of the test that runs here; else what is thrown.
  private func heard(
    _ body: @Sendable @concurrent @escaping () async throws -> Void
  ) async throws -> [Said] {
    let test = try #require(Test.current)
    let heard = Locked<[Said]>([])
    let scope: IssueHandlingTrait = .compactMapIssues { issue in
      let isHere = issue.sourceLocation == test.sourceLocation
      guard isHere || issue.error != nil else { return issue }
      let words = issue.error.map { "\($0)" } ?? issue.comments.first?.rawValue ?? ""
      heard.withLock { $0.append(Said(words: words, isError: issue.severity == .error)) }
      return nil
    }
    try await scope.provideScope(for: test, testCase: Test.Case.current) {
      do { try await body() } catch { Issue.record(error) }
    }
    return heard.withLock { $0 }
  }

  @Test func `a rule that met nothing is a warning`() async throws {
    let words = try await said(by: .cassette("users")) {
      try await FaultsTrait.faults([.on("GET /user/*", .first(2), .status(503))])
        .provideScope(for: try #require(Test.current), testCase: nil) {
          _ = try await UserAPI(session: .windTunnel).profile(7)
        }
    }
    expectEqual(
      words,
      [Said(words: "rule 1 `GET /user/*` matched no request; seen: GET /users/7", isError: false)]
    )
  }

  @Test func `and an error where every rule is expected to`() async throws {
    let words = try await said(by: .cassette("users", expecting: .everyRule)) {
      try await withFaults([.on("GET /user/*", .first(2), .status(503))]) {
        _ = try await UserAPI(session: .windTunnel).profile(7)
      }
    }
    expectEqual(
      words,
      [
        Said(
          words:
            "Every rule must match a request, but rule 1 `GET /user/*` matched no request; seen: "
            + "GET /users/7.",
          isError: true
        )
      ]
    )
  }

  @Test func `on the wire a rule that met nothing is a warning, too`() async throws {
    let words = try await said(by: .cassette("users")) {
      try await withFaults([.on("GET /user/*", .first(2), .status(503))]) {
        let test = try #require(Test.current)
        try await OnTheWireTrait.onTheWire.provideScope(for: test, testCase: nil) {
          _ = try await UserAPI(session: .windTunnel, base: Deck.current.url).profile(7)
        }
      }
    }
    expectEqual(words.map(\.words), ["rule 1 `GET /user/*` matched no request; seen: GET /users/7"])
  }

  @Test func `a part of a test throws for a rule that was to be met`() async throws {
    let error = await #expect(throws: CassetteProblem.self) {
      try await withCassette(
        "users",
        in: [.on("GET /user/*", .always, .status(503))],
        expecting: .everyRule
      ) { session in
        _ = try await UserAPI(session: session).profile(7)
      }
    }
    expectEqual(error?.description.hasPrefix("Every rule must match a request, but rule 1 "), true)
    let deck = Deck(
      [.get("https://api.example.test/users/7", json: ["id": 7, "name": "Ada"])],
      scenario: [.on("GET /user/*", .always, .status(503))]
    )
    await #expect(throws: CassetteProblem.self) {
      try await withDeck(deck, expecting: .everyRule) { session in
        _ = try await UserAPI(session: session).profile(7)
      }
    }
  }

  @Test func `an unused cassette is a warning`() async throws {
    let words = try await said(by: .cassette("users")) {}
    expectEqual(
      words,
      [
        Said(
          words: "No request reached users.json: let the code under test use "
            + "URLSession.windTunnel, or remove the cassette.",
          isError: false
        )
      ]
    )
  }

  private struct Broken: Error, CustomStringConvertible { var description: String { "it broke" } }

  @Test func `an unused cassette is a warning even if the test throws`() async throws {
    let words = try await said(by: .cassette("users")) { throw Broken() }
    let warning = Said(
      words: "No request reached users.json: let the code under test use "
        + "URLSession.windTunnel, or remove the cassette.",
      isError: false
    )
    expectEqual(words, [warning, Said(words: "it broke", isError: true)])
  }

  @Test func `a used cassette causes no warning if the test throws`() async throws {
    let words = try await said(by: .cassette("users")) {
      _ = try await UserAPI(session: .windTunnel).profile(7)
      throw Broken()
    }
    expectEqual(words, [Said(words: "it broke", isError: true)])
  }

  @Test func `nor is a tape to which no request could come`() {
    let deck = Deck(Cassette())
    expectNil(deck.oversight(after: CancellationError(), of: "users.json"))
    expectNil(deck.oversight(after: CassetteProblem("refused"), of: "users.json"))
    expectEqual(deck.oversight(after: Broken(), of: "users.json")?.hasPrefix("No request"), true)
  }

  @Test func `a used cassette causes no warning, nor does an unused rule`() async throws {
    let words = try await said(by: .cassette("users")) {
      try await withFaults([.on("GET /users/*", .attempt(9), .status(503))]) {
        _ = try await UserAPI(session: .windTunnel).profile(7)
      }
    }
    expectEqual(words, [])
  }

  @Test func `a forgotten cassette is an issue at the test's line, and nothing is asked`()
    async throws
  {
    let seen = Locked<[String]>([])
    let words = try await heard {
      #expect(Deck.current.journal.all.isEmpty)
      do {
        _ = try await URLSession.windTunnel.text("https://api.example.test/users/7")
      } catch {
        seen.withLock { $0.append(error.localizedDescription) }
      }
    }
    let sentence = """
      No cassette, so no session: mark the test with .cassette("NAME"), and send requests in the \
      test's own tasks (not in Task.detached, and not in tasks created before the test).
      """
    expectEqual(
      words,
      [
        Said(words: sentence.replacing("session", with: "deck"), isError: true),
        Said(words: sentence, isError: true),
      ]
    )
    // The words stand at the line, and are not told twice.
    expectEqual(
      seen.withLock { $0 },
      ["No cassette, so this request was not sent: see the issue at the test's line."]
    )
  }

  @Test func `outside a test a forgotten cassette ends no process`() async {
    await #expect(processExitsWith: .success) {
      let failed: Bool = await Task.detached {
        _ = Deck.current.attempts("GET /x")
        return (try? await URLSession.windTunnel.text("https://api.example.test/x")) == nil
      }.value
      try #require(failed)
    }
  }

  @Test func `weather that no file could say is refused wherever it is given`() async throws {
    let scenario: Scenario = [.on("GET /users/*", .first(-2), .status(503))]
    let begin = "plan, rules[0].when.first: -2 "
    let words = try await said(by: .cassette("users")) {
      try await FaultsTrait.faults(scenario)
        .provideScope(for: try #require(Test.current), testCase: nil) {
          Issue.record("the test has begun")
        }
    }
    #expect(words.count == 1 && words[0].words.hasPrefix(begin), "\(words)")
    func refusal(_ body: () async throws -> Void) async -> String {
      do { try await body() } catch { return "\(error)" }
      return "nothing"
    }
    let told = [
      await refusal { try await withCassette("users", in: scenario) { _ in } },
      await refusal {
        _ = try await said(by: .cassette("users")) {
          _ = try await UserAPI(session: .windTunnel).profile(7)
          try await withFaults(scenario) {}
        }.first.map { throw CassetteProblem($0.words) }
      },
      await refusal { _ = try Drill("users", in: [scenario]) },
    ]
    #expect(told.allSatisfy { $0.hasPrefix(begin) }, "\(told)")
  }
}

#if !canImport(Darwin)
  import Origins
  import WindTunnelServer

  /// The same in whole runs of a host's tests.
  @Suite struct GuardRailRunTests {
    private func live() -> Deck {
      Deck([
        .get("/a") { _ in .json(["a": 1]) }, .get("/b") { _ in .json(["b": 1]) },
        .get("/new") { _ in .text(Body("7")) }, .get("/orders/7") { _ in .text(Body("order 7")) },
      ])
    }

    @Test func `a cassette that was not there is named when it is recorded, and not again`()
      async throws
    {
      let run = try await ChildRun(live())
      let first = try await run.run(["asksForB"], mode: nil)
      #expect(first.passes)
      #expect(first.words.contains("recorded shared.json, 1 interaction (new)"), "\(first.words)")
      for mode in [nil, "rewrite"] {
        let next = try await run.run(["asksForB"], mode: mode)
        #expect(next.passes)
        #expect(!next.words.contains("recorded shared.json"))
      }
      let part = try await run.run(["ordersBesideWhoLooks"], mode: nil)
      #expect(part.passes)
      #expect(part.words.contains("recorded orders.json, "), "\(part.words)")
      try await run.close()
    }

    @Test func `outside CI, a missing recording is reported with the command that records it`()
      async throws
    {
      let run = try await ChildRun(live())
      let tape = Cassette([
        Interaction(Request("GET", RequestURL("\(run.url)/a?first")), .json(["a": 1]))
      ])
      try tape.write(to: run.file("shared.json"))
      let fix =
        "To record the missing requests, too: WINDTUNNEL_RECORD=new-episodes swift test"
      let desk = try await run.run(["asksForB"], mode: nil)
      #expect(desk.words.contains("is not on the cassette."))
      #expect(desk.words.contains(fix), "\(desk.words)")
      let machine = try await run.run(["asksForB"], mode: nil, with: ["CI": "1"])
      #expect(machine.words.contains("is not on the cassette."))
      #expect(!machine.words.contains(fix))
      #expect(try await run.run(["asksForB"], mode: "new-episodes").passes)
      try await run.close()
    }
  }
#endif
