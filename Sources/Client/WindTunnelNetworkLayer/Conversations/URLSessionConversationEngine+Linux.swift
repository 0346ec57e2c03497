#if !canImport(Darwin)
  internal import WindTunnelSymptoms

  /// An engine for a `URLSession`, which does not support WebSockets on this platform.
  ///
  /// Its libcurl has no WebSockets, or delivers each read as a message (swift-corelibs-foundation
  /// #5255).
  public struct URLSessionConversationEngine: ConversationEngine {
    /// Creates an engine that cannot open connections.
    public init(session: URLSession, messageBytesMax: Int = 64 << 20) {}

    /// Throws an error that names the engine to use instead.
    public func open(_ request: URLRequest) async throws(TransportError) -> ConversationOpening {
      throw .failed(
        .unsupportedURL,
        text: "URLSession has no WebSocket on this platform; use SocketConversationEngine of "
          + "the module WindTunnelNetworkLayerSockets."
      )
    }
  }
#endif
