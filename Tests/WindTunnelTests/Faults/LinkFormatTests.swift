import Testing

@testable import WindTunnel

@Suite struct LinkFormatTests {
  private static func link(_ text: String) throws -> Link? {
    try Scenario(json: #"{"windtunnelScenario":1,"name":"s","link":\#(text)}"#).link
  }

  @Test(arguments: [
    (
      #"{"loss":{"gilbertElliott":{"goodToBad":0.02}}}"#,
      "link.loss.gilbertElliott.badToGood: a probability from 0 to 1 is missing."
    ),
    (
      #"{"loss":{"gilbertElliott":{"goodToBad":0.02,"badToGood":1.5}}}"#,
      "link.loss.gilbertElliott.badToGood: 1.5 is not a number from 0.0 to 1.0."
    ),
    (
      #"{"upLoss":{"gilbertElliott":{"goodToBad":0,"badToGood":0}}}"#,
      "link.upLoss.gilbertElliott.goodToBad: a chain that never moves has no bursts. Give \"lossProbability\", or one of \"goodToBad\" and \"badToGood\" above 0."
    ),
    (
      #"{"loss":{"gilbertEliott":{}}}"#,
      "link.loss.gilbertEliott: unknown key. Did you mean \"gilbertElliott\"?"
    ),
    (
      #"{"loss":{}}"#,
      "link.loss: one of \"bernoulli\", \"gilbertElliott\" and \"script\" should stand here."
    ),
    (
      #"{"loss":{"bernoulli":0.1,"script":{}}}"#,
      "link.loss: one of \"bernoulli\", \"gilbertElliott\" and \"script\" should stand here."
    ),
    (
      #"{"loss":{"script":{"data":[1,0]}}}"#,
      "link.loss.script.data[1]: 0 is not a whole number from 1 to 1000000000."
    ),
    (
      #"{"lossProbability":0.1,"loss":{"bernoulli":0.1}}"#,
      "link.loss: \"lossProbability\" stands here, too. Give one of them."
    ),
    (
      #"{"delayMilliseconds":-1}"#,
      "link.delayMilliseconds: -1 is not a number from 0.0 to 3600000.0."
    ),
    (
      #"{"dnsDelayMilliseconds":-1}"#,
      "link.dnsDelayMilliseconds: -1 is not a number from 0.0 to 3600000.0."
    ),
    (
      #"{"delayMilliseconds":50,"upJitterMilliseconds":80}"#,
      "link.upJitterMilliseconds: 80 ms is more than the delay of 50 ms."
    ),
    (
      #"{"jitterDistribution":"normal"}"#,
      "link.jitterDistribution: there is no jitter that it could shape. Give \"jitterMilliseconds\"."
    ),
    (
      #"{"delayMilliseconds":5,"jitterMilliseconds":5,"jitterDistribution":"norml"}"#,
      "link.jitterDistribution: \"norml\" is none of even, normal. Did you mean \"normal\"?"
    ),
    (
      #"{"downQueuePackets":5}"#,
      "link.downQueuePackets: nothing waits where there is no rate. Give \"bitsPerSecond\"."
    ),
    (
      #"{"shared":true}"#,
      "link.shared: there is no rate to share. Give \"bitsPerSecond\"."
    ),
    (
      #"{"preset":"nlc/3gg"}"#,
      "link.preset: there is no preset \"nlc/3gg\". Did you mean \"nlc/3g\"?"
    ),
    (
      #"{"preset":"LTE"}"#,
      "link.preset: there is no preset \"LTE\". Did you mean \"nlc/lte\"?"
    ),
    (
      #"{"preset":"carrier pigeon"}"#,
      "link.preset: there is no preset \"carrier pigeon\". All of them: windtunnel presets list."
    ),
  ])
  func `a link that makes no sense is refused with the path to the field`(
    text: String,
    sentence: String
  ) {
    #expect(refusal { try Self.link(text) } == "s.json, \(sentence)")
  }

  @Test func `a preset's link is overruled by what stands beside it`() throws {
    let text = """
      { "preset": "nlc/3g", "downDelayMilliseconds": 60, "dnsDelayMilliseconds": 20,
        "shared": true,
        "loss": { "gilbertElliott": { "goodToBad": 0.02, "badToGood": 0.25 } },
        "upLossProbability": 0 }
      """
    let burst = GilbertElliott(goodToBad: 0.02, badToGood: 0.25, lossInGood: 0, lossInBad: 1)
    #expect(
      try Self.link(text)
        == Link(
          up: .init(delay: .milliseconds(100), bitsPerSecond: 330_000),
          down: .init(
            delay: .milliseconds(60),
            bitsPerSecond: 780_000,
            loss: .gilbertElliott(burst)
          ),
          dnsDelay: .milliseconds(20),
          isShared: true
        )
    )
  }

  @Test func `every word of a link is read`() throws {
    let text = """
      { "delayMilliseconds": 50, "jitterMilliseconds": 10, "jitterCorrelation": 0.25,
        "upJitterDistribution": "normal", "bitsPerSecond": 1000, "downQueuePackets": 7,
        "upQueueBytes": 9, "downLoss": { "script": { "packets": [1], "handshake": [2], "data": [3],
        "acknowledgements": [4] } } }
      """
    #expect(
      try Self.link(text)
        == Link(
          up: .init(
            delay: .milliseconds(50),
            jitter: Jitter(.milliseconds(10), distribution: .normal, correlation: 0.25),
            bitsPerSecond: 1000,
            queueBytes: 9
          ),
          down: .init(
            delay: .milliseconds(50),
            jitter: Jitter(.milliseconds(10), correlation: 0.25),
            bitsPerSecond: 1000,
            queuePackets: 7,
            loss: .script(
              LossScript(packets: [1], handshake: [2], data: [3], acknowledgements: [4])
            )
          )
        )
    )
  }

  @Test func `a share of none is no loss, whatever a preset had`() throws {
    let link = try Self.link(#"{"preset":"nlc/very-bad-network","lossProbability":0}"#)
    #expect(link?.up.loss == LossModel.none && link?.down.loss == LossModel.none)
  }
}
