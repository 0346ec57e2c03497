import Mutations
import TestSupport

@testable import WindTunnel

@Suite struct ScenarioFormatTests {
  private func rule(_ text: String) -> String {
    refusal { try Scenario(json: #"{"windtunnelScenario":1,"name":"s","rules":[\#(text)]}"#) }
  }

  private func fault(_ text: String) -> String { rule(#"{"faults":[{"status":503},\#(text)]}"#) }

  @Test(arguments: try DataFiles.refusals("scenario", count: 22))
  func `a scenario that is none is refused in a sentence`(text: String, sentence: String) {
    expectEqual(refusal { try Scenario(json: text) }, sentence)
  }

  @Test(arguments: try DataFiles.refusals("rule", count: 20))
  func `a rule that is none is refused with its place`(text: String, sentence: String) {
    expectEqual(rule(text), "s.json, rules[0]\(sentence)")
  }

  @Test(arguments: try DataFiles.refusals("fault", count: 45))
  func `a fault that is none is refused with its place`(text: String, sentence: String) {
    expectEqual(fault(text), "s.json, rules[0].faults[1]\(sentence)")
  }

  @Test(arguments: 0..<60)
  func `what is written is read as it was`(seed: UInt64) throws {
    var generator = Generator(seed: seed)
    let scenario = generator.scenario()
    try expectEqual(Scenario(data: scenario.data(), source: "s"), scenario, "seed \(seed)")
  }

  @Test(arguments: 0..<30)
  func `no mutation of a scenario crashes, and what is accepted stays itself`(seed: UInt64) throws {
    var generator = Generator(seed: seed)
    for _ in 0..<60 {
      let text = generator.mutated(Array(generator.scenario().data()))
      // A refused text is what other tests are about.
      guard let scenario = try? Scenario(data: Data(text), source: "s") else { continue }
      try expectEqual(Scenario(data: scenario.data(), source: "s"), scenario, "seed \(seed)")
    }
  }

  @Test func `a link's words for both directions are overruled by those for one`() throws {
    let text = """
      {"windtunnelScenario":1,"name":"s",
       "link":{"delayMilliseconds":50,"downDelayMilliseconds":10,"bitsPerSecond":780e3}}
      """
    try expectEqual(
      Scenario(json: text).link,
      Link(
        up: .init(delay: .milliseconds(50), bitsPerSecond: 780_000),
        down: .init(delay: .milliseconds(10), bitsPerSecond: 780_000)
      )
    )
  }

  @Test func `a jitter is written as a range`() throws {
    expectEqual(Fault.delay(.seconds(2)).json, ["delayMilliseconds": 2000])
    let text = """
      {"windtunnelScenario":1,"name":"s",
       "rules":[{"faults":[{"delayMilliseconds":300,"jitterMilliseconds":50}]}]}
      """
    try expectEqual(
      Scenario(json: text).rules,
      [.always(.always, .delay(Fault.Spread(.milliseconds(250), through: .milliseconds(350))))]
    )
  }
}
