#if os(Linux)
  import Glibc
  import TestSupport
  import WindTunnel
  import WindTunnelReports

  /// What becomes of a drill's processes when it is told to end.
  @Suite(.timeLimit(.minutes(5))) struct InterruptionTests {
    private let scratch: Scratch
    private let company: Company

    init() throws {
      scratch = try Scratch()
      company = try Company(in: scratch)
    }

    /// Processes that are told of in a pipe with a name, a number a line.
    private struct Company {
      let path: String
      private let handle: FileHandle

      init(in scratch: Scratch) throws {
        path = scratch.file("numbers").path
        try #require(mkfifo(path, 0o600) == 0)
        // Both ways, so that it neither waits for a writer nor ends with one.
        handle = try #require(FileHandle(forUpdatingAtPath: path))
      }

      /// Waits until so many have told.
      func numbers(_ count: Int) async -> [pid_t] {
        let handle = handle
        return await withCheckedContinuation { continuation in
          Thread {
            var text = ""
            while text.count(where: { $0 == "\n" }) < count {
              text += String(decoding: handle.availableData, as: UTF8.self)
            }
            continuation.resume(returning: text.split(separator: "\n").compactMap { pid_t($0) })
          }.start()
        }
      }

      /// Those that have told since.
      func rest() -> [pid_t] {
        _ = fcntl(handle.fileDescriptor, F_SETFL, O_NONBLOCK)
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        let count = read(handle.fileDescriptor, &buffer, buffer.count)
        let text = String(decoding: buffer.prefix(max(0, count)), as: UTF8.self)
        return text.split(separator: "\n").compactMap { pid_t($0) }
      }
    }

    /// Whether a process runs: one that has ended, and that only nobody has asked for yet, does not.
    private static func runs(_ process: pid_t) -> Bool {
      // A process that is gone has no such file.
      guard let stat = try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8) else {
        return false
      }
      return !stat.contains(") Z ")
    }

    private static func children(of process: pid_t) throws -> [pid_t] {
      let tasks = "/proc/\(process)/task"
      return try FileManager.default.contentsOfDirectory(atPath: tasks).flatMap { task in
        try String(contentsOfFile: "\(tasks)/\(task)/children", encoding: .utf8)
          .split(separator: " ").compactMap { pid_t($0) }
      }
    }

    /// How a program comes to have a child of its own, which is not in the way of its end.
    private static let ways = ["", "setsid "]

    private func drill(way: String = "") throws -> Flight {
      let script =
        "\(way)sleep 3600 & echo $! >'\(company.path)'; echo $$ >'\(company.path)'; wait"
      return try Flight(
        line(
          "drill --scenario calm --subject exec --calls 60 --rate 30 --timeout 3600s",
          "--report drill.json -- sh -c \(script) {url}"
        ),
        in: scratch
      )
    }

    @Test(
      arguments: [(SIGINT, 130, "Interrupted"), (SIGTERM, 143, "Stopped")]
        as [(Int32, Int32, String)]
    )
    func `a drill interrupted before a call ended stops its processes and reports it`(
      signal: Int32,
      code: Int32,
      word: String
    ) async throws {
      let flight = try drill()
      var all = await company.numbers(6)
      all += try Self.children(of: flight.number)
      #expect(all.count >= 7)
      flight.signal(signal)
      let run = try await flight.end()
      #expect(run.code == code && run.out == "", "\(run)")
      #expect(
        run.err.hasSuffix(
          "\nwindtunnel: \(word) before a call had ended: drill.json is not written.\n"
        ),
        "\(run)"
      )
      #expect(!scratch.has("drill.json"))
      all += company.rest()
      // The dead are in nobody's way, and none of them goes on to start another.
      for process in all { while Self.runs(process) { await Task.yield() } }
      expectEqual(company.rest(), [])
    }

    /// Calls that end at once but for every fourth, of which each tells of itself and stays.
    private func halfway(scenarios: [String] = ["calm"]) throws -> Flight {
      let script =
        "curl -sSf \"$1\" && { [ $((WINDTUNNEL_CALL % 4)) -ne 3 ] || "
        + "{ echo $$ >'\(company.path)'; exec sleep 3600; }; }"
      return try Flight(
        ["drill"] + scenarios.flatMap { ["--scenario", $0] } + [
          "--clock", "real", "--calls", "24", "--concurrency", "4", "--timeout", "3600s",
          "--findings", "off",
          "--report", "drill.json", "--report", "drill.html", "--", "sh", "-c", script, "-",
          "{url}",
        ],
        in: scratch
      )
    }

    @Test(
      arguments: [(SIGINT, 130, "Interrupted"), (SIGTERM, 143, "Stopped")]
        as [(Int32, Int32, String)]
    )
    func `a drill that is told to end writes the report of the calls that had ended`(
      signal: Int32,
      code: Int32,
      word: String
    ) async throws {
      let flight = try halfway(scenarios: ["calm", "latency"])
      // With four at once, these are in the way of all others.
      let staying = await company.numbers(4)
      flight.signal(signal)
      let run = try await flight.end().exits(code)
      let words = "after 0 of 2 scenarios, with 12 calls made"
      #expect(
        run.err.hasSuffix("windtunnel: \(word) \(words): the report covers only these.\n"),
        "\(run)"
      )
      let note = "interrupted \(words): the figures cover only these"
      #expect(run.out.contains("\n\(note)\n"), "\(run)")
      let report = try Report(contentsOf: scratch.file("drill.json"))
      expectEqual(report.scenarios.map(\.name), ["calm"])
      let calls = report.scenarios.flatMap(\.subjects).flatMap(\.observations)
      expectEqual(calls.map(\.call), (0..<16).filter { $0 % 4 != 3 })
      #expect(calls.allSatisfy { $0.ending == .succeeded && $0.attempts.count == 1 })
      #expect(report.environment.contains(Report.Fact("interrupted", words)))
      // Nobody knows what the others would have come to.
      expectEqual(report.verdict.outcome, .interrupted)
      let page = try scratch.text("drill.html")
      #expect(page.contains("<p class=\"note\">\(note)</p>"))
      #expect(page.contains("<h1>INTERRUPTED (\(code)): \(words)</h1>"))
      for process in staying { while Self.runs(process) { await Task.yield() } }
      expectEqual(company.rest(), [])
      let again = try await scratch.run("report drill.json --gate \("calls > 1")")
      #expect(again.code == code && again.out.contains("\n\(note)\n"), "\(again)")
    }

    @Test func `a second signal ends a drill at once`() async throws {
      let flight = try halfway()
      var all = await company.numbers(4)
      all += try Self.children(of: flight.number)
      // It finds both when it goes on, and has no time to write between them.
      for signal in [SIGSTOP, SIGINT, SIGTERM, SIGCONT] { flight.signal(signal) }
      #expect([-SIGINT, -SIGTERM].contains(try await flight.end().code))
      #expect(!scratch.has("drill.json"))
      for process in all { while Self.runs(process) { await Task.yield() } }
    }

    @Test(arguments: ways)
    func `what ends a drill without a word ends its processes`(way: String) async throws {
      let flight = try drill(way: way)
      var all = await company.numbers(6)
      all += try Self.children(of: flight.number)
      flight.signal(SIGKILL)
      try await flight.end().exits(-SIGKILL)
      all += company.rest()
      for process in all { while Self.runs(process) { await Task.yield() } }
      for process in company.rest() { while Self.runs(process) { await Task.yield() } }
    }

    @Test(arguments: ways)
    func `if a client's process is killed, its programs and their children end`(
      way: String
    ) async throws {
      let flight = try drill(way: way)
      let programs = await company.numbers(6)
      let subject = try #require(try Self.children(of: flight.number).first)
      expectEqual(kill(subject, SIGKILL), 0)
      for process in programs { while Self.runs(process) { await Task.yield() } }
      try await flight.interrupt()
    }

    @Test func `no program outlives a tool and a subject that are killed at once`() async throws {
      let words =
        line("drill --scenario calm --subject exec --calls 60 --rate 30 --timeout 3600s -- sh -c")
        + ["echo $$ >'\(company.path)'; exec sleep 3600", "{url}"]
      let flight = try Flight(words, in: scratch)
      let programs = await company.numbers(6)
      let all = try Self.children(of: flight.number)
      for process in all { kill(process, SIGSTOP) }
      flight.signal(SIGKILL)
      _ = try await flight.end()
      for process in all { kill(process, SIGKILL) }
      for process in programs { while Self.runs(process) { await Task.yield() } }
    }
  }
#endif
