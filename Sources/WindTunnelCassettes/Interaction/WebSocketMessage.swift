/// One message of a WebSocket (RFC 6455 §5.6).
public struct WebSocketMessage: Sendable, Hashable {
  /// Who sent it.
  public enum Sender: String, Sendable, Hashable, CaseIterable { case client, server }

  /// Who sent it.
  public var sender: Sender
  /// Its content; text is a text message, anything else a binary one.
  public var body: Body
  /// Whether it is a text message.
  public var isText: Bool
  /// When it went, counted from the handshake's end.
  public var offset: Duration

  /// Makes a message.
  public init(from sender: Sender, _ body: Body, isText: Bool, offset: Duration) {
    self.sender = sender
    self.body = body
    self.isText = isText
    self.offset = offset
  }
}
