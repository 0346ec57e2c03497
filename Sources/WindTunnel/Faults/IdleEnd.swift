/// How a server ends a connection that it promised to keep (RFC 9112 §9.3), after an answer that is
/// whole.
public struct IdleEnd: Sendable, Hashable {
  /// With FIN or with RST.
  public enum Ending: Sendable, Hashable { case close, reset }

  /// When.
  public enum Moment: Sendable, Hashable {
    /// When the connection has been idle for so long.
    case idle(Duration)
    /// At the first byte of the next request.
    case nextRequest
  }

  /// With FIN or with RST.
  public var ending: Ending
  /// When.
  public var moment: Moment

  /// Makes an end.
  public init(_ ending: Ending, _ moment: Moment) { (self.ending, self.moment) = (ending, moment) }
}
