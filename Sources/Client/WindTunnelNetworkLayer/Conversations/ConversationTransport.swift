internal import Foundation

/// A transport that opens WebSocket connections, so that a handshake is a normal call.
///
/// Like any call it waits for a slot, consults the circuit breaker, carries a credential, and is
/// retried.
final class ConversationTransport: Transport {
  private let engine: any ConversationEngine
  private let opened = Locked<(any ConversationConnection)?>(nil)

  init(_ engine: any ConversationEngine) { self.engine = engine }

  /// Returns the last opened connection, and transfers it to the caller.
  func take() -> (any ConversationConnection)? { opened.exchange(nil) }

  func send(_ request: URLRequest) async throws(TransportError) -> ServerResponse {
    // A connection that a later attempt replaces has no owner.
    take()?.cancel()
    switch try await engine.open(request) {
    case .opened(let connection, let headers):
      opened.withLock { $0 = connection }
      return ServerResponse(status: 101, headers: headers)
    case .refused(let answer): return answer
    }
  }

  func engine(for request: URLRequest) -> String { "\(type(of: engine))" }
}

extension NetworkClient {
  /// Opens a connection with a call of its own.
  func connection(
    to endpoint: Endpoint,
    over engine: any ConversationEngine
  ) async throws(NetworkError) -> (any ConversationConnection, Headers) {
    let transport = ConversationTransport(engine)
    var endpoint = endpoint
    endpoint.rules = ResponseRules(statuses: 101...101, errors: endpoint.rules.errors)
    // A streamed response is neither shared nor cached.
    let receiver = StreamReceiver(endpoint.rules)
    let end = await Call(carried(by: transport), endpoint, by: receiver).run()
    let connection = transport.take()
    do throws(NetworkError) {
      let answer = try end.get()
      if let connection, !Task.isCancelled { return (connection, answer.headers) }
      throw .cancelled
    } catch {
      connection?.cancel()
      throw error
    }
  }
}
