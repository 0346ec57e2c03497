import Programs
import TestSupport
import WindTunnelReports

/// The scripts and CI files that a team uses for its own client, in a folder that is no clone.
@Suite(
  .timeLimit(.minutes(5)),
  .enabled(if: Companion.find("python3") != nil && Companion.find("bash") != nil)
)
struct TeamScriptsTests {
  private static let scripts = Repository.root.appendingPathComponent("Scripts").path
  private static let page = "Sources/Values/WindTunnel/WindTunnel.docc/InCI.md"

  /// A client that tries again at once, and one that waits longer each time.
  private static let hasty = """
    import random, sys, time, urllib.request
    for attempt in range(4):
        try:
            print(urllib.request.urlopen(sys.argv[1], timeout=5).read().decode(), end="")
            sys.exit(0)
        except Exception as error:
            pass
    sys.exit(1)

    """
  private static let patient = hasty.replacing(
    "        pass\n",
    with: """
              headers = getattr(error, "headers", None) or {}
              time.sleep(max(2 ** attempt * random.uniform(0.5, 1), float(headers.get("Retry-After") or 0)))

      """
  )

  private let scratch: Scratch

  init() throws {
    scratch = try Scratch()
    try scratch.write(Self.hasty, to: "client.py")
    try scratch.write(
      #"{"windtunnel":1,"interactions":[{"request":{"url":"/feed"},"response":{"json":{"items":[1]}}}]}"#,
      to: "api.json"
    )
  }

  /// Runs a script by the tool that was built with the tests.
  private func run(
    _ script: String,
    _ words: String...,
    client: [String] = ["--", "python3", "client.py", "{url}"],
    with variables: [String: String] = [:]
  ) async throws -> Program.Run {
    let tool = ["WINDTUNNEL": try Program.executable().path, "GITHUB_STEP_SUMMARY": ""]
    return try await scratch.run(
      ["\(Self.scripts)/\(script)"] + words + client,
      with: tool.merging(variables) { $1 },
      isTool: false
    )
  }

  @Test func `the fault suite judges a client of its own, and a known error is no new one`()
    async throws
  {
    let words = ["--cassette", "api.json", "--scenario", "outage", "--calls", "4"]
    func suite(_ more: String...) async throws -> Program.Run {
      try await run(
        "ci-fault-suite",
        client: ["out"] + words + more + ["--", "python3", "client.py", "{url}"],
        with: ["GITHUB_STEP_SUMMARY": scratch.file("summary.md").path]
      )
    }
    let first = try await suite("--write-baseline", "known.json.gz").exits(99)
    #expect(first.err.hasSuffix("The reports are in out.\n"))
    for name in ["drill.json", "drill.xml", "drill.md", "drill.html", "findings.sarif"] {
      #expect(scratch.has("out/\(name)"), "\(name)")
    }
    try expectEqual(scratch.text("summary.md"), scratch.text("out/drill.md"))
    let baseline = try Report(contentsOf: scratch.file("known.json.gz"))
    let report = try Report(contentsOf: scratch.file("out/drill.json"))
    expectEqual(baseline.findings, report.findings)
    expectNil(baseline.fact("date"))
    let known = try await suite("--baseline", "known.json.gz").exits(0)
    #expect(known.out.hasSuffix("passed, 1 known error (known.json.gz)\n"))
    try scratch.write(Self.hasty.replacing("range(4)", with: "range(14)"), to: "client.py")
    try await suite("--baseline", "known.json.gz").exits(99)
    // Who asks for nothing that was recorded is not judged.
    try scratch.write(Self.hasty.replacing("argv[1]", with: "argv[1] + 'x'"), to: "client.py")
    try await suite().exits(98)
    let refused = try await suite("--gate", "nonsense").exits(64)
    #expect(!refused.err.contains("The reports are in"), "\(refused)")
    // Nothing is written beside what was named.
    try expectEqual(
      scratch.names(),
      [".windtunnel", "api.json", "client.py", "known.json.gz", "out", "summary.md"]
    )
  }

  @Test func `equal runs write equal baselines, and half of one is refused`() async throws {
    let calm = ["drill", "--cassette", "api.json", "--subject", "urlsession", "--scenario", "calm"]
    for name in ["a.json", "a.json.gz", "b.json.gz"] {
      let words = calm + ["--clock", "virtual", "--calls", "3", "--write-baseline", name]
      try await scratch.run(words).exits(0)
    }
    let bytes = try Data(contentsOf: scratch.file("a.json.gz"))
    try expectEqual(bytes, Data(contentsOf: scratch.file("b.json.gz")))
    try expectEqual(
      Report(contentsOf: scratch.file("a.json.gz")).data(),
      Data(contentsOf: scratch.file("a.json"))
    )
    try bytes.prefix(200).write(to: scratch.file("half.json.gz"))
    try await scratch.expect(
      "report half.json.gz",
      code: 66,
      err: "windtunnel: half.json.gz cannot be read: it is not complete gzip data.\n"
    )
  }

  @Test func `the drill of a release writes its page where the caller is`() async throws {
    let bad = try await run(
      "weak-network-drill",
      "release/page.html",
      "--cassette",
      "api.json",
      "--scenario",
      "outage",
      "--calls",
      "4"
    ).exits(99)
    #expect(bad.err.hasSuffix("The page is release/page.html.\n"))
    for name in ["page.html", "page.json", "page.sarif"] {
      #expect(scratch.has("release/\(name)"), "\(name)")
    }
    // A drill that does not begin keeps the page of the last one, and says nothing of it.
    let page = try scratch.text("release/page.html")
    let refused = try await run(
      "weak-network-drill",
      "release/page.html",
      "--cassette",
      "api.json",
      "--gate",
      "nonsense"
    ).exits(64)
    #expect(!refused.err.contains("The page is"), "\(refused)")
    try expectEqual(scratch.text("release/page.html"), page)
  }

