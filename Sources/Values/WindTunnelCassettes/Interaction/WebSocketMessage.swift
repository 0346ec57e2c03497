/// One message of a WebSocket conversation (RFC 6455 §5.6), or the close of one side.
///
/// Pings and pongs belong to the connection and are not recorded.
public struct WebSocketMessage: Sendable, Hashable {
  /// The side that sends a message.
  public enum Sender: String, Sendable, Hashable, CaseIterable { case client, server }

  /// The kinds of messages.
  public enum Kind: Sendable, Hashable {
    /// A text message (§5.6) in UTF-8.
    case text
    /// A message of binary data.
    case binary
    /// A close with its code (§7.4); the content is the reason.
    ///
    /// As in the standard, 1005 is a close frame without a code, and 1006 a connection that ended
    /// without a close frame.
    case close(Int)
  }

  /// The side that sent the message.
  public var sender: Sender
  /// The kind of the message.
  public var kind: Kind
  /// The content of the message.
  public var body: Body
  /// The lengths in bytes of the message's frames (§5.4); empty for a single frame.
  public var fragments: [Int] = []
  /// The time at which the message was sent, relative to the end of the handshake.
  public var offset: Duration
  /// The number of the client's message that caused a server's message, from 1; 0 is the handshake.
  ///
  /// `nil` means that the cause is determined when the conversation is played.
  public var cause: Int?

  /// Creates a message with a sender and a content.
  public init(from sender: Sender, _ body: Body, isText: Bool, offset: Duration) {
    (self.sender, self.body) = (sender, body)
    kind = isText ? .text : .binary
    self.offset = offset
  }

  /// Creates the close of one side.
  ///
  /// - Parameters:
  ///   - sender: The side that closes.
  ///   - code: The code of the close frame, or 1005 or 1006.
  ///   - reason: The text of the close frame.
  ///   - offset: The time at which it was sent, relative to the end of the handshake.
  public init(from sender: Sender, closing code: Int, _ reason: String = "", offset: Duration) {
    (self.sender, body, kind, self.offset) = (sender, Body(reason), .close(code), offset)
  }

  /// Whether the message is a text message.
  public var isText: Bool { kind == .text }

  /// Whether the message is a close.
  package var isClose: Bool { if case .close = kind { true } else { false } }

  /// Whether a cassette may contain a close code: 1005, 1006, or a code that is valid in a frame
  /// (§7.4.2).
  package static func mayHave(code: Int) -> Bool {
    code == 1005 || code == 1006 || UInt16(exactly: code).map(WebSocketClose.mayBeSent) == true
  }

  /// The range of these codes.
  package static let closeCodes = 1000...4999
}
