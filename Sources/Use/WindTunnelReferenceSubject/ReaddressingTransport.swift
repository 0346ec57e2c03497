internal import Foundation
internal import WindTunnelDrill
internal import WindTunnelNetworkLayer
internal import WindTunnelSymptoms

/// A transport that sends the requests for recorded origins to the addresses of a call.
///
/// The client knows its servers by their origins, so its cache and its circuit breakers have the
/// same keys as in an app.
struct ReaddressingTransport: Transport {
  private let servers: [CallServer]
  private let transport: any Transport

  /// Creates a transport for some servers. A request for any other host fails, because it would
  /// leave the drill.
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

/// An engine of conversations that sends handshakes to the addresses of a call.
struct ReaddressingEngine: ConversationEngine {
  /// A conversation with any other host fails.
  let servers: [CallServer]
  let engine: any ConversationEngine

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
      text: "\(text) is not at \(origins), so it has no address in the drill."
    )
  }
}
