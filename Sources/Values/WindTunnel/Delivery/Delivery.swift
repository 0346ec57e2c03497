public import Foundation
public import WindTunnelSymptoms

/// The steps to take on a connection, in order.
///
/// A delivery is a value: it can be compared, printed and stored, and has no effect until a
/// ``Player`` plays it.
public struct Delivery: Sendable, Hashable {
  /// One step on a connection.
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
    /// Answer the handshake of a WebSocket (RFC 6455 §4.2.2), with these fields beside those that
    /// it takes, and go on with the conversation that was recorded, in which this goes wrong.
    case converse(ResponseHead, [ConversationFault])
    /// Pass on the live origin's answer to the handshake of a WebSocket, as ``Payload/live`` does,
    /// and where it agrees the conversation behind it, in which this goes wrong.
    case converseLive([ConversationFault])
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
    /// Bytes that are known beforehand.
    case data(Data)
    /// The bytes that the live origin sends; each piece is requested when the last one has been
    /// sent.
    case live
  }

  /// The state of the connection after the last step.
  public enum Afterwards: Sendable, Hashable {
    /// The connection serves the next request.
    case keep
    /// The connection is closed by FIN.
    case close
    /// The connection is reset by RST.
    case reset
    /// The connection serves the next request if that arrives before this end.
    case idle(IdleEnd)

    /// Tells whether the connection is open when the answer has ended.
    public var keepsConnection: Bool {
      switch self {
      case .keep, .idle: true
      case .close, .reset: false
      }
    }
  }

  /// The steps, in order.
  public var steps: [Step]
  /// The state of the connection after the last step.
  public var afterwards: Afterwards

  /// Makes a delivery from its steps.
  public init(_ steps: [Step], afterwards: Afterwards = .keep) {
    (self.steps, self.afterwards) = (steps, afterwards)
  }

  /// A delivery without steps: the connection goes on.
  public static let nothing = Delivery([])

  /// The same for a request whose content is passed on while it comes, so that its end is not
  /// waited for; `nil` where no live origin answers.
  package var passingContent: Delivery? {
    guard steps.contains(where: \.isLive) else { return nil }
    var passing = self
    passing.steps = steps.map { $0 == .await(.requestEnd) ? .await(.requestHead) : $0 }
    return passing
  }

  /// The failures of the conversation with a live origin.
  package var liveFaults: [ConversationFault] {
    for case .converseLive(let faults) in steps { return faults }
    return []
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

extension Delivery.Step {
  /// Tells whether it passes on what the live origin answers.
  var isLive: Bool {
    switch self {
    case .bytes(.live), .converseLive: true
    default: false
    }
  }
}

/// The means by which answers reach the client.
public enum Stage: String, Sendable, Hashable, CaseIterable {
  /// A `URLProtocol` within the client's process, without sockets.
  case inProcess = "in-process"
  /// A server with real sockets.
  case onTheWire = "wire"
}

extension Delivery {
  /// The status of the response; `nil` if none is sent, or only the live server knows it.
  var status: Int? {
    for case .head(let head) in steps where head.status >= 200 { return head.status }
    return nil
  }

  /// An ability that a delivery needs of its stage, beside sending a well-formed answer.
  public enum Ability: String, Sendable, Hashable, CaseIterable {
    /// The ability to fail with a client's error by its name.
    case symptoms
    /// The ability to send bytes that are not an answer, or only the beginning of one.
    case rawBytes
    /// The ability to close one direction of a connection and keep the other open.
    case halfClose
    /// The ability to keep a connection after its answer and end it later.
    case keptConnections
    /// The ability to connect to a live origin and relay bytes both ways.
    case relay
    /// The ability to perform a TLS handshake.
    case handshakes
    /// The ability to go on as a WebSocket.
    case conversations

    /// The ability's name within a sentence.
    public var noun: String {
      switch self {
      case .symptoms: "errors by name"
      case .rawBytes: "bytes that are no whole answer"
      case .halfClose: "connections that end one way"
      case .keptConnections: "connections that outlive an answer"
      case .relay: "connections to pass on"
      case .handshakes: "handshakes"
      case .conversations: "WebSocket connections"
      }
    }
  }

  /// The abilities that this delivery needs.
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
      case .converse, .converseLive: needs.insert(.conversations)
      case .await, .wait, .bytes, .finish, .close, .reset, .stall: break
      }
    }
    if case .idle = afterwards { needs.insert(.keptConnections) }
    return needs
  }
}

extension Stage {
  /// The abilities that the stage has beside sending a well-formed answer.
  public var abilities: Set<Delivery.Ability> {
    switch self {
    case .inProcess: [.symptoms]
    case .onTheWire: [.rawBytes, .halfClose, .keptConnections, .relay, .handshakes, .conversations]
    }
  }
}

extension Fault {
  /// Returns the ability that a stage lacks for this delivery; `nil` where it can play it, if need
  /// be as the error that a client would see.
  public func ability(lackingOn stage: Stage) -> Delivery.Ability? {
    guard stage == .inProcess else { return nil }
    switch self {
    case .malformed(.chunkedTrailers): return .rawBytes
    case .idle: return .keptConnections
    case .conversation: return .conversations
    // What the platform makes of an end within the headers ends its process.
    case .cut(at: .inHeaders, then: .close), .cut(at: .inHeaders, then: .halfClose):
      return .rawBytes
    default: return nil
    }
  }
}

extension Scenario {
  /// Returns the reason why a stage cannot play this delivery, as text; `nil` where it can.
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
