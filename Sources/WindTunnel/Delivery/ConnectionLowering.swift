internal import Foundation
internal import WindTunnelSymptoms

extension Delivery {
  /// Lowers what was decided for a connection to steps; nothing where it simply goes on. What is
  /// kept goes on after them.
  public init(_ decision: Decision, on stage: Stage) {
    var steps: [Step] = []
    for case .connection(let fault) in decision.faults {
      let opening = Self.opening(fault, on: stage)
      steps += opening.steps
      // The first that is more than late is the one that happens.
      if opening.afterwards != .keep || !opening.isLateOnly {
        self.init(steps, afterwards: opening.afterwards)
        return
      }
    }
    self.init(steps)
  }

  private var isLateOnly: Bool {
    steps.allSatisfy { if case .wait = $0 { true } else { false } }
  }

  private static func opening(_ fault: ConnectionFault, on stage: Stage) -> Delivery {
    switch (fault, stage) {
    case (.lostSYNs, .inProcess): Delivery([.wait(fault.delay)])
    // They were lost before anybody could say anything.
    case (.lostSYNs, .onTheWire): .nothing
    case (_, .inProcess):
      switch fault.symptom {
      // By the platform's own clock.
      case .timedOut?, nil: Delivery([.stall], afterwards: .close)
      case let symptom?: Delivery([.fail(symptom)], afterwards: .close)
      }
    case (.tls(let fault), .onTheWire): Delivery(handshake: fault)
    // No connection comes about in these, so none is there to be carried; a listener that is asked
    // all the same comes nearest by silence or a reset.
    case (.connectTimeout, .onTheWire): Delivery([.stall], afterwards: .close)
    case (.offline, .onTheWire), (.refused, .onTheWire), (.hostNotFound, .onTheWire):
      Delivery([.reset], afterwards: .reset)
    }
  }

  /// What answers a handshake.
  init(handshake fault: TLSFault) {
    if let handshake = fault.handshake {
      self.init([.shakeHands(handshake)])
      return
    }
    var answer: [Step] = [.close]
    switch fault {
    case .alert(let alert): answer = [.bytes(.data(Data(alert.record))), .close]
    case .plaintext:
      let text = "HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n"
      answer = [.bytes(.data(Data(text.utf8))), .close]
    case .garbage: answer = [.bytes(.data(Self.garbage)), .close]
    case .truncatedRecord: answer = [.bytes(.data(Self.cutRecord)), .close]
    case .stallAfterClientHello: answer = [.stall]
    case .resetAfterClientHello: answer = [.reset]
    case .closeAfterClientHello: break
    // These are handshakes.
    case .untrusted, .selfSigned, .wrongHost, .expired, .notYetValid, .unknownRoot,
      .incompleteChain, .weakSignature, .oldProtocol, .clientCertificateRequired:
      break
    }
    self.init(
      [.await(.clientHello)] + answer,
      afterwards: answer.last == .reset ? .reset : .close
    )
  }

  /// Bytes without a meaning: the first is no content type of a record (RFC 8446 §5.1).
  private static let garbage = Data((0..<64).map { UInt8(truncatingIfNeeded: 0xA7 &+ $0 &* 0x3D) })

  /// A handshake record that announces 122 bytes, and the first 40 of the ServerHello in it.
  private static let cutRecord = Data(
    [22, 3, 3, 0, 122, 2, 0, 0, 118, 3, 3] + (0..<34).map { UInt8(truncatingIfNeeded: $0 &* 0x3D) }
  )
}
