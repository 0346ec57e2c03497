public import WindTunnel
public import WindTunnelNetworkLayer
internal import WindTunnelURLSession

#if canImport(FoundationNetworking)
#else
  public import Foundation
#endif

/// A transport whose responses are from a deck and never from the network.
///
/// It applies any scenario to a running client.
///
/// ```swift
/// let client = NetworkClient(
///   builder: RequestBuilder(baseURL: baseURL),
///   transport: ReplayEngine(deck)
/// )
/// ```
public struct ReplayEngine: Transport {
  private let transport: URLSessionTransport

  /// Creates an engine with a deck, which stays in memory until the process ends.
  public init(_ deck: Deck) {
    transport = URLSessionTransport(session: URLSession(configuration: .windTunnel(deck)))
  }

  /// Returns the deck's response to a request.
  public func send(_ request: URLRequest) async throws(TransportError) -> ServerResponse {
    try await transport.send(request)
  }

  /// Returns the deck's response to a request as soon as its head has arrived.
  public func open(
    _ request: URLRequest,
    _ upload: Upload
  ) async throws(TransportError) -> StreamedResponse {
    try await transport.open(request, upload)
  }
}

// The mark of this module in programs, by which `check-release` finds it; the number is its own.
@section("__DATA_CONST,__wt_modules")
@used private let linkMark: (UInt64, UInt64, UInt64) =
  (0xF1D3_8A6C_57E2_94B0, 0x9C0E_B7A5_2D41_F863, 13)
