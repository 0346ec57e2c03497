/// The reason why a message cannot be read: the answer it deserves and a sentence for its sender.
struct ProtocolError: Error, Sendable, Hashable {
  /// The kinds of refusal, each with a status of its own.
  enum Kind: Sendable, Hashable {
    case badMessage
    case contentTooLarge
    case targetTooLong
    case expectationFailed
    case fieldsTooLarge
    case notImplemented
    case versionNotSupported
    case tooSlow
    /// The peer ended the connection before the message was whole.
    case truncated(Truncation)
  }

  /// The place where a message broke off.
  enum Truncation: Sendable, Hashable {
    /// Not one byte came.
    case beforeHead
    /// Within the start line or the fields.
    case inHead
    /// Within content of an announced length.
    case inContent(received: Int, expected: Int)
    /// Within chunked content, or before its last chunk.
    case inChunks(received: Int)
  }

  var kind: Kind
  /// The sentence about what was wrong, quotable as the content of the refusal.
  var sentence: String

  init(_ kind: Kind, _ sentence: String) {
    self.kind = kind
    self.sentence = sentence
  }

  /// The framing or spelling is wrong.
  static func bad(_ sentence: String) -> Self { Self(.badMessage, sentence) }

  /// The first line of a frequent mistake.
  static let tlsOnPlainPort = bad(
    "This is a TLS handshake, and this port speaks plain HTTP; ask it with http://."
  )

  /// The other way about.
  static let plainOnTLSPort = bad(
    "This is plain HTTP, and this port speaks TLS; ask it with https://."
  )

  /// The status that a server answers with.
  var status: Int {
    switch kind {
    case .badMessage, .truncated: 400
    case .contentTooLarge: 413
    case .targetTooLong: 414
    case .expectationFailed: 417
    case .fieldsTooLarge: 431
    case .notImplemented: 501
    case .versionNotSupported: 505
    case .tooSlow: 408
    }
  }
}

extension ProtocolError: CustomStringConvertible {
  var description: String { "\(status): \(sentence)" }
}
