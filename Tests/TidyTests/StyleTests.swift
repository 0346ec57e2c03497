#if os(macOS) || os(Linux)
  import TestSupport

  /// The ceilings of `style-ceilings.txt`: words to avoid, and the size of the package.
  @Suite struct StyleTests {
    static let needsAwk = ConditionTrait.enabled(
      if: House.isHere("awk"),
      "awk, which Scripts/development/style needs, is not in PATH"
    )

    @Test(needsAwk) func `texts do not exceed the ceilings of words to avoid`() throws {
      let (status, output) = try House.run("Scripts/development/style")
      expectEqual(status, 0, "\(String(decoding: output, as: UTF8.self))")
    }

    @Test(needsAwk) func `a planted word is counted in its room`() throws {
      let root = FileManager.default.temporaryDirectory.appending(path: "style-\(UUID())")
      try FileManager.default.createDirectory(at: root, withIntermediateDirectories: true)
      defer { #expect(throws: Never.self) { try FileManager.default.removeItem(at: root) } }
      let scripts = House.root.appending(path: "Scripts")
      try FileManager.default.copyItem(at: scripts, to: root.appending(path: "Scripts"))
      let source = """
        /// The response that the
        /// one who asked sees, from `tape`.
        @available(*, deprecated) public struct Landed {
          // Whoever reads this.
          let (error, name) = ("What is \\(tape) on this tape?", "tape")
        }
        """
      let files = [
        "Sources/Values/Tower/Tower.swift": source,
        "README.md": "Storms\n\n```\nstorm\n```\nResponses",
        "Sources/Use/windtunnel-cli/Help.swift": "let help = \"Print the weather.\"",
        "Scripts/development/style-ceilings.txt":
          "# A comment.\ndocs.Tower 0\npages 4\nlines.Tests 7\n",
      ]
      for (path, text) in files {
        let file = root.appending(path: path)
        let folder = file.deletingLastPathComponent()
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try Data(text.utf8).write(to: file)
      }
      let (status, output) = try House.run("Scripts/development/style", in: root)
      expectEqual(status, 1)
      let expected = """
        room lines found per 1000 ceiling
        comments 1 1 1000.0 0 above its ceiling
        docs.Tower 2 1 500.0 0 above its ceiling
        docs.public 2 1 500.0 0 above its ceiling
        help 1 1 1000.0 0 above its ceiling
        names 1 1 1000.0 0 above its ceiling
        pages 2 1 500.0 4
        sentences 1 2 2000.0 0 above its ceiling
        all doc comments 2 1 500.0
        """
      expectEqual(
        String(decoding: output, as: UTF8.self).split(separator: "\n")
          .map { $0.split(separator: " ").joined(separator: " ") }.joined(separator: "\n"),
        expected
      )
      try expectEqual(House.run("Scripts/development/style", "--lower", in: root).status, 1)
      let ceilings = root.appending(path: "Scripts/development/style-ceilings.txt")
      try expectEqual(
        String(contentsOf: ceilings, encoding: .utf8),
        "# A comment.\ndocs.Tower 0\npages 1\nlines.Tests 7\n"
      )
    }

    @Test func `the package does not exceed its size`() throws {
      let ceilings = House.root.appending(path: "Scripts/development/style-ceilings.txt")
      let rows = try String(contentsOf: ceilings, encoding: .utf8).split(separator: "\n")
      let sources = try SourceFile.sources.get()
      let sizes = [
        "lines.Sources ": sources.reduce(0) { $0 + $1.codeLines },
        "lines.Tests ": try SourceFile.tests.get().reduce(0) { $0 + $1.lines.count },
        "files.long ": sources.count { $0.lines.count > 400 },
      ]
      for (name, size) in sizes {
        let row = try #require(rows.first { $0.hasPrefix(name) })
        #expect(size <= (Int(row.dropFirst(name.count)) ?? 0), "\(name)")
      }
    }
  }
#endif
