import TestSupport
import WindTunnel

@testable import windtunnel_cli

@Suite(.timeLimit(.minutes(5))) struct MutateCommandTests {
  private let scratch: Scratch

  init() throws { scratch = try Scratch() }

  /// A row: flags, the script that asks for `/a`, the exit code, and a part of the output.
  @Test(
    arguments: try TestData.rows("mutated-commands.json", count: 9)
      as [(String, String, Int32, String)]
  )
  func `each row of a command ends as it should`(row: (String, String, Int32, String)) async throws
  {
    let body = #"{"a":1,"b":2,"c":3,"d":4}"#
    let interaction = """
      {"request":{"url":"https://api.example.test/a"},"response":{"json":\(body)}}
      """
    try scratch.write(#"{"windtunnel":1,"interactions":[\#(interaction)]}"#, to: "a.json")
    let flags = "mutate --cassette a.json --timeout 1s \(row.0) -- /bin/sh -c"
    let run = try await scratch.run(flags.split(separator: " ").map(String.init) + [row.1])
    run.exits(row.2)
    #expect(run.out.contains(row.3), "\(run)")
    try expectEqual(scratch.names(), ["a.json"])
  }

  @Test func `results are tried again when the cassette or the command changes`() async throws {
    var counts: [Int] = []
    for (isNew, more) in [(true, ""), (false, ""), (true, ""), (false, "; true")] {
      if isNew { try scratch.write(Texts.cassette, to: "a.json") }
      let line: CommandLine = "mutate --cassette a.json --log log --fault values -- /bin/sh -c"
      let run = try await scratch.run(line.words + ["echo >> runs; curl -s {url}/a\(more)"])
      run.exits(99)
      counts.append(try scratch.text("runs").count)
    }
    // Two runs as they are, one with the mutant, one at the end.
    expectEqual(counts, [4, 7, 11, 15])
  }

  @Test func `what is accepted is no new blind spot`() async throws {
    try scratch.write(Texts.cassette, to: "a.json")
    let line: CommandLine = "--cassette a.json --fault values -- curl -s {url}/a"
    try await scratch.run(["mutate", "--accept", "--reason", "not ours"] + line.words).exits(0)
    #expect(try scratch.text("mutate.json").contains("not ours"))
    try await scratch.run(["mutate"] + line.words).exits(0)
    try await scratch.run(["mutate", "--accepted", "none.json"] + line.words).exits(99)
    let faults = ["--fault", "status-500", "--fault", "empty-200"]
    let hanging = ["mutate", "--cassette", "a.json", "--timeout", "1s"] + faults
    let script = "curl -sf {url}/a >out || exec tail -f /dev/null; grep -q a out"
    let words = ["--", "/bin/sh", "-c", script]
    try await scratch.run(hanging + words).exits(97)
    let accepting = ["--accept", "--reason", "it waits for ever"]
    try await scratch.run(hanging + accepting + words).exits(0)
    let run = try await scratch.run(hanging + words).exits(0)
    #expect(run.out.hasSuffix("of 1 endpoints; accepted at 1 (mutate.json)\n"), "\(run)")
  }

  @Test(arguments: [(SIGINT, 130), (SIGTERM, 143)] as [(Int32, Int32)])
  func `an interrupted run keeps its results, and says how to resume`(signal: Int32, code: Int32)
    async throws
  {
    try scratch.write(Texts.cassette, to: "a.json")
    let script = """
      echo >>runs; curl -sf {url}/a >out || [ ! -e wait ] || exec tail -f runs
      """
    let line: CommandLine = "--cassette a.json --fault empty-200 --fault status-500 -- /bin/sh -c"
    let command = line.words + [script]
    try scratch.write("", to: "wait")
    let flight = try Flight(["mutate"] + command, in: scratch)
    while try (scratch.has("runs") ? scratch.text("runs").count : 0) < 4 { await Task.yield() }
    flight.signal(signal)
    let run = try await flight.end().exits(code)
    let last = try #require(run.out.split(separator: "\n").last)
    let words = "INTERRUPTED (\(code)): after 1 of 2 faults; the same command with --log "
    #expect(last.hasPrefix(words) && last.hasSuffix(" tries the rest"), "\(run)")
    let log = "\(last.dropFirst(words.count).dropLast(15))"
    for name in ["wait", "runs"] { try FileManager.default.removeItem(at: scratch.file(name)) }
    let rest = try await scratch.run(["mutate", "--log", log] + command).exits(99)
    #expect(rest.out.contains("other results: not tried 0"), "\(rest)")
    try expectEqual(scratch.text("runs").count, 2 + 1 + 1)
    try FileManager.default.removeItem(atPath: log)
  }

  @Test func `JUnit tells which test notices which response`() async throws {
    try scratch.write(TestData.text("three-recordings.json"), to: "a.json")
    let script = TestData.text("junit-suite.sh")
    let line: CommandLine = """
      mutate --cassette a.json --junit out.xml --report r.json --fault status-500 --fault values -- \
      /bin/sh -c
      """
    let run = try await scratch.run(line.words + [script])
    run.exits(99)
    #expect(run.out.hasPrefix("tests that passed twice 3 of 3 "), "\(run)")
    let report = try JSON(parsing: scratch.text("r.json").utf8, source: "report")
    expectEqual(report["tests"]?.elements.map { $0["test"]?.stringValue }, ["T.a", "T.b", "T.c"])
    let columns = try #require(report["endpoints"]?.elements).map { endpoint in
      [endpoint["endpoint"], endpoint["columns"]?["status"], endpoint["columns"]?["values"]]
        .map { $0?.stringValue }
    }
    expectEqual(
      Set(columns),
      [
        ["GET /a", "noticed", "noticed"], ["GET /b", "noticed", "blind"],
        ["GET /c", "blind", "blind"],
      ]
    )
    // Two as they are, three to find the tests, a and b together and c, b alone, and the last.
    try expectEqual(scratch.text("runs").count, 2 + 3 + 2 * 2 + 1 + 1)
  }

  /// A row: what a test does with its mutant, at first and by itself, the code, a part of the output.
  @Test(
    arguments: try TestData.rows("ended-processes.json", count: 5)
      as [(String, String, Int32, String)]
  )
  func `a mutant that ends its process runs once more by itself`(
    row: (String, String, Int32, String)
  ) async throws {
    try scratch.write(Texts.cassette, to: "a.json")
    let words = ["mutate", "--timeout", "1s", "--fault", "values", "--", "/bin/sh", "-c"]
    let run = try await scratch.run(words + [TestData.text("ended-process.sh"), row.0, row.1])
    run.exits(row.2)
    #expect(run.out.contains(row.3), "\(run)")
    try expectEqual(scratch.names(), ["a.json"])
  }

  /// A row: its promise, flags and the command, the parts, what is known of each, the exit code, and
  /// the number of runs.
  @Test(
    arguments: try TestData.rows("mutated-parts.json", count: 15)
      as [(String, String, String, [String], Int32, Int)]
  )
  func `a part is killed by its own mutant alone, and survives only where all succeeds`(
    row: (String, String, String, [String], Int32, Int)
  ) async throws {
    try scratch.write(Texts.cassette, to: "a.json")
    let shell = scratch.file("swift").path
    try FileManager.default.createSymbolicLink(atPath: shell, withDestinationPath: "/bin/sh")
    try scratch.write("\(TestData.text("parts.sh"))\(row.2)\nexit $code\n", to: "test")
    let words = "mutate --log log --fault values \(row.1)".split(separator: " ").map(String.init)
    let run = try await scratch.run(words).exits(row.4)
    let log = try MutationLog(MutationLog.events(in: Data(contentsOf: scratch.file("log"))))
    let known = log.tests.map { test in
      let results = log.results.filter { $0.key.test == test.id }.map { "\($0.value)" }
      let end = log.after[test.id].map { $0 ? "green" : "red" }
      return "\(test.id) \(test.plain), \(results.first ?? "nothing"), \(end ?? "nothing")"
        .replacing("WindTunnel.MutantResult.Killer", with: "")
    }
    expectEqual(known, row.3, "\(run)")
    try expectEqual(scratch.text("runs").count, row.5)
  }

  @Test(.enabled(if: PlantedSuiteTests.hasPytest, "there is no python3 with pytest"))
  func `a secret in a failure of pytest is neither logged nor reported`() async throws {
    let scratch = try Scratch()
    try scratch.write(Texts.cassette, to: "a.json")
    try scratch.write(TestData.text("test_a.py"), to: "test_a.py")
    let line: CommandLine = """
      mutate --cassette a.json --log log --report r.json --report r.html --fault empty-200 -- \
      python3 -B -m pytest -p no:cacheprovider
      """
    try await scratch.run(line.words).exits(0)
    for name in ["log", "r.json", "r.html"] {
      let text = try scratch.text(name)
      #expect(!text.contains("a-secret-of-a-test") && text.contains("REDACTED"), "\(name): \(text)")
    }
    // The log of a tool without this redaction.
    let raw = try scratch.text("log").replacing(/REDACTED[\w-]*/, with: "a-secret-of-a-test")
    try scratch.write(raw, to: "log")
    try await scratch.run(line.words).exits(0)
    #expect(try !scratch.text("log").contains("a-secret-of-a-test"))
  }

  @Test(
    arguments: try TestData.rows("refused-mutations.json", count: 12) as [(Int32, String, String)]
  )
  func `a wrong line is refused with the reason`(code: Int32, line: String, part: String)
    async throws
  {
    try scratch.write(Texts.cassette, to: "a.json")
    try scratch.write(#"{"match": 1}"#, to: "match.json")
    let run = try await scratch.run(line.split(separator: " ").map(String.init))
    run.exits(code)
    #expect(run.err.contains(part), "\(run)")
    try expectEqual(scratch.names(), ["a.json", "match.json"])
  }

  @Test func `JUnit XML is read whatever its writer's habits are`() throws {
    let text = TestData.text("junit.xml")
    try scratch.write(text, to: "out.xml")
    try expectEqual(
      JUnitResults.read(scratch.file("out.xml")),
      [
        "A.one": .init(id: "A.one", file: "a.py", line: 3),
        "two > 1": .init(id: "two > 1", failure: .killed(by: .assertion, message: #"a "b""#)),
        "A.three": .init(id: "A.three", failure: .killed(by: .error, message: "")),
        "A.four": .init(id: "A.four", isSkipped: true),
      ]
    )
    try scratch.write(String(text.prefix(300)), to: "out.xml")
    #expect(throws: FormatError.self) { try JUnitResults.read(scratch.file("out.xml")) }
  }
}
