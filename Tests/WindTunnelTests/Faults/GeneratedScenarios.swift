@testable import WindTunnel

extension Generator {
  // Texts that do not read would be missing here; the parser's own tests are about that.
  private static let gates = ["successRate >= 99 %", "p95(POST /payments) <= 3s"]
    .compactMap { try? Gate($0) }

  mutating func scenario() -> Scenario {
    let faults: [Fault] = [
      .delay(.exactly(.milliseconds(300))), .status(404), .status(429, retryAfter: .seconds(1)),
      .delay(Fault.Spread(.microseconds(1), through: .seconds(2))), .reset(), .close, .stall(),
      .reset(afterBodyBytes: 0), .stall(afterBodyBytes: 7), .truncate(afterBodyBytes: 1),
      .connection(.offline), .connection(.refused), .connection(.hostNotFound),
      .connection(.tls(pick(TLSFault.allCases))), .mutate(.null(at: "$.a['b c'][0]..d")),
      .mutate(.missing()), .mutate(.field(.wrongType, .drawn(pick([0, 1, 1.0 / 3, 0.25, 1e-12])))),
      .mutate(.extra()), .mutate(.truncate(afterBodyBytes: 7)), .mutate(.truncate()),
      .mutate(.cut(.drawn(0.5))), .mutate(.status(nil)), .mutate(.status(404)),
    ]
    func direction(_ generator: inout Generator) -> Link.Direction {
      var direction = Link.Direction(
        delay: .microseconds(generator.pick([0, 1, 50_500])),
        bitsPerSecond: generator.pick([nil, 780_000, 1.0 / 3 + 1]),
        queueBytes: generator.pick([nil, 1, 1 << 40]),
        lossProbability: generator.pick([0, 1, 1.0 / 3, 1e-12])
      )
      let chain = GilbertElliott(goodToBad: 1.0 / 3, badToGood: 0, lossInGood: 1e-12, lossInBad: 1)
      let script = LossScript(packets: [1, 1_000_000_000], acknowledgements: [3, 2])
      direction.loss = generator.pick([
        direction.loss, .gilbertElliott(chain), .script(script), .script(LossScript()),
      ])
      if direction.delay > .zero {
        direction.jitter = generator.pick([
          nil, Jitter(.microseconds(1)),
          Jitter(direction.delay, distribution: .normal, correlation: 1.0 / 3),
        ])
      }
      if direction.bitsPerSecond != nil { direction.queuePackets = generator.pick([nil, 1, 50]) }
      return direction
    }
    let patterns: [RequestPattern] = ["GET /home", "POST https://a.example/*", "* /**", "/x"]
    let rules = (0..<Int.random(in: 0...3, using: &self)).map { _ in
      let trigger = Trigger(
        request: pick([nil, "GET /users/*", "/**"]),
        first: pick([nil, 1, 1_000_000_000]),
        attempt: pick([nil, 3]),
        every: pick([nil, 2]),
        probability: pick([nil, 0, 1, 1.0 / 3, 0.1, 1e-10])
      )
      var rule = Rule(when: trigger, [pick(faults), pick(faults)])
      if Bool.random(using: &self) { rule.innerNotes["faults[1]"] = [JSON.Member("_a", [1])] }
      if Bool.random(using: &self) { rule.innerNotes["when"] = [JSON.Member("_b", nil)] }
      return rule
    }
    var scenario = Scenario(
      pick(["a", "métro \"1\"", "\n"]),
      summary: pick([nil, "", "words"]),
      link: Bool.random(using: &self) ? Link(up: direction(&self), down: direction(&self)) : nil,
      rules: rules,
      critical: Bool.random(using: &self) ? patterns : [],
      gates: Bool.random(using: &self) ? Self.gates : []
    )
    scenario.link?.dnsDelay = .microseconds(pick([0, 0, 3_000_001]))
    if scenario.link?.up.bitsPerSecond != nil { scenario.link?.isShared = pick([true, false]) }
    if Bool.random(using: &self) { scenario.notes = [JSON.Member("_", [:])] }
    return scenario
  }
}
