#if os(Linux) && arch(x86_64)
  import Programs
  import TestSupport

  /// A run of the tool's hidden word: what the program printed, and what is said of its world.
  struct World {
    /// The line that the tool writes.
    struct Notes: Decodable {
      var outcome: String
      var reason: String
      var detail: String
      var exit: Int32?
      var signal: Int32?
      var virtualNanoseconds: Int64
      var realNanoseconds: Int64
      var jumps: Int
      var processes: Int
      var threads: Int
      var inFlight: Int
      var heldUp: Int
      var lookedNanoseconds: Int64
      var countedNanoseconds: Int64
      var refused: Int
      var asleep: String
    }

    var code: Int32
    var out: String
    var err: String
    var notes: Notes

    /// The lines that the program printed.
    var lines: [String] { out.split(separator: "\n").map(String.init) }

    static let second: Int64 = 1_000_000_000

    /// Runs a command in virtual time. Whatever happens, it ends after some real seconds.
    ///
    /// - Parameters:
    ///   - command: The words of the command.
    ///   - options: Words for the tool.
    ///   - redirection: What the shell that starts the tool does with its descriptors.
    /// - Returns: The run to its end.
    /// - Throws: An error if something is not built, or the tool writes no line.
    static func run(
      _ command: [String],
      options: [String] = [],
      redirection: String = "</dev/null"
    ) async throws -> World {
      let folder = FileManager.default.temporaryDirectory.appending(path: "world-\(UUID())")
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      defer { try? FileManager.default.removeItem(at: folder) }
      let notes = folder.appending(path: "notes")
      let tool = try built("windtunnel").path
      // Only a shell gives a program a descriptor beside the usual three.
      let words =
        ["/bin/sh", "-c", "exec \"$@\" 9>'\(notes.path)' \(redirection)", "sh", tool]
        + ["run-in-virtual-time", "--notes-fd", "9", "--real-limit", "20"] + options + ["--"]
        + command
      let program = try StartedProgram(words, in: folder)
      try program.start()
      let run = try await program.end()
      let decoded = try JSONDecoder().decode(Notes.self, from: Data(contentsOf: notes))
      return World(code: run.code, out: run.out, err: run.err, notes: decoded)
    }

    /// Runs a word of the test programs.
    static func run(
      word: String,
      _ number: Int64 = 0,
      options: [String] = [],
      redirection: String = "</dev/null"
    ) async throws -> World {
      let program = try built("wait-programs").path
      return try await run(
        [program, word, "\(number)"],
        options: options,
        redirection: redirection
      )
    }

    /// The executable of the package with a name: it is built beside the bundle of the tests.
    static func built(_ name: String) throws -> URL {
      let bundles = Bundle.allBundles.map(\.bundleURL).filter { $0.pathExtension == "xctest" }
      let running = Bundle.main.executableURL.map { [$0] } ?? []
      let found = (bundles + running)
        .map { $0.deletingLastPathComponent().appending(path: name) }
        .first { FileManager.default.isExecutableFile(atPath: $0.path) }
      return try #require(found, "\(name) is not built: swift build --build-tests")
    }

    /// Whether this machine lets a process trace its children and filter their system calls.
    static let isPossible: Bool = {
      guard let tool = try? built("windtunnel") else { return false }
      let process = Process()
      process.executableURL = tool
      process.arguments = ["run-in-virtual-time", "--", "/bin/true"]
      (process.standardOutput, process.standardError) = (
        FileHandle.nullDevice, FileHandle.nullDevice
      )
      // A tool that cannot be started fails the tests themselves.
      guard (try? process.run()) != nil else { return true }
      process.waitUntilExit()
      return process.terminationStatus == 0
    }()

    /// Skips a suite in words on a machine without the means of virtual time.
    static var trait: ConditionTrait {
      .enabled(if: isPossible, "this machine has no virtual time for programs")
    }

    /// Skips a test in words if a program that it runs is not in `PATH`.
    static func needs(_ programs: String...) -> ConditionTrait {
      let missing = programs.filter { StartedProgram.path(of: $0) == nil }
      let names = missing.joined(separator: ", ")
      return .enabled(if: missing.isEmpty, "not installed here: \(names)")
    }

    /// The numbers of the processes whose command line has a word.
    static func processes(with word: String) throws -> [Int32] {
      try FileManager.default.contentsOfDirectory(atPath: "/proc").compactMap(Int32.init).filter {
        guard let line = try? Data(contentsOf: URL(filePath: "/proc/\($0)/cmdline")) else {
          return false
        }
        return line.split(separator: 0).contains { String(decoding: $0, as: UTF8.self) == word }
      }
    }
  }
#endif
