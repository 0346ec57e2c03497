import TestSupport

/// `--console` of the commands that listen.
@Suite(.timeLimit(.minutes(5))) struct ConsoleCommandTests {
  private static let tape = """
    {"windtunnel":1,"interactions":[{"request":{"url":"/a"},"response":{"text":"one"}}]}
    """

  private static func scenario(_ name: String, _ status: Int) -> String {
    """
    {"windtunnelScenario":1,"name":"\(name)","rules":[{"faults":[{"status":\(status)}]}]}
    """
  }

  @Test(arguments: [
    ["serve", "--cassette", "a.json"],
    ["record", "--upstream", "http://127.0.0.1:9", "--cassette", "new.json"], ["proxy"],
  ])
  func `the page's URL is printed, and the page is there until the end`(words: [String])
    async throws
  {
    let scratch = try Scratch()
    try scratch.write(Self.tape, to: "a.json")
    let (flight, url) = try await scratch.start(words + ["--console"])
    let page = try #require(try await flight.line())
    #expect(page.hasPrefix("http://127.0.0.1:") && page.hasSuffix("/") && !page.hasPrefix(url))
    #expect(await ask(page).body.contains("<title>"))
    await expectEqual(ask("\(page)exchanges").body, #"{"rows":[],"dropped":0,"unseen":0}"#)
    try await flight.interrupt().exits(0)
  }

  @Test func `a scenario that is saved begins a segment`() async throws {
    let scratch = try Scratch()
    try scratch.write(Self.tape, to: "a.json")
    try scratch.write(Self.scenario("rain", 503), to: "rain.json")
    let words = ["--cassette", "a.json", "--scenario", "rain.json", "--watch", "--console"]
    let (flight, url) = try await scratch.start(["serve"] + words)
    let page = try #require(try await flight.line())
    await expectEqual(ask("\(url)/a").status, 503)
    try scratch.write(Self.scenario("hail", 500), to: "rain.json")
    while await ask("\(url)/a").status == 503 {}
    let told = await ask("\(page)scenario").body
    #expect(told.contains(#""hail""#) && told.hasSuffix(#""segment":2}"#), "\(told)")
    try await flight.interrupt().exits(0)
  }
}
