#if os(macOS) || os(Linux)
  import Synchronization
  import TestSupport

  /// The names of all tests by tier, as `Tests/tiers.txt` lists them.
  @Suite struct TierTests {
    /// A test as the sources declare it.
    struct Declared: Hashable {
      var name: String
      var tier: String

      var line: String { "\(tier) \(name)" }
    }

    static let file = House.root.appending(path: "Tests/tiers.txt")

    @Test func `every test stands in one tier, and none is missing`() throws {
      let declared = try Self.declared()
      #expect(declared.count > 3000)
      #expect(Set(declared.map(\.name)).count == declared.count, "two tests have one name")
      let lines = declared.map(\.line).sorted()
      if ProcessInfo.processInfo.environment["WINDTUNNEL_WRITE_TIERS"] != nil {
        try Data((lines.joined(separator: "\n") + "\n").utf8).write(to: Self.file)
      }
      let listed = try String(contentsOf: Self.file, encoding: .utf8).split(separator: "\n")
        .map(String.init)
      let hint: Comment =
        "Tests/tiers.txt is not up to date: WINDTUNNEL_WRITE_TIERS=1 swift test --filter TierTests"
      #expect(Set(listed).subtracting(lines).sorted() == [], hint)
      #expect(Set(lines).subtracting(listed).sorted() == [], hint)
      let counts = Dictionary(grouping: declared, by: \.tier).mapValues(\.count)
      let (value, world) = ((counts["value"] ?? 0) + (counts["both"] ?? 0), counts["world"] ?? 0)
      let larger = "and \(counts["both"] ?? 0) with more cases"
      let other =
        Tier.includesWorld
        ? "\(world) of them belong to the world tier, \(larger)."
        : "The world tier has \(world) more, \(larger): WINDTUNNEL_TESTS=all swift test"
      print("\(Tier.includesWorld ? value + world : value) tests are meant to run here. \(other)")
    }

    @Test func `a test's name and tier are read from its source`() {
      let source = """
        @Suite(
          .world
        ) struct A {
          @Test func `one (of two)`() {}
          struct B {
            @Test(arguments: [1]) func two(_: Int) {}
          }
          #if os(Linux)
            @Test func five() {}
          #endif
        }
        extension C.D {
          @Test(
            .world, arguments: ["func not("])
          func three(a: Int) {}
          @Test(.bothTiers) func four() async throws {}
        }
        """
      let found = Self.tests(in: source.split(separator: "\n"), of: "T")
      #expect(
        found.map(\.line) == [
          "world T.A/`one (of two)`", "world T.A/B/two", "world T.A/five", "world T.C/D/three",
          "both T.C/D/four",
        ]
      )
    }

    /// Whether the testing library still honours the width that the package sets.
    @Suite struct Width {
      private static let running = Atomic(0)

      @Test(arguments: 0..<4 * max(Tier.width, 1))
      func `no more cases run at once than the width allows`(_: Int) async {
        Self.running.add(1, ordering: .relaxed)
        defer { Self.running.subtract(1, ordering: .relaxed) }
        // Without a width every case is started before the first one ends.
        for _ in 0..<40 { await Task.yield() }
        let count = Self.running.load(ordering: .relaxed)
        #expect(
          count <= Tier.width,
          "\(count) cases run at once, \(Tier.width) were asked for: the testing library no longer reads the width that Tests/CTestWidth sets"
        )
      }
    }

    private static func declared() throws -> [Declared] {
      try SourceFile.tests.get().flatMap { file in
        tests(in: file.lines, of: String(file.path.split(separator: "/")[1]))
      }
    }

    /// Reads the tests of a file. The formatter indents whatever lies in a type, so that the type is the
    /// last one with a smaller indent.
    private static func tests(in lines: [Substring], of module: String) -> [Declared] {
      var found: [Declared] = []
      var types: [(indent: Int, name: String, isWorld: Bool)] = []
      /// The attribute that precedes the next declaration, and whether it is a test's.
      var attribute: (text: String, isTest: Bool)?
      var isText = false
      for line in lines {
        // The lines of a literal, such as the source that the test of this function reads.
        if line.contains("\"\"\"") { isText.toggle() }
        if isText { continue }
        let indent = line.prefix { $0 == " " }.utf8.count
        let rest = line.dropFirst(indent)
        if rest.hasPrefix("//") || rest.isEmpty { continue }
        // The end of a type, behind which conditional code may be indented like what was in it.
        if rest.hasPrefix("}") { types.removeAll { $0.indent >= indent } }
        if rest.hasPrefix("@Test") || rest.hasPrefix("@Suite") {
          attribute = ("", rest.hasPrefix("@Test"))
        }
        if let (text, isTest) = attribute { attribute = ("\(text)\n\(rest)", isTest) }
        if let type = typeName(rest, behindAttribute: attribute?.isTest == false) {
          types.removeAll { $0.indent >= indent }
          let isWorld = attribute?.text.contains(".world") ?? false
          types.append((indent, type, isWorld || types.contains { $0.isWorld }))
          attribute = nil
        } else if let (text, isTest) = attribute, isTest,
          // A long name stands on a line of its own.
          let name = functionName(rest.hasPrefix("`") ? "func \(rest)" : rest)
        {
          let around = types.filter { $0.indent < indent }
          let isWorld = text.contains(".world") || around.contains { $0.isWorld }
          let path = (around.map(\.name) + [name]).joined(separator: "/")
          let tier = isWorld ? "world" : text.contains(".bothTiers") ? "both" : "value"
          found.append(Declared(name: "\(module).\(path)", tier: tier))
          attribute = nil
        }
      }
      return found
    }

    private static let modifiers: Set<Substring> = [
      "final", "private", "fileprivate", "public", "nonisolated", "@MainActor",
    ]
    private static let kinds: Set<Substring> = ["struct", "class", "enum", "extension", "actor"]

    private static func typeName(_ line: Substring, behindAttribute: Bool) -> String? {
      let words = line.split(separator: " ")
      guard
        let place = words.firstIndex(where: {
          behindAttribute ? kinds.contains($0) : !modifiers.contains($0)
        }), kinds.contains(words[place]), place + 1 < words.count
      else { return nil }
      let name = words[place + 1].prefix { $0.isLetter || $0.isNumber || "._".contains($0) }
      return String(name).replacing(".", with: "/")
    }

    private static func functionName(_ line: Substring) -> String? {
      guard let start = line.range(of: "func ", options: .anchored) ?? line.range(of: " func ")
      else {
        return nil
      }
      let rest = line[start.upperBound...]
      if rest.hasPrefix("`"), let end = rest.dropFirst().firstIndex(of: "`") {
        return String(rest[...end])
      }
      let name = rest.prefix { $0.isLetter || $0.isNumber || $0 == "_" }
      return name.isEmpty ? nil : String(name)
    }
  }
#endif
