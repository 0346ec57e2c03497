import TestSupport

@Suite(.timeLimit(.minutes(5))) struct BarCommandTests {
  private func drill(_ client: String, _ words: String..., seed: Int = 1) async throws
    -> Program.Run
  {
    let common = [
      "drill", "--subject", client, "--scenario", "offline", "--scenario", "outage", "--scenario",
      "dns-failure", "--scenario", "server-errors", "--scenario", "calm", "--stage", "in-process",
      "--clock", "virtual", "--seed", "\(seed)",
    ]
    return try await Scratch().run(common + words)
  }

  private func lines(_ run: Program.Run) -> [String] {
    let lines = run.out.split(separator: "\n").map(String.init).drop { !$0.hasPrefix("bars ") }
    return Array(lines.dropFirst().prefix { !$0.hasPrefix("scenario ") })
  }

  @Test(arguments: 1...3)
  func `a careful client clears the bars of a person`(seed: Int) async throws {
    let run = try await drill("network-layer", "--bars", "mobile", seed: seed).exits(0)
    let bars = lines(run)
    expectEqual(bars.count, 12)
    #expect(bars.allSatisfy { $0.hasSuffix("  met") }, "\(run.out)")
    let blank = bars.suffix(3).map { $0.split(separator: " ").joined(separator: " ") }
    #expect(blank.allSatisfy { $0.contains("<= 0.0 % 0.0 %") }, "\(run.out)")
  }

  @Test func `a client without a cache fails the bar on blank screens`() async throws {
    let run = try await drill("urlsession", "--bars", "mobile").exits(99)
    let failed = lines(run).filter { $0.contains("FAILED in ") }
    expectEqual(failed.count, 1)
    #expect(failed.contains { $0.hasSuffix("FAILED in 1 of 1: server-errors") }, "\(run.out)")
    // Nothing succeeds in the class none, so this client never had a copy there.
    let never = "  warning: this screen was never loaded earlier in this scenario"
    #expect(lines(run).last?.hasSuffix(never) == true, "\(run.out)")
    #expect(run.out.hasSuffix("1 of 12 bars not met\n"), "\(run.out)")
  }

  @Test func `a file of one's own is held as a set that ships`() async throws {
    let scratch = try Scratch()
    let bar = #"{ "class": "all", "gate": "calls >= 1000", "source": "our choice" }"#
    try scratch.write(
      #"{ "windtunnelBars": 1, "name": "ours", "bars": [\#(bar)] }"#,
      to: "bars.json"
    )
    let common = line("drill --subject network-layer --scenario calm --stage in-process")
    let run = try await scratch.run(common + ["--bars", "bars.json"]).exits(99)
    #expect(run.out.contains("\nbars ours  class  bar      worst  in    verdict\n"), "\(run.out)")
    let unknown = try await scratch.run(common + ["--bars", "mobil"]).exits(64)
    #expect(unknown.err.contains("there are mobile, service, strict."), "\(unknown.err)")
  }

  @Test func `screens are named by a flag, and a screen by default fails nothing`() async throws {
    let scratch = try Scratch()
    let feed =
      #"{ "request": { "url": "https://a.test/feed" }, "response": { "json": { "a": 1 } } }"#
    try scratch.write(#"{ "windtunnel": 1, "interactions": [\#(feed)] }"#, to: "api.json")
    let common =
      line("drill --cassette api.json --subject urlsession --scenario outage")
      + line("--stage in-process --gate \("none: blankScreens == 0")")
    let byDefault = try await scratch.run(common).exits(0)
    #expect(byDefault.out.contains("--critical \"GET /feed\" sets yours"), "\(byDefault.out)")
    let named = try await scratch.run(common + ["--critical", "GET /feed"]).exits(99)
    #expect(named.out.contains("none: blankScreens == 0: failed, got 24"), "\(named.out)")
  }
}
