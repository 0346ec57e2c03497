@_spi(WindTunnel) internal import WindTunnelCore

/// A conversation by WebSocket as its server saw it. Its times count from the handshake's end.
public struct ConversationLog: Sendable, Hashable {
  /// A message of one of the sides.
  public struct Message: Sendable, Hashable {
    /// The side that sent it.
    public var sender: WebSocketMessage.Sender
    /// The time at which it came, or was sent.
    public var at: Duration
    /// The number of the recorded message that it is, from 1; `nil` of one of the client's that is
    /// not on the cassette.
    public var number: Int?
    /// Tells whether it is the client's and several messages on the cassette answer it, as they do
    /// a subscription: a login or a command has one answer, and a heartbeat is no question.
    public var asks: Bool
    /// The digest of what the server sent (``digest(of:)``), by which a client's word on what it
    /// received is held against it; `nil` of the client's messages, and of replies to heartbeats,
    /// which nobody misses.
    public var digest: UInt64?

    /// Makes a message of a side at a time.
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
  public enum Ending: Sendable, Hashable {
    /// The client's close frame came, with its code; 1005 stands for a frame without one.
    case client(Int)
    /// The server sent a close frame with a code.
    case server(Int)
    /// The client closed the connection without a close frame.
    case clientLeft
    /// The server closed or reset the connection without a close frame.
    case serverLeft
    /// The server was stopped meanwhile.
    case stopped
  }

  /// The greatest number of messages that are kept one by one.
  public static let messagesMax = 1000

  /// The first messages of both sides, in the order of their times.
  public var messages: [Message] = []
  /// The number of messages that were not kept.
  public var further = 0
  /// The number of the client's pings.
  public var pings = 0
  /// The number of pongs that the client was sent.
  public var pongs = 0
  /// The time of the client's first ping that was not answered at all; `nil`: there was none.
  public var unansweredSince: Duration?
  /// The number of the server's pings.
  public var serverPings = 0
  /// The number of those that the client answered; a pong answers all pings before its own, too
  /// (RFC 6455 §5.5.3).
  public var clientPongs = 0
  /// The number of recorded messages that wait for one which the client has not sent.
  public var waiting = 0
  /// The time from which on a fault let the server say nothing more, with the connection open.
  public var silentSince: Duration?
  /// The time of the end; `nil`: it has not ended.
  public var end: Duration?
  /// The way in which it ended; `nil`: it has not.
  public var ending: Ending?

  /// Makes a log of a conversation in which nothing was said.
  public init() {}

  /// Notes a message behind the others, or at a place among them.
  mutating func note(_ message: Message, at place: Int? = nil) {
    guard messages.count < Self.messagesMax else { return further += 1 }
    messages.insert(message, at: place ?? messages.count)
  }

  /// Notes an end; only the first is one.
  mutating func end(_ ending: Ending, at moment: Duration) {
    guard self.ending == nil else { return }
    (self.ending, end) = (ending, moment)
  }
}
