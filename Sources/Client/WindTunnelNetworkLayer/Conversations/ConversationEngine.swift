public import Foundation

#if canImport(FoundationNetworking)
  public import FoundationNetworking
#endif

/// A message of a conversation over a WebSocket (RFC 6455 §5.6).
public enum ConversationMessage: Sendable, Hashable {
  /// A message of text, in UTF-8 (§8.1).
  case text(String)
  /// A message of any bytes.
  case data(Data)
}

/// An engine that carries conversations: it opens one WebSocket connection at a time, and knows
/// nothing of what is said.
///
/// ``URLSessionConversationEngine`` is one where the platform's sessions can; on Linux there is one
/// in the module `WindTunnelNetworkLayerSockets`.
public protocol ConversationEngine: Sendable {
  /// Opens a connection, once, and ends at once when the task is cancelled.
  ///
  /// - Parameter request: The handshake as a GET by `http` or `https`; `Sec-WebSocket-Protocol`
  ///   names the subprotocols.
  /// - Returns: The connection, or a server's refusal.
  /// - Throws: ``TransportError`` where there is neither.
  func open(_ request: URLRequest) async throws(TransportError) -> ConversationOpening
}

/// The end of an attempt to open a connection.
public enum ConversationOpening: Sendable {
  /// The connection, with the fields of the server's answer as far as the engine knows them.
  case opened(any ConversationConnection, Headers)
  /// The answer of a server that did not change the protocol.
  case refused(ServerResponse)
}

/// One open WebSocket connection. Pings are answered by whoever makes it.
public protocol ConversationConnection: Sendable {
  /// Sends a message whole, and returns when the system has taken it.
  func send(_ message: ConversationMessage) async throws(ConversationEnd)
  /// Returns the next message; one waits for it at a time. What nobody waits for is not read.
  func receive() async throws(ConversationEnd) -> ConversationMessage
  /// Sends a ping, and returns when its pong has come (RFC 6455 §5.5.3).
  func ping() async throws(ConversationEnd)
  /// Says that nothing follows, and waits for the server to say so, too, for seconds at most.
  func close(code: Int, reason: String) async
  /// Ends it at once, and whatever waits for it.
  func cancel()
}

/// The end of a connection.
public enum ConversationEnd: Error, Sendable, Hashable {
  /// The server closed it, with a code (RFC 6455 §7.4) and words; 1005: without a code.
  case closed(code: Int, reason: String)
  /// The connection ended without a close frame.
  case lost(TransportError)
}
