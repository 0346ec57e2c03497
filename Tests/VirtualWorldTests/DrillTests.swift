#if os(Linux) && arch(x86_64)
  import Programs
  import TestSupport

  /// Drills of programs in virtual time.
  @Suite(World.trait) struct DrillTests {
    /// A drill by the tool: its exit code, what it printed, and its report.
    struct Drilled {
      var code: Int32
      var out: String
      var err: String
      var data: Data
      var report: [String: Any]

      func fact(_ name: String) -> String? { (report["environment"] as? [String: String])?[name] }

      /// The rules that were broken, as `scenario: rule`.
      var rules: [String] {
        let findings = report["findings"] as? [[String: Any]] ?? []
        return findings.map { "\($0["scenario"] ?? ""): \($0["rule"] ?? "")" }.sorted()
      }

      /// The calls of the first scenario.
      var calls: [[String: Any]] {
        let scenario = (report["scenarios"] as? [[String: Any]])?.first
        let subject = (scenario?["subjects"] as? [[String: Any]])?.first
        return subject?["log"] as? [[String: Any]] ?? []
      }

      var call: [String: Any] { calls.first ?? [:] }

      /// The milliseconds at which the attempts of the first call began.
      var instants: [Double] {
        (call["met"] as? [[String: Any]] ?? []).compactMap { $0["startMilliseconds"] as? Double }
      }
    }

    static func drill(_ scenarios: [String], _ options: [String] = [], _ command: [String])
      async throws -> Drilled
    {
      let folder = FileManager.default.temporaryDirectory.appending(path: "drill-\(UUID())")
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      defer { try? FileManager.default.removeItem(at: folder) }
      let words =
        [
          "/usr/bin/env", "SOURCE_DATE_EPOCH=1767225600", try World.built("windtunnel").path,
          "drill",
        ]
        + scenarios.flatMap { ["--scenario", $0] } + ["--report", "report.json"] + options + ["--"]
        + command
      let program = try StartedProgram(words, in: folder)
      try program.start()
      let run = try await program.end()
      let data = try Data(contentsOf: folder.appending(path: "report.json"))
      let report = try JSONSerialization.jsonObject(with: data) as? [String: Any]
      return Drilled(
        code: run.code,
        out: run.out,
        err: run.err,
        data: data,
        report: try #require(report)
      )
    }

    static let curl = ["curl", "-sf", "--retry", "3", "--max-time", "10", "{url}"]

    @Test(World.needs("curl")) func `instants are exact to the microsecond`() async throws {
      let drilled = try await Self.drill(["outage"], ["--calls", "1"], Self.curl)
      // A response takes a millisecond.
      expectEqual(drilled.instants, [0, 1001, 3002, 7003])
      expectEqual(drilled.fact("clock"), "virtual")
      expectEqual(drilled.fact("inRealTime"), nil)
      #expect(drilled.err.contains("clock: virtual, "))
    }

    @Test(World.needs("curl")) func `a report is the same to the byte with any number of workers`()
      async throws
    {
      let scenarios = ["rate-limited", "stall", "broken-answers"]
      let one = try await Self.drill(scenarios, ["--workers", "1"], Self.curl)
      let three = try await Self.drill(scenarios, ["--workers", "3"], Self.curl)
      expectEqual(
        String(decoding: three.data, as: UTF8.self),
        String(decoding: one.data, as: UTF8.self)
      )
    }

    @Test(World.needs("curl")) func `what is found is what real time finds`() async throws {
      let scenarios = ["one-fault", "captive-portal"]
      let virtual = try await Self.drill(scenarios, [], Self.curl)
      let real = try await Self.drill(scenarios, ["--clock", "real"], Self.curl)
      // Whether waits are the same is blurred by a busy machine in real time.
      func judged(_ drilled: Drilled) -> [String] {
        drilled.rules.filter { !$0.hasSuffix(": retries-in-step") }
      }
      expectEqual(judged(virtual), judged(real))
      expectEqual(virtual.code, real.code)
      expectEqual(real.fact("clock"), nil)
      #expect(!virtual.rules.isEmpty)
    }

    @Test(World.needs("python3")) func `a client that repeats without a pause and an end is ended`()
      async throws
    {
      let ask = "import sys, urllib.request as r\nwhile True:\n try: r.urlopen(sys.argv[1])"
      let command = ["python3", "-c", ask + "; break\n except OSError: pass", "{url}"]
      let drilled = try await Self.drill(["outage"], ["--calls", "1"], command)
      expectEqual(drilled.instants.count, 1001)
      expectEqual(drilled.call["ending"] as? String, "hung")
      #expect(drilled.rules.contains("outage: retries-without-bound"))
      // It was still trying, so that a call without an end is a warning.
      expectEqual(drilled.code, 99)
      expectEqual(drilled.fact("inRealTime"), nil)
    }

    @Test(World.needs("curl", "python3"))
    func `a program that connects to an outside process runs in real time`()
      async throws
    {
      let script = """
        import http.server, sys
        server = http.server.HTTPServer(("127.0.0.1", 0), http.server.SimpleHTTPRequestHandler)
        print(server.server_port, flush=True)
        sys.stdin.read()
        """
      let outside = Process()
      outside.executableURL = URL(filePath: "/usr/bin/env")
      outside.arguments = ["python3", "-c", script]
      let (input, output) = (Pipe(), Pipe())
      (outside.standardInput, outside.standardOutput) = (input, output)
      try outside.run()
      defer { try? input.fileHandleForWriting.close() }
      let line = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
      let port = line.trimmingCharacters(in: .whitespacesAndNewlines)
      let asks = "curl -s -m 1 http://127.0.0.1:\(port)/ >/dev/null; curl -sf \"$1\""
      let command = ["/bin/sh", "-c", asks, "sh", "{url}"]
      let drilled = try await Self.drill(["calm"], ["--calls", "2"], command)
      let reason = "it connected to a process outside (127.0.0.1 port \(port))"
      expectEqual(drilled.fact("inRealTime"), "calm: \(reason)")
      #expect(drilled.err.contains("calm runs in real time: \(reason)\n"))
    }

    // It takes 20 seconds of a processor; the limit itself is tested by LimitTests.
    @Test(.world, World.needs("python3")) func `what computes without an end runs in real time`()
      async throws
    {
      let script = "import sys\nwhile True: pass"
      let drilled = try await Self.drill(
        ["calm"],
        ["--calls", "1", "--timeout", "1s"],
        ["python3", "-c", script, "{url}"]
      )
      #expect(drilled.fact("inRealTime")?.contains("a program computes without end") == true)
      expectEqual(drilled.call["ending"] as? String, "hung")
    }

    @Test(World.needs("python3"), arguments: [("", true), (", timeout=5000", false)])
    func `a call that nothing can end is known for certain`(limit: String, isCertain: Bool)
      async throws
    {
      let script = "import sys, urllib.request as r; r.urlopen(sys.argv[1]\(limit)).read()"
      // The same in a program that is started once.
      let living = """
        import json, sys, urllib.request as r
        for line in sys.stdin:
          call = json.loads(line)
          r.urlopen(call["url"]\(limit)).read()
          print(json.dumps({"call": call["call"], "ok": True}), flush=True)
        """
      let sleep = isCertain ? ", and sleeps without a limit in recvfrom of descriptor 3" : ""
      for command in [["python3", "-c", script, "{url}"], ["python3", "-c", living]] {
        let drilled = try await Self.drill(["stall"], ["--calls", "1"], command)
        let findings = drilled.report["findings"] as? [[String: Any]] ?? []
        let seen = findings.first { $0["rule"] as? String == "hangs" }?["seen"] as? String
        expectEqual(seen, "It had not ended after 47.5 s\(sleep).")
        expectEqual(drilled.code, 97)
      }
    }

    @Test(World.needs("python3")) func `a program that fills the memory is ended from outside`()
      async throws
    {
      let script = """
        import sys, urllib.request
        print(len(urllib.request.urlopen(sys.argv[1]).read()))
        """
      let drilled = try await Self.drill(
        ["endless-body"],
        ["--calls", "4"],
        ["python3", "-c", script, "{url}"]
      )
      let endings = drilled.calls.compactMap { $0["reason"] as? String }
      #expect(endings.contains { $0.contains("ended by the drill: too much memory") }, "\(endings)")
      expectEqual(drilled.fact("inRealTime"), nil)
    }
  }
#endif
