#if os(macOS) || os(Linux)
  import TestSupport

  /// The folders of `Scripts`, and the names of scripts in the package's texts.
  @Suite struct ScriptTests {
    @Test func `the top of Scripts has the commands of every day and a folder for each job`() throws
    {
      let scripts = House.root.appending(path: "Scripts").path
      let top = try FileManager.default.contentsOfDirectory(atPath: scripts)
      let commands = [
        "bench", "check", "ci-fault-suite", "docs", "format", "house", "record-fixtures",
        "weak-network-drill",
      ]
      let folders = ["apple", "benchmarks", "ci", "development", "manual", "stock"]
      expectEqual(top.filter { !$0.hasPrefix(".") }.sorted(), (commands + folders).sorted())
    }

    /// Reads every file of these folders except pictures, archives and compiled Python.
    @Test func `each script that a text names exists`() throws {
      let gone = ["Scripts", "gone.py"].joined(separator: "/")
      let sample = "See Scripts/check, MyScripts/a, ./\(gone), and Scripts/ci/wor… (./\(gone))."
      expectEqual(Self.missing(in: Data(sample.utf8)), [gone, gone])
      let folders = [".ci", ".github", "Cassettes", "Scripts", "Sources", "Tests"]
      let files = try folders.flatMap { folder in
        try FileManager.default
          .subpathsOfDirectory(atPath: House.root.appending(path: folder).path)
          .map { "\(folder)/\($0)" }
      }
      for path in ["CHANGELOG.md", "Package.swift", "README.md"] + files
      where ![".gz", ".png", ".pyc", ".zip"].contains(where: path.hasSuffix) {
        // A folder has no content.
        let text = FileManager.default.contents(atPath: House.root.appending(path: path).path)
        expectEqual(Self.missing(in: text ?? Data()), [], "\(path)")
      }
    }

    private static let folder = Data("Scripts/".utf8)
    private static let word = Set(
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-".utf8
    )
    private static let name = word.union("./+".utf8)

    /// Returns the paths below `Scripts` that a text names and that do not exist.
    private static func missing(in text: Data) -> [String] {
      var missing: [String] = []
      var start = text.startIndex
      while let found = text.range(of: folder, in: start..<text.endIndex) {
        start = found.upperBound
        // The end of a longer name.
        if let before = text[..<found.lowerBound].last, word.contains(before) { continue }
        let bytes = text[found.lowerBound...].prefix(while: name.contains)
        // A name that a page shows in part.
        if text[bytes.endIndex...].starts(with: "…".utf8) { continue }
        var path = String(decoding: bytes, as: UTF8.self)
        while "./".contains(path.last ?? " ") { path.removeLast() }
        if !FileManager.default.fileExists(atPath: House.root.appending(path: path).path) {
          missing.append(path)
        }
      }
      return missing
    }
  }
#endif
