import TestSupport

@testable import WindTunnel

/// What is in `Cassettes/format` was written by some version, and loads for ever; what is in
/// `Cassettes/hostile` is refused in the words of its row in `Data/hostile-files.json`.
@Suite struct ShippedFilesTests {
  private static func isScenario(_ file: URL) -> Bool {
    file.lastPathComponent.hasPrefix("scenario")
  }

  @Test func `every good file of every version loads and is written as it stands`() throws {
    let files = try shipped("format")
    #expect(files.count >= 5)
    for file in files {
      let text = try Data(contentsOf: file)
      if file.lastPathComponent.hasPrefix("match") {
        let matcher = try Matcher(contentsOf: file, over: .pathAndQuery)
        let again = Data(matcher.json(over: .pathAndQuery).bytes())
        try expectEqual(Matcher(data: again, source: "again", over: .pathAndQuery), matcher)
      } else if Self.isScenario(file) {
        try expectEqual(Scenario(contentsOf: file).data(), text, "\(file.lastPathComponent)")
      } else if file.lastPathComponent.contains("by-hand") {
        #expect(try !Cassette(contentsOf: file).interactions.isEmpty)
      } else if !file.lastPathComponent.contains("side-file") {
        try expectEqual(Cassette(contentsOf: file).data(), text, "\(file.lastPathComponent)")
      } else {
        try expectEqual(
          Cassette(contentsOf: file).interactions[0].response?.body.text,
          "hello, side\n"
        )
      }
    }
  }

  @Test func `the match file that ships means what it meant`() throws {
    let file = try #require(
      try shipped("format").first { $0.lastPathComponent.contains("match-1-") }
    )
    var meant = Matcher(authority: .required)
    meant.comparesMethod = false
    meant.origin = [.host]
    (meant.isPathExact, meant.isQueryExact) = (true, true)
    meant.paths = ["/users/{id}", "/users/{id}/orders/{order}"]
    meant.ignoredQuery = ["page", "utm_*"]
    meant.headers = ["Accept", "Accept-Language"]
    meant.body = BodyRule(
      .byType,
      ignoring: ["$.meta.timestamp", "$.items[*].id", "$..requestId", "$['any name'][0]"],
      fields: ["csrf"]
    )
    meant.comparesOrder = false
    meant.ignoredOutput = [LinePattern("3 passed in *")]
    try expectEqual(Matcher(contentsOf: file, over: .pathAndQuery), meant)
  }

  @Test func `every hostile file is refused in good words`() throws {
    let files = try shipped("hostile")
    let rows = try TestData.rows("hostile-files.json", count: 19) as [(String, String)]
    let words = Dictionary(uniqueKeysWithValues: rows)
    expectEqual(files.map { $0.deletingPathExtension().lastPathComponent }, words.keys.sorted())
    for file in files {
      let name = file.deletingPathExtension().lastPathComponent
      let sentence =
        Self.isScenario(file)
        ? refusal { try Scenario(contentsOf: file) } : refusal { try Cassette(contentsOf: file) }
      #expect(sentence.contains(words[name] ?? "no words"), "\(name): \(sentence)")
      #expect(sentence.hasSuffix(".") || sentence.hasSuffix("?") || sentence.hasSuffix("…"))
      #expect(sentence.contains(name), "\(sentence)")
    }
  }
}
