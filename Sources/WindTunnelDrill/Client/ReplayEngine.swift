public import WindTunnel
public import WindTunnelNetworkLayer
internal import WindTunnelURLSession

#if canImport(FoundationNetworking)
  public import FoundationNetworking
#else
  public import Foundation
#endif

/// An engine of the reference client that is answered by a deck and never by the network: weather
/// from any scenario, under a running layer.
public struct ReplayEngine: Transport {
  private let transport: URLSessionTransport

  /// Plays a deck. It stays in memory for as long as the process.
  public init(_ deck: Deck) {
    transport = URLSessionTransport(session: URLSession(configuration: .windTunnel(deck)))
  }

  /// Asks the deck for the answer.
  public func send(_ request: URLRequest) async throws(TransportError) -> HTTPAnswer {
    try await transport.send(request)
  }
}
