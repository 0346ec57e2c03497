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
      let process = Process()
      process.executableURL = root.appending(path: "Scripts/house")
      process.arguments = ["--json", "--index", index.path]
      let output = Pipe()
      process.standardOutput = output
      try process.run()
      let data = try output.fileHandleForReading.readToEnd() ?? Data()
      process.waitUntilExit()
      return try JSONDecoder().decode(House.self, from: data)
    }

    /// The Swift files under a folder of the package, with their lines.
    static func sources(in folder: String) throws -> [(path: String, lines: [Substring])] {
      let top = root.appending(path: folder)
      let paths =
        FileManager.default.enumerator(atPath: top.path)?.compactMap { $0 as? String } ?? []
      return try paths.filter { $0.hasSuffix(".swift") }.sorted().map { path in
        let text = try String(contentsOf: top.appending(path: path), encoding: .utf8)
        return ("\(folder)/\(path)", text.split(separator: "\n", omittingEmptySubsequences: false))
      }
    }
  }
#endif
