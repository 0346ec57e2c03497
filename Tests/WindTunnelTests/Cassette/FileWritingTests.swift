import TestSupport

@testable import WindTunnel

/// How a file is written that is there already.
@Suite struct FileWritingTests {
  private func mode(_ file: URL) throws -> Int? {
    let attributes = try FileManager.default.attributesOfItem(atPath: file.path)
    return (attributes[.posixPermissions] as? NSNumber)?.intValue
  }

  @Test(arguments: [0o600, 0o640, 0o664])
  func `a file keeps its permissions`(permissions: Int) throws {
    let folder = try TemporaryFolder()
    let file = folder.url.appending(path: "a.json")
    try Data("old".utf8).write(to: file)
    try FileManager.default.setAttributes([.posixPermissions: permissions], ofItemAtPath: file.path)
    try FileError.writing(Data("new".utf8), to: file)
    try expectEqual(String(contentsOf: file, encoding: .utf8), "new")
    try expectEqual(mode(file), permissions)
    try expectEqual(FileManager.default.contentsOfDirectory(atPath: folder.url.path), ["a.json"])
  }

  @Test func `a link stays one, and what it leads to is written`() throws {
    let folder = try TemporaryFolder()
    let real = folder.url.appending(path: "real")
    try FileManager.default.createDirectory(at: real, withIntermediateDirectories: true)
    let (file, link) = (real.appending(path: "a.json"), folder.url.appending(path: "b.json"))
    try FileManager.default.createSymbolicLink(
      atPath: link.path,
      withDestinationPath: "real/a.json"
    )
    let large = Body(Data(repeating: 7, count: SideFiles.bodyBytesMin))
    let tape = Cassette([
      Interaction(Request("GET", "https://a/x"), .response(Response(body: large)))
    ])
    for _ in 1...2 {
      // First it leads nowhere yet.
      try tape.write(to: link)
      try expectEqual(
        FileManager.default.destinationOfSymbolicLink(atPath: link.path),
        "real/a.json"
      )
    }
    try expectEqual(Cassette(contentsOf: file), tape)
    try expectEqual(Cassette(contentsOf: link), tape)
    try expectEqual(
      FileManager.default.contentsOfDirectory(atPath: folder.url.path).sorted(),
      ["b.json", "real"]
    )
  }

  @Test func `what is read-only or no file is refused in words, before any work and after it`()
    throws
  {
    let folder = try TemporaryFolder()
    let file = folder.url.appending(path: "a.json")
    try Data("old".utf8).write(to: file)
    try FileManager.default.setAttributes([.posixPermissions: 0o444], ofItemAtPath: file.path)
    let loop = folder.url.appending(path: "loop")
    try FileManager.default.createSymbolicLink(atPath: loop.path, withDestinationPath: "loop")
    for (file, reason) in [
      (file, "it is read-only (mode 444)"), (URL(filePath: "/dev/null"), "it is not a plain file"),
      (loop, "Too many levels of symbolic links"),
    ] {
      let error = FileError.unwritable(file.relativePath, reason: reason)
      #expect(throws: error) { try FileError.probeWriting(to: file) }
      #expect(throws: error) { try FileError.writing(Data("new".utf8), to: file) }
    }
    try expectEqual(String(contentsOf: file, encoding: .utf8), "old")
  }
}
