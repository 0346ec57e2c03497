#if os(macOS) || os(Linux)
  import Foundation
  import TestSupport
  import Testing
  import WindTunnelRelease

  /// Archives that the system's own program has made, where it can start one.
  @Suite struct SystemTarTests {
    private static let tar = ["/usr/bin/tar", "/bin/tar"].first {
      FileManager.default.isExecutableFile(atPath: $0)
    }

    /// The program that tar starts.
    private static let hasGzip = (ProcessInfo.processInfo.environment["PATH"] ?? "")
      .split(separator: ":")
      .contains { FileManager.default.isExecutableFile(atPath: "\($0)/gzip") }

    @Test(
      .enabled(if: tar != nil && hasGzip, "there is no tar, or no gzip in PATH"),
      arguments: ["ustar", "pax", "gnu", "v7"]
    )
    func `what the system's tar packs is seen through`(form: String) throws {
      let folder = FileManager.default.temporaryDirectory.appending(path: "tar-\(UUID())")
      let inner = folder.appending(path: "App/\(String(repeating: "d", count: 60))")
      try FileManager.default.createDirectory(at: inner, withIntermediateDirectories: true)
      defer { try? FileManager.default.removeItem(at: folder) }
      try Data(TarTests.program).write(to: inner.appending(path: "a.so"))
      try Data(TarTests.cassette).write(to: folder.appending(path: "App/users.json"))
      if form != "v7", form != "ustar" {
        let name = String(repeating: "é", count: 80)
        try Data(TarTests.cassette).write(to: inner.appending(path: name))
      }
      let tar = Process()
      tar.executableURL = URL(filePath: try #require(Self.tar))
      tar.currentDirectoryURL = folder
      tar.arguments = ["--format=\(form)", "-czf", "App.tar.gz", "App"]
      tar.standardError = FileHandle.nullDevice
      try tar.run()
      tar.waitUntilExit()
      // BSD's has other names for some forms.
      try #require(tar.terminationStatus == 0 || form == "gnu" || form == "v7")
      guard tar.terminationStatus == 0 else { return }
      var check = ReleaseCheck()
      check.look(atPath: folder.appending(path: "App.tar.gz").path)
      #expect(check.programs.map(\.modules) == [[.known("WindTunnel")]] && check.unread.isEmpty)
      let cassettes = check.findings.filter { $0.module == nil }
      expectEqual(cassettes.count, (form == "v7" || form == "ustar" ? 1 : 2))
      #expect(cassettes.contains { $0.file.hasSuffix("App.tar.gz:App/users.json") })
    }
  }
#endif
