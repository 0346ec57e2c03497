internal import Foundation
internal import WindTunnelNetworkLayer
internal import WindTunnelSymptoms

#if canImport(FoundationNetworking)
  internal import FoundationNetworking
#endif

/// A transport under a client that knows its hosts, where each of its calls has addresses of its
/// own: what the client keeps by host and by URL it keeps as in an app.
struct ReaddressingTransport: Transport {
  private let servers: [CallServer]
  private let transport: any Transport

  /// Makes one that sends what is for a server's origin to its base URL, and nothing else anywhere:
  /// what is for another host would leave the drill.
  init(_ servers: [CallServer], by transport: any Transport) {
    (self.servers, self.transport) = (servers, transport)
  }

  func send(_ request: URLRequest) async throws(TransportError) -> ServerResponse {
    try await transport.send(readdressed(request))
  }

  func open(
    _ request: URLRequest,
    _ upload: Upload
  ) async throws(TransportError) -> StreamedResponse {
    try await transport.open(readdressed(request), upload)
  }

  func engine(for request: URLRequest) -> String { transport.engine(for: request) }

  private func readdressed(_ request: URLRequest) throws(TransportError) -> URLRequest {
    try request.readdressed(among: servers)
  }
}

/// The same for an engine of conversations.
struct ReaddressingEngine: ConversationEngine {
  private let servers: [CallServer]
  private let engine: any ConversationEngine

  /// Makes one that opens what is for a server's origin at its base URL, and nothing else anywhere.
  init(_ servers: [CallServer], by engine: any ConversationEngine) {
    (self.servers, self.engine) = (servers, engine)
  }

  func open(_ request: URLRequest) async throws(TransportError) -> ConversationOpening {
    try await engine.open(request.readdressed(among: servers))
  }
}

extension URLRequest {
  fileprivate func readdressed(among servers: [CallServer]) throws(TransportError) -> URLRequest {
    for server in servers {
      if let moved = moved(from: server.origin, to: server.base) { return moved }
    }
    let text = url?.absoluteString ?? ""
    let origins = servers.map(\.origin.absoluteString).joined(separator: ", ")
    throw .failed(
      .unknown,
      text: "\(text) is not at \(origins), so no address of the drill is its."
    )
  }
}
