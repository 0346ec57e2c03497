internal import Foundation

/// The conversation in which a fault of conversations is probed: three messages of the server, a
/// ping of the client, and an end.
enum StandConversation {
  /// The second message contains a scalar of two bytes, so that it can be split.
  private static let messages = ["first", "n\u{E4}chste", "third"]
  private static let goodbye = "bye"

  /// Returns the interaction that is played.
  static func recorded(at path: String) -> Interaction {
    var interaction = Interaction(
      Request("GET", RequestURL(path)),
      Response(status: 101, headers: ["Upgrade": "websocket"])
    )
    interaction.messages = messages.map {
      WebSocketMessage(from: .server, Body($0), isText: true, offset: .zero)
    }
    interaction.messages += [
      WebSocketMessage(from: .client, Body(goodbye), isText: true, offset: .zero),
      WebSocketMessage(from: .server, closing: 1000, offset: .zero),
    ]
    return interaction
  }

  private static func handshake(_ path: String, host: String) -> Request {
    let fields = WebSocketHandshake.request(key: Array(repeating: 7, count: 16), compresses: false)
    return Request(
      "GET",
      RequestURL(path),
      headers: HeaderFields([HeaderField("Host", host)] + fields)
    )
  }

  /// Returns the bytes that a client sends: its handshake, a ping, and the end that shows the
  /// fault.
  static func opening(_ path: String, host: String, _ fault: ConversationFault) -> [UInt8] {
    let fields = handshake(path, host: host).headers.map { "\($0.name): \($0.value)\r\n" }
    return Array("GET \(path) HTTP/1.1\r\n\(fields.joined())\r\n".utf8) + frames(fault)
  }

  private static func frames(_ fault: ConversationFault) -> [UInt8] {
    let ping = WebSocketFrame(.ping, Data("ping".utf8))
    let end: [WebSocketFrame] =
      switch fault {
      // After a close, the server would not respond.
      case .control(.latePong): []
      case .control(.unansweredClose): [WebSocketClose(1000).frame]
      default: [WebSocketFrame(.text, Data(goodbye.utf8))]
      }
    // A pong is sent before a late message that is played, but after a live one.
    let first = if case .message(.late, _) = fault { [WebSocketFrame]() } else { [ping] }
    return (first + end).flatMap { Array($0.encoded(masking: 0x0A0B_0C0D)) }
  }

  /// Returns the expected observation of a conversation.
  static func asked(
    _ delivery: Delivery,
    _ player: ConversationPlayer?,
    _ fault: ConversationFault
  ) -> ExpectedView {
    var view = ExpectedView(delivery)
    guard case .converse(let head, let faults)? = delivery.steps.last, let player,
      var server = try? ConversationServer(
        answering: handshake("/", host: "x"),
        "HTTP/1.1",
        as: head,
        player,
        faults,
        most: .max
      )
    else { return view }
    var (now, actions) = (Duration.zero, server.open(at: .zero))
    actions += frames(fault).withUnsafeBytes { server.receive($0, at: .zero) }
    while !actions.isEmpty {
      var next: Duration?
      for action in actions {
        switch action {
        case .bytes(let data): view.bytes += data
        case .close: view.ending = .finished
        case .reset: view.ending = .reset
        case .stall: view.ending = .open
        case .wake(let moment): next = min(next ?? moment, moment)
        }
      }
      guard let next, view.ending == .open else { break }
      now = max(now, next)
      view.pauses = now
      actions = server.tick(at: now)
    }
    return view
  }
}
