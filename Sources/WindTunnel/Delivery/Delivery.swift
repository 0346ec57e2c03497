public import Foundation
public import WindTunnelSymptoms

/// The steps to take on a connection, in their order.
///
/// A value: it can be compared, printed and stored, and it does nothing until a ``Player`` is fed
/// with it.
public struct Delivery: Sendable, Hashable {
  /// One thing to do.
  public enum Step: Sendable, Hashable {
    /// Go on when this has come from the client.
    case await(Arrival)
    /// Send nothing for a while.
    case wait(Duration)
    /// Send the status line and the fields.
    case head(ResponseHead)
    /// Shake hands in TLS, as the server that the client came to; what follows on the connection is
    /// sealed.
    case shakeHands(Handshake)
    /// Send bytes: of the body after a head, raw ones without.
    case bytes(Payload)
    /// End the message that was begun.
    case finish
    /// Send FIN and keep reading.
    case closeWrite
    /// Close the connection once everything has been sent.
    case close
    /// Abort the connection with RST once everything has been sent.
    case reset
    /// Send nothing more and keep the connection open.
    case stall
    /// Fail with what a client would see; only a stage without a wire can.
    case fail(Symptom)
    /// Connect to the live origin and pass everything both ways until both ends have closed.
    case relay
    /// The same, until so many bytes have gone to the client.
    case relayUntil(downBytes: Int)
  }

  /// Something that comes from the client.
  public enum Arrival: Sendable, Hashable {
    /// The first TLS record (RFC 8446 §4.1.2).
    case clientHello
    /// The request line and fields.
    case requestHead
    /// The whole of the request.
    case requestEnd
  }

  /// The bytes of a step.
  public enum Payload: Sendable, Hashable {
    /// These bytes, known beforehand.
    case data(Data)
    /// Those that the live origin sends, each slice pulled when the last has drained.
    case live
  }

  /// The fate of the connection after the last step.
  public enum Afterwards: Sendable, Hashable {
    /// It serves the next request.
    case keep
    /// It is closed by FIN.
    case close
    /// It is reset by RST.
    case reset
    /// It serves the next request, if that comes before this end of it.
    case idle(IdleEnd)

    /// Tells whether it is there when the answer has ended.
    public var keepsConnection: Bool {
      switch self {
      case .keep, .idle: true
      case .close, .reset: false
      }
    }
  }

  /// The steps, in order.
  public var steps: [Step]
  /// The fate of the connection.
  public var afterwards: Afterwards

  /// Makes a delivery of its steps.
  public init(_ steps: [Step], afterwards: Afterwards = .keep) {
    self.steps = steps
    self.afterwards = afterwards
  }

  /// Nothing at all: the connection goes on.
  public static let nothing = Delivery([])

  /// The same for a request whose content is passed on while it comes, so that its end is not
  /// waited for; `nil` where no live origin answers.
  package var passingContent: Delivery? {
    guard steps.contains(.bytes(.live)) else { return nil }
    var passing = self
    passing.steps = steps.map { $0 == .await(.requestEnd) ? .await(.requestHead) : $0 }
    return passing
  }

  /// An answer that is sent in one go as soon as the request is whole, and after which the
  /// connection goes on; `nil` where it takes a player to say what happens when.
  package var whole: (head: ResponseHead, body: Data)? {
    guard afterwards == .keep, 3...4 ~= steps.count, case .await = steps[0],
      case .head(let head) = steps[1], case .finish = steps[steps.count - 1]
    else { return nil }
    if steps.count == 3 { return (head, Data()) }
    guard case .bytes(.data(let body)) = steps[2] else { return nil }
    return (head, body)
  }
}

/// The place where a delivery is carried.
public enum Stage: String, Sendable, Hashable, CaseIterable {
  /// By a `URLProtocol`, without sockets.
  case inProcess = "in-process"
  /// By a server, over real sockets.
  case onTheWire = "wire"
}

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
