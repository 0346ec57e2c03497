import TestSupport

@testable import WindTunnelReports

@Suite(.timeLimit(.minutes(5))) struct ReportCommandTests {
  private let scratch: Scratch

  init() throws { scratch = try Scratch() }

  private let calm = line(
    "drill --subject network-layer --calls 20 --scenario calm --stage in-process"
  )

  @Test(.referenceClient) func `a drill writes each form that a file's name asks for`() async throws
  {
    let names = ["a.json", "a.html", "a.md", "a.xml", "a.csv", "a.sarif", "a.txt"]
    let run = try await scratch.run(calm + names.flatMap { ["--report", $0] }).exits(0)
    let report = try Report(contentsOf: scratch.file("a.json"))
    for (name, format) in zip(names, ["json", "html", "markdown", "junit", "csv", "sarif", "text"])
    {
      let shown = try await scratch.run("report a.json --format \(format)").exits(0)
      expectEqual(shown.out, (try scratch.text(name)), "\(format)")
      #expect(shown.err.isEmpty)
    }
    expectEqual(run.out.split(separator: "\n").last.map(String.init), report.verdict.line)
  }

  @Test func `a shard without a call in a scenario merges with those that have one`() async throws {
    let words = ["drill", "--calls", "3", "--scenario", "calm", "--stage", "in-process"]
    for part in 1...4 {
      let run = try await scratch.run(words + ["--shard", "\(part)/4", "--report", "\(part).json"])
      #expect(run.code != 64 && run.code != 70, "\(run)")
    }
    let merged = try await scratch.run(
      ["report"] + (1...4).map { "\($0).json" } + ["--format", "json"]
    )
    let report = try Report(data: Data(merged.out.utf8), source: "merged")
    expectEqual(report.scenarios[0].subjects[0].observations.map(\.call), [0, 1, 2])
    #expect(merged.err == "passed\n" && merged.code == 0, "\(merged.err)")
  }

  @Test func `shards merge to the run that they are parts of`() async throws {
    let words = line("drill --calls 40 --scenario server-errors --stage in-process --rate 200")
    _ = try await scratch.run(words + ["--report", "whole.json"])
    let shards = (1...3).map { "shard-\($0).json" }
    for (number, name) in shards.enumerated() {
      let run = try await scratch.run(words + ["--shard", "\(number + 1)/3", "--report", name])
      #expect(run.out.contains("only shard \(number + 1)/3; windtunnel report merges all shards"))
    }
    let merged = try await scratch.run(["report"] + shards.reversed() + ["--format", "json"])
    expectEqual(merged.code, 0, "\(merged.err)")
    let one = try Report(contentsOf: scratch.file("whole.json"))
    let other = try Report(data: Data(merged.out.utf8), source: "merged")
    expectEqual(other.decisionHash, one.decisionHash)
    for (row, twin) in zip(one.scenarios[0].subjects, other.scenarios[0].subjects) {
      expectEqual(row.observations.map(\.call), twin.observations.map(\.call))
      let (mine, its) = (row.metrics, twin.metrics)
      #expect(mine.successRate == its.successRate && mine.averageRetries == its.averageRetries)
      #expect(mine.amplification == its.amplification && mine.duplicates == its.duplicates)
      #expect(mine.callsByRetries == its.callsByRetries && mine.endings == its.endings)
      #expect(mine.faults == its.faults && mine.blankScreens == its.blankScreens)
      expectEqual(row.endpoints.map(\.name), twin.endpoints.map(\.name))
    }
    let twice = try await scratch.run("report shard-1.json shard-1.json").exits(65)
    #expect(twice.err.hasPrefix("windtunnel: shard-1.json, server-errors, urlsession: call 0 is"))
  }

  @Test(.referenceClient) func `a file that is broken, cut, newer or a proxy's is refused by name`()
    async throws
  {
    _ = try await scratch.run(calm + ["--report", "a.json"])
    let text = try scratch.text("a.json")
    try scratch.write(String(text.prefix(text.count / 2)), to: "cut.json")
    try scratch.write("", to: "empty.json")
    try scratch.write(
      text.replacing("\"windtunnelReport\": 1", with: "\"windtunnelReport\": 2"),
      to: "newer.json"
    )
    try scratch.write(
      text.replacing(
        "\"windtunnelReport\": 1",
        with: "\"windtunnelReport\": 1, \"seenBy\": \"proxy\""
      ),
      to: "proxy.json"
    )
    for (name, word) in [
      ("cut.json", "not JSON"), ("empty.json", "not JSON"), ("newer.json", "2"),
      ("proxy.json", "this is a proxy's report"),
    ] {
      let run = try await scratch.run("report a.json \(name)")
      expectEqual(run.code, 65, "\(name)")
      #expect(run.out.isEmpty)
      #expect(run.err.hasPrefix("windtunnel: \(name)") && run.err.contains(word), "\(run.err)")
      let drill = try await scratch.run(calm + ["--baseline", name])
      expectEqual(drill.code, 65, "before anything is flown")
      #expect(drill.out.isEmpty)
    }
    let missing = try await scratch.run("report a.json none.json").exits(66)
    #expect(missing.err.hasPrefix("windtunnel: none.json: no such file."))
  }

  @Test(.referenceClient, arguments: ["/nowhere/drill.json", "folder", "/dev/null/a.json"])
  func `a path that cannot be written is told before the drill starts`(path: String) async throws {
    let name = path == "folder" ? "folder/drill.json" : path
    try scratch.makeFolder("folder/drill.json")
    let run = try await scratch.run(calm + ["--report", "first.json", "--report", name]).exits(73)
    #expect(
      run.err.hasPrefix("windtunnel: ") && run.err.contains("cannot be written"),
      "\(run.err)"
    )
    #expect(run.out.isEmpty && !scratch.has("first.json"))
  }

  @Test(.referenceClient) func `a baseline is compared, and gates are held against it`()
    async throws
  {
    _ = try await scratch.run(calm + ["--report", "a.json"])
    let run = try await scratch.run(
      calm + [
        "--baseline", "a.json", "--gate", "lostCalls == 0", "--gate", "p95 <= baseline*1000",
        "--report", "b.json",
      ]
    ).exits(0)
    #expect(run.out.contains("\nagainst the baseline:\n  calm: P95 × "))
    #expect(run.out.contains("0 lost, 0 won"))
    let shown = try await scratch.run("report b.json --baseline a.json --gate \("p95Ratio <= 0")")
    expectEqual(shown.code, 99)
    #expect(shown.out.contains("gates: 5 met, 1 failed\n  calm: p95Ratio <= 0: failed, got "))
  }

  @Test(.referenceClient) func `new bars are judged, and a report that is only shown is not`()
    async throws
  {
    _ = try await scratch.run(calm + ["--gate", "calls > 20", "--report", "a.json"])
    try await scratch.run("report a.json").exits(0)
    try await scratch.run("report a.json --gate \("hangs == 0")").exits(99)
    let json = try await scratch.run(
      "report a.json --gate \("p99 <= 9s") --format csv --allow-inconclusive"
    ).exits(99)
    #expect(json.err.contains("windtunnel: calm: calls > 20: failed, got 20\n"))
    #expect(!json.out.contains("calls > 20"))
  }

  @Test func `a CI is told at the gate's own line`() async throws {
    let bar = "{ \"windtunnelScenario\": 1,\n  \"name\": \"bar\",\n  \"gates\": [\"calls > 5\"] }\n"
    try scratch.write(bar, to: "bar.json")
    let words = ["drill", "--scenario", "bar.json", "--calls", "5", "--stage", "in-process"]
    let run = try await scratch.run(words, with: ["GITHUB_ACTIONS": "true"]).exits(99)
    #expect(run.err.contains("::error file=bar.json,line=3::bar: calls > 5: failed, got 5\n"))
    let elsewhere = try await scratch.run(words, with: ["GITHUB_ACTIONS": "false"])
    #expect(!elsewhere.err.contains("::error"))
  }

  /// The system refuses to let the tool's files grow beyond a block, as a full disk would.
  @Test(.referenceClient)
  func `a full disk loses no earlier report, and nothing of it is left behind`() async throws {
    try scratch.write("the earlier one", to: "a.json")
    let tool = try Program.executable().path
    let script = """
      trap '' XFSZ; ulimit -f 1; exec "\(tool)" \(calm.joined(separator: " ")) --report a.json \
      --report b.txt >/dev/null
      """
    let run = try await scratch.run(["/bin/sh", "-c", script], isTool: false).exits(73)
    #expect(run.err.contains("windtunnel: a.json cannot be written: "))
    try expectEqual(scratch.text("a.json"), "the earlier one")
    #expect(try scratch.text("b.txt").hasPrefix("seed 1, "), "one that has room is written")
    try expectEqual(scratch.names().filter { !$0.hasPrefix(".") }, ["a.json", "b.txt"])
  }
}
