internal import Foundation
internal import WindTunnel

/// What a parser found next.
enum MessageEvent<Head: Sendable & Hashable>: Sendable, Hashable {
  /// The start line and all fields. An interim answer (1xx) is followed by another head.
  case head(Head)
  /// Content without its framing, never empty; how it is cut says nothing.
  case content(Data)
  /// The fields after chunked content, where there were any.
  case trailers(HeaderFields)
  /// The message is whole.
  case end
  /// The message is none; nothing follows, and the connection is of no further use.
  case failed(ProtocolError)
}

/// The minor version that both ends can rely on.
enum HTTPVersion: String, Sendable, Hashable {
  case http10 = "HTTP/1.0"
  /// Also any later minor version, which promises to behave like this one (RFC 9110 §6.2).
  case http11 = "HTTP/1.1"
}

/// Where a message's content ends (RFC 9112 §6.3).
enum Framing: Sendable, Hashable {
  /// There is none, whatever the fields announce.
  case none
  case length(Int)
  case chunked
  /// With the connection.
  case untilClose
}
