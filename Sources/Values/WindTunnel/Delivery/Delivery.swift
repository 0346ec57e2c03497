public import Foundation
public import WindTunnelSymptoms

/// The steps to take on a connection, in order.
///
/// A delivery is a value: it can be compared, printed and stored, and has no effect until a
/// ``Player`` plays it.
public struct Delivery: Sendable, Hashable {
  /// One step on a connection.
  public enum Step: Sendable, Hashable {
    /// Continue after this has arrived from the client.
    case await(ClientEvent)
    /// Send nothing for a while.
    case wait(Duration)
    /// Send the status line and the fields.
    case head(ResponseHead)
    /// Perform a TLS handshake as the server to which the client connected; all later bytes are
    /// encrypted.
    case shakeHands(Handshake)
    /// Send the response to a WebSocket handshake (RFC 6455 §4.2.2), and play the recorded
    /// conversation with these faults.
    ///
    /// The fields are added to the handshake's own.
    case converse(ResponseHead, [ConversationFault])
    /// Forward the live origin's response to a WebSocket handshake, as ``Payload/live`` does.
    ///
    /// If the origin accepts, relay the conversation with these faults.
    case converseLive([ConversationFault])
    /// Send bytes: bytes of the body after a head, and raw bytes without one.
    case bytes(Payload)
    /// End the current message.
    case finish
    /// Send FIN and continue to read.
    case closeWrite
    /// Close the connection once everything has been sent.
    case close
    /// Abort the connection with RST once everything has been sent.
    case reset
    /// Send nothing more and keep the connection open.
    case stall
    /// Fail with a client's error, which only a stage without sockets can do.
    case fail(Symptom)
    /// Connect to the live origin and relay everything in both directions until both ends have
    /// closed.
    case relay
    /// The same, until this number of bytes has been sent to the client.
    case relayUntil(downBytes: Int)
  }

  /// An arrival of bytes from the client.
  public enum ClientEvent: Sendable, Hashable {
    /// The first TLS record (RFC 8446 §4.1.2).
    case clientHello
    /// The request line and fields.
    case requestHead
    /// The end of the whole request.
    case requestEnd
  }

  /// The bytes of a step.
  public enum Payload: Sendable, Hashable {
    /// Bytes that are known in advance.
    case data(Data)
    /// The bytes of the live origin's response; each part is requested after the previous one has
    /// been sent.
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
    /// The connection serves the next request if it arrives before this end.
    case idle(IdleEnd)

    /// Whether the connection is open after the end of the response.
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

  /// Creates a delivery from its steps.
  public init(_ steps: [Step], afterwards: Afterwards = .keep) {
    (self.steps, self.afterwards) = (steps, afterwards)
  }

  /// A delivery without steps: the connection serves requests.
  public static let nothing = Delivery([])

  /// The delivery without waiting for the request's end, for a request that is forwarded while it
  /// arrives; `nil` if no live origin is involved.
  package var passingContent: Delivery? {
    guard steps.contains(where: \.isLive) else { return nil }
    var passing = self
    passing.steps = steps.map { $0 == .await(.requestEnd) ? .await(.requestHead) : $0 }
    return passing
  }

  /// The faults of a conversation with a live origin.
  package var liveFaults: [ConversationFault] {
    for case .converseLive(let faults) in steps { return faults }
    return []
  }

  /// The response, if it is sent in one write after the request, and the connection is kept;
  /// otherwise `nil`, because a player is needed.
  package var whole: (head: ResponseHead, body: Data)? {
    guard afterwards == .keep, 3...4 ~= steps.count, case .await = steps[0],
      case .head(let head) = steps[1], case .finish = steps[steps.count - 1]
    else { return nil }
    if steps.count == 3 { return (head, Data()) }
    guard case .bytes(.data(let body)) = steps[2] else { return nil }
    return (head, body)
  }

  /// The status of the response; `nil` if none is sent, or only the live server knows it.
  var status: Int? {
    for case .head(let head) in steps where head.status >= 200 { return head.status }
    return nil
  }

  /// A capability that a delivery needs of its stage, in addition to sending well-formed responses.
  public enum Ability: String, Sendable, Hashable, CaseIterable {
    /// The capability to fail with a client's error.
    case symptoms
    /// The capability to send bytes that are not a response, or only the beginning of one.
    case rawBytes
    /// The capability to close one direction of a connection and keep the other open.
    case halfClose
    /// The capability to keep a connection after a response and end it later.
    case keptConnections
    /// The capability to connect to a live origin and relay bytes in both directions.
    case relay
    /// The capability to perform a TLS handshake.
    case handshakes
    /// The capability to continue as a WebSocket.
    case conversations

    /// The name of the capability within a sentence.
    public var noun: String {
      switch self {
      case .symptoms: "errors by name"
      case .rawBytes: "bytes that are not a complete response"
      case .halfClose: "connections that end one way"
      case .keptConnections: "connections that outlive a response"
      case .relay: "connections to pass on"
      case .handshakes: "handshakes"
      case .conversations: "WebSocket connections"
      }
    }
  }

  /// The capabilities that the delivery needs.
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

extension Delivery.Step {
  /// Whether the step forwards the live origin's response.
  var isLive: Bool { if case .converseLive = self { true } else { self == .bytes(.live) } }
}

/// The way in which responses reach the client.
public enum Stage: String, Sendable, Hashable, CaseIterable {
  /// A `URLProtocol` within the client's process, without sockets.
  case inProcess = "in-process"
  /// A server with real sockets.
  case onTheWire = "wire"

  /// The capabilities of the stage in addition to sending well-formed responses.
  public var abilities: Set<Delivery.Ability> {
    switch self {
    case .inProcess: [.symptoms]
    case .onTheWire: [.rawBytes, .halfClose, .keptConnections, .relay, .handshakes, .conversations]
    }
  }
}

extension Fault {
  /// Returns the capability that a stage lacks for the fault; `nil` if the stage can play it, if
  /// necessary as the client's error.
  public func ability(lackingOn stage: Stage) -> Delivery.Ability? {
    guard stage == .inProcess else { return nil }
    switch self {
    case .malformed(.chunkedTrailers): return .rawBytes
    case .idle: return .keptConnections
    case .conversation: return .conversations
    // An end within the headers crashes the process on this platform.
    case .cut(at: .inHeaders, then: .close), .cut(at: .inHeaders, then: .halfClose):
      return .rawBytes
    default: return nil
    }
  }
}

extension Scenario {
  /// Returns the reason why a stage cannot play the scenario; `nil` if it can.
  public func obstacle(on stage: Stage) -> String? {
    for (index, rule) in rules.enumerated() {
      for (place, fault) in rule.faults.enumerated() {
        guard let ability = fault.ability(lackingOn: stage) else { continue }
        return
          "rules[\(index)].faults[\(place)], \(fault.json), requires \(ability.noun), which do not "
          + "exist in process"
      }
    }
    return nil
  }
}
