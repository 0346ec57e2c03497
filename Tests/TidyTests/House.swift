#if os(macOS) || os(Linux)
  import Programs
  import TestSupport

  /// The structure of the package as `Scripts/house` draws it from the compiler's index.
  struct House: Decodable {
    /// Arrows between the parts of something, and the circles that they make.
    struct Parts: Decodable {
      var arrows: [String: [String: Int]]
      var circles: [[String]]
    }

    /// Files by their users.
    struct Files: Decodable {
      var usedByNone: [String]
    }

    var modules: Parts
    var folders: [String: Parts]
    var files: Files

    static let root = URL(filePath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()

    /// The index that the build of these tests wrote; other builds keep theirs elsewhere.
    static let index = root.appending(path: ".build/debug/index/store")

    static var isIndexed: Bool {
      FileManager.default.fileExists(atPath: index.path)
        && ["python3", "awk"].allSatisfy(isHere)
    }

    /// Whether a program is in `PATH`, where the package's scripts look for it.
    static func isHere(_ program: String) -> Bool { StartedProgram.path(of: program) != nil }

    /// Draws it once for all tests.
    static let drawn = Result { try draw() }

    private static func draw() throws -> House {
      let run = try run("Scripts/house", "--json", "--index", index.path)
      try #require(run.status == 0)
      return try JSONDecoder().decode(House.self, from: run.output)
    }

    /// Runs a script of the package, or of a copy of it.
    static func run(
      _ script: String,
      _ arguments: String...,
      in root: URL = root
    ) throws -> (status: Int32, output: Data) {
      let words = [root.appending(path: script).path] + arguments
      let program = try StartedProgram(words, keepsErrors: false)
      try program.start()
      let run = try program.endBlocking()
      return (run.code, Data(run.out.utf8))
    }
  }
#endif
