#if os(macOS) || os(Linux)
  import Foundation
  import Testing

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
        && FileManager.default.isExecutableFile(atPath: "/usr/bin/python3")
    }

    /// Draws it once for all tests.
    static let drawn = Result { try draw() }

    private static func draw() throws -> House {
      let run = try run("Scripts/house", "--json", "--index", index.path)
      return try JSONDecoder().decode(House.self, from: run.output)
    }

    /// Runs a script of the package, or of a copy of it.
    static func run(
      _ script: String,
      _ arguments: String...,
      in root: URL = root
    ) throws -> (status: Int32, output: Data) {
      let process = Process()
      process.executableURL = root.appending(path: script)
      process.arguments = arguments
      let output = Pipe()
      process.standardOutput = output
      try process.run()
      let data = try output.fileHandleForReading.readToEnd() ?? Data()
      process.waitUntilExit()
      return (process.terminationStatus, data)
    }
  }
#endif
