import TestSupport
import WindTunnelRelease

@Suite struct LinkMarkTests {
  private static let sources = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().appending(path: "Sources")

  /// The lines of a file that make its mark; empty where it has none.
  private static func mark(in lines: [Substring]) -> [Substring] {
    let trimmed = lines.map { $0.drop { $0 == " " } }
    guard let start = trimmed.firstIndex(where: { $0.hasPrefix("// The mark of this module") })
    else { return [] }
    return Array(trimmed[start...].prefix(8))
  }

  /// The folder of each module, by its name.
  private static func folders() throws -> [String: URL] {
    let manager = FileManager.default
    let wings = try manager.contentsOfDirectory(atPath: sources.path)
    let folders = try wings.flatMap { wing in
      let folder = sources.appending(path: wing)
      return try manager.contentsOfDirectory(atPath: folder.path).map { folder.appending(path: $0) }
    }
    return Dictionary(uniqueKeysWithValues: folders.map { ($0.lastPathComponent, $0) })
  }

  private static func files(of module: String) throws -> [(name: String, mark: [Substring])] {
    let folder = try #require(folders()[module])
    let paths = FileManager.default.enumerator(atPath: folder.path)?.compactMap { $0 as? String }
    return try (paths ?? []).filter { $0.hasSuffix(".swift") || $0.hasSuffix(".c") }.map { path in
      let text = try String(contentsOf: folder.appending(path: path), encoding: .utf8)
      return (path, mark(in: text.split(separator: "\n", omittingEmptySubsequences: false)))
    }
  }

  /// Without it a module would be linked and nobody could tell.
  @Test(.referenceClient) func `every module has its mark, with a number of its own`() throws {
    let modules = try Self.folders().keys
      .filter { $0.hasPrefix("WindTunnel") || $0.hasPrefix("CWindTunnel") }
    expectEqual(Set(modules).union(ReleaseModule.retired), Set(ReleaseModule.names))
    expectEqual(ReleaseModule.retired.intersection(modules), [])
    expectEqual(Set(ReleaseModule.names).count, ReleaseModule.names.count)
    for (index, name) in ReleaseModule.names.enumerated()
    where !ReleaseModule.retired.contains(name) {
      let marks = try Self.files(of: name).map(\.mark).filter { !$0.isEmpty }
      #expect(!marks.isEmpty, "\(name)")
      for mark in marks where name.hasPrefix("C") {
        expectEqual(
          mark.dropFirst().prefix(6),
          [
            "#if defined(__ELF__)", "__attribute__((used, retain, section(\"wt_modules\")))",
            "#elif defined(__APPLE__)",
            "__attribute__((used, section(\"__DATA_CONST,__wt_modules\")))", "#endif",
            "static const uint64_t link_mark[3] = "
              + "{0xF1D38A6C57E294B0, 0x9C0EB7A52D41F863, \(index + 1)};",
          ],
          "\(name)"
        )
      }
      for mark in marks where !name.hasPrefix("C") {
        expectEqual(
          mark.dropFirst().prefix(3),
          [
            // ELF takes any name of a section.
            "@section(\"__DATA_CONST,__wt_modules\")",
            "@used private let linkMark: (UInt64, UInt64, UInt64) =",
            "(0xF1D3_8A6C_57E2_94B0, 0x9C0E_B7A5_2D41_F863, \(index + 1))",
          ],
          "\(name)"
        )
      }
    }
  }

  /// What the compiler and the linker leave is another thing than what the sources say.
  @Test(.referenceClient)
  func `this test's own program has the mark of every module of the package`() throws {
    let bundles = Bundle.allBundles.filter { $0.bundleURL.pathExtension == "xctest" }
    let files = (bundles.map(\.executableURL) + [Bundle.main.executableURL]).compactMap { $0 }
    let program = try #require(
      files.first { $0.lastPathComponent.hasPrefix("windtunnelPackageTests") },
      "\(files)"
    )
    var check = ReleaseCheck()
    check.look(atPath: program.path)
    expectEqual(Set(check.programs.flatMap(\.modules).map(\.name)), Set(Self.linked))
  }

  /// The modules of this platform: threads are told the time on Linux alone.
  private static var linked: [String] {
    let names = ReleaseModule.names.filter { !ReleaseModule.retired.contains($0) }
    #if os(Linux)
      return names
    #else
      return names.filter { $0 != "CWindTunnelClock" }
    #endif
  }

  /// An archive of objects gives a program those alone that it names.
  @Test(.referenceClient) func `each file of the debug product has the mark`() throws {
    let files = try Self.files(of: "WindTunnelNetworkLayerDebug")
    #expect(files.count > 2)
    for (name, mark) in files { #expect(!mark.isEmpty, "\(name)") }
  }

  @Test func `what may be shipped is of this package`() {
    expectEqual(ReleaseModule.shipped.subtracting(ReleaseModule.names), [])
  }
}
