/// The answer of a live origin as it came, before any fault.
public struct LiveResponse: Sendable, Hashable {
  /// The status and the header fields; a console knows the origin by its recorded name.
  public var head: ResponseHead
  /// The content, as it was encoded; `nil` where it did not come whole, or is larger than whoever
  /// reports it keeps.
  public var content: Body?
  /// The count of the bytes that came.
  public var bytes: Int

  /// Makes an answer of its parts.
  public init(head: ResponseHead, content: Body?, bytes: Int) {
    (self.head, self.content, self.bytes) = (head, content, bytes)
  }
}

/// A thing that is seen of a live conversation.
public enum LiveSpeech: Sendable, Hashable {
  /// One side has said something.
  case message(WebSocketMessage)
  /// Nothing is read from here on, for a reason, as the end of a sentence.
  case unread(String)
}
