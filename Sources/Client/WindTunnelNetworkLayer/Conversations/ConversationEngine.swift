public import Foundation

/// A message of a conversation over a WebSocket (RFC 6455 §5.6).
public enum ConversationMessage: Sendable, Hashable {
  /// A text message, in UTF-8 (§8.1).
  case text(String)
  /// A binary message of any bytes.
  case data(Data)
}

/// An engine that opens WebSocket connections for conversations, independently of their content.
///
/// ``URLSessionConversationEngine`` is an engine for Apple platforms. For Linux there is one in the
/// module `WindTunnelNetworkLayerSockets`.
public protocol ConversationEngine: Sendable {
  /// Opens one connection, without retries, and returns immediately if the task is cancelled.
  ///
  /// - Parameter request: The handshake as a GET with `http` or `https`; `Sec-WebSocket-Protocol`
  ///   names the subprotocols.
  /// - Returns: The connection, or the server's refusal.
  /// - Throws: ``TransportError`` if there is neither.
  func open(_ request: URLRequest) async throws(TransportError) -> ConversationOpening
}

/// The result of an attempt to open a connection.
public enum ConversationOpening: Sendable {
  /// The connection, with the response's header fields as far as the engine knows them.
  case opened(any ConversationConnection, Headers)
  /// The response of a server that did not switch the protocol.
  case refused(ServerResponse)
}

/// One open WebSocket connection. The implementation replies to pings.
public protocol ConversationConnection: Sendable {
  /// Sends a whole message, and returns when the system has accepted it.
  func send(_ message: ConversationMessage) async throws(ConversationEnd)
  /// Returns the next message, for one caller at a time. Messages are read only on request.
  func receive() async throws(ConversationEnd) -> ConversationMessage
  /// Sends a ping, and returns when its pong has arrived (RFC 6455 §5.5.3).
  func ping() async throws(ConversationEnd)
  /// Sends a close frame, and waits at most a few seconds for the server's close frame.
  func close(code: Int, reason: String) async
  /// Ends the connection immediately, together with all pending operations.
  func cancel()
}

/// The reason why a connection ended.
public enum ConversationEnd: Error, Sendable, Hashable {
  /// The server closed it with a code (RFC 6455 §7.4) and a reason; 1005 means no code.
  case closed(code: Int, reason: String)
  /// The connection ended without a close frame.
  case lost(TransportError)
}
