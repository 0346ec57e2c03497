import TestSupport

@testable import WindTunnel

@Suite struct CassetteFileTests {
  let folder: TemporaryFolder
  let file: URL
  let large = Interaction(
    Request("GET", "/large"),
    Response(body: Body(String(repeating: "x", count: 256 << 10)))
  )
  let name = SHA256.hexadecimal(repeatElement(UInt8(ascii: "x"), count: 256 << 10))

  init() throws {
    folder = try TemporaryFolder()
    file = folder.file("users.json")
  }

  @Test func `a large body lies beside the cassette under its digest`() throws {
    try Cassette([large, large]).write(to: file)
    try expectEqual(folder.names, ["users.bodies", "users.json"])
    let bodies = folder.file("users.bodies")
    let names = try FileManager.default.contentsOfDirectory(atPath: bodies.path)
    expectEqual(names.sorted(), [".gitattributes", name])
    let text = try String(contentsOf: file, encoding: .utf8)
    #expect(text.contains("\"file\": \"\(name)\""))
    #expect(text.utf8.count < 1000)
    try expectEqual(Cassette(contentsOf: file), Cassette([large, large]))
  }

  @Test func `a body below the size stays in the cassette`() throws {
    var small = large
    small.result = .response(Response(body: Body(String(repeating: "x", count: (256 << 10) - 1))))
    try Cassette([small]).write(to: file)
    try expectEqual(folder.names, ["users.json"])
  }

  @Test func `a body that was changed is refused`() throws {
    try Cassette([large]).write(to: file)
    let body = folder.file("users.bodies").appendingPathComponent(name)
    try Data("y".utf8).write(to: body)
    expectEqual(
      refusal { try Cassette(contentsOf: file) },
      "users.bodies/\(name): the bytes do not match the name."
    )
  }

  @Test(arguments: [["\n", "\r\n", "check it out"], ["\r\n", "\n", "record it again"]])
  func `a body whose line ends git has changed is refused with the cause`(row: [String]) throws {
    let text = String(repeating: "a line\(row[0])", count: 50_000)
    try Cassette([Interaction(Request("GET", "/a"), Response(body: Body(text)))]).write(to: file)
    let name = SHA256.hexadecimal(text.utf8)
    let body = folder.file("users.bodies").appendingPathComponent(name)
    try Data(text.replacing(row[0], with: row[1]).utf8).write(to: body)
    let sentence = refusal { try Cassette(contentsOf: file) }
    #expect(sentence.hasPrefix("users.bodies/\(name): its line ends were changed from "))
    #expect(sentence.contains(".gitattributes") && sentence.contains(row[2]), "\(sentence)")
  }

  @Test func `writing again mends a body that was changed`() throws {
    try Cassette([large]).write(to: file)
    try Data("y".utf8).write(to: folder.file("users.bodies").appendingPathComponent(name))
    try Cassette([large]).write(to: file)
    try expectEqual(Cassette(contentsOf: file), Cassette([large]))
  }

  @Test(arguments: ["../users.json", "/etc/passwd", "", "..", "x"])
  func `a name cannot leave the folder`(name: String) {
    let side = SideFiles(of: file)
    expectEqual(
      refusal { try side.read(name) },
      "users.bodies: \"\(name)\" is not the name of a side file. The name is the SHA-256 of the "
        + "bytes."
    )
  }

  @Test func `a write that fails leaves the old cassette as it was`() throws {
    let old = Cassette([Interaction(Request("GET", "/"), .text(Body("old")))])
    try old.write(to: file)
    // A file where the folder of bodies should be: the large body cannot be kept.
    try Data("in the way".utf8).write(to: folder.file("users.bodies"))
    let sentence = refusal { try Cassette([large]).write(to: file) }
    #expect(sentence.contains("users.bodies cannot be written: "), "\(sentence)")
    #expect(!sentence.contains("..") && sentence.hasSuffix("."), "\(sentence)")
    try expectEqual(Cassette(contentsOf: file), old)
    try expectEqual(folder.names, ["users.bodies", "users.json"])
  }

  @Test func `what cannot be read or written is told in a sentence`() throws {
    let missing = URL(fileURLWithPath: "/nowhere/a.json")
    expectEqual(refusal { try Cassette(contentsOf: missing) }, "/nowhere/a.json: no such file.")
    expectEqual(
      refusal { try Cassette(contentsOf: folder.url) },
      "\(folder.url.path) cannot be read: it is a directory."
    )
    expectEqual(
      refusal { try FileError.probeWriting(to: missing) },
      "/nowhere/a.json cannot be written: there is no folder /nowhere."
    )
    expectEqual(
      refusal { try FileError.probeWriting(to: folder.url) },
      "\(folder.url.path) cannot be written: it is a directory."
    )
    expectEqual(
      refusal { try FileError.reading(folder.url, bytesMax: 1) },
      "\(folder.url.path) cannot be read: it is a directory."
    )
    try Data("12345".utf8).write(to: file)
    expectEqual(
      refusal { try FileError.reading(file, bytesMax: 4) },
      "\(file.path) has 5 bytes; the maximum is 4."
    )
  }

  @Test func `a file can be written is told without leaving a trace`() throws {
    try FileError.probeWriting(to: file)
    try expectEqual(folder.names, [])
  }

  #if os(Linux)
    @Test func `a system error at writing is reported in the system's words`() throws {
      let file = URL(fileURLWithPath: "/proc/x")
      let probed = refusal { try FileError.probeWriting(to: file) }
      let written = refusal { try Cassette().write(to: file) }
      expectEqual(probed, "/proc/x cannot be written: No such file or directory.")
      expectEqual(written, "/proc/x cannot be written: No such file or directory.")
    }
  #endif
}
