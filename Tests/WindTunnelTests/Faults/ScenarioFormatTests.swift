import Foundation
import Mutations
import Testing

@testable import WindTunnel
@testable import WindTunnelCassettes

@Suite struct ScenarioFormatTests {
  private func rule(_ text: String) -> String {
    refusal { try Scenario(json: #"{"windtunnelScenario":1,"name":"s","rules":[\#(text)]}"#) }
  }

  private func fault(_ text: String) -> String { rule(#"{"faults":[{"status":503},\#(text)]}"#) }

  @Test(arguments: [
    ("[]", "s.json: an object should stand here."),
    (
      #"{"name":"s"}"#,
      "s.json: not a scenario: the key \"windtunnelScenario\" is missing. A scenario begins with { \"windtunnelScenario\": 1, …"
    ),
    (
      #"{"windtunnelScenario":3,"name":"s"}"#,
      "s.json: this is a version 3 scenario, and this windtunnel reads version 1. Update windtunnel."
    ),
    (#"{"windtunnelScenario":1}"#, "s.json, name: a scenario needs a name."),
    (#"{"windtunnelScenario":1,"name":""}"#, "s.json, name: a scenario needs a name."),
    (
      #"{"windtunnelScenario":1,"name":"s","critical":["GET /",7]}"#,
      "s.json, critical[1]: 7 is no request pattern such as \"GET /home\"."
    ),
    (
      #"{"windtunnelScenario":1,"name":"s","gates":{}}"#, "s.json, gates: a list should stand here."
    ),
    (
      #"{"windtunnelScenario":1,"name":"s","gates":["calls >= 1",1]}"#,
      "s.json, gates[1]: 1 is no gate such as \"successRate >= 0.99\"."
    ),
    (
      #"{"windtunnelScenario":1,"name":"s","gates":["calls >= 1","p95(GET /home) <= 3"]}"#,
      "s.json, gates[1], column 19: p95 is a time, and 3 has no unit. Write for example p95 <= 800ms."
    ),
    (
      #"{"windtunnelScenario":1,"name":"s","expects":["stale","fresh"]}"#,
      "s.json, expects[1]: \"fresh\" is nothing that can be asked of a client. What can: \"stale\"."
    ),
    (
      #"{"windtunnelScenario":1,"name":"s","credential":{}}"#,
      "s.json, credential.issuer: it says which request asks for a new credential. Write for example \"issuer\": \"POST /login\"."
    ),
    (
      #"{"windtunnelScenario":1,"name":"s","credential":{"issuer":"post /login"}}"#,
      "s.json, credential.issuer: \"post\" is no method that clients send: methods are case-sensitive. Write \"POST /login\"."
    ),
    (
      #"{"windtunnelScenario":1,"name":"s","credential":{"issuer":"POST /login","field":"two words"}}"#,
      "s.json, credential.field: \"two words\" is no name of a header field such as Authorization."
    ),
    (
      #"{"windtunnelScenario":1,"name":"s","rules":[{"when":{"credential":"expired"},"faults":[{"status":401}]}]}"#,
      "s.json, rules[0].when.credential: nobody says here who issues it, so no client could get another. Name the issuer: \"credential\": {\"issuer\": \"POST /login\"}."
    ),
    (
      #"{"windtunnelScenario":1,"name":"s","credential":{"issuer":"POST /login"},"rules":[{"when":{"credential":"expired"},"faults":[{"status":401}]},{"when":{"fromCall":9,"credential":"expired"},"faults":[{"status":401}]}]}"#,
      "s.json, rules[1].when.credential: a credential expires once in a scenario, and rules[0] is about that. Write one rule with all of its faults, or another scenario."
    ),
    (
      #"{"windtunnelScenario":1,"name":"s","credential":{"issuer":"POST /login"},"rules":[{"when":{"first":2,"credential":"expired"},"faults":[{"status":401}]}]}"#,
      "s.json, rules[0].when.credential: a credential expires for all calls that a range has, and nothing else can be said beside that. Leave \"request\", \"fromCall\" and \"untilCall\" beside it."
    ),
    (
      #"{"windtunnelScenario":1,"name":"s","rule":[]}"#,
      "s.json, rule: unknown key. Did you mean \"rules\"?"
    ),
    (
      #"{"windtunnelScenario":1,"name":"s","link":{"delayMillis":1}}"#,
      "s.json, link.delayMillis: unknown key. Known here: preset, dnsDelayMilliseconds, shared, delayMilliseconds, jitterMilliseconds, jitterDistribution, jitterCorrelation, bitsPerSecond, queueBytes, queuePackets, lossProbability, loss, upDelayMilliseconds, upJitterMilliseconds, upJitterDistribution, upJitterCorrelation, upBitsPerSecond, upQueueBytes, upQueuePackets, upLossProbability, upLoss, downDelayMilliseconds, downJitterMilliseconds, downJitterDistribution, downJitterCorrelation, downBitsPerSecond, downQueueBytes, downQueuePackets, downLossProbability, downLoss."
    ),
    (
      #"{"windtunnelScenario":1,"name":"s","link":{"upLossProbability":2}}"#,
      "s.json, link.upLossProbability: 2 is not a number from 0.0 to 1.0."
    ),
  ])
  func `a scenario that is none is refused in a sentence`(text: String, sentence: String) {
    #expect(refusal { try Scenario(json: text) } == sentence)
  }

  @Test(arguments: [
    ("7", ": an object should stand here."),
    ("{}", ".faults: a list of at least one fault should stand here."),
    (#"{"faults":[]}"#, ".faults: a list of at least one fault should stand here."),
    (#"{"faults":[{"status":503}],"then":1}"#, ".then: unknown key. Did you mean \"when\"?"),
    (
      #"{"when":{"first":0},"faults":[{"status":503}]}"#,
      ".when.first: 0 is not a whole number from 1 to 1000000000."
    ),
    (
      #"{"when":{"probability":1.5},"faults":[{"status":503}]}"#,
      ".when.probability: 1.5 is not a number from 0.0 to 1.0."
    ),
    (
      #"{"when":{"frist":1},"faults":[{"status":503}]}"#,
      ".when.frist: unknown key. Did you mean \"first\"?"
    ),
    (
      #"{"when":{"first":2,"attempt":3},"faults":[{"status":503}]}"#,
      ".when.attempt: request 3 is none of the first 2, so this never fires. What does: 1 to 2."
    ),
    (
      #"{"when":{"every":2,"attempt":3},"faults":[{"status":503}]}"#,
      ".when.every: 3 is no multiple of 2, so this never fires. Write one of the two."
    ),
    (
      #"{"when":{"every":3,"first":2},"faults":[{"status":503}]}"#,
      ".when.every: none of the first 2 is a multiple of 3, so this never fires. What does: 1 to 2."
    ),
    (
      #"{"when":{"header":"two words"},"faults":[{"status":503}]}"#,
      ".when.header: \"two words\" is no name of a header field such as Authorization."
    ),
    (
      #"{"when":{"header":"A","withoutHeader":"B"},"faults":[{"status":503}]}"#,
      ".when.withoutHeader: this stands beside \"header\". Write one of the two; a second rule can ask for the other."
    ),
    (
      #"{"when":{"untilHeaderChanges":""},"faults":[{"status":503}]}"#,
      ".when.untilHeaderChanges: \"\" is no name of a header field such as Authorization."
    ),
    (
      #"{"when":{"critical":1},"faults":[{"status":503}]}"#,
      ".when.critical: true or false should stand here."
    ),
    (
      #"{"when":{"burst":{"goodToBad":1.5,"badToGood":1}},"faults":[{"status":503}]}"#,
      ".when.burst.goodToBad: 1.5 is not a number from 0.0 to 1.0."
    ),
    (
      #"{"when":{"burst":{"goodToBad":0.5}},"faults":[{"status":503}]}"#,
      ".when.burst.badToGood: a burst needs this probability, from 0 to 1."
    ),
    (
      #"{"when":{"burst":{"goodToBad":0,"badToGood":0}},"faults":[{"status":503}]}"#,
      ".when.burst.goodToBad: a chain that goes neither way never moves."
    ),
    (
      #"{"when":{"fromMilliseconds":2,"untilMilliseconds":2},"faults":[{"status":503}]}"#,
      ".when.untilMilliseconds: this is not after \"fromMilliseconds\", so the time is over before it begins."
    ),
    (
      #"{"when":{"fromMilliseconds":-1},"faults":[{"status":503}]}"#,
      ".when.fromMilliseconds: -1 is not a number from 0.0 to 86400000.0."
    ),
  ])
  func `a rule that is none is refused with its place`(text: String, sentence: String) {
    #expect(rule(text) == "s.json, rules[0]\(sentence)")
  }

  @Test(arguments: [
    (
      "{}",
      ": no fault is named here. Write for example { \"status\": 503 } or { \"delayMilliseconds\": 300 }."
    ),
    (
      #"{"status":503,"close":"afterRequest"}"#,
      ": 2 faults stand in one object. Give each an object of its own; they are composed in order."
    ),
    (#"{"status":1000}"#, ".status: 1000 is not a whole number from 200 to 599."),
    (
      #"{"retryAfterSeconds":1}"#, ".retryAfterSeconds: a Retry-After needs a status to stand with."
    ),
    (#"{"jitterMilliseconds":1}"#, ".delayMilliseconds: jitter and range need a delay."),
    (
      #"{"delayMilliseconds":5,"throughMilliseconds":4}"#,
      ".throughMilliseconds: 4.0 is less than the delay of 5.0."
    ),
    (
      #"{"delayMilliseconds":5,"throughMilliseconds":6,"jitterMilliseconds":1}"#,
      ".jitterMilliseconds: a delay has a jitter or a range, not both."
    ),
    (
      #"{"reset":"afterrequest"}"#,
      ".reset: \"afterrequest\" is none of afterRequest, inStatusLine, inHeaders, inChunk. Did you mean \"afterRequest\"?"
    ),
    (#"{"connect":"off"}"#, ".connect: \"off\" is none of offline, refused, timeout."),
    (
      #"{"tls":"expird"}"#,
      ".tls: \"expird\" is none of the 43 names, such as handshakeFailure, that the schema lists. Did you mean \"expired\"?"
    ),
    (#"{"lostSYNs":0}"#, ".lostSYNs: 0 is not a whole number from 1 to 4."),
    (#"{"lostSYNs":5}"#, ".lostSYNs: 5 is not a whole number from 1 to 4."),
    (
      #"{"lostSYNs":1,"connect":"timeout"}"#,
      ": 2 faults stand in one object. Give each an object of its own; they are composed in order."
    ),
    (
      #"{"mutate":"nul"}"#,
      ".mutate: \"nul\" is none of null, missing, wrongType, extra, truncate, status. Did you mean \"null\"?"
    ),
    (
      #"{"mutate":"null","at":"user.name"}"#,
      ".at: \"user.name\" is no JSON path such as $.user.name or $..id."
    ),
    (#"{"at":"$.name"}"#, ".at: this belongs to a \"mutate\"."),
    (
      #"{"mutate":"status","at":"$.name"}"#,
      ".at: this does not go with \"status\". What does: to."
    ),
    (
      #"{"mutate":"truncate","afterBodyBytes":1,"draw":0.5}"#,
      ".draw: a place is named or drawn, not both."
    ),
    (
      #"{"mutate":"null","status":503}"#,
      ": 2 faults stand in one object. Give each an object of its own; they are composed in order."
    ),
    (
      #"{"delayMilliseconds":-5}"#,
      ".delayMilliseconds: -5 is not a number from 0.0 to 86400000.0."
    ),
    (
      #"{"status":503,"retryAfter":"tomorrow"}"#,
      ".retryAfter: \"tomorrow\" is none of date, pastDate, huge, garbage, negative, twoFields."
    ),
    (
      #"{"status":503,"retryAfter":"huge","retryAfterSeconds":1}"#,
      ".retryAfterSeconds: of the spellings only \"date\" goes with seconds."
    ),
    (#"{"retryAfter":"huge"}"#, ".retryAfter: a Retry-After needs a status to stand with."),
    (#"{"forMilliseconds":5}"#, ".forMilliseconds: this belongs to a \"stall\"."),
    (
      #"{"reset":"inHeaders","resetAfterBytes":4}"#,
      ": 2 faults stand in one object. Give each an object of its own; they are composed in order."
    ),
    (
      #"{"dribbleBytes":1}"#,
      ".everyMilliseconds: a dribble needs this time, 0 to 86400000."
    ),
    (#"{"everyMilliseconds":1}"#, ".everyMilliseconds: this belongs to \"dribbleBytes\"."),
    (
      #"{"dribbleBytes":0,"everyMilliseconds":1}"#,
      ".dribbleBytes: 0 is not a whole number from 1 to 1073741824."
    ),
    (
      #"{"throttleBytesPerSecond":0}"#,
      ".throttleBytesPerSecond: 0 is not a whole number from 1 to 1073741824."
    ),
    (
      #"{"keepAlive":"closeAfterIdle"}"#,
      ".idleMilliseconds: closeAfterIdle needs this time, 0 to 86400000."
    ),
    (
      #"{"keepAlive":"resetOnNextRequest","idleMilliseconds":1}"#,
      ".idleMilliseconds: this does not go with \"resetOnNextRequest\"."
    ),
    (#"{"idleMilliseconds":1}"#, ".idleMilliseconds: this belongs to a \"keepAlive\"."),
    (#"{"webSocket":"closeFrame"}"#, ".code: closeFrame needs it."),
    (#"{"webSocket":"late","message":2}"#, ".waitMilliseconds: late needs it."),
    (
      #"{"webSocket":"reset","waitMilliseconds":1}"#,
      ".waitMilliseconds: this does not go with \"reset\"."
    ),
    (
      #"{"webSocket":"noPong","message":2}"#, ".message: this does not go with \"noPong\"."
    ),
    (#"{"code":1000}"#, ".code: this belongs to a \"webSocket\"."),
    (
      #"{"webSocket":"close","message":0}"#,
      ".message: 0 is not a whole number from 1 to 1073741824."
    ),
    (
      #"{"answer":"captivePortal"}"#,
      ".answer: \"captivePortal\" is none of proxyAuthentication, captivePortalRedirect, captivePortalPage, redirectLoop, redirectWithoutLocation, redirectElsewhere, redirectToHTTP. Did you mean \"captivePortalPage\"?"
    ),
    (
      #"{"contentType":"a\nb"}"#,
      ".contentType: a field's value has no line breaks and no NUL."
    ),
    (
      #"{"headerFields":100001}"#, ".headerFields: 100001 is not a whole number from 1 to 100000."
    ),
    (#"{"stauts":503}"#, ".stauts: unknown key. Did you mean \"status\"?"),
    (
      #"{"truncateAfterBodyBytes":-1}"#,
      ".truncateAfterBodyBytes: -1 is not a whole number from 0 to 1125899906842624."
    ),
  ])
  func `a fault that is none is refused with its place`(text: String, sentence: String) {
    #expect(fault(text) == "s.json, rules[0].faults[1]\(sentence)")
  }

  @Test(arguments: 0..<60)
  func `what is written is read as it was`(seed: UInt64) throws {
    var generator = Generator(seed: seed)
    let scenario = generator.scenario()
    #expect(try Scenario(data: scenario.data(), source: "s") == scenario, "seed \(seed)")
  }

  @Test(arguments: 0..<30)
  func `no mutation of a scenario crashes, and what is accepted stays itself`(seed: UInt64) throws {
    var generator = Generator(seed: seed)
    for _ in 0..<60 {
      let text = generator.mutated(Array(generator.scenario().data()))
      // A refused text is what other tests are about.
      guard let scenario = try? Scenario(data: Data(text), source: "s") else { continue }
      #expect(try Scenario(data: scenario.data(), source: "s") == scenario, "seed \(seed)")
    }
  }

  @Test func `a link's words for both directions are overruled by those for one`() throws {
    let text = """
      {"windtunnelScenario":1,"name":"s",
       "link":{"delayMilliseconds":50,"downDelayMilliseconds":10,"bitsPerSecond":780e3}}
      """
    #expect(
      try Scenario(json: text).link
        == Link(
          up: .init(delay: .milliseconds(50), bitsPerSecond: 780_000),
          down: .init(delay: .milliseconds(10), bitsPerSecond: 780_000)
        )
    )
  }

  @Test func `a jitter is written as a range`() throws {
    let text = """
      {"windtunnelScenario":1,"name":"s",
       "rules":[{"faults":[{"delayMilliseconds":300,"jitterMilliseconds":50}]}]}
      """
    #expect(
      try Scenario(json: text).rules == [
        .always(.always, .delay(Fault.Spread(.milliseconds(250), through: .milliseconds(350))))
      ]
    )
  }
}
