public import WindTunnel
public import WindTunnelNetworkLayer
internal import WindTunnelURLSession

#if canImport(FoundationNetworking)
  public import FoundationNetworking
#else
  public import Foundation
#endif

/// A transport of the reference client that is answered by a deck and never by the network: the
/// weather of any scenario, under a running client.
///
/// ```swift
/// let client = NetworkClient(
///   builder: RequestBuilder(baseURL: baseURL),
///   transport: ReplayEngine(deck)
/// )
/// ```
public struct ReplayEngine: Transport {
  private let transport: URLSessionTransport

  /// Makes an engine of a deck, which stays in memory for as long as the process.
  public init(_ deck: Deck) {
    transport = URLSessionTransport(session: URLSession(configuration: .windTunnel(deck)))
  }

  /// Returns the deck's answer to a request.
  public func send(_ request: URLRequest) async throws(TransportError) -> ServerResponse {
    try await transport.send(request)
  }

  /// Returns the deck's answer to a request as soon as its head has come.
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
