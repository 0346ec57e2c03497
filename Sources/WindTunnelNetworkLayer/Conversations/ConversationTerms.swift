/// The terms of a conversation: when its connection counts as dead, and which ends it comes back
/// from.
public struct ConversationTerms: Sendable {
  /// The time between two pings; `nil`: there are none, and a connection that is dead without a
  /// word is never noticed.
  public var pingInterval: Duration?
  /// The time in which a pong has to come; after it the connection counts as lost.
  public var pongTimeout: Duration
  /// The most messages that wait for their reader; then the server waits.
  public var waitingMessagesMax: Int
  /// Tells whether a conversation that the server closed with this code is opened again.
  public var comesBack: @Sendable (_ code: Int) -> Bool

  /// Makes terms; by default a ping each 20 s, less than the minute after which proxies forget a
  /// quiet connection (nginx: `proxy_read_timeout`), and ten seconds for its pong.
  public init(
    pingInterval: Duration? = .seconds(20),
    pongTimeout: Duration = .seconds(10),
    waitingMessagesMax: Int = 64,
    comesBack: @escaping @Sendable (_ code: Int) -> Bool = comesBackByStandard
  ) {
    (self.pingInterval, self.pongTimeout) = (pingInterval, pongTimeout)
    self.waitingMessagesMax = max(1, waitingMessagesMax)
    self.comesBack = comesBack
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
