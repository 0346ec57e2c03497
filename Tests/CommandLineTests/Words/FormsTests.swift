import TestSupport
import WindTunnelReports

/// Shorter forms of commands, and what is said where another tool's habit does not fit.
@Suite(.timeLimit(.minutes(5))) struct FormsTests {
  private let scratch: Scratch

  init() throws { scratch = try Scratch() }

  @Test func `serve and record take what they are about without a flag`() async throws {
    let (origin, url) = try await scratch.start(["serve", Repository.shop])
    let words = ["record", url, "--cassette", "new.json", "--"] + Server.client(of: "/home")
    let run = try await scratch.run(words)
    #expect(run.code == 0 && run.err == "new.json: 1 interaction\n", "\(run)")
    #expect(run.out.contains("Olá, João!"))
    try await origin.interrupt().exits(0)
  }

  @Test func `a group shows what is in it`() async throws {
    let list = try await scratch.run("scenarios list").out
      .components(separatedBy: "\n\n")[0].split(separator: "\n").map { $0.prefix { $0 != " " } }
    func shown(_ group: String) async throws -> [Substring] {
      let run = try await scratch.run("scenarios show \(group)").exits(0)
      expectEqual(run.err, "To run all of them: windtunnel drill --scenario \(group)\n")
      for line in run.out.split(separator: "\n") { #expect(line.contains("  "), "\(line)") }
      return run.out.split(separator: "\n").map { $0.prefix { $0 != " " } }
    }
    try await expectEqual(shown("pre-release"), list)
    let parts = (try await shown("default-drill"), try await shown("weak-network"))
    let rest = [
      "endless-body", "error-in-200", "socket-restart", "socket-stall", "socket-refused",
      "nearest-dead", "nearest-slow", "nearest-lies", "config-garbage", "config-late",
      "config-replayed", "offline-start",
    ]
    expectEqual(parts.0 + parts.1 + rest.map { $0[...] }, list)
    #expect(parts.0.first == "calm" && parts.1.contains("metro"))
    let quick = try await shown("every-push")
    #expect(quick == parts.0.filter(quick.contains) && quick.count == 9, "in the same order")
  }

  @Test func `every metric is listed by the name that a gate takes`() async throws {
    let run = try await scratch.run("metrics list --json")
    let rows = try run.rows()
    let names = rows.compactMap { $0["name"]?.stringValue }
    #expect(run.code == 0 && run.err == "" && names.count == rows.count && names.count > 40)
    for row in rows {
      let (gate, summary) = (row["gate"]?.stringValue ?? "", row["summary"]?.stringValue ?? "")
      #expect(throws: Never.self) { try Gate(gate) }
      #expect(summary.hasSuffix("."), "\(row)")
      try expectEqual(Gate(gate).needsBaseline, (row["needsBaseline"] == true), "\(row)")
    }
    let plain = try await scratch.run("metrics list").out
    let lines = plain.components(separatedBy: "\n\n")[0].split(separator: "\n")
    expectEqual(lines.map { $0.dropFirst(2).prefix { $0 != " " } }.map(String.init), names)
    for line in lines { #expect(line.count <= 100, "\(line)") }
    // No other name is a metric's.
    let known = names + rows.compactMap { $0["key"]?.stringValue }
    let wrong = try await scratch.run("drill --gate \("nothing == 0")")
    #expect(wrong.code == 64 && !known.contains("nothing"))
  }

  @Test func `a command behind two hyphens is who flies`() async throws {
    let words = ["drill", "--scenario", "calm", "--calls", "2", "--json", "--"]
    let run = try await scratch.run(words + ["sh", "-c", "echo shown", "{url}"])
    // It sends no request, so nothing is judged.
    expectEqual(run.code, 98, "\(run)")
    let report = try Report(data: Data(run.out.utf8), source: "out")
    expectEqual(report.scenarios.map { $0.subjects.map(\.name) }, [["exec"]])
    let other = try await scratch.run("drill --subject urlsession -- true")
    #expect(
      other.code == 64
        && other.err.hasPrefix("windtunnel: A command after -- requires --subject exec.")
    )
  }

  @Test func `a HAR is called by its name wherever a cassette is wanted`() async throws {
    try scratch.write(Texts.har, to: "site.har")
    for words in [
      ["serve", "site.har"], ["drill", "--cassette", "site.har"], ["cassette", "show", "site.har"],
      ["proxy", "--cassette", "site.har"],
    ] {
      let run = try await scratch.run(words)
      #expect(run.code == 65 && run.out == "", "\(words): \(run)")
      expectEqual(
        run.err,
        "windtunnel: site.har: this is a HAR file, not a cassette. Convert it: windtunnel cassette "
          + "convert site.har site.json\n",
        "\(words)"
      )
    }
    // What is said is what helps.
    try await scratch.run("cassette convert site.har site.json").exits(0)
    try expectEqual(Cassette(contentsOf: scratch.file("site.json")).interactions.count, 1)
  }
}
