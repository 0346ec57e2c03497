public import WindTunnelDrill
public import WindTunnelNetworkLayer

extension DrillCall {
  /// The way to send for the reference client: in process to the cassette and without a session,
  /// on the wire by `session`.
  ///
  /// ```swift
  /// let client = NetworkClient(
  ///   builder: RequestBuilder(baseURL: call.baseURL),
  ///   transport: call.transport
  /// )
  /// ```
  public var transport: any Transport {
    exchange.map { DirectTransport(exchange: $0) } ?? URLSessionTransport(session: session)
  }
}
