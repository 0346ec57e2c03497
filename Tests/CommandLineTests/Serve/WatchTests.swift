import TestSupport

/// `serve --watch`: what is saved is played from the next request on.
@Suite(.timeLimit(.minutes(5))) struct WatchTests {
  private static func tape(_ text: String) -> String {
    #"{"windtunnel":1,"interactions":[{"request":{"url":"/a"},"response":{"text":"\#(text)"}}]}"#
  }

  /// Asks until the answer is the one, which no event tells a client; it may only be what it was
  /// until then.
  private static func wait(at url: String, until text: String, was old: String) async {
    while true {
      let body = await ask(url).body
      if body == text { return }
      expectEqual(body, old)
      if body != old { return }
    }
  }

  @Test(arguments: [true, false])
  func `a saved cassette is played, and a broken one is not`(isReplaced: Bool) async throws {
    let scratch = try Scratch()
    // As an editor saves: in place, or by a new file that takes the old one's name.
    func save(_ text: String) throws {
      guard isReplaced else { return try Data(text.utf8).write(to: scratch.file("a.json")) }
      try Data(text.utf8).write(to: scratch.file("a.json~"))
      try #require(rename(scratch.file("a.json~").path, scratch.file("a.json").path) == 0)
    }
    try save(Self.tape("one"))
    let (flight, url) = try await Server.start("a.json", "--watch", in: scratch)
    let place = "\(url)/a"
    await expectEqual(ask(place).body, "one")
    try save(Self.tape("two"))
    await Self.wait(at: place, until: "two", was: "one")
    try save("{")
    while !(try flight.errors().contains("stays in use")) {
      await expectEqual(ask(place).body, "two")
    }
    await expectEqual(ask(place).body, "two")
    try save(Self.tape("three"))
    await Self.wait(at: place, until: "three", was: "two")
    flight.signal(SIGTERM)
    let run = try await flight.end()
    expectEqual(
      run,
      Program.Run(
        code: 0,
        out: "\(url)\n",
        err: """
          a.json: 1 changed, 0 the same
          a.json, line 1, column 2: not JSON: expected a key in quotes. The previous cassette stays in use.
          a.json: 1 changed, 0 the same

          """
      )
    )
  }

  @Test func `a save that is told of twice is complained of once, and the next one again`()
    async throws
  {
    let scratch = try Scratch()
    try scratch.write(Self.tape("one"), to: "a.json")
    let (flight, url) = try await Server.start("a.json", "--watch", in: scratch)
    let sentence = """
      a.json, line 1, column 2: not JSON: expected a key in quotes. The previous cassette stays in use.

      """
    // It takes its place and is still open: its end is told of, too.
    func save(_ text: String) throws -> FileHandle {
      try scratch.write(text, to: "a.json~")
      let file = try FileHandle(forWritingTo: scratch.file("a.json~"))
      try #require(rename(scratch.file("a.json~").path, scratch.file("a.json").path) == 0)
      return file
    }
    for count in 1...2 {
      let file = try save("{")
      while try flight.errors() != String(repeating: sentence, count: count) {
        await expectEqual(ask("\(url)/a").body, "one")
      }
      try file.close()
    }
    // What was told of before this has been dealt with when this has, and half of it is never there.
    try save(Self.tape("two")).close()
    await Self.wait(at: "\(url)/a", until: "two", was: "one")
    flight.signal(SIGTERM)
    let run = try await flight.end()
    expectEqual(run.err, sentence + sentence + "a.json: 1 changed, 0 the same\n")
  }

  @Test func `a saved scenario and saved rules are taken, too`() async throws {
    let scratch = try Scratch()
    func scenario(_ status: Int) -> String {
      #"{"windtunnelScenario":1,"name":"rain","rules":[{"faults":[{"status":\#(status)}]}]}"#
    }
    try scratch.write(Self.tape("one"), to: "a.json")
    try scratch.write(scenario(503), to: "rain.json")
    try scratch.write(#"{"match":1}"#, to: "match.json")
    let words = ["--scenario", "rain.json", "--match", "match.json", "--watch"]
    let (flight, url) = try await scratch.start(["serve", "--cassette", "a.json"] + words)
    await expectEqual(ask("\(url)/a").status, 503)
    // What does not read, or cannot be flown here, changes nothing.
    for text in [
      "[", #"{"windtunnelScenario":1,"name":"x","rules":[{"faults":[{"connect":"refused"}]}]}"#,
    ] {
      let before = try flight.errors()
      try scratch.write(text, to: "rain.json")
      while try flight.errors() == before { await expectEqual(ask("\(url)/a").status, 503) }
    }
    try scratch.write(#"{"windtunnelScenario":1,"name":"sun","rules":[]}"#, to: "rain.json")
    while await ask("\(url)/a").status == 503 {}
    await expectEqual(ask("\(url)/a?b=1").status, 501)
    try scratch.write(#"{"match":1,"ignoreQuery":["b"]}"#, to: "match.json")
    while await ask("\(url)/a?b=1").status == 501 {}
    await expectEqual(ask("\(url)/a?b=1").body, "one")
    let run = try await flight.interrupt().exits(0)
    let lines = run.err.split(separator: "\n")
    // Each 501 is told, too, however often it was asked for while the rules were read.
    let told = lines.filter { !$0.hasPrefix("501: GET /a?b=1 is not on the cassette; ") }
    #expect(told.count == 4 && lines.count > 4, "\(run.err)")
    #expect(told.prefix(2).allSatisfy { $0.hasSuffix("The previous scenario stays in use.") })
    expectEqual(
      told.suffix(2),
      ["rain.json: now running scenario sun", "match.json: new match rules"]
    )
  }
}
