import TestSupport

@testable import windtunnel_cli

@Suite(.timeLimit(.minutes(5))) struct MutateCommandTests {
  private let scratch: Scratch

  init() throws { scratch = try Scratch() }

  /// A row: flags, the script that asks for `/a`, the exit code, and a part of the output.
  private static let rows: [(String, String, Int32, String)] = [
    ("--fault empty-200", #"curl -sf {url}/a | grep -q '"a"'"#, 0, "GET /a"),
    ("--proxy --fault empty-200", "curl -sf https://api.example.test/a | grep -q a", 0, "GET /a"),
    ("--fault empty-200", "curl -s {url}/a", 99, "again: windtunnel mutate"),
    ("--fault empty-200", "curl -s {url}/a # --token s3cr3t", 99, "--token REDACTED-argument"),
    ("--fault empty-200", "curl -s {url}/a; false", 98, "nothing is known"),
    ("--fault empty-200", "true", 98, "nothing is known"),
    ("--fault status-500", "curl -sf {url}/a || kill -SEGV $$", 97, "crashed: "),
    ("--fault status-500", "curl -sf {url}/a || exec tail -f /dev/null", 97, "hung: "),
    (
      "--fault field-missing", "curl -s {url}/a | grep 'a.*b.*c.*d' || exec tail -f /dev/null", 97,
      "not tried 1"
    ),
  ]

  @Test(arguments: rows)
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
  }

  @Test func `JUnit tells which test notices which response`() async throws {
    let cassette = """
      {"windtunnel":1,"interactions":[
      {"request":{"url":"https://api.example.test/a"},"response":{"json":{"a":1}}},
      {"request":{"url":"https://api.example.test/b"},"response":{"json":{"b":1}}},
      {"request":{"url":"https://api.example.test/c"},"response":{"json":{"c":1}}}]}
      """
    try scratch.write(cassette, to: "a.json")
    let script = """
      t() { printf '<testcase classname="T" name="%s">' $1; eval "$2" || echo '<failure message="&lt;"/>'
      echo '</testcase>'; }
      { echo '<testsuite>'; t a 'curl -sf {url}/a | grep -q "a.:1"'; t b 'curl -sf {url}/b | grep -q b'
      t c 'curl -s {url}/c > c || true'; echo '</testsuite>'; } > out.xml; echo >> runs; ! grep -q failure out.xml
      """
    let line: CommandLine = """
      mutate --cassette a.json --junit out.xml --report r.json --fault status-500 --fault values -- \
      /bin/sh -c
      """
    let run = try await scratch.run(line.words + [script])
    run.exits(99)
    let report = try JSON(parsing: scratch.text("r.json").utf8, source: "report")
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
    arguments: [
      ("kill -SEGV $$", "kill -SEGV $$", 97, "crashed: "),
      ("exec tail -f /dev/null", "exec tail -f /dev/null", 97, "hung: "),
      ("kill -SEGV $$", #"passed; e after '"plain":"green",'"#, 99, "GET /a"),
      ("passed; kill -SEGV $$", "", 97, "crashed: "),
      ("passed; exec tail -f /dev/null", "", 97, "hung: "),
    ] as [(String, String, Int32, String)]
  )
  func `a mutant that ends its process runs once more by itself`(
    row: (String, String, Int32, String)
  ) async throws {
    try scratch.write(Texts.cassette, to: "a.json")
    let script = """
      e() { echo '{"event":"'$1'",'$2'"test":"T","recording":1,"mutant":"values"}' >> "$WINDTUNNEL_MUTATE"; }
      passed() { e end '"result":"survived","asked":1,"plainAsked":1,'; }
      if ! grep -q '"begin"' "$WINDTUNNEL_MUTATE"; then
      echo '{"event":"test","test":"T","name":"T","file":"","line":1,"cassette":"a.json","plain":"green",\
      "milliseconds":1,"recordings":[1]}' >> "$WINDTUNNEL_MUTATE"; e begin; \(row.0)
      elif grep -q '"run":{' "$WINDTUNNEL_MUTATE"; then e begin; \(row.1)
      fi
      """
    let line: CommandLine = "mutate --timeout 1s --fault values -- /bin/sh -c"
    let run = try await scratch.run(line.words + [script])
    run.exits(row.2)
    #expect(run.out.contains(row.3), "\(run)")
    try expectEqual(scratch.names(), ["a.json"])
  }

  @Test(.enabled(if: PlantedSuiteTests.hasPytest, "there is no python3 with pytest"))
  func `a secret in a failure of pytest is neither logged nor reported`() async throws {
    let scratch = try Scratch()
    try scratch.write(Texts.cassette, to: "a.json")
    let test = """
      import os, urllib.request
      def test_a():
          body = urllib.request.urlopen(os.environ["WINDTUNNEL_URL"] + "/a").read()
          assert b"a" in body, "Authorization: Bearer a-secret-of-a-test"
      """
    try scratch.write(test, to: "test_a.py")
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
    let text = """
      <?xml version='1.0'?><testsuites><testsuite><!-- <testcase name="x"/> -->
      <testcase classname='A' name="one" file="a.py" line="3" time="0"/>
      <testcase name="two &gt; 1"><failure message='a "b"'><![CDATA[<skipped/>]]></failure></testcase>
      <testcase classname="A" name="three"><error>boom</error></testcase>
      <testcase classname="A" name="four"><skipped/></testcase>
      <testcase classname='A' name="one"><skipped/></testcase>
      <testcase classname="A" name="three"></testcase></testsuite></testsuites>
      """
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
