import TestSupport

@testable import WindTunnel

@Suite struct LinkFormatTests {
  private static func link(_ text: String) throws -> Link? {
    try Scenario(json: #"{"windtunnelScenario":1,"name":"s","link":\#(text)}"#).link
  }

  @Test(arguments: try DataFiles.refusals("link", count: 18))
  func `a link that makes no sense is refused with the path to the field`(
    text: String,
    sentence: String
  ) {
    expectEqual(refusal { try Self.link(text) }, "s.json, \(sentence)")
  }

  @Test func `a preset's link is overruled by what stands beside it`() throws {
    let text = """
      { "preset": "nlc/3g", "downDelayMilliseconds": 60, "dnsDelayMilliseconds": 20,
        "shared": true,
        "loss": { "gilbertElliott": { "goodToBad": 0.02, "badToGood": 0.25 } },
        "upLossProbability": 0 }
      """
    let burst = GilbertElliott(goodToBad: 0.02, badToGood: 0.25, lossInGood: 0, lossInBad: 1)
    try expectEqual(
      Self.link(text),
      Link(
        up: .init(delay: .milliseconds(100), bitsPerSecond: 330_000),
        down: .init(delay: .milliseconds(60), bitsPerSecond: 780_000, loss: .gilbertElliott(burst)),
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
    try expectEqual(
      Self.link(text),
      Link(
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
          loss: .script(LossScript(packets: [1], handshake: [2], data: [3], acknowledgements: [4]))
        )
      )
    )
  }

  @Test func `a share of none is no loss, whatever a preset had`() throws {
    let link = try Self.link(#"{"preset":"nlc/very-bad-network","lossProbability":0}"#)
    #expect(link?.up.loss == LossModel.none && link?.down.loss == LossModel.none)
  }
}
