import Mutations

@testable import WindTunnel

extension Generator {
  // Texts that do not read would be missing here; the parser's own tests are about that.
  private static let gates = ["successRate >= 99 %", "p95(POST /payments) <= 3s"]
    .compactMap { try? Gate($0) }

  mutating func scenario() -> Scenario {
    let faults: [Fault] = [
      .delay(.exactly(.milliseconds(300))), .status(404), .status(429, retryAfter: .seconds(1)),
      .delay(Fault.Spread(.microseconds(1), through: .seconds(2))), .reset(.afterRequest), .close,
      .stall(.afterRequest),
      .reset(afterBodyBytes: 0), .stall(afterBodyBytes: 7), .truncate(afterBodyBytes: 1),
      .connection(.offline), .connection(.refused), .connection(.hostNotFound),
      .connection(.connectTimeout), .connection(.lostSYNs(pick([1, 4]))),
      .connection(.tls(pick(TLSFault.allCases))), .mutate(.null(at: "$.a['b c'][0]..d")),
      .mutate(.missing()), .mutate(.field(.wrongType, .drawn(pick([0, 1, 1.0 / 3, 0.25, 1e-12])))),
      .mutate(.extra()), .mutate(.truncate(afterBodyBytes: 7)), .mutate(.truncate()),
      .mutate(.cut(.drawn(0.5))), .mutate(.status(nil)), .mutate(.status(404)),
      .reset(pick([.inStatusLine, .inHeaders, .inChunk, .inChunk(3), .byte(40)])),
      .close(pick([.inStatusLine, .inHeaders, .inChunk, .inChunk(0), .byte(0)])),
      .halfClose(pick([.afterRequest, .inHeaders, .body(1)])),
      .stall(afterBytes: 1, for: .microseconds(1500)), .stall(afterBodyBytes: 0, for: .seconds(2)),
      .stall(.inHeaders), pick(FaultKind.all).fault,
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
    // Those that can fire: others are refused.
    let ordinals: [(first: Int?, attempt: Int?, every: Int?)] = [
      (nil, nil, nil), (1, nil, nil), (1_000_000_000, 3, nil), (nil, 3, nil), (nil, 4, 2),
      (1_000_000_000, nil, 2), (nil, nil, 2),
    ]
    let rules = (0..<Int.random(in: 0...3, using: &self)).map { _ in
      let ordinal = pick(ordinals)
      let trigger = Trigger(
        request: pick([nil, "GET /users/*", "/**"]),
        header: pick([nil, .present("Accept"), .absent("Cookie"), .equal("A", to: "b: c")]),
        isCritical: pick([nil, true, false]),
        first: ordinal.first,
        attempt: ordinal.attempt,
        every: ordinal.every,
        probability: pick([nil, 0, 1, 1.0 / 3, 0.1, 1e-10]),
        burst: pick([nil, Burst(goodToBad: 1.0 / 3, badToGood: 0)]),
        window: pick([
          nil, TimeWindow(until: .seconds(1)), TimeWindow(from: .microseconds(1500)),
          TimeWindow(from: .seconds(1), until: .seconds(3)),
        ]),
        untilHeaderChanges: pick([nil, "Authorization"]),
        credential: pick([nil, .any]),
        recording: pick([nil, 1, 1_000_000_000])
      )
      let fault = pick(faults)
      // Those that can happen as well: others are refused.
      let others = faults.filter { FaultConflict([fault, $0]) == nil }
      var rule = FaultRule(when: trigger, [fault, pick(others)])
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
    // A rule for critical requests wants some to be critical.
    if rules.contains(where: { $0.trigger.isCritical == true }) { scenario.critical = patterns }
    if rules.contains(where: { $0.trigger.credential != nil }) {
      scenario.credential = Credential(issuer: "/login", field: pick(["Authorization", "Cookie"]))
    }
    (scenario.class, scenario.bars) = (pick([nil, "a", "\n"]), pick([[], Self.gates]))
    scenario.link?.dnsDelay = .microseconds(pick([0, 0, 3_000_001]))
    if scenario.link?.up.bitsPerSecond != nil { scenario.link?.isShared = pick([true, false]) }
    if Bool.random(using: &self) { scenario.notes = [JSON.Member("_", [:])] }
    return scenario
  }
}
