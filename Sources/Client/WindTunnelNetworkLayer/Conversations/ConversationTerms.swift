/// The terms of a conversation: pings, the errors after which it reconnects, and its limits.
public struct ConversationTerms: Sendable {
  /// The time between two pings; `nil` for none. Without pings, a silently dead connection is never
  /// detected.
  public var pingInterval: Duration?
  /// The maximum wait for a pong or a message. After it the connection counts as lost.
  public var pongTimeout: Duration
  /// The delays before the next connection. They grow until a connection has been open for ten
  /// seconds.
  public var backoff: Backoff
  /// The maximum outage after a first connection; then the last attempt's error ends the
  /// conversation.
  ///
  /// An outage ends with a message, or when a connection has been open for ten seconds.
  public var longestOutage: Duration
  /// The maximum number of messages that wait for the reader. Beyond it the connection is not read.
  public var waitingMessagesMax: Int
  /// Returns whether to reconnect after the server closed the conversation with this code.
  public var comesBack: @Sendable (_ code: Int) -> Bool
  /// Runs on each connection before any message is sent or received, such as to reply to a
  /// challenge.
  ///
  /// An error from it ends the connection.
  public var onOpen: @Sendable (any ConversationConnection) async throws(ConversationEnd) -> Void
  /// Receives each change of the connection, before any message on that connection or the next.
  public var onChange: @Sendable (ConversationChange) -> Void

  /// Creates terms.
  ///
  /// The default sends a ping every 20 s. That is less than the minute after which proxies drop a
  /// quiet connection (nginx: `proxy_read_timeout`). Further defaults are ten seconds for a pong,
  /// delays from half a second to half a minute, and five minutes of outage.
  public init(
    pingInterval: Duration? = .seconds(20),
    pongTimeout: Duration = .seconds(10),
    backoff: Backoff = Backoff(
      base: .milliseconds(500),
      cap: .seconds(30),
      jitter: .proportional(0.5)
    ),
    longestOutage: Duration = .seconds(300),
    waitingMessagesMax: Int = 64,
    comesBack: @escaping @Sendable (_ code: Int) -> Bool = comesBackByStandard,
    onOpen:
      @escaping @Sendable (any ConversationConnection) async throws(ConversationEnd) -> Void = {
        _ throws(ConversationEnd) in
      },
    onChange: @escaping @Sendable (ConversationChange) -> Void = { _ in }
  ) {
    (self.pingInterval, self.pongTimeout) = (pingInterval, pongTimeout)
    (self.backoff, self.longestOutage) = (backoff, longestOutage)
    self.waitingMessagesMax = waitingMessagesMax
    (self.comesBack, self.onOpen, self.onChange) = (comesBack, onOpen, onChange)
  }

  /// Returns whether another connection may succeed, by the registered meaning of a close code.
  ///
  /// It may if the server is going away (1001), restarts (1012), is overloaded (1013), or has an
  /// internal or gateway error (1011, 1014). A missing close code counts too (1005, 1006). See RFC
  /// 6455 §7.4.1 and IANA's registry of close codes.
  ///
  /// A client's errors (1002, 1003, 1007 to 1010) and an app's own codes (3000 and up) end a
  /// conversation, as 1000 does.
  public static let comesBackByStandard: @Sendable (_ code: Int) -> Bool = {
    [1001, 1005, 1006, 1011, 1012, 1013, 1014].contains($0)
  }
}

/// A change of a conversation's connection.
public enum ConversationChange: Sendable, Hashable {
  /// A connection was opened: its number, from 1, and the header fields of the response.
  ///
  /// Among the fields is the chosen `Sec-WebSocket-Protocol`.
  case opened(Int, Headers)
  /// The connection was lost or could not be opened. The next attempt follows after the delay.
  case lost(NetworkError, nextAfter: Duration)
}
