import Foundation
import Symptoms
import Testing

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
    #expect(
      deck.open(lane: .deck, on: .inProcess) == Delivery([.fail(symptom)], afterwards: .close)
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
    #expect(
      deliveries == [
        Delivery([.reset], afterwards: .reset),
        Delivery([.await(.clientHello), .close], afterwards: .close),
        Delivery(
          [.await(.clientHello), .bytes(.data(Data([21, 3, 3, 0, 2, 2, 40]))), .close],
          afterwards: .close
        ),
      ]
    )
    #expect(Deck(Cassette()).open(lane: .deck, on: .onTheWire) == .nothing)
  }
}
