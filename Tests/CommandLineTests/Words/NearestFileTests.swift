import TestSupport

/// A file that is not there is told with the one that is likely meant.
@Suite(.timeLimit(.minutes(5))) struct NearestFileTests {
  @Test(arguments: [
    ("apy.json", "Did you mean api.json?"), ("api", "Did you mean api.json?"),
    ("tapes/hme.json", "Did you mean tapes/home.json?"),
    // Neither another ending, nor a folder, nor what is hidden, nor a name of one letter.
    ("notse.json", ""), ("foldr.json", ""), ("hiden.json", ""), ("b.json", ""),
    ("elsewhere.json", ""), ("gone/api.json", ""),
  ])
  func `a misspelt file is told with the nearest beside it`(path: String, advice: String)
    async throws
  {
    let scratch = try Scratch()
    for folder in ["tapes", "folder.json"] {
      try scratch.makeFolder(folder)
    }
    for name in ["api.json", "tapes/home.json", "notes.txt", ".hidden.json", "a.json"] {
      try scratch.write(Texts.cassette, to: name)
    }
    for words in [["serve"], ["cassette", "show"], ["drill", "--cassette"], ["report"]] {
      let sentence = advice.isEmpty ? "no such file." : "no such file. \(advice)"
      let err = "windtunnel: \(path): \(sentence)\n"
      try await scratch.expect(words + [path], code: 66, err: err)
    }
  }

  @Test func `in a folder of very many files no name is proposed`() async throws {
    let scratch = try Scratch()
    for number in 0...1000 { try scratch.write("", to: "\(number).txt") }
    try scratch.write(Texts.cassette, to: "api.json")
    let run = try await scratch.run("serve apy.json")
    expectEqual(run, Program.Run(code: 66, out: "", err: "windtunnel: apy.json: no such file.\n"))
  }
}
