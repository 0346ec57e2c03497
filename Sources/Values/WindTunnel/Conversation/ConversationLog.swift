/// A log of a WebSocket conversation, as its server saw it. Times are measured from the handshake's
/// end.
public struct ConversationLog: Sendable, Hashable {
  /// A message of one of the sides.
  public struct Message: Sendable, Hashable {
    /// The side that sent it.
    public var sender: WebSocketMessage.Sender
    /// The time at which the message was received or sent.
    public var at: Duration
    /// The number of the recorded message, from 1; `nil` for a client's message that is not on the
    /// cassette.
    public var number: Int?
    /// Whether this is a client's message with several replies on the cassette, such as a
    /// subscription.
    ///
    /// A login or a command has one reply. Heartbeats are not counted.
    public var asks: Bool
    /// The digest of the server's message (``digest(of:)``), to compare with the messages that a
    /// client reports.
    ///
    /// `nil` for the client's messages, and for replies to heartbeats, which clients do not report.
    public var digest: UInt64?

    /// Creates a message of a side at a time.
    public init(
      from sender: WebSocketMessage.Sender,
      at: Duration,
      number: Int? = nil,
      asks: Bool = false,
      digest: UInt64? = nil
    ) {
      (self.sender, self.at, self.number, self.asks) = (sender, at, number, asks)
      self.digest = digest
    }
  }

  /// Returns the digest of a message's content: the first eight bytes of its SHA-256.
  public static func digest(of content: some Sequence<UInt8>) -> UInt64 {
    SHA256.hash(content).prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
  }

  /// The ways in which a conversation ends, by the side that ended it first.
  public enum ConversationEnd: Sendable, Hashable {
    /// The client sent a close frame with a code; 1005 means a frame without one.
    case client(Int)
    /// The server sent a close frame with a code.
    case server(Int)
    /// The client closed the connection without a close frame.
    case clientLeft
    /// The server closed or reset the connection without a close frame.
    case serverLeft
    /// The server was stopped during the conversation.
    case stopped
  }

  /// The maximum number of messages that are kept one by one.
  public static let messagesMax = 1000

  /// The first messages of both sides, in the order of their times.
  public var messages: [Message] = []
  /// The number of messages that were not kept.
  public var further = 0
  /// The number of pings from the client.
  public var clientPings = 0
  /// The number of pongs from the server, in reply to ``clientPings``.
  public var serverPongs = 0
  /// The time of the client's first ping without any reply; `nil` if there was none.
  public var unansweredSince: Duration?
  /// The number of pings from the server.
  public var serverPings = 0
  /// The number of the server's pings to which the client replied; a pong also replies to all
  /// earlier pings (RFC 6455 §5.5.3).
  public var clientPongs = 0
  /// The number of recorded messages that wait for a client's message that was not sent.
  public var waiting = 0
  /// The time at which a fault silenced the server, with the connection open; `nil` if it did not.
  public var silentSince: Duration?
  /// The time of the end; `nil` if the conversation has not ended.
  public var end: Duration?
  /// The kind of the end; `nil` if the conversation has not ended.
  public var ending: ConversationEnd?

  /// Creates a log of a conversation without messages.
  public init() {}

  /// Adds a message at the end, or at an index.
  mutating func note(_ message: Message, at place: Int? = nil) {
    guard messages.count < Self.messagesMax else { return further += 1 }
    messages.insert(message, at: place ?? messages.count)
  }

  /// Records an end; only the first one counts.
  mutating func end(_ ending: ConversationEnd, at moment: Duration) {
    guard self.ending == nil else { return }
    (self.ending, end) = (ending, moment)
  }
}
