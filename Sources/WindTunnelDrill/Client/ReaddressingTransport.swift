internal import Foundation
internal import WindTunnelNetworkLayer

#if canImport(FoundationNetworking)
  internal import FoundationNetworking
#endif

/// A transport under a client that knows one host, where each of its calls has an address of its
/// own: what the client keeps by host and by URL it keeps as in an app.
struct ReaddressingTransport: Transport {
  private let origin: String
  private let base: String
  private let transport: any Transport

  /// Makes one that sends what is for an origin to a base URL, and everything else where it is for.
  init(from origin: URL, to base: URL, by transport: any Transport) {
    (self.origin, self.base) = (Self.prefix(origin), Self.prefix(base))
    self.transport = transport
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

  private func readdressed(_ request: URLRequest) -> URLRequest {
    guard let url = request.url?.absoluteString, url.hasPrefix(origin) else { return request }
    let rest = url.dropFirst(origin.count)
    guard rest.first.map({ "/?".contains($0) }) ?? true, let url = URL(string: base + rest) else {
      return request
    }
    var request = request
    request.url = url
    return request
  }

  private static func prefix(_ url: URL) -> String {
    let text = url.absoluteString
    return text.hasSuffix("/") ? String(text.dropLast()) : text
  }
}
