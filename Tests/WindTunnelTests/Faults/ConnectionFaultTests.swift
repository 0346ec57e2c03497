import TestSupport

@testable import WindTunnel

@Suite struct ConnectionFaultTests {
  @Test func `every kind has a name, a layer and a symptom of its own`() {
    let examples = ConnectionFault.examples
    expectEqual(examples.count, 5 + 17 + 26)
    expectEqual(Set(examples.map(\.name)).count, examples.count)
    let layers = Dictionary(grouping: examples, by: \.layer).mapValues { $0.map(\.name) }
    expectEqual(layers[.dns], ["hostNotFound"])
    expectEqual(layers[.tcp], ["offline", "refused", "connectTimeout", "lostSYNs"])
    expectEqual(
      layers[.certificate],
      [
        "tls/untrusted", "tls/selfSigned", "tls/wrongHost", "tls/expired", "tls/notYetValid",
        "tls/unknownRoot", "tls/incompleteChain", "tls/weakSignature", "tls/oldProtocol",
        "tls/clientCertificateRequired",
      ]
    )
    expectEqual(layers[.tls]?.count, 33)
    expectEqual(examples.filter { $0.symptom == nil }.map(\.name), ["lostSYNs"])
  }

  @Test(arguments: ConnectionFault.examples)
  func `what is written is what was read`(fault: ConnectionFault) throws {
    let scenario = Scenario("s", rules: [.always(.always, .connection(fault))])
    try expectEqual(Scenario(data: scenario.data(), source: "s.json"), scenario)
  }

  @Test func `alerts bear the numbers that travel`() {
    expectEqual(
      TLSAlert.allCases.map(\.number).sorted(),
      [
        0, 10, 20, 22, 40, 42, 43, 44, 45, 46, 47, 48, 49, 50, 51, 70, 71, 80, 86, 90, 109, 110,
        112, 113, 115, 116, 120,
      ]
    )
    expectEqual(TLSAlert.unknownCA.record, [21, 3, 3, 0, 2, 2, 48])
    expectEqual(TLSAlert.closeNotify.record, [21, 3, 3, 0, 2, 1, 0])
    expectEqual(TLSAlert.allCases.filter { !$0.isFatal }, [.closeNotify, .userCanceled])
  }

  @Test func `what will become of attempts to connect is asked without deciding it`() {
    let scenario: Scenario = [
      .always(.first(1), .connection(.lostSYNs(3))),
      .always(.attempt(2), .connection(.connectTimeout)),
      .on("GET /n", .always, .connection(.connectTimeout)),
      .always(.attempt(3), .connection(.tls(.expired)), .connection(.lostSYNs(1))),
    ]
    #expect(scenario.losesSYNs)
    let deck = Deck(Cassette(), scenario: scenario)
    for _ in 1...2 {
      expectEqual(
        (1...4).map { deck.synFate(lane: .deck, ordinal: $0) },
        [.lost(3), .unanswered, .lost(1), .answered]
      )
    }
    #expect(deck.journal.all.isEmpty)
    let onRequests: Scenario = [.on("GET /n", .always, .connection(.lostSYNs(1)))]
    #expect(!onRequests.losesSYNs)
  }

  @Test func `a connection that is only late uses its recording up`() {
    #expect(!Fault.connection(.lostSYNs(1)).replacesOrCuts)
    #expect(Fault.connection(.connectTimeout).replacesOrCuts)
  }

  @Test func `a proxy waits in its client's place`() {
    expectEqual(Fault.connection(.lostSYNs(3)).behindProxy, .delay(.exactly(.seconds(3))))
    expectEqual(Fault.connection(.connectTimeout).behindProxy, .stall(.afterRequest))
    expectEqual(Fault.connection(.refused).behindProxy, .status(502))
    expectEqual(Fault.connection(.tls(.garbage)).behindProxy, .connection(.tls(.garbage)))
  }
}
