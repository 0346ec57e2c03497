#if os(macOS) || os(Linux)
  import Foundation
  import Testing

  /// Every link within the pages leads somewhere: from README, from those beside it, and from articles.
  @Suite struct PageLinkTests {
    /// A page of Markdown by its path in the package.
    struct Page: CustomTestStringConvertible {
      var path: String

      var testDescription: String { path }
      var file: URL { House.root.appending(path: path) }
      var isArticle: Bool { path.contains(".docc/") }

      /// The lines outside of blocks of code, with what is code in them taken out.
      func prose() throws -> [String] {
        var isCode = false
        return try String(contentsOf: file, encoding: .utf8).components(separatedBy: "\n").filter {
          let isFence = $0.drop { $0 == " " }.hasPrefix("```")
          if isFence { isCode.toggle() }
          return !isFence && !isCode
        }.map { $0.replacing(/`+[^`]*`+/, with: "") }
      }

      /// The words that links within a page name its headings by: DocC's and GitHub's.
      func anchors() throws -> Set<String> {
        var isCode = false
        var found: Set<String> = []
        for line in try String(contentsOf: file, encoding: .utf8).components(separatedBy: "\n") {
          if line.hasPrefix("```") { isCode.toggle() }
          guard !isCode, let heading = line.wholeMatch(of: /#+ +(.+)/)?.1 else { continue }
          let text = String(heading).replacing("`", with: "")
          found.insert(text.replacing(" ", with: "-"))
          let kept = text.lowercased().filter { $0.isLetter || $0.isNumber || " -_".contains($0) }
          found.insert(kept.replacing(" ", with: "-"))
        }
        return found
      }
    }

    static let pages: [Page] = {
      let folders = ["Sources", ".github"]
      let found = folders.flatMap { folder in
        (FileManager.default.enumerator(atPath: House.root.appending(path: folder).path)?
          .compactMap { $0 as? String } ?? []).filter { $0.hasSuffix(".md") }
          .map { "\(folder)/\($0)" }
      }
      return (["README.md", "CHANGELOG.md"] + found.sorted()).map { Page(path: $0) }
    }()

    /// The links of a line: `<doc:Drills>`, `[text](target)` and `![text](target)`.
    static func links(_ line: String) -> [String] {
      line.matches(of: /<(doc:[^>]+)>/).map { String($0.1) }
        + line.matches(of: /\]\(([^)\s]+)[^)]*\)/).map { String($0.1) }
    }

    @Test func `there are pages, and links on them`() throws {
      #expect(Self.pages.count > 8)
      #expect(Self.pages.contains { $0.path.hasSuffix("/WindTunnel.docc/Faults.md") })
      #expect(
        Self.links("See <doc:Drills>, [a](b.md#c \"d\") and ![e](f).") == [
          "doc:Drills", "b.md#c", "f",
        ]
      )
    }

    @Test(arguments: pages) func `links lead somewhere`(page: Page) throws {
      for line in try page.prose() {
        for link in Self.links(line) {
          if let problem = try Self.problem(link, on: page) {
            Issue.record("\(page.path): \(link): \(problem)")
          }
        }
      }
    }

    @Test func `pictures are light enough for a repository`() throws {
      let sources = House.root.appending(path: "Sources")
      let pictures =
        (FileManager.default.enumerator(atPath: sources.path)?.compactMap { $0 as? String } ?? [])
        .filter { $0.contains(".docc/Resources/") && !$0.hasSuffix("/") }
      #expect(pictures.count >= 3)
      for picture in pictures {
        let bytes = try Data(contentsOf: sources.appending(path: picture)).count
        #expect(bytes < 150_000, "\(picture)")
      }
    }

    private static func problem(_ link: String, on page: Page) throws -> String? {
      if link.hasPrefix("http://") || link.hasPrefix("https://") { return nil }
      let folder = (page.path as NSString).deletingLastPathComponent
      let parts = link.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
        .map(String.init)
      var target = page
      if parts[0].hasPrefix("doc:") {
        guard page.isArticle else { return "only DocC knows such links" }
        // An article by its file's name, in the same catalog.
        target = Page(path: "\(folder)/\(parts[0].dropFirst(4)).md")
      } else if !parts[0].isEmpty {
        let path = folder.isEmpty ? parts[0] : "\(folder)/\(parts[0])"
        target = Page(path: path)
        if page.isArticle, !parts[0].contains("/") {
          // A picture in the catalog, by its file's name.
          target = Page(path: "\(folder)/Resources/\(parts[0])")
        }
      }
      guard FileManager.default.fileExists(atPath: target.file.path) else {
        return "there is no \(target.path)"
      }
      guard parts.count > 1 else { return nil }
      return try target.anchors().contains(parts[1])
        ? nil : "\(target.path) has no heading for #\(parts[1])"
    }
  }
#endif
