package import Foundation
internal import WindTunnelSymptoms

extension Delivery {
  /// Creates the steps of a request's outcome.
  ///
  /// The steps of a forwarded request are its waits and a live body, because its head is the
  /// origin's.
  public init(_ outcome: Outcome, on stage: Stage) {
    self = Script.played(outcome, on: stage).delivery
  }

  /// Creates the steps of a connection's decision; there are none if the connection has no fault.
  ///
  /// A connection that is kept serves requests after them.
  public init(_ decision: FaultDecision, on stage: Stage) {
    var steps: [Step] = []
    for case .connection(let fault) in decision.faults {
      let opening = Self.opening(fault, on: stage)
      steps += opening.steps
      // Only the first fault that does more than delay the connection happens.
      let isLateOnly = opening.steps.allSatisfy { if case .wait = $0 { true } else { false } }
      if opening.afterwards != .keep || !isLateOnly {
        self.init(steps, afterwards: opening.afterwards)
        return
      }
    }
    self.init(steps)
  }

  private static func opening(_ fault: ConnectionFault, on stage: Stage) -> Delivery {
    switch (fault, stage) {
    case (.lostSYNs, .inProcess): Delivery([.wait(fault.delay)])
    // They were lost before the server accepted the connection.
    case (.lostSYNs, .onTheWire): .nothing
    case (_, .inProcess):
      switch fault.symptom {
      // The platform's own timeout ends the stall.
      case .timedOut?, nil: Delivery([.stall], afterwards: .close)
      case let symptom?: Delivery([.fail(symptom)], afterwards: .close)
      }
    case (.tls(let fault), .onTheWire): Delivery(handshake: fault)
    // With these faults there is no connection to serve. A listener that has one nevertheless is
    // silent or resets it, which is nearest to the fault.
    case (.connectTimeout, .onTheWire): Delivery([.stall], afterwards: .close)
    case (.offline, .onTheWire), (.refused, .onTheWire), (.hostNotFound, .onTheWire):
      Delivery([.reset], afterwards: .reset)
    }
  }

  /// Creates the reply to the ClientHello for a fault of a handshake.
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
    // These faults need a complete handshake.
    case .untrusted, .selfSigned, .wrongHost, .expired, .notYetValid, .unknownRoot,
      .incompleteChain, .weakSignature, .oldProtocol, .clientCertificateRequired:
      break
    }
    self.init([.await(.clientHello)] + answer, afterwards: answer.last == .reset ? .reset : .close)
  }

  /// Bytes without a meaning: the first is not a content type of a record (RFC 8446 §5.1).
  private static let garbage = Data((0..<64).map { UInt8(truncatingIfNeeded: 0xA7 &+ $0 &* 0x3D) })

  /// A handshake record that declares 122 bytes, and the first 40 of them, a ServerHello.
  private static let cutRecord = Data(
    [22, 3, 3, 0, 122, 2, 0, 0, 118, 3, 3] + (0..<34).map { UInt8(truncatingIfNeeded: $0 &* 0x3D) }
  )

  /// Creates the steps of a tunnel's decision.
  ///
  /// Offsets count the bytes to the client, as in a response they count the bytes of the body. If a
  /// fault replaces the live origin's response to the `CONNECT`, the connection ends.
  public init(_ tunnel: TunnelDecision) {
    var steps: [Step] = [.await(.requestEnd)]
    // The time that the handshake would take on a connection without a proxy.
    let opening = tunnel.path.map { $0.opening() } ?? .zero
    var wait = opening ?? .zero
    var ending: [Step]? = opening == nil ? [.stall] : nil
    var offset: Int?
    func cut(_ count: Int?, _ step: Step) {
      if ending != nil, (offset ?? -1) <= (count ?? -1) { return }
      (offset, ending) = (count, [step])
    }
    for part in tunnel.decision.faults.compactMap(\.tunnelPart) {
      switch part {
      case .wait(let length): wait += length
      case .refusal(let status, let retryAfter):
        guard ending == nil else { continue }
        let fields = retryAfter?.values(now: nil) ?? []
        ending = Self.refusal(status, fields, "This \(status) was injected.\n")
      case .end(let count, let effect):
        switch effect {
        case .reset: cut(count, .reset)
        case .close, .halfClose: cut(count, .close)
        case .stall: cut(count, .stall)
        }
      case .handshake(let fault):
        guard ending == nil else { continue }
        ending = [.head(Self.established)] + Delivery(handshake: fault).steps
      }
    }
    if let failure = tunnel.failure, ending == nil || offset != nil {
      let reason = "The tunnel failed during recording: \(failure.symptom.rawValue).\n"
      (offset, ending) = (nil, Self.refusal(502, [], reason))
    }
    if wait > .zero { steps.append(.wait(wait)) }
    guard let ending else {
      self.init(steps + [.relay], afterwards: .close)
      return
    }
    let relay = offset.map { [Step.relayUntil(downBytes: $0)] } ?? []
    self.init(steps + relay + ending, afterwards: ending.last == .reset ? .reset : .close)
  }

  /// The head of the response for an open tunnel: without content or length (RFC 9110 §9.3.6).
  public static let established = ResponseHead(status: 200)

  private static func refusal(_ status: Int, _ retryAfter: [String], _ text: String) -> [Step] {
    let text = Data(text.utf8)
    var head = ResponseHead(
      status: status,
      headers: [
        "Content-Type": "text/plain; charset=utf-8", "Content-Length": String(text.count),
        "Connection": "close",
      ]
    )
    for value in retryAfter { head.headers.append("Retry-After", value) }
    return [.head(head), .bytes(.data(text)), .close]
  }
}

extension Script {
  /// Returns an outcome's response with all its faults.
  static func played(_ outcome: Outcome, on stage: Stage, isHTTP10: Bool = false) -> Script {
    var script = Script(outcome, on: stage)
    if isHTTP10 { script.leaveOutInterims() }
    for fault in outcome.decision.faults {
      if isHTTP10, fault.needsHTTP11 {
        script.misfit(fault, "HTTP/1.0 has no chunks and no interim responses")
      } else {
        script.add(fault, to: outcome.request)
      }
    }
    script.leaveOutMissedCuts()
    if let path = outcome.path { script.travel(path, outcome) }
    return script
  }
}

extension Outcome {
  /// Returns the response if nothing changes it and it is sent in one write; otherwise `nil`.
  ///
  /// The result is the same as that of its delivery, without creating the steps.
  package func whole(on stage: Stage) -> (head: ResponseHead, body: Data)? {
    renderedKey == nil ? nil : Script(self, on: stage).whole
  }
}
