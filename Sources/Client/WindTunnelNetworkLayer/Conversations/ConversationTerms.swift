/// The terms of a conversation: when its connection counts as dead, which ends it comes back from,
/// and how long it goes on trying.
public struct ConversationTerms: Sendable {
  /// The time between two pings; `nil`: there are none, and a connection that is dead without a
  /// word is never noticed.
  public var pingInterval: Duration?
  /// The time in which a pong has to come, or a message; after it the connection counts as lost.
  public var pongTimeout: Duration
  /// The waits before the next connection, which grow until one has been open for ten seconds.
  public var backoff: Backoff
  /// The longest outage that is waited out once the conversation has been open; after it the error
  /// of the last attempt ends it. An outage ends with a message, or with ten seconds of being open.
  public var longestOutage: Duration
  /// The most messages that wait for their reader; then the server waits.
  public var waitingMessagesMax: Int
  /// Tells whether a conversation that the server closed with this code is opened again.
  public var comesBack: @Sendable (_ code: Int) -> Bool
  /// Does on each connection what has to be done before anything else is said or heard, such as to
  /// answer a challenge; what it throws ends the connection.
  public var onOpen: @Sendable (any ConversationConnection) async throws(ConversationEnd) -> Void
  /// Is told of each connection that is opened or lost, before anything that is said on it, or on
  /// the next.
  public var onChange: @Sendable (ConversationChange) -> Void

  /// Makes terms; by default a ping each 20 s, less than the minute after which proxies forget a
  /// quiet connection (nginx: `proxy_read_timeout`), ten seconds for its pong, waits from half a
  /// second to half a minute, and five minutes of outage.
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

  /// Tells by the registered meaning of a code whether another connection may do better (RFC 6455
  /// §7.4.1, IANA's registry of close codes): the server goes away (1001), restarts (1012), has too
  /// much to do (1013), met an error of its own (1011, 1014), or gave no reason (1005).
  ///
  /// What a client has done wrong (1002, 1003, 1007 to 1010) and an app's own codes (3000 and up)
  /// end a conversation, as 1000 does.
  public static let comesBackByStandard: @Sendable (_ code: Int) -> Bool = {
    [1001, 1005, 1006, 1011, 1012, 1013, 1014].contains($0)
  }
}

/// A change of a conversation's connection.
public enum ConversationChange: Sendable, Hashable {
  /// A connection is open: its number, from 1, and the fields of the server's answer, among them
  /// the chosen `Sec-WebSocket-Protocol`.
  case opened(Int, Headers)
  /// The connection is lost, or none could be opened, and the next attempt is made after a wait.
  case lost(NetworkError, nextAfter: Duration)
}
