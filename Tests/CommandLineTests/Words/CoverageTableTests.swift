#if os(Linux)
  import TestSupport
  import WindTunnel
  import WindTunnelReports

  /// `Tests/coverage.txt`: a test of the value tier for each rule, command and platform file, which meets it
  /// on real sockets, real files or in a real process.
  @Suite struct CoverageTableTests {
    /// The rows, by what they are for.
    private static func rows() throws -> [String: String] {
      let text = try Repository.text("Tests/coverage.txt")
      var rows: [String: String] = [:]
      for line in text.split(separator: "\n") where !line.hasPrefix("#") {
        let parts = line.split(separator: ":", maxSplits: 1).map(String.init)
        try #require(parts.count == 2, "\(line)")
        expectNil(rows.updateValue(String(parts[1].dropFirst()), forKey: parts[0]), "\(line)")
      }
      return rows
    }

    @Test(.referenceClient)
    func `each rule, command and platform file has a row, and nothing else has one`()
      async throws
    {
      var expected: Set<String> = ["every fault"]
      expected.formUnion(FindingRule.all.map { "rule \($0.id)" })
      let help = try await Scratch().run("help all").out
      for line in help.split(separator: "\n") {
        // A row of the list: two spaces, the command's words, two spaces, its sentence.
        guard line.hasPrefix("  "), let end = line.dropFirst(2).firstRange(of: "  ") else {
          continue
        }
        expected.insert(
          "command \(line[line.index(line.startIndex, offsetBy: 2)..<end.lowerBound])"
        )
      }
      let sources = Repository.root.appendingPathComponent("Sources")
      let files = try #require(FileManager.default.enumerator(atPath: sources.path))
      for case let path as String in files where path.hasSuffix("+Linux.swift") {
        expected.insert("file Sources/\(path)")
      }
      let found = try Set(Self.rows().keys)
      expectEqual(expected.subtracting(found).sorted(), [], "have no row")
      expectEqual(found.subtracting(expected).sorted(), [], "are no longer there")
      #expect(expected.count > 100)
    }

    @Test func `each row names a test of the value tier`() throws {
      let tiers = try Set(
        Repository.text("Tests/tiers.txt").split(separator: "\n").map(String.init)
      )
      for (what, test) in try Self.rows() {
        #expect(
          tiers.contains("value \(test)") || tiers.contains("both \(test)"),
          "\(what): \(test)"
        )
      }
    }
  }
#endif
