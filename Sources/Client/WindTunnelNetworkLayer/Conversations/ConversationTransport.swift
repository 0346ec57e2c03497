internal import Foundation

#if canImport(FoundationNetworking)
  internal import FoundationNetworking
#endif

/// A transport whose answers open conversations, so that a handshake is a call as any other: it
/// waits for its slot, asks the circuit breaker, carries its credential, and is tried again.
final class ConversationTransport: Transport {
  private let engine: any ConversationEngine
  private let opened = Locked<(any ConversationConnection)?>(nil)

  init(_ engine: any ConversationEngine) { self.engine = engine }

  /// Takes the connection that was opened last; it is the caller's from here on.
  func take() -> (any ConversationConnection)? { opened.exchange(nil) }

  func send(_ request: URLRequest) async throws(TransportError) -> ServerResponse {
    // One that a later attempt replaces is nobody's.
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
  /// Opens a connection by a call of its own.
  func connection(
    to endpoint: Endpoint,
    over engine: any ConversationEngine
  ) async throws(NetworkError) -> (any ConversationConnection, Headers) {
    let transport = ConversationTransport(engine)
    var endpoint = endpoint
    endpoint.rules = ResponseRules(statuses: 101...101, errors: endpoint.rules.errors)
    // What is read as it comes is neither shared with others nor kept.
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
