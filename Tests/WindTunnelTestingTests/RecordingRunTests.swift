#if !canImport(Darwin)
  import Origins
  import TestSupport
  import WindTunnel
  import WindTunnelServer

  @testable import WindTunnelTesting

  /// Whole runs of a host's tests that record.
  @Suite struct RecordingRunTests {
    /// A live server whose answers to `/b` bear a version.
    private func live(_ version: Int = 1) -> Deck {
      Deck([
        .get("/a") { _ in .json(["a": 1]) },
        .get("/b") { _ in .json(["b": .number(version)]) },
        .get("/mail") { _ in .json(["mail": "ada@lovelace.example"]) },
        .get("/unopened") { _ in
          // UTF-16.
          .text(Body(Data([0xFF, 0xFE, 0x78, 0x00])))
        },
      ])
    }

    @Test func `tests that share a cassette rewrite what they ask for, and nothing else`()
      async throws
    {
      let run = try await ChildRun(live())
      #expect(try await run.run(["asksForA", "asksForB"], mode: nil).passes)
      let file = run.file("shared.json")
      let first = try Cassette(contentsOf: file)
      expectEqual(
        Set(first.interactions.map(\.request.url.target)),
        ["/a?first", "/a?second", "/b"]
      )
      // One that no test asks for.
      var tape = first
      tape.interactions.insert(
        Interaction(Request("GET", RequestURL("\(run.url)/nobody")), .json([:])),
        at: 1
      )
      try tape.write(to: file)
      let bytes = try Data(contentsOf: file)

      // An unchanged origin leaves every byte, whoever asks.
      for tests in [["asksForA", "asksForB"], ["asksForB"], ["asksForA"]] {
        let end = try await run.run(tests, mode: "rewrite")
        #expect(end.passes)
        try expectEqual(Data(contentsOf: file), bytes)
      }
      let failed = try await run.run(
        ["asksForA", "asksForB"],
        mode: "rewrite",
        failing: "asksForA"
      )
      #expect(!failed.passes)
      let told = "This test failed, so its recordings are not written to \(file.path)."
      #expect(failed.words.contains(told), "\(failed.words)")
      try expectEqual(Data(contentsOf: file), bytes)
      try expectEqual(run.files, ["shared.json"])
      try await run.close()
    }

    @Test func `a test that fails by an expectation writes nothing, and says so`() async throws {
      try await expectNothingWritten(by: "asksForA", to: "shared", failing: "asksForA")
    }

    @Test func `nor does one that throws`() async throws {
      try await expectNothingWritten(by: "throwsInTheEnd", to: "thrown")
    }

    @Test func `nor a part of a test in which an expectation fails`() async throws {
      try await expectNothingWritten(by: "failsWithinAPart", to: "inner")
    }

    @Test func `nor a part of a test that throws`() async throws {
      try await expectNothingWritten(by: "throwsWithinAPart", to: "torn")
    }

    private func expectNothingWritten(
      by test: String,
      to name: String,
      failing: String = ""
    ) async throws {
      let run = try await ChildRun(live())
      let end = try await run.run([test], mode: nil, failing: failing)
      #expect(!end.passes)
      #expect(end.words.contains(told(name, run)))
      try expectEqual(run.files, [])
      try await run.close()
    }

    private func told(_ name: String, _ run: ChildRun) -> String {
      "The cassette \(run.file("\(name).json").path) does not exist, so this test recorded from the "
        + "network. It failed, so nothing is written."
    }

    @Test func `a possibly misspelt cassette name is reported with the existing one`() async throws
    {
      let run = try await ChildRun(live())
      let tests = [("asksForA", "shared", "share"), ("throwsInTheEnd", "thrown", "throw")]
      for (test, name, there) in tests {
        try Cassette([Interaction(Request("GET", "/a"), .json([:]))])
          .write(to: run.file("\(there).json"))
        let end = try await run.run([test], mode: nil, failing: test)
        #expect(!end.passes)
        let words =
          "\(told(name, run)) The same folder has \(there).json: did you mean \"\(there)\"?"
        #expect(end.words.contains(words), "\(end.words)")
      }
      try expectEqual(run.files, ["share.json", "throw.json"])
      try await run.close()
    }

    @Test func `an issue that is known is no failure`() async throws {
      let run = try await ChildRun(live())
      #expect(try await run.run(["knowsItsIssue"], mode: nil).passes)
      try expectEqual(run.files, ["known.json"])
      try await run.close()
    }

    @Test func `what cannot be kept without its secrets fails the test that recorded it`()
      async throws
    {
      let run = try await ChildRun(live())
      let end = try await run.run(["asksForWhatCannotBeOpened"], mode: nil)
      #expect(!end.passes)
      #expect(end.words.contains("GET \(run.url)/unopened: "))
      #expect(end.words.contains("nothing is written to \(run.file("unopened.json").path)"))
      try expectEqual(run.files, [])
      try await run.close()
    }

    @Test func `personal data is taken out by one word`() async throws {
      let run = try await ChildRun(live())
      #expect(try await run.run(["asksForPersonalData"], mode: nil).passes)
      let text = String(decoding: try Data(contentsOf: run.file("personal.json")), as: UTF8.self)
      #expect(!text.contains("lovelace"))
      #expect(text.contains("REDACTED-"))
      try await run.close()
    }

    @Test(arguments: [nil, "0", "1"])
    func `recordings bear dates where the environment says so`(dates: String?) async throws {
      let run = try await ChildRun(live())
      let end = try await run.run(
        ["asksForB"],
        mode: nil,
        with: dates.map { ["WINDTUNNEL_DATES": $0] } ?? [:]
      )
      #expect(end.passes)
      let tape = try Cassette(contentsOf: run.file("shared.json"))
      expectEqual(tape.interactions.map { $0.recordedAt != nil }, [dates == "1"])
      try await run.close()
    }

    @Test func `on the wire a cassette that names no server is refused before the test`()
      async throws
    {
      let live = live()
      let run = try await ChildRun(live)
      let end = try await run.run(["asksOnTheWire"], mode: nil)
      #expect(!end.passes)
      #expect(end.words.contains("the live server is unknown."))
      #expect(!end.words.contains("the test has begun"))
      #expect(live.journal.all.isEmpty)
      try expectEqual(run.files, [])
      try await run.close()
    }

    @Test func `on the wire a cassette that names its server is written anew`() async throws {
      let run = try await ChildRun(live())
      let request = Request("GET", RequestURL("\(run.url)/a"))
      try Cassette([Interaction(request, .json(["a": 0]))]).write(to: run.file("wire.json"))
      let end = try await run.run(["asksOnTheWire"], mode: "rewrite")
      #expect(end.passes)
      #expect(end.words.contains("it was told: {\"a\":1}"))
      let tape = try Cassette(contentsOf: run.file("wire.json"))
      expectEqual(tape.interactions.map(\.request.url), [request.url])
      expectEqual(tape.interactions.map { $0.response?.body.text }, ["{\"a\":1}"])
      try await run.close()
    }

    @Test
    func `verification sends each played request once, and reports requests that it cannot send`()
      async throws
    {
      let live = live(2)
      let run = try await ChildRun(live)
      let tape = Cassette([
        Interaction(Request("GET", RequestURL("\(run.url)/a")), .json(["a": 1])),
        Interaction(Request("GET", RequestURL("\(run.url)/b")), .json(["b": 1])),
        Interaction(Request("GET", RequestURL("\(run.url)/p/{id}")), .json([:])),
      ])
      try tape.write(to: run.file("verified.json"))
      let end = try await run.run(["asksForTheFirst", "asksForAPattern"], mode: "verify")
      #expect(end.passes)
      #expect(end.words.contains("Not verified: #3 GET \(run.url)/p/{id} of "))
      #expect(end.words.contains("because its URL is a pattern."))
      expectEqual(live.journal.all.map(\.decision.key), ["GET /a"])

      let drifted = try await run.run(["asksForTheSecond"], mode: "verify")
      #expect(!drifted.passes)
      #expect(drifted.words.contains("body $.b: recorded 1, live 2"))
      try await run.close()
    }
  }
#endif
