extension Deck {
  /// A point that a request or its answer has reached, as a courier sees it.
  public enum Milestone: Sendable, Hashable {
    /// The whole request has come. It may have come before it was decided.
    ///
    /// - Parameters:
    ///   - handshake: From the connection's beginning to the request's, where that was a TLS handshake.
    ///   - upload: From the request's head to its last byte, where there are bytes to be seen.
    case requestEnd(handshake: Duration?, upload: Duration?)
    /// The first byte of the answer has left for the client.
    case firstByte
    /// The outcome has been carried to its end: answered, cut, or left by the client.
    case end
  }
}
