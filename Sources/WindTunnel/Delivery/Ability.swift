extension Delivery {
  /// An ability that carrying a delivery takes beside sending an answer in good form.
  public enum Ability: String, Sendable, Hashable, CaseIterable {
    /// To fail by the name of what a client would see.
    case symptoms
    /// To send bytes that are no answer, or only the beginning of one.
    case rawBytes
    /// To end one direction of a connection and keep the other.
    case halfClose
    /// To keep a connection after its answer and end it later.
    case keptConnections
    /// To connect to a live origin and pass both ways.
    case relay
    /// To shake hands in TLS.
    case handshakes

    /// The name of it for a sentence.
    public var noun: String {
      switch self {
      case .symptoms: "errors by name"
      case .rawBytes: "bytes that are no whole answer"
      case .halfClose: "connections that end one way"
      case .keptConnections: "connections that outlive an answer"
      case .relay: "connections to pass on"
      case .handshakes: "handshakes"
      }
    }
  }

  /// The abilities that carrying this takes.
  public var needs: Set<Ability> {
    var needs: Set<Ability> = []
    var hasHead = false
    for step in steps {
      switch step {
      case .head: hasHead = true
      case .bytes where !hasHead: if step != .bytes(.live) { needs.insert(.rawBytes) }
      case .closeWrite: needs.insert(.halfClose)
      case .fail: needs.insert(.symptoms)
      case .relay, .relayUntil: needs.insert(.relay)
      case .shakeHands: needs.insert(.handshakes)
      case .await, .wait, .bytes, .finish, .close, .reset, .stall: break
      }
    }
    if case .idle = afterwards { needs.insert(.keptConnections) }
    return needs
  }
}

extension Stage {
  /// The abilities that it has beside sending an answer in good form.
  public var abilities: Set<Delivery.Ability> {
    switch self {
    case .inProcess: [.symptoms]
    case .onTheWire: [.rawBytes, .halfClose, .keptConnections, .relay, .handshakes]
    }
  }
}

extension Fault {
  /// Returns what a stage lacks to play it; `nil` where it can, if need be by the name of what a
  /// client would see.
  public func ability(lackingOn stage: Stage) -> Delivery.Ability? {
    guard stage == .inProcess else { return nil }
    switch self {
    case .malformed(.chunkedTrailers): return .rawBytes
    case .idle: return .keptConnections
    // What the platform makes of an end within the headers ends its process.
    case .cut(at: .inHeaders, then: .close), .cut(at: .inHeaders, then: .halfClose):
      return .rawBytes
    default: return nil
    }
  }
}

extension Scenario {
  /// Returns why a stage cannot play it, in words; `nil` where it can.
  public func obstacle(on stage: Stage) -> String? {
    for (index, rule) in rules.enumerated() {
      for (place, fault) in rule.faults.enumerated() {
        guard let ability = fault.ability(lackingOn: stage) else { continue }
        return
          "rules[\(index)].faults[\(place)], \(fault.json), takes \(ability.noun), and in process there are none"
      }
    }
    return nil
  }
}
