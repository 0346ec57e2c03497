/// One message of a WebSocket conversation (RFC 6455 §5.6), or the end of one side of it.
///
/// Pings and pongs are the connection's own and stand on no cassette.
public struct WebSocketMessage: Sendable, Hashable {
  /// The side that sends a message.
  public enum Sender: String, Sendable, Hashable, CaseIterable { case client, server }

  /// The kinds of messages.
  public enum Kind: Sendable, Hashable {
    /// A text (§5.6), which is UTF-8.
    case text
    /// Bytes of any meaning.
    case binary
    /// The side's last word, with its code (§7.4); the content is the reason. As in the standard,
    /// 1005 stands for a close frame without a code, and 1006 for a connection that ended without
    /// a close frame.
    case close(Int)
  }

  /// The side that sent it.
  public var sender: Sender
  /// The kind of the message.
  public var kind: Kind
  /// The content of the message.
  public var body: Body
  /// The lengths in bytes of the frames that it came in (§5.4); empty where it was one.
  public var fragments: [Int] = []
  /// The time at which the message was sent, counted from the handshake's end.
  public var offset: Duration
  /// The number of the client's message that a message of the server answers, from 1 in the order
  /// of the conversation; 0 is the handshake. `nil`: it is worked out when it is played.
  public var cause: Int?

  /// Makes a message of its sender and content.
  public init(from sender: Sender, _ body: Body, isText: Bool, offset: Duration) {
    (self.sender, self.body) = (sender, body)
    kind = isText ? .text : .binary
    self.offset = offset
  }

  /// Makes the end of one side.
  ///
  /// - Parameters:
  ///   - sender: The side that ends.
  ///   - code: The code of the close frame, or 1005 or 1006.
  ///   - reason: The words of the close frame.
  ///   - offset: The time at which it was sent, counted from the handshake's end.
  public init(from sender: Sender, closing code: Int, _ reason: String = "", offset: Duration) {
    (self.sender, body, kind, self.offset) = (sender, Body(reason), .close(code), offset)
  }

  /// Tells whether the message is a text message.
  public var isText: Bool { kind == .text }

  /// Tells whether the message ends its side.
  package var isClose: Bool { if case .close = kind { true } else { false } }

  /// The codes that a cassette may have: those that a frame may have (§7.4.2), and 1005 and 1006.
  package static func mayHave(code: Int) -> Bool {
    code == 1005 || code == 1006 || UInt16(exactly: code).map(WebSocketClose.mayBeSent) == true
  }

  /// The range within which such codes are.
  package static let closeCodes = 1000...4999
}
