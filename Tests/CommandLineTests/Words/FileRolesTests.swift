import TestSupport

/// No command writes over what it was given to read, or over what somebody else has made.
@Suite(.timeLimit(.minutes(5))) struct FileRolesTests {
  private let scratch: Scratch

  init() throws { scratch = try Scratch() }

  @Test(arguments: try TestData.rows("file-roles.json", count: 10) as [(String, String, String)])
  func `a file is not read and written over by one command`(
    line: String,
    written: String,
    read: String
  ) async throws {
    try scratch.write(Texts.cassette, to: "a.json")
    try FileManager.default.createSymbolicLink(
      at: scratch.file("link.json"),
      withDestinationURL: scratch.file("a.json")
    )
    let here = scratch.folder.lastPathComponent
    let words = line.replacing("FOLDER", with: here).split(separator: " ").map(String.init)
    let run = try await scratch.run(words)
    let sentence =
      "windtunnel: \(written.replacing("FOLDER", with: here)) would overwrite an input: "
      + "\(read) names the same file. Name another file.\n"
    expectEqual(run.code, 64)
    #expect(run.out.isEmpty)
    #expect(run.err.hasPrefix(sentence), "\(run.err)")
    try expectEqual(scratch.text("a.json"), Texts.cassette)
  }

  @Test func `a report is not written over one that it is made of`() async throws {
    try scratch.write("{}", to: "a.json")
    let run = try await scratch.run("report a.json --report a.json").exits(64)
    #expect(
      run.err.hasPrefix(
        "windtunnel: --report a.json would overwrite an input: the same file is read."
      )
    )
    try expectEqual(scratch.text("a.json"), "{}")
  }

  @Test(arguments: [("a.har", "b.json"), ("a.json", "b.har")])
  func `a conversion writes over nothing`(input: String, output: String) async throws {
    try scratch.write(Texts.cassette, to: "a.json")
    try scratch.write(Texts.har, to: "a.har")
    try scratch.write("mine", to: output)
    let sentence =
      "windtunnel: \(output) already exists; nothing was written. Name another file, "
      + "or remove it first.\n"
    try await scratch.expect("cassette convert \(input) \(output)", code: 73, err: sentence)
    try expectEqual(scratch.text(output), "mine")
  }

  @Test func `a cassette that is read-only is not written`() async throws {
    try scratch.write(Texts.cassette, to: "a.json")
    try FileManager.default.setAttributes(
      [.posixPermissions: 0o444],
      ofItemAtPath: scratch.file("a.json").path
    )
    let sentence = "windtunnel: a.json cannot be written: it is read-only (mode 444).\n"
    for words in [
      ["cassette", "prune", "a.json", "--number", "1"],
      ["record", "--upstream", "http://127.0.0.1:1", "--cassette", "a.json", "--", "true"],
    ] {
      let run = try await scratch.run(words).exits(73)
      expectEqual(run.err, sentence)
    }
    try expectEqual(scratch.text("a.json"), Texts.cassette)
  }

  @Test func `what would steer a terminal is shown in place of being done`() async throws {
    let tape = { (word: String) in
      #"{"windtunnel":1,"interactions":[{"request":{"url":"/x\u001b[31m"},"#
        + #""response":{"headers":[["Content-Type","text/plain"]],"text":"\#(word)\u001b]0;t\u0007"}}]}"#
    }
    try scratch.write(tape("a"), to: "a.json")
    try scratch.write(tape("b"), to: "b.json")
    let explain = ["cassette", "explain", "--cassette", "a.json", "--request", "GET /y"]
    for words in [
      ["cassette", "show", "a.json"], ["cassette", "show", "a.json", "--number", "1"],
      ["cassette", "diff", "a.json", "b.json"], explain,
    ] {
      let run = try await scratch.run(words)
      #expect(!run.out.contains("\u{1B}") && !run.out.contains("\u{7}"), "\(words)")
      #expect(run.out.contains(#"\u{1B}"#), "\(words): \(run.out)")
    }
  }
}
