internal import Foundation
internal import Symptoms

extension Delivery {
  /// Lowers what was decided for a request to steps.
  ///
  /// A forwarded request is lowered to its waits and a live body: its head is the origin's.
  public init(_ outcome: Outcome, on stage: Stage) {
    self = Script.played(outcome, on: stage).delivery
  }

  /// Lowers what was decided for a connection to steps; nothing where it simply goes on.
  public init(_ decision: Decision, on stage: Stage) {
    let first = decision.faults.lazy.compactMap { fault -> ConnectionFault? in
      guard case .connection(let fault) = fault else { return nil }
      return fault
    }.first
    switch (first, stage) {
    case (nil, _): self = .nothing
    case (let fault?, .inProcess): self.init([.fail(fault.symptom)], afterwards: .close)
    case (.tls(let fault), .onTheWire): self.init(handshake: fault)
    // Nobody listens in these, so no connection is there to be carried; a listener that is asked
    // all the same comes nearest by a reset.
    case (.offline, .onTheWire), (.refused, .onTheWire), (.hostNotFound, .onTheWire):
      self.init([.reset], afterwards: .reset)
    }
  }

  /// What answers a handshake.
  init(handshake fault: TLSFault) {
    let answer: [Step]
    switch fault {
    case .plaintext:
      let text = "HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n"
      answer = [.bytes(.data(Data(text.utf8)))]
    case .closeAfterClientHello: answer = []
    // Certificates need a TLS library; a stage without one refuses these before it starts.
    case .handshakeFailure, .untrusted, .expired, .notYetValid, .unknownRoot:
      // RFC 8446 §5.1, §6: alert(21), legacy version, two bytes, fatal(2), handshake_failure(40).
      answer = [.bytes(.data(Data([21, 3, 3, 0, 2, 2, 40])))]
    }
    self.init([.await(.clientHello)] + answer + [.close], afterwards: .close)
  }
}

extension Script {
  /// An outcome's answer with everything that goes wrong.
  static func played(_ outcome: Outcome, on stage: Stage) -> Script {
    var script = Script(outcome, on: stage)
    for fault in outcome.decision.faults { script.add(fault, to: outcome.request) }
    if let path = outcome.path { script.travel(path, outcome) }
    return script
  }
}

extension Deck {
  /// Lowers an outcome to steps; the journal is told of mutations that its answer gave no room for.
  public func delivery(of outcome: Outcome, on stage: Stage) -> Delivery {
    let script = Script.played(outcome, on: stage)
    if !script.misfits.isEmpty {
      state.withLock { $0.journal.note(script.misfits, on: outcome.id) }
    }
    return script.delivery
  }
}