  @Test(arguments: ["ci-fault-suite", "weak-network-drill"])
  func `a script without a client or a tool says what to do, and judges nothing`(script: String)
    async throws
  {
    try await expectEqual(
      run(script, "--cassette", "api.json", client: []),
      Program.Run(
        code: 64,
        out: "",
        err: """
          No client to judge. Add -- ./my-client {url}, or --subject network-layer for the client of WindTunnel.

          """
      )
    )
    try await expectEqual(
      run(script, with: ["WINDTUNNEL": "/nowhere"]),
      Program.Run(
        code: 69,
        out: "",
        err: """
          WINDTUNNEL is /nowhere, which is no program. Set it to the path of a windtunnel, or unset it.

          """
      )
    )
    #expect(!scratch.has(".windtunnel"))
  }

  /// Writes the files of the page, and an archive of the tool with its checksum.
  private func pasted() async throws -> String {
    let files = try await Companion.run(
      line("\(Self.scripts)/manual/readme-files \(Repository.root.path)/\(Self.page) ."),
      in: scratch
    )
    expectEqual(files.code, 0, "\(files.text)")
    let bin = try scratch.makeFolder("release/windtunnel-0/bin")
    try FileManager.default.createSymbolicLink(
      at: bin.appendingPathComponent("windtunnel"),
      withDestinationURL: Program.executable()
    )
    let pack = "cd release && tar -czf a.tar.gz windtunnel-0 && sha256sum a.tar.gz >a.tar.gz.sha256"
    try await expectEqual(Companion.run(["bash", "-c", pack], in: scratch).code, 0)
    return "file://\(scratch.file("release/a.tar.gz").path)"
  }

  @Test(.world, .enabled(if: Companion.find("curl") != nil, "there is no curl"))
  func `the page's workflow is red for a planted error and green for its fix, with one comment`()
    async throws
  {
    let archive = try await pasted()
    let action = "OWNER/windtunnel/.github/actions/drill@0.1.0"
    func workflow(_ inputs: String...) async throws -> (code: Int32, text: String) {
      try await Companion.run(
        line("\(Self.scripts)/development/workflow-steps .github/workflows/faults.yml")
          + line("--state state --action \(action)=\(Repository.root.path)/.github/actions/drill")
          + (inputs + ["archive=\(archive)"]).flatMap { ["--with", $0] },
        in: scratch
      )
    }
    let quoted = #"{"id":1,"user":{"type":"User"},"body":"<!-- windtunnel windtunnel --> Why?"}"#
    try scratch.makeFolder("state")
    try scratch.write("[\(quoted)]", to: "state/comments.json")
    let red = try await workflow()
    expectEqual(red.code, 99, "\(red.text)")
    #expect(red.text.contains("::error file=api.json::outage: error no-back-off: "))
    try scratch.write(Self.patient, to: "client.py")
    let green = try await workflow()
    expectEqual(green.code, 0, "\(green.text)")
    #expect(red.text.contains("The comment was written.\n"))
    #expect(green.text.contains("The comment was updated.\n"))
    let comments = try JSON(parsing: scratch.text("state/comments.json").utf8, source: "comments")
    expectEqual(comments[0], try JSON(parsing: quoted.utf8, source: "comment"))
    expectNil(comments[2])
    let body = try #require(comments[1]?["body"]?.stringValue)
    #expect(body.hasPrefix("<!-- windtunnel windtunnel -->\n## passed"), "\(body)")
    let summary = try scratch.text("state/summary.md")
    #expect(summary.contains("## FAILED (99)") && summary.contains("## passed"))
    let kept = "windtunnel: drill.html, drill.json, drill.md, drill.xml, findings.sarif\n"
    try expectEqual(scratch.text("state/uploads.txt"), kept + kept)
    // A wrong checksum, a wrong token and a lost quote.
    let wrong = try await workflow("sha256=\(String(repeating: "0", count: 64))")
    expectEqual(wrong.code, 1)
    #expect(wrong.text.contains("::error::The checksum of \(archive) is not 000"))
    #expect(wrong.text.contains("skip  Comment on the pull request\n"))
    let calm = "arguments=--cassette api.json --scenario calm --calls 2 -- python3 client.py {url}"
    let refused = try await workflow("token=wrong", calm)
    expectEqual(refused.code, 0, "\(refused.text)")
    #expect(refused.text.contains("::warning::The comment was not written: HTTP Error 403"))
    let lost = try await workflow("arguments=--gate 'p95 <= 3s")
    #expect(lost.code != 0 && !lost.text.contains("passed"), "\(lost.text)")
    let plan =
      #"{"windtunnelPlan":1,"cassette":"api.json","scenarios":["calm"],"calls":2,"client":["#
    try scratch.write(plan + #""python3","client.py","{url}"]}"#, to: "windtunnel.json")
    let planned = try await workflow("arguments=")
    expectEqual(planned.code, 0, "\(planned.text)")
  }

  @Test(.world, .enabled(if: Companion.find("curl") != nil, "there is no curl"))
  func `the page's job of GitLab runs the page's script`() async throws {
    let archive = try await pasted()
    let words = ["\(Self.scripts)/development/workflow-steps", ".gitlab-ci.yml"]
    for (client, code) in [(Self.hasty, Int32(99)), (Self.patient, 0)] {
      try scratch.write(client, to: "client.py")
      let run = try await scratch.run(words, with: ["WINDTUNNEL_ARCHIVE": archive], isTool: false)
      expectEqual(run.code, code, "\(run)")
      #expect(run.out.contains(".windtunnel/tool.tar.gz: OK\n"))
    }
  }
}
