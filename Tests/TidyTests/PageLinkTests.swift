#if os(macOS) || os(Linux)
  import TestSupport

  /// Every link within the pages leads somewhere: from README, from those beside it, and from articles.
  @Suite struct PageLinkTests {
    /// A page of Markdown by its path in the package, with its links and the names of its headings.
    struct Page {
      let path: String
      private(set) var links: [String] = []
      private(set) var anchors: Set<String> = []

      var isArticle: Bool { path.contains(".docc/") }

      init(path: String) throws {
        self.path = path
        let text = try String(contentsOf: House.root.appending(path: path), encoding: .utf8)
        var isCode = false
        for line in text.utf8.split(separator: 10).map({ Substring($0) }) {
          if line.trimmed.hasPrefix("```") {
            isCode.toggle()
          } else if !isCode {
            if line.hasPrefix("#") { add(heading: line.drop { $0 == "#" || $0 == " " }) }
            // Few lines have a link, and expressions are slow.
            if line.utf8.contains(where: { "]<".utf8.contains($0) }) {
              links += PageLinkTests.links(line.replacing(/`+[^`]*`+/, with: ""))
            }
          }
        }
      }

      /// Adds the anchors of a heading, as DocC and GitHub form them.
      private mutating func add(heading: Substring) {
        let text = heading.replacing("`", with: "")
        let kept = text.lowercased().filter { $0.isLetter || $0.isNumber || " -_".contains($0) }
        anchors.formUnion([text, kept[...]].map { String($0.replacing(" ", with: "-")) })
      }
    }

    static let pages = Result {
      let found = try ["Sources", ".github"].flatMap { folder in
        let root = House.root.appending(path: folder)
        return try FileManager.default.subpathsOfDirectory(atPath: root.path).map {
          "\(folder)/\($0)"
        }
      }
      return try (["README.md", "CHANGELOG.md"] + found.filter { $0.hasSuffix(".md") })
        .map { try Page(path: $0) }
    }

    /// The links of a line: `<doc:Drills>`, `[text](target)` and `![text](target)`.
    static func links(_ line: Substring) -> [String] {
      line.matches(of: /<(doc:[^>]+)>/).map { String($0.1) }
        + line.matches(of: /\]\(([^)\s]+)[^)]*\)/).map { String($0.1) }
    }

    @Test func `links lead somewhere`() throws {
      #expect(
        Self.links("See <doc:Drills>, [a](b.md#c \"d\") and ![e](f).") == [
          "doc:Drills", "b.md#c", "f",
        ]
      )
      let pages = try Self.pages.get()
      #expect(pages.contains { $0.path.hasSuffix("/WindTunnel.docc/Faults.md") })
      for page in pages {
        for link in page.links {
          expectNil(Self.problem(link, on: page, among: pages), "\(page.path): \(link)")
        }
      }
    }

    @Test func `each of the ten tasks fits a screen and imports two products at most`() throws {
      let page = House.root.appending(path: "Sources/Values/WindTunnel/WindTunnel.docc/TenTasks.md")
      let text = try String(contentsOf: page, encoding: .utf8)
      let tasks = text.components(separatedBy: "<!-- file: Tests/").dropFirst()
        .map { $0.components(separatedBy: "```")[1].components(separatedBy: "\n").dropFirst() }
      expectEqual(tasks.count, 10)
      for lines in tasks {
        let imports = lines.count { $0.hasPrefix("import WindTunnel") }
        #expect(lines.count <= 25 && (1...2).contains(imports), "\(lines)")
      }
    }

    @Test func `pictures are light enough for a repository`() throws {
      let sources = House.root.appending(path: "Sources")
      let pictures = try FileManager.default.subpathsOfDirectory(atPath: sources.path)
        .filter { $0.contains(".docc/Resources/") && !$0.hasSuffix("/") }
      #expect(pictures.count >= 3)
      for picture in pictures {
        let bytes = try Data(contentsOf: sources.appending(path: picture)).count
        #expect(bytes < 150_000, "\(picture)")
      }
    }

    private static func problem(_ link: String, on page: Page, among pages: [Page]) -> String? {
      if link.hasPrefix("http://") || link.hasPrefix("https://") { return nil }
      let folder = (page.path as NSString).deletingLastPathComponent
      let parts = link.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
      var target = page.path
      if parts[0].hasPrefix("doc:") {
        guard page.isArticle else { return "only DocC knows such links" }
        // An article by its file's name, in the same catalog.
        target = "\(folder)/\(parts[0].dropFirst(4)).md"
      } else if !parts[0].isEmpty {
        // In a catalog, a picture is linked by its file's name.
        let isPicture = page.isArticle && !parts[0].contains("/")
        target = (folder.isEmpty ? "" : folder + "/") + (isPicture ? "Resources/" : "") + parts[0]
      }
      guard FileManager.default.fileExists(atPath: House.root.appending(path: target).path) else {
        return "\(target) is missing"
      }
      guard parts.count > 1 else { return nil }
      let anchors = pages.first { $0.path == target }?.anchors ?? []
      return anchors.contains(String(parts[1])) ? nil : "\(target) has no heading #\(parts[1])"
    }
  }
#endif
