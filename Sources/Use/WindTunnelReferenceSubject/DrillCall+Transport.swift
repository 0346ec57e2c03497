public import WindTunnelDrill
public import WindTunnelNetworkLayer

extension DrillCall {
  /// The transport of the reference client: in process without a session, on the wire with
  /// `session`.
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
