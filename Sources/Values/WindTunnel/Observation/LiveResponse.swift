/// The response of a live origin as it was received, before any fault.
public struct LiveResponse: Sendable, Hashable {
  /// The status and the header fields; a console shows the origin under its recorded name.
  public var head: ResponseHead
  /// The content in its coding; `nil` if it is incomplete, or larger than the reporting stage
  /// keeps.
  public var content: Body?
  /// The number of bytes that were received.
  public var bytes: Int

  /// Creates a live response.
  public init(head: ResponseHead, content: Body?, bytes: Int) {
    (self.head, self.content, self.bytes) = (head, content, bytes)
  }
}

/// An observation of a live conversation.
public enum LiveSpeech: Sendable, Hashable {
  /// One side has sent a message.
  case message(WebSocketMessage)
  /// No later message is read; the reason, as the end of a sentence.
  case unread(String)
}
