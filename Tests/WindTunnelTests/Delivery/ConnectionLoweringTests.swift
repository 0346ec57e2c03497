import TestSupport
import WindTunnelSymptoms

@testable import WindTunnel

@Suite struct ConnectionLoweringTests {
  @Test(arguments: [
    (ConnectionFault.offline, Symptom.offline), (.refused, .connectionRefused),
    (.hostNotFound, .hostNotFound), (.tls(.expired), .serverCertificateHasBadDate),
    (.tls(.plaintext), .secureConnectionFailed),
  ])
  func `a connection's fault fails in process with its symptom`(
    fault: ConnectionFault,
    symptom: Symptom
  ) {
    let deck = Deck(Cassette(), scenario: [.always(.always, .connection(fault))])
    expectEqual(
      deck.open(lane: .deck, on: .inProcess),
      Delivery([.fail(symptom)], afterwards: .close)
    )
  }

  @Test func `a connection's fault on the wire waits for the ClientHello or resets`() {
    let deliveries = [
      ConnectionFault.refused, .tls(.closeAfterClientHello), .tls(.handshakeFailure),
    ]
    .map { fault in
      Deck(Cassette(), scenario: [.always(.always, .connection(fault))])
        .open(lane: .deck, on: .onTheWire)
    }
    expectEqual(
      deliveries,
      [
        Delivery([.reset], afterwards: .reset),
        Delivery([.await(.clientHello), .close], afterwards: .close),
        Delivery(
          [.await(.clientHello), .bytes(.data(Data([21, 3, 3, 0, 2, 2, 40]))), .close],
          afterwards: .close
        ),
      ]
    )
    expectEqual(Deck(Cassette()).open(lane: .deck, on: .onTheWire), .nothing)
  }

  private func opening(_ faults: [ConnectionFault], on stage: Stage) -> Delivery {
    Deck(Cassette(), scenario: [FaultRule(when: .always, faults.map { .connection($0) })])
      .open(lane: .deck, on: stage)
  }

  @Test func `an attempt that nobody answers ends by the client's own clock`() {
    let silence = Delivery([.stall], afterwards: .close)
    expectEqual(opening([.connectTimeout], on: .inProcess), silence)
    expectEqual(opening([.tls(.stallAfterClientHello)], on: .inProcess), silence)
    expectEqual(opening([.connectTimeout], on: .onTheWire), silence)
    expectEqual(
      opening([.tls(.stallAfterClientHello)], on: .onTheWire),
      Delivery([.await(.clientHello), .stall], afterwards: .close)
    )
  }

  @Test func `lost attempts are time in process, and over once a wire has a connection`() {
    expectEqual(opening([.lostSYNs(2)], on: .inProcess), Delivery([.wait(.seconds(2))]))
    expectEqual(opening([.lostSYNs(2)], on: .onTheWire), .nothing)
    expectEqual(
      opening([.lostSYNs(1), .tls(.expired), .refused], on: .inProcess),
      Delivery([.wait(.seconds(1)), .fail(.serverCertificateHasBadDate)], afterwards: .close)
    )
    expectEqual(
      opening([.lostSYNs(1), .tls(.alert(.accessDenied)), .refused], on: .onTheWire),
      Delivery(
        [.await(.clientHello), .bytes(.data(Data([21, 3, 3, 0, 2, 2, 49]))), .close],
        afterwards: .close
      )
    )
  }

  @Test func `bytes that are no answer to a ClientHello`() {
    func bytes(_ fault: TLSFault) -> Data? {
      let steps = opening([.tls(fault)], on: .onTheWire).steps
      guard steps.count == 3, case .bytes(.data(let data)) = steps[1], steps[2] == .close else {
        return nil
      }
      return data
    }
    #expect(bytes(.garbage)?.count == 64 && bytes(.garbage)?.first == 0xA7)
    let record = bytes(.truncatedRecord)
    // It announces 122 bytes and has 40.
    #expect(record?.prefix(5) == Data([22, 3, 3, 0, 122]) && record?.count == 45)
    expectEqual(
      opening([.tls(.resetAfterClientHello)], on: .onTheWire),
      Delivery([.await(.clientHello), .reset], afterwards: .reset)
    )
  }

  @Test(arguments: TLSFault.allCases)
  func `who needs a certificate shakes hands, and no other`(fault: TLSFault) {
    let delivery = opening([.tls(fault)], on: .onTheWire)
    if let handshake = fault.handshake {
      #expect(handshake != Handshake())
      expectEqual(delivery, Delivery([.shakeHands(handshake)]))
    } else {
      expectEqual(delivery.steps.first, .await(.clientHello))
      #expect(delivery.afterwards != .keep)
    }
  }
}
