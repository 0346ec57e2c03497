#if os(Linux)
  import TestSupport

  @testable import WindTunnelDrill

  /// What programs start and leave behind, in sessions of their own.
  @Suite(.timeLimit(.minutes(5))) struct LeftBehindTests {
    /// Whether a process runs: one that has ended, and that only nobody has asked for yet, does not.
    static func runs(_ process: pid_t) -> Bool { stat(of: process).map { $0[0] != "Z" } ?? false }

    private static func parent(of process: pid_t) -> pid_t? {
      stat(of: process).flatMap { pid_t($0[1]) }
    }

    /// Its state, its parent and so on; `nil` where there is no such process.
    private static func stat(of process: pid_t) -> [String]? {
      guard let text = try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8),
        let bracket = text.lastIndex(of: ")")
      else { return nil }
      return text[text.index(bracket, offsetBy: 2)...].split(separator: " ").map(String.init)
    }

    private static func numbers(in folder: Folder, _ count: Int) throws -> [pid_t] {
      try (0..<count).map { call in
        let text = try String(contentsOfFile: try folder.file("\(call)"), encoding: .utf8)
        return try #require(pid_t(text.trimmingCharacters(in: .whitespacesAndNewlines)))
      }
    }

    /// Starts a sleeper in a session of its own, whose parent ends at once, and waits until it has told
    /// its number: `$0` is the folder, `$1` the call.
    private static let leaving = """
      (setsid sh -c 'echo $$ > "$0.new"; mv "$0.new" "$0"; exec sleep 3600' "$0/$1" &)
      until [ -s "$0/$1" ]; do :; done
      """

    @Test(.enabled(if: Executable.find("setsid") != nil, "setsid is not here."))
    func `a session of its own ends with the drill, and no program waits for it`()
      async throws
    {
      let folder = try Folder()
      let command = ["sh", "-c", Self.leaving + "\necho shown", folder.url.path, "{call}"]
      let row = try await TestSubjects.row(of: command, calls: 3, seconds: 300)
      // They keep its output open, which is nothing to the caller of a program that has ended.
      expectEqual(row.observations.map(\.ending), [.succeeded, .succeeded, .succeeded])
      #expect(row.observations.allSatisfy { $0.showed })
      // Not a moment later: a drill is over when nothing of it is left.
      for sleeper in try Self.numbers(in: folder, 3) { #expect(!Self.runs(sleeper)) }
    }

    @Test(.enabled(if: Executable.find("setsid") != nil, "setsid is not here."))
    func `a program that hangs is killed with what is in a session of its own`() async throws {
      let folder = try Folder()
      let command = ["sh", "-c", Self.leaving + "\nsleep 3600", folder.url.path, "{call}"]
      let row = try await TestSubjects.row(of: command, calls: 1, seconds: 2)
      expectEqual(row.observations.map(\.ending), [.hung])
      for sleeper in try Self.numbers(in: folder, 1) { #expect(!Self.runs(sleeper)) }
    }

    @Test(.enabled(if: Executable.find("setsid") != nil, "setsid is not here."))
    func `orphans come to a process of their own between, and never to the host's`()
      async throws
    {
      let folder = try Folder()
      let subject = ExecSubject(["sh", "-c", Self.leaving, folder.url.path, "{call}"])
      let flight = try FlightOfCalls(subject, .calm, on: .onTheWire, calls: 1)
      try await expectEqual(flight.run().map(\.ending), [.succeeded])
      let sleeper = try #require(try Self.numbers(in: folder, 1).first)
      defer { kill(sleeper, SIGKILL) }
      #expect(Self.runs(sleeper))
      let supervisor = try #require(Self.parent(of: sleeper))
      #expect(supervisor != getpid() && Self.parent(of: supervisor) == getpid())
    }

    @Test func `a supervisor's program has its number, its signals and its streams`() throws {
      let program = SpawnedProcess()
      (program.isSupervised, program.executableURL) = (true, URL(filePath: "/bin/sh"))
      program.arguments = ["-c", "read word; echo $$ $word; kill -USR2 $$"]
      let (input, output) = (Pipe(), Pipe())
      (program.standardInput, program.standardOutput) = (input, output)
      try program.run()
      try input.fileHandleForWriting.write(contentsOf: Data("hello\n".utf8))
      let text = String(
        decoding: try #require(try output.fileHandleForReading.readToEnd()),
        as: UTF8.self
      )
      program.waitUntilExit()
      expectEqual(text, "\(program.processIdentifier) hello\n")
      expectEqual(program.terminationReason, .uncaughtSignal)
      expectEqual(program.terminationStatus, SIGUSR2)
      program.waitUntilGone()
      // What is over can be told what it may.
      program.askToEnd()
      program.killAll()
    }

    @Test func `a supervised program that cannot be started says why`() throws {
      let folder = try Folder()
      let file = try folder.file("text", "#!/nowhere/at/all\n")
      chmod(file, 0o700)
      let program = SpawnedProcess()
      (program.isSupervised, program.executableURL) = (true, URL(filePath: file))
      let error = #expect(throws: POSIXError.self) { try program.run() }
      expectEqual(error?.code, .ENOENT)
    }
  }
#endif
