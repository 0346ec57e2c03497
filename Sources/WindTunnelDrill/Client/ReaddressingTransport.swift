internal import Foundation
internal import WindTunnelNetworkLayer
internal import WindTunnelSymptoms

#if canImport(FoundationNetworking)
  internal import FoundationNetworking
#endif

/// A transport under a client that knows one host, where each of its calls has an address of its
/// own: what the client keeps by host and by URL it keeps as in an app.
struct ReaddressingTransport: Transport {
  private let origin: URL
  private let base: URL
  private let transport: any Transport

  /// Makes one that sends what is for an origin to a base URL, and nothing else anywhere: what is
  /// for another host would leave the drill.
  init(from origin: URL, to base: URL, by transport: any Transport) {
    (self.origin, self.base, self.transport) = (origin, base, transport)
  }

  func send(_ request: URLRequest) async throws(TransportError) -> HTTPAnswer {
    try await transport.send(readdressed(request))
  }

  func open(
    _ request: URLRequest,
    _ upload: Upload
  ) async throws(TransportError) -> StreamedAnswer {
    try await transport.open(readdressed(request), upload)
  }

  func engine(for request: URLRequest) -> String { transport.engine(for: request) }

  private func readdressed(_ request: URLRequest) throws(TransportError) -> URLRequest {
    try request.readdressed(from: origin, to: base)
  }
}

/// The same for an engine of conversations.
struct ReaddressingEngine: ConversationEngine {
  private let origin: URL
  private let base: URL
  private let engine: any ConversationEngine

  /// Makes one that opens what is for an origin at a base URL, and nothing else anywhere.
  init(from origin: URL, to base: URL, by engine: any ConversationEngine) {
    (self.origin, self.base, self.engine) = (origin, base, engine)
  }

  func open(_ request: URLRequest) async throws(TransportError) -> ConversationOpening {
    try await engine.open(request.readdressed(from: origin, to: base))
  }
}

extension URLRequest {
  fileprivate func readdressed(
    from origin: URL,
    to base: URL
  ) throws(TransportError) -> URLRequest {
    if let moved = moved(from: origin, to: base) { return moved }
    let text = url?.absoluteString ?? ""
    throw .failed(.unknown, text: "\(text) is not at \(origin), so no address of the drill is its.")
  }
}
