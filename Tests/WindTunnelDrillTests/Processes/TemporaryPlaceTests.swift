#if os(Linux) || os(macOS)
  import TestSupport

  @testable import WindTunnelDrill

  @Suite(.timeLimit(.minutes(5))) struct TemporaryPlaceTests {
    @Test func `what an ended process left is removed, and nothing else`() throws {
      let manager = FileManager.default
      let folder = manager.temporaryDirectory.appending(path: "places-\(UUID().uuidString)")
      try manager.createDirectory(at: folder, withIntermediateDirectories: true)
      defer { try? manager.removeItem(at: folder) }
      let ended = Process()
      ended.executableURL = URL(filePath: "/bin/sh")
      ended.arguments = ["-c", ":"]
      try ended.run()
      ended.waitUntilExit()
      let id = UUID().uuidString
      let left = ["\(ended.processIdentifier)-\(id).pem", "\(ended.processIdentifier)-\(id).start"]
      let young = "\(ended.processIdentifier)-\(UUID().uuidString).pem"
      let kept = [
        young, "\(getpid())-\(id).pem", "1-\(id).pem", "0-\(id).pem", "note.txt", "a-\(id).pem",
      ]
      for name in left + kept {
        let file = folder.appending(path: "windtunnel-\(name)")
        try Data("x".utf8).write(to: file)
        let date = name == young ? Date.now : .now - 2 * 3600
        try manager.setAttributes([.modificationDate: date], ofItemAtPath: file.path)
      }
      TemporaryPlace.removeRemains(in: folder)
      let names = try manager.contentsOfDirectory(atPath: folder.path).sorted()
      expectEqual(names, kept.map { "windtunnel-\($0)" }.sorted())
    }
  }
#endif
